"""Refusal tells nothing: no rank of the optimum under a guess is much likelier than another one (issue 26).

The rank of the optimum is one more than the number of rivals that are better with a guessed column. Rivals in Fleet Dispatch
are the best assignments of all sets of vehicles of which none can stay idle: the contracts decide between these.
"""

from collections import Counter

import pytest

from algoworlds.families import FAMILIES
from algoworlds.families.fleet_dispatch.hardness import FleetSearchSpace
from algoworlds.hardness.giveaway import GiveawayCheck, imputed_instances
from algoworlds.suites.attack.summary import MAX_GUESSED_PERCENT, max_likely_hits
from algoworlds.worlds.admission import Coordinate, admit

FLEET = FAMILIES["fleet_dispatch"]
CONSTANT = "activation_cost: the mean of other worlds"


def admitted_instances(name, levels, count):
    return [admit(Coordinate(name, level, index, "refusal")) for level in levels for index in range(1, 1 + count)]


def open_set_rank(admitted):
    """The rank of the optimum among the open sets if all contracts are guessed as one value."""
    instance, optimum = admitted.instance, admitted.solution.decision
    guess = dict(imputed_instances(FLEET, admitted.coordinate.level, instance))[CONSTANT]
    capacity, load = instance.capacity, sum(instance.load.values())
    rank, own = 1, FLEET.check(guess, optimum).value
    for part in FleetSearchSpace(instance).parts():
        opened = part.vehicles
        if sum(capacity[v] for v in opened) - min(capacity[v] for v in opened) < load:
            best = FLEET.solve(guess.restrict(vehicle=frozenset(opened)))
            rank += best.value is not None and best.value < own
    return rank


def assert_ranks_are_alike(ranks):
    """No rank exceeds the goal, and the first rank is as frequent as the second, both at a significance of 0.001."""
    counts = Counter(ranks)
    limit = max_likely_hits([MAX_GUESSED_PERCENT / 100] * len(ranks))
    assert max(counts.values()) <= limit, f"of {len(ranks)} optima {counts} have one rank, more than {limit}"
    first, second = counts[1], counts[2]
    likely = max_likely_hits([0.5] * (first + second), 0.0005)
    assert max(first, second) <= likely, f"{first} optima of rank 1 and {second} of rank 2"


@pytest.mark.parametrize("count", [12, pytest.param(75, marks=pytest.mark.full)])
def test_no_open_set_is_told_by_its_rank_without_contracts(count):
    assert_ranks_are_alike([open_set_rank(admitted) for admitted in admitted_instances(FLEET.name, (1, 2, 3, 4), count)])


def test_ranks_of_a_rule_that_always_refuses_the_first_are_not_alike():
    with pytest.raises(AssertionError, match="0 optima of rank 1"):
        assert_ranks_are_alike([rank for rank in range(2, 14) for _ in range(25)])
    with pytest.raises(AssertionError, match="have one rank"):
        assert_ranks_are_alike([1, 2, 2, 3] * 75)


@pytest.mark.parametrize("count", [6, pytest.param(150, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", FAMILIES)
def test_guessed_columns_seldom_give_the_optimum(name, count):
    family, hits, conceded = FAMILIES[name], Counter(), 0.0
    admitted = admitted_instances(name, (1, 2) if count > 6 else (1,), count)
    for one in admitted:
        level = one.coordinate.level
        concession = family.hardness.concession_for("exact with a guessed column", level)
        conceded = max(conceded, MAX_GUESSED_PERCENT if concession is None else concession.limit)
        giveaway = GiveawayCheck(family, one.solution.decision)
        hits.update(name for name, guess in imputed_instances(family, level, one.instance) if giveaway.finds_optimum(guess))
    limit = max_likely_hits([conceded / 100] * len(admitted))
    assert max(hits.values(), default=0) <= limit, f"of {len(admitted)}: {hits.most_common(3)}, more than {limit}"
