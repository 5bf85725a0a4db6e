"""Ranges are declared for every hidden number, hold for every generated instance, and are not too wide."""

from dataclasses import replace

import pytest

from algoworlds.core.ranges import Promise, Range, Ranges, hidden_number_columns
from algoworlds.core.stream import Stream
from algoworlds.errors import DeclarationError
from algoworlds.families import FAMILIES, load_family
from algoworlds.suites.contracts.family_check import check_ranges, used_share

ANY = load_family("series_portfolio")


@pytest.mark.parametrize("level", range(5))
@pytest.mark.parametrize("name", FAMILIES)
def test_every_hidden_number_has_a_range_at_every_level(name, level):
    assert set(load_family(name).ranges_at(level).columns) == set(hidden_number_columns(load_family(name).instance))


@pytest.mark.parametrize(
    ("level", "count"), [(0, 10), (1, 10), *(pytest.param(level, 30, marks=pytest.mark.full) for level in (0, 1, 2))]
)
@pytest.mark.parametrize("name", FAMILIES)
def test_generated_numbers_lie_within_the_ranges_and_span_them(name, level, count):
    family = load_family(name)
    ranges = family.ranges_at(level)
    instances = [family.generate(family.levels[level], Stream("ranges", name, level, at)) for at in range(count)]
    assert [problem for instance in instances for problem in ranges.violations(instance)] == []
    assert {column: share for column, share in used_share(ranges, instances).items() if share < 0.3} == {}


def with_ranges(change):
    """Series Portfolio with changed ranges."""
    return replace(ANY, knowledge=replace(ANY.knowledge, ranges=lambda config: change(ANY.knowledge.ranges_for(config))))


def without(ranges, column):
    return replace(ranges, columns={ref: bounds for ref, bounds in ranges.columns.items() if ref != column})


def with_range(ranges, column, bounds):
    return replace(ranges, columns={**ranges.columns, column: bounds})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda old: without(old, ("factor", "table")), "no range is declared for factor.table"),
        (
            lambda old: with_range(old, ("factor", "scope"), Range(0, 1)),
            "factor.scope, which is not a hidden column of numbers",
        ),
        (lambda old: with_range(old, ("choice", "choice"), Range(1, 0)), "the range of choice.choice ends before it begins"),
    ],
)
def test_rejects_ranges_that_do_not_match_the_tables(change, problem):
    with pytest.raises(DeclarationError, match=problem):
        with_ranges(change)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda old: with_range(old, ("lot_value", "lot_value"), Range(1_000, 2_000)), "outside 1,000 .. 2,000"),
        (
            lambda old: with_range(old, ("lot_value", "lot_value"), Range(0, 99_999)),
            "only 9% of the range of lot_value.lot_value",
        ),
        (lambda old: replace(old, promises=(Promise("lots are free", lambda instance: False),)), "not kept: lots are free"),
    ],
)
def test_contract_finds_ranges_that_are_violated_or_too_wide(change, problem):
    breaches = [breach for _, breach in check_ranges(with_ranges(change), 0, "a seed") if breach is not None]
    assert breaches
    assert all(problem in breach for breach in breaches)


def test_family_without_ranges_is_not_a_breach():
    family = replace(ANY, knowledge=replace(ANY.knowledge, ranges=None))
    assert list(check_ranges(family, 0, "a seed")) == []
    assert family.lacking("knowledge", "ranges", purpose="state them").startswith(f"{ANY.name} declares no ranges: add ")


def test_diagonal_of_a_list_is_certain():
    transit = load_family("transit_routing")
    declared, instance = transit.ranges_at(0), transit.generate(transit.levels[0], Stream("own"))
    for at, row in enumerate(instance.rows("transfer")):
        ranges = declared.row_ranges(instance, ("transfer", "transfer_costs"), row)
        assert [(bounds.low, bounds.high) for bounds in ranges] == [
            (0, 0) if to == at else (1_000, 9_999) for to in range(len(ranges))
        ]
    line, costs = instance.rows("transfer")[0]
    moved = instance.replace(transfer={**instance.transfer, line: (1_000, *costs[1:])})
    assert list(declared.violations(moved)) == ["transfer.transfer_costs holds 1,000, outside 0 .. 0"]


def test_ranges_are_immutable_and_compare_by_value():
    one, other = ANY.ranges_at(1), ANY.ranges_at(1)
    assert one == other
    assert one != with_range(one, ("choice", "choice"), Range(0, 2))
    with pytest.raises(TypeError):
        one.columns["choice", "choice"] = Range(0, 2)
    assert Promise("kept", bool) == Promise("kept", all)  # promises compare by their text


def test_arcs_that_skip_a_stage_break_a_promise():
    evidence = load_family("evidence_joined_routing")
    declared, instance = evidence.ranges_at(0), evidence.generate(evidence.levels[0], Stream("layers"))
    first, second = instance.stage[:2]
    (key, (tail, _)) = next((key, ends) for key, ends in instance.ends.items() if key[0] == first)
    beyond = next(head for (stage, _), (_, head) in instance.ends.items() if stage == second)
    skipping = instance.replace(ends={**instance.ends, key: (tail, beyond)})
    assert list(declared.violations(instance)) == []
    assert [problem[:8] for problem in declared.violations(skipping)] == ["not kept"]


def test_range_basics():
    assert (5 in Range(5, 7), 8 in Range(5, 7), Range(5, 7).width) == (True, False, 2)
    assert list(Ranges({}).declaration_problems(ANY.instance)) == [
        f"no range is declared for {name}" for name in ("choice.choice", "lot_value.lot_value", "factor.table")
    ]
