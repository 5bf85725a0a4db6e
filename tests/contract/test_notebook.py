"""What holds for the notebook of every family, in every interface: it tells what was read, joined, and nothing else."""

import pytest

from algoworlds.core.decision import Manner
from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.game.builder import places
from algoworlds.game.notebook import notebook
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build
from tests.certified import certified


@pytest.fixture(scope="module", params=FAMILIES)
def admitted(request):
    return certified(request.param)


@pytest.fixture(scope="module", params=Interface, ids=lambda each: each.value)
def world(request, admitted):
    return build(admitted, request.param)


def plan_of(world):
    return min(world.plans.values(), key=world.cost)


def noted(known, relation, world):
    """The rows of a relation that the notebook tells whole; a list along a roster is put together again."""
    about = tuple(key.name for key in relation.keys)
    leaf = next((each for each in known.leaves if each.about == about), None)
    for row in () if leaf is None else leaf.rows:
        cells = dict(zip(leaf.columns, row, strict=True))
        values = [cells.get(relation.name, True)] if not relation.values else []
        for column in relation.values:
            along = world.public.get(getattr(column, "over", None))
            values.append(tuple(cells.get(each) for each in along) if along else cells.get(column.name))
        if not any(value is None or (isinstance(value, tuple) and None in value) for value in values):
            yield tuple(cells[name] for name in about) + tuple(values if relation.values else ())


def test_the_notebook_tells_every_fact_that_was_read_and_leaves_nothing_loose(world):
    """Facts are what NF makes of the same answers; where a family deduces some, they are not in a notebook of what was read."""
    episode = Episode(world, plan_of(world))
    known = notebook(episode)
    for name, relation in world.family.instance.relations.items():
        if relation.fact and not relation.public and (relation.values or relation.default is None):
            facts = {fact.row for fact in episode.facts if fact.relation == name}
            told = set(noted(known, relation, world))
            assert told <= facts
            assert told == facts or world.family.template.deduce is not None
    assert known.loose == ()


def test_every_row_of_a_table_was_read(world):
    """Half of a plan tells no more than its answers: whatever id stands in the notebook stands in an answer or the question."""
    calls = plan_of(world)[: len(plan_of(world)) // 2]
    episode = Episode(world, calls)
    heard = world.question + "".join(each.text for each in episode.observations)
    known = notebook(episode)
    cells = [cell for leaf in (*known.leaves, *known.loose) for row in leaf.rows for cell in row]
    assert cells or not calls
    for cell in cells:
        for each in cell if isinstance(cell, tuple) else (cell,):
            assert each is None or isinstance(each, bool) or str(each) in heard


def test_nothing_read_is_nothing_known(world):
    known = notebook(Episode(world))
    assert (known.leaves, known.loose, known.tried) == ((), (), ())


def test_with_everything_read_the_optimum_can_be_put_together(admitted, world):
    """Every place offers what the optimum has there: a builder that leaves it out would lose the game for its player."""
    known = notebook(Episode(world, plan_of(world)))
    decision = world.family.decision.arguments(admitted.solution.decision)
    for piece in world.family.decision.pieces:
        taken, found = decision[piece.argument], places(world, known, piece)
        offers = {place.owner: {offer.id for offer in place.offers} for place in found}
        if piece.manner is Manner.ASSIGN:
            assert all(option in offers[owner] for owner, option in taken.items())
        elif piece.manner is Manner.PICK:
            assert [place.owner for place in found] == list(world.public[piece.per])
            assert all(sum(each in listed for listed in offers.values()) == 1 for each in taken)
        else:
            assert set(taken) <= offers[None]


def test_before_anything_is_read_only_public_ids_are_on_offer(world):
    known = notebook(Episode(world))
    for piece in world.family.decision.pieces:
        offered = {offer.id for place in places(world, known, piece) for offer in place.offers}
        assert all(each in world.question for each in offered)


def test_matrices_say_what_their_tables_say(world):
    known = notebook(Episode(world, plan_of(world)))
    for leaf in known.leaves:
        for matrix in (each for each in leaf.readable if each is not leaf):
            down, across = (leaf.about.index(name) for name in matrix.about)
            at = leaf.columns.index(matrix.what)
            told = {(row[down], row[across]): row[at] for row in leaf.rows}
            crossed = {
                (row[0], head): cell
                for row in matrix.rows
                for head, cell in zip(matrix.columns[1:], row[1:], strict=True)
                if cell is not None
            }
            assert crossed == {pair: cell for pair, cell in told.items() if cell is not None}


def test_a_fleets_costs_are_read_as_a_matrix():
    world = build(certified("fleet_dispatch"), Interface.DIRECT)
    titles = [each["title"] for each in notebook(Episode(world, plan_of(world))).document["tables"]]
    assert titles == ["By vehicle", "By job", "Eligible by job and vehicle", "Route cost by job and vehicle"]
