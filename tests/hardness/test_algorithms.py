"""The better algorithms: they find optima, their bounds hold, equal states have equal futures, and preparation is counted."""

from functools import cache
from itertools import pairwise, permutations

import pytest

from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.families.sequential_matching.hardness import assignment_prices
from algoworlds.hardness.algorithms import ALGORITHMS
from algoworlds.hardness.attackers import Attack
from algoworlds.suites.attack.panel import attack_admitted
from algoworlds.worlds.admission import Coordinate, admit

ALGORITHMS_BY_NAME = {algorithm.name: algorithm for algorithm in ALGORITHMS}
CHAINS = ("authorization_planning", "evidence_joined_routing", "transit_routing")
SWITCHES = ("migration_portfolio", "station_siting")
SEEDS = range(1, 4)


@cache
def tiny(name, index=1):
    return admit(Coordinate(name, 0, index, "algorithm tests"))


def search_space(name, index=1):
    return FAMILIES[name].hardness.search_space(tiny(name, index).instance)


def random_partials(space, stream, count):
    """Random partial decisions, each a prefix of the next."""
    for _ in range(count):
        partial = ()
        while extensions := space.extensions(partial):
            yield partial
            partial = (*partial, stream.choice(extensions)[0])


@pytest.mark.parametrize("index", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_best_first_search_finds_every_optimum(name, index):
    assert attack_admitted(tiny(name, index), ALGORITHMS_BY_NAME["best first"], (1_000_000,)).found_at


@pytest.mark.parametrize("name", FAMILIES)
def test_a_beam_that_merges_equal_states_and_keeps_all_of_them_finds_the_optimum(name):
    assert attack_admitted(tiny(name), ALGORITHMS_BY_NAME["merged beam 1000"], (1_000_000,)).found_at


@pytest.mark.parametrize("index", SEEDS)
@pytest.mark.parametrize("name", CHAINS)
def test_joined_half_routes_find_the_optimum(name, index):
    assert attack_admitted(tiny(name, index), ALGORITHMS_BY_NAME["joined routes"], (1_000_000,)).found_at


def test_joined_half_routes_take_fewer_evaluations_than_routes_from_one_end():
    admitted = admit(Coordinate("authorization_planning", 2, 1, "algorithm tests"))
    joined, single = (
        attack_admitted(admitted, ALGORITHMS_BY_NAME[algorithm], (100_000,)).found_at
        for algorithm in ("joined routes", "best first")
    )
    assert joined < single


@pytest.mark.parametrize("index", SEEDS)
@pytest.mark.parametrize("name", SWITCHES)
def test_matched_halves_find_the_optimum(name, index):
    assert attack_admitted(tiny(name, index), ALGORITHMS_BY_NAME["matched halves"], (1_000_000,)).found_at


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.name)
@pytest.mark.parametrize("name", FAMILIES)
def test_an_algorithm_that_does_not_apply_or_runs_out_of_budget_ends_quietly(name, algorithm):
    admitted = tiny(name)
    attack = Attack(admitted.family, admitted.instance, admitted.optimum, 97, Stream("budget"))
    assert attack.run(algorithm.attack).evaluations <= 97


@pytest.mark.parametrize("name", FAMILIES)
def test_bounds_of_the_optimum_rise_to_its_loss(name):
    """Along the optimum, what has been lost and the bound on the rest never exceed the whole."""
    decision = tiny(name).solution.decision
    for part in search_space(name).parts():
        choices = part.to_choices(decision)
        bounds, lost = [part.tight_bound(())], 0
        for length in range(len(choices)):
            added = dict(part.extensions(choices[:length])).get(choices[length])
            if added is None:  # the optimum lies in another part
                break
            lost += added
            bounds.append(lost + part.tight_bound(choices[: length + 1]))
        else:
            assert max(bounds) <= lost
            return
    pytest.fail("no part holds the optimum")


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "migration_portfolio"])  # it merges nothing
def test_partial_decisions_in_one_state_can_be_extended_alike(name):
    space, seen, merged = search_space(name), {}, 0
    for partial in random_partials(space, Stream("states", name), 400):
        key = len(partial), space.state(partial)
        other = seen.setdefault(key, partial)
        if other != partial:
            merged += 1
            own, others = dict(space.extensions(partial)), dict(space.extensions(other))
            assert own == others
            for choice in own:
                assert space.state((*partial, choice)) == space.state((*other, choice))
    assert merged, "no two partial decisions met in a state"


@pytest.mark.parametrize("name", SWITCHES)
def test_the_quadratic_form_is_the_loss_of_switches_and_pairs(name):
    space, stream = search_space(name), Stream("form", name)
    linear, joint = space.quadratic_form()
    differences = []
    for _ in range(50):
        x = tuple(stream.integers(len(linear), 0, 1))
        form = sum(linear[at] for at, on in enumerate(x) if on) + sum(
            joint[i, j] for i, on in enumerate(x) for j in range(i) if on and x[j]
        )
        differences.append(sum(space._loss_parts(x)) - form)
    assert all(before == after for before, after in pairwise(differences))


def test_assignment_prices_add_up_to_the_cheapest_assignment():
    stream = Stream("assignment")
    for size in range(1, 6):
        for _ in range(20):
            cost = [stream.integers(size, 0, 30) for _ in range(size)]
            rows, columns = assignment_prices(cost)
            cheapest = min(sum(cost[i][j] for i, j in enumerate(order)) for order in permutations(range(size)))
            assert sum(rows) + sum(columns) == cheapest
            assert all(rows[i] + columns[j] <= cost[i][j] for i in range(size) for j in range(size))
