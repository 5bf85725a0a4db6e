"""Tied optima: verification counts them, and planted instances have two to eight, all of them known."""

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.worlds.admission import Coordinate, admit
from algoworlds.worlds.ties import MAX_OPTIMA, MIN_OPTIMA
from tests.oracles import brute, oracle

QUICK, FULL = 60, 1_000
MAX_ENUMERATED = 6
"""Optima of a small instance that are enumerated; more need thousands of solves."""
MAX_MAGNITUDE = 2**24
"""Numbers of such an instance: some options are excluded by prices that no decision reaches, and prices are below 2^53."""


def enumerate_by_exclusion(family, instance):
    """All optima, by the construction algorithm alone: each optimum is excluded through every option that it uses.

    A larger set of domains uses the same options and more, so in Migration Portfolio each further domain is also rewarded.
    """
    value, price, optima, seen = family.solve(instance).value, 1 + 2 * instance.magnitude(), {}, set()

    def change(reduced, name, rows, cell):
        return reduced.with_rows(**{name: {row: (*row[:-1], cell) for row in rows}})

    def changed_instances(reduced):
        for kind in family.knowledge.options:
            for option in kind.find_options(reduced):
                if kind.price:  # instead of `exclude`, whose prices would grow from one exclusion to the next
                    name, sign = kind.price
                    yield change(reduced, name, [row for relation, row in option.facts if relation == name], sign * price)
                else:
                    yield kind.exclude(reduced, [option])

    def visit(reduced, known=None):
        if reduced.digest in seen:
            return
        seen.add(reduced.digest)
        decision = family.solve(reduced).decision
        if decision in (None, known) or family.check(instance, decision).value != value:
            return  # an option that `known` does not use was excluded, or every optimum
        optima[repr(decision)] = decision
        for other in changed_instances(reduced):
            visit(other, decision)
        for row in reduced.rows("charge") if family.name == "migration_portfolio" else ():
            if row[0] not in decision[1]:
                visit(change(reduced, "charge", [row], -price))

    visit(instance)
    return list(optima.values())


def compare_counts(family, numbers):
    """Verification, brute force and enumeration by exclusion agree on small instances; return how many were tied."""
    tied = 0
    for number in numbers:
        instance = oracle(family.name).small(Stream("small", family.name, number))
        count = family.verify(instance).optima
        assert count == brute(family, instance).optima, instance.canonical_json
        if 1 < count <= MAX_ENUMERATED and instance.magnitude() < MAX_MAGNITUDE:
            assert len(enumerate_by_exclusion(family, instance)) == count, instance.canonical_json
            tied += 1
    return tied


@pytest.mark.parametrize("name", FAMILIES)
def test_counts_of_optima_agree(name):
    assert compare_counts(FAMILIES[name], range(QUICK)) >= 2


@pytest.mark.full
@pytest.mark.parametrize("name", FAMILIES)
def test_counts_of_optima_agree_on_many(name):
    compare_counts(FAMILIES[name], range(QUICK, FULL))


@pytest.mark.parametrize(
    ("level", "index"), [(0, 1), *(pytest.param(level, at, marks=pytest.mark.full) for level in (1, 2) for at in (1, 2, 3))]
)
@pytest.mark.parametrize("name", FAMILIES)
def test_tied_instances_have_several_optima_all_known(name, level, index):
    coordinate = Coordinate(name, level, index, tied=True)
    admitted = admit(coordinate)
    family, optima = admitted.family, (admitted.solution.decision, *admitted.others)
    texts = [canonical_json(family.decision.arguments(decision)) for decision in optima]
    assert MIN_OPTIMA <= len(optima) <= MAX_OPTIMA
    assert texts == sorted(set(texts))
    assert {family.check(admitted.instance, decision).value for decision in optima} == {admitted.optimum}
    assert family.verify(admitted.instance).optima == len(optima)
    assert not any(family.ranges_at(level).violations(admitted.instance))
    assert family.check(admitted.instance, admitted.reference).value != admitted.optimum
