"""The attackers: counted budgets, and that each can win; fits that leave an instance to solve."""

from dataclasses import replace
from functools import cache, partial
from itertools import pairwise

import pytest

from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.families.hardness import fit_line
from algoworlds.hardness.attackers import ATTACKERS, Attack, AttackEnded, Attacker, beam_search
from algoworlds.suites.attack.panel import attack_admitted
from algoworlds.worlds.admission import Coordinate, admit

ATTACKERS_BY_NAME = {attacker.name: attacker for attacker in ATTACKERS}


@cache
def tiny(name):
    return admit(Coordinate(name, 0, 1, "attack tests"))


def play_attack(admitted, attacker, budget):
    """Run `attacker` with `budget` evaluations: the attack, and the sum of all that it spent."""
    spent = []
    stream = Stream("attack tests", attacker.name)
    attack = Attack(admitted.family, admitted.instance, admitted.optimum, budget, stream)
    inner = attack.spend

    def spend(count):
        inner(count)
        spent.append(count)

    attack.spend = spend
    return attack.run(attacker.attack), sum(spent)


@pytest.mark.parametrize("name", FAMILIES)
def test_moves_find_the_optimum_of_a_tiny_instance(name):
    attackers = [ATTACKERS_BY_NAME[attacker] for attacker in ("restarts", "annealing")]
    assert any(attack_admitted(tiny(name), attacker, (40_000,)).found_at for attacker in attackers)


@pytest.mark.parametrize("name", ["fleet_dispatch", "migration_portfolio", "sequential_matching"])
@pytest.mark.parametrize("ahead", [False, True])
def test_a_beam_as_wide_as_all_partial_decisions_finds_the_optimum_of_a_tiny_instance(name, ahead):
    widest = Attacker("widest", "all partial decisions together", partial(beam_search, 10_000, ahead))
    assert attack_admitted(tiny(name), widest, (200_000,)).found_at


@pytest.mark.parametrize("attacker", ATTACKERS, ids=lambda attacker: attacker.name)
@pytest.mark.parametrize("name", ["fleet_dispatch", "station_siting", "transit_routing"])
def test_a_budget_is_kept_to_the_last_evaluation(attacker, name):
    admitted = tiny(name)
    attack, spent = play_attack(admitted, attacker, 97)
    assert spent <= 97
    assert attack.evaluations <= 97
    assert all(at <= 97 for at, _ in attack.improvements)
    values = [value for _, value in attack.improvements]
    assert all(admitted.family.sense.is_better(after, than=before) for before, after in pairwise(values))


def test_an_attack_counts_every_decision_and_every_extension():
    admitted = tiny("fleet_dispatch")
    attack = Attack(admitted.family, admitted.instance, admitted.optimum, 5, Stream("count"))
    ways = len(list(attack.extensions(())))
    assert attack.evaluations == ways
    for _ in range(5 - ways):
        attack.loss(admitted.reference)
    assert attack.evaluations == 5
    with pytest.raises(AttackEnded):
        attack.loss(admitted.reference)
    assert (attack.evaluations, attack.found_at) == (5, None)
    assert attack.value_at(ways) is None
    assert attack.value_at(ways + 1) == admitted.reference_value


def test_finding_the_optimum_ends_the_attack():
    admitted = tiny("series_portfolio")
    attack = Attack(admitted.family, admitted.instance, admitted.optimum, 100, Stream("end"))
    with pytest.raises(AttackEnded):
        attack.loss(admitted.solution.decision)
    assert attack.found_at == 1


def test_visible_units_are_tried_one_after_the_other():
    """A family whose tables show its optimum is solved by trying units."""
    admitted = tiny("migration_portfolio")

    def show_optimum(instance):
        space = admitted.family.hardness.search_space(instance)
        space.visible_units = lambda: iter((admitted.reference, admitted.reference, admitted.solution.decision))
        return space

    shown = replace(admitted.family, hardness=replace(admitted.family.hardness, search_space=show_optimum))
    attack = Attack(shown, admitted.instance, admitted.optimum, 2_000, Stream("units"))
    assert attack.run(ATTACKERS_BY_NAME["visible units"].attack).found_at == 3


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.hardness.fits])
def test_a_fit_changes_one_column_and_leaves_an_instance_to_solve(name):
    family, instance = FAMILIES[name], tiny(name).instance
    for fit in family.hardness.fits.values():
        guessed = fit(instance)
        changed = [relation for relation in family.instance.relations if guessed.tables[relation] != instance.tables[relation]]
        assert len(changed) == 1
        assert family.solve(guessed).decision is not None


def test_a_line_fits_what_lies_on_a_line():
    assert fit_line([1, 2, 4], [10, 20, 40]) == [10, 20, 40]
    assert fit_line([3, 3, 3], [1, 2, 6]) == [3, 3, 3]
