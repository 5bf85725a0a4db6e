"""The notebook of every family in every interface: what was read, joined, and nothing else."""

import pytest

from algoworlds.core.decision import ChoiceKind
from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.game.decision_builder import find_positions
from algoworlds.game.notebook import build_notebook
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance


@pytest.fixture(scope="module", params=FAMILIES)
def admitted(request):
    return certified_instance(request.param)


@pytest.fixture(scope="module", params=Interface, ids=lambda interface: interface.value)
def world(request, admitted):
    return build_world(admitted, request.param)


def cheapest_plan(world):
    return min(world.plans.values(), key=world.cost)


def complete_rows(notebook, relation, world):
    """The rows of `relation` without gaps; a list along a roster is put together again."""
    keys = tuple(key.name for key in relation.keys)
    table = next((table for table in notebook.joined_tables if table.key_columns == keys), None)
    for row in () if table is None else table.rows:
        cells = dict(zip(table.columns, row, strict=True))
        values = [cells.get(relation.name, True)] if not relation.values else []
        for column in relation.values:
            along = world.public.get(getattr(column, "over", None))
            values.append(tuple(cells.get(entity) for entity in along) if along else cells.get(column.name))
        if not any(value is None or (isinstance(value, tuple) and None in value) for value in values):
            yield tuple(cells[name] for name in keys) + tuple(values if relation.values else ())


def test_notebook_holds_every_fact_that_was_read(world):
    """The facts are those of NF from the same answers, except facts that a family deduces: a notebook holds what was read."""
    episode = Episode(world, cheapest_plan(world))
    notebook = build_notebook(episode)
    for name, relation in world.family.instance.relations.items():
        if relation.fact and not relation.public and (relation.values or relation.default is None):
            facts = {fact.row for fact in episode.facts if fact.relation == name}
            rows = set(complete_rows(notebook, relation, world))
            assert rows <= facts
            assert rows == facts or world.family.template.deduce is not None
    assert notebook.unjoined_tables == ()


def test_notebook_holds_nothing_that_was_not_read(world):
    """After half of a plan every id in the notebook is in an answer or in the question."""
    calls = cheapest_plan(world)[: len(cheapest_plan(world)) // 2]
    episode = Episode(world, calls)
    texts = world.question + "".join(observation.text for observation in episode.observations)
    notebook = build_notebook(episode)
    cells = [cell for table in (*notebook.joined_tables, *notebook.unjoined_tables) for row in table.rows for cell in row]
    assert cells or not calls
    for cell in cells:
        for value in cell if isinstance(cell, tuple) else (cell,):
            assert value is None or isinstance(value, bool) or str(value) in texts


def test_notebook_starts_empty(world):
    notebook = build_notebook(Episode(world))
    assert (notebook.joined_tables, notebook.unjoined_tables, notebook.evaluated_decisions) == ((), (), ())


def test_builder_offers_the_optimum_after_a_plan(admitted, world):
    """Every position offers the optimum's choice; a builder without it would make the player lose."""
    notebook = build_notebook(Episode(world, cheapest_plan(world)))
    decision = world.family.decision.arguments(admitted.solution.decision)
    for spec in world.family.decision.argument_specs:
        value, positions = decision[spec.argument], find_positions(world, notebook, spec)
        choices = {position.owner: {choice.id for choice in position.choices} for position in positions}
        if spec.kind is ChoiceKind.ASSIGN:
            assert all(option in choices[owner] for owner, option in value.items())
        elif spec.kind is ChoiceKind.PICK:
            assert [position.owner for position in positions] == list(world.public[spec.per])
            assert all(sum(item in ids for ids in choices.values()) == 1 for item in value)
        else:
            assert set(value) <= choices[None]


def test_builder_starts_with_public_ids_only(world):
    notebook = build_notebook(Episode(world))
    for spec in world.family.decision.argument_specs:
        ids = {choice.id for position in find_positions(world, notebook, spec) for choice in position.choices}
        assert all(item in world.question for item in ids)


def test_matrices_equal_their_tables(world):
    notebook = build_notebook(Episode(world, cheapest_plan(world)))
    for table in notebook.joined_tables:
        for matrix in (matrix for matrix in table.as_matrices if matrix is not table):
            down, across = (table.key_columns.index(name) for name in matrix.key_columns)
            column = table.columns.index(matrix.value_name)
            table_cells = {(row[down], row[across]): row[column] for row in table.rows}
            matrix_cells = {
                (row[0], head): cell
                for row in matrix.rows
                for head, cell in zip(matrix.columns[1:], row[1:], strict=True)
                if cell is not None
            }
            assert matrix_cells == {pair: cell for pair, cell in table_cells.items() if cell is not None}


def test_costs_of_a_fleet_are_a_matrix():
    world = build_world(certified_instance("fleet_dispatch"), Interface.DIRECT)
    titles = [table["title"] for table in build_notebook(Episode(world, cheapest_plan(world))).document["tables"]]
    assert titles == ["By vehicle", "By job", "Eligible by job and vehicle", "Route cost by job and vehicle"]
