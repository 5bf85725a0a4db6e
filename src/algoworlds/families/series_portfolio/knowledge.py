"""What Series Portfolio leaves open while series are unread: each may separate two portfolios by the full range of its cells.

The index says which series a title is in; otherwise the scope of an unread series may be anything.
"""

from collections.abc import Iterator

from algoworlds.families.declare import Completions, Knowledge, OptionKind, ReadScope, Relaxation, Row, Unknowns
from algoworlds.families.series_portfolio.check import check
from algoworlds.families.series_portfolio.generate import ranges
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

Lots = tuple[str, ...]


def relax(completions: Completions, instance: SeriesPortfolio, decision: Lots) -> Iterator[Relaxation]:
    """Drop unread series, and grant rivals the range of their cells, or what the evaluated value leaves of it."""
    unread = frozenset(row[0] for row in completions.unread_rows("factor"))
    cells, evaluation = completions.ranges.columns["factor", "table"], completions.evaluation
    left = instance.restrict(series=[series for series in instance.series if series not in unread]) if unread else instance
    lowest = len(unread) * cells.low
    is_exact = not completions.has_open_numbers("lot_value") and not completions.open_boxes(("factor", "table"))
    if evaluation is not None and evaluation.decision == decision and is_exact:
        lowest = lowest if evaluation.value is None else evaluation.value - (check(left, decision).value or 0)
    yield Relaxation(left, len(unread) * cells.high - lowest if unread else 0)


def separate(completions: Completions, instance: SeriesPortfolio, decision: Lots, rival: Lots) -> tuple[SeriesPortfolio, Lots]:
    """Let each unread series cover a title in which the two differ, if possible, and favour `rival` by its full range."""
    cells = completions.ranges.columns["factor", "table"]
    own, theirs = (_lot_numbers(instance, lots) for lots in (decision, rival))
    apart = [title for title in own if own[title] != theirs[title]]
    indexed = [title for title in instance.title if ReadScope("factor", "title", title, partial=True) in completions.scopes]
    rows: dict[Row, Row] = {}
    for row in completions.unread_rows("factor"):
        scope = _separating_scope(row[1], apart, indexed)
        table = [cells.high] * 2 ** len(scope)
        if any(own[title] != theirs[title] for title in scope):
            table[int("".join(str(own[title]) for title in scope), 2)] = cells.low
        rows[row] = row[0], scope, tuple(table)
    return (instance.unchecked(**instance.tables_with({"factor": rows})) if rows else instance), rival


def _lot_numbers(instance: SeriesPortfolio, lots: Lots) -> dict[str, int]:
    """The number of the chosen lot of each title."""
    chosen = frozenset(lots)
    return {title: number for (title, lot), number in instance.choice.items() if lot in chosen}


def _separating_scope(scope: Lots, apart: list[str], indexed: list[str]) -> Lots:
    """A scope that the index readings allow, with a title of `apart` in it if possible."""
    fixed = tuple(title for title in scope if title in indexed)
    free = next((title for title in apart if title not in indexed), None)
    return scope if set(scope) & set(apart) or free is None else (*fixed, free)


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("choice", "choice"): 0},
        keys_of={"choice": "", "lot_value": ""},
        structure=frozenset({"factor"}),
        bonus_relations=frozenset({"factor"}),
        relaxations=relax,
        complete_for_rival=separate,
    ),
    options=(OptionKind(("lot_value", "choice"), price=("lot_value", -1), required_roster="title"),),
)
