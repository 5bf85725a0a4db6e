"""What worlds let an agent rely on: declared for every hidden number, kept by what is drawn, and no wider than it must be."""

from dataclasses import replace

import pytest

from algoworlds.core.ranges import Promise, Range, Ranges, hidden_numbers
from algoworlds.core.stream import Stream
from algoworlds.errors import DeclarationError
from algoworlds.families import FAMILIES, family
from algoworlds.suites.contracts.reliance import ranges_kept, used

ANY = family("series_portfolio")


@pytest.mark.parametrize("level", range(5))
@pytest.mark.parametrize("name", FAMILIES)
def test_every_hidden_number_has_a_range_at_every_level(name, level):
    assert set(family(name).ranges_at(level).columns) == set(hidden_numbers(family(name).instance))


@pytest.mark.parametrize(
    ("level", "count"), [(0, 10), (1, 10), *(pytest.param(level, 30, marks=pytest.mark.full) for level in (0, 1, 2))]
)
@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_drawn_lies_inside_and_spans_much_of_the_range(name, level, count):
    own = family(name)
    declared = own.ranges_at(level)
    drawn = [own.generate(own.levels[level], Stream("ranges", name, level, at)) for at in range(count)]
    assert [problem for each in drawn for problem in declared.broken(each)] == []
    assert {place: share for place, share in used(declared, drawn).items() if share < 0.3} == {}


def with_ranges(change):
    """Series Portfolio with other ranges than its own."""
    return replace(ANY, knowledge=replace(ANY.knowledge, ranges=lambda config: change(ANY.knowledge.ranges(config))))


def without(ranges, place):
    return replace(ranges, columns={each: range_ for each, range_ in ranges.columns.items() if each != place})


def widened(ranges, place, range_):
    return replace(ranges, columns={**ranges.columns, place: range_})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda old: without(old, ("factor", "table")), "no range is declared for factor.table"),
        (lambda old: widened(old, ("factor", "scope"), Range(0, 1)), "factor.scope, which is no hidden column of numbers"),
        (lambda old: widened(old, ("choice", "choice"), Range(1, 0)), "the range of choice.choice ends before it begins"),
    ],
)
def test_a_declaration_that_does_not_fit_the_tables_is_refused(change, problem):
    with pytest.raises(DeclarationError, match=problem):
        with_ranges(change)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda old: widened(old, ("lot_value", "lot_value"), Range(1_000, 2_000)), "outside 1,000 .. 2,000"),
        (lambda old: widened(old, ("lot_value", "lot_value"), Range(0, 99_999)), "only 9% of the range of lot_value.lot_value"),
        (lambda old: replace(old, promises=(Promise("lots are free", lambda instance: False),)), "not kept: lots are free"),
    ],
)
def test_the_contract_finds_ranges_that_are_left_or_idle(change, problem):
    breaches = [breach for _, breach in ranges_kept(with_ranges(change), 0, "a seed") if breach is not None]
    assert breaches
    assert all(problem in breach for breach in breaches)


def test_a_family_without_ranges_is_no_breach_but_said_plainly():
    silent = replace(ANY, knowledge=replace(ANY.knowledge, ranges=None))
    assert list(ranges_kept(silent, 0, "a seed")) == []
    assert silent.lacking("knowledge", "ranges", purpose="state them").startswith(f"{ANY.name} declares no ranges: add ")


def test_the_own_place_of_a_list_is_certain():
    transit = family("transit_routing")
    declared, instance = transit.ranges_at(0), transit.generate(transit.levels[0], Stream("own"))
    for at, row in enumerate(instance.rows("transfer")):
        ranges = declared.cell(instance, ("transfer", "transfer_costs"), row)
        assert [(each.low, each.high) for each in ranges] == [
            (0, 0) if to == at else (1_000, 9_999) for to in range(len(ranges))
        ]
    line, costs = instance.rows("transfer")[0]
    moved = instance.replace(transfer={**instance.transfer, line: (1_000, *costs[1:])})
    assert list(declared.broken(moved)) == ["transfer.transfer_costs holds 1,000, outside 0 .. 0"]


def test_ranges_never_change_and_are_equal_where_they_say_the_same():
    one, other = ANY.ranges_at(1), ANY.ranges_at(1)
    assert one == other
    assert one != widened(one, ("choice", "choice"), Range(0, 2))
    with pytest.raises(TypeError):
        one.columns["choice", "choice"] = Range(0, 2)
    assert Promise("kept", bool) == Promise("kept", all)  # what is promised is what is said


def test_arcs_that_skip_a_stage_break_the_promise_of_evidence_routing():
    evidence = family("evidence_joined_routing")
    declared, instance = evidence.ranges_at(0), evidence.generate(evidence.levels[0], Stream("layers"))
    first, second = instance.stage[:2]
    (key, (tail, _)) = next((key, ends) for key, ends in instance.ends.items() if key[0] == first)
    beyond = next(head for (stage, _), (_, head) in instance.ends.items() if stage == second)
    skipping = instance.replace(ends={**instance.ends, key: (tail, beyond)})
    assert list(declared.broken(instance)) == []
    assert [problem[:8] for problem in declared.broken(skipping)] == ["not kept"]


def test_what_needs_no_family():
    assert (5 in Range(5, 7), 8 in Range(5, 7), Range(5, 7).width) == (True, False, 2)
    assert list(Ranges({}).problems(ANY.instance)) == [
        f"no range is declared for {name}" for name in ("choice.choice", "lot_value.lot_value", "factor.table")
    ]
