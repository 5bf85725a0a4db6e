"""What Series Portfolio leaves open while series are unread: any of them may tell a portfolio from another by all it can.

The index tells which series a title is in; otherwise the scope of an unread series may be anything.
"""

from collections.abc import Iterator

from algoworlds.core.completions import Completions, Scope
from algoworlds.core.options import Options, pricing
from algoworlds.core.relation import Row
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.series_portfolio.check import check
from algoworlds.families.series_portfolio.generate import ranges
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.families.unknowns import Relaxed, Unknowns

Lots = tuple[str, ...]


def relaxed(completions: Completions, instance: SeriesPortfolio, decision: Lots) -> Iterator[Relaxed]:
    """No unread series, and the width of all their cells for every other portfolio, or what is left if its sum was told."""
    unread = frozenset(row[0] for row in completions.unread("factor"))
    cells, told = completions.ranges.columns["factor", "table"], completions.told
    left = instance.restrict(series=[each for each in instance.series if each not in unread]) if unread else instance
    lowest = len(unread) * cells.low
    if told is not None and told.value is not None and told.decision == decision and "lot_value" not in completions.open:
        lowest = told.value - (check(left, decision).value or 0)
    yield Relaxed(left, len(unread) * cells.high - lowest if unread else 0)


def made(completions: Completions, instance: SeriesPortfolio, decision: Lots, rival: Lots) -> tuple[SeriesPortfolio, Lots]:
    """Every unread series covers a title in which the two differ, if it may, and sets them as far apart as it can."""
    cells = completions.ranges.columns["factor", "table"]
    own, theirs = (_numbers(instance, lots) for lots in (decision, rival))
    apart = [title for title in own if own[title] != theirs[title]]
    asked = [title for title in instance.title if Scope("factor", "title", title, partial=True) in completions.scopes]
    rows: dict[Row, Row] = {}
    for row in completions.unread("factor"):
        scope = _scope(row[1], apart, asked)
        table = [cells.high] * 2 ** len(scope)
        if any(own[title] != theirs[title] for title in scope):
            table[int("".join(str(own[title]) for title in scope), 2)] = cells.low
        rows[row] = row[0], scope, tuple(table)
    return (instance.unchecked(**instance.tables_with({"factor": rows})) if rows else instance), rival


def _numbers(instance: SeriesPortfolio, lots: Lots) -> dict[str, int]:
    """The number of the lot that is taken of every title."""
    taken = frozenset(lots)
    return {title: number for (title, lot), number in instance.choice.items() if lot in taken}


def _scope(scope: Lots, apart: list[str], asked: list[str]) -> Lots:
    """A scope that the index allows, with a title of some in it if that is possible."""
    known = tuple(title for title in scope if title in asked)
    free = next((title for title in apart if title not in asked), None)
    return scope if set(scope) & set(apart) or free is None else (*known, free)


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("choice", "choice"): 0},
        structure=frozenset({"factor"}),
        scopes=frozenset({"factor"}),
        relaxed=relaxed,
        made=made,
    ),
    options=(Options(("lot_value", "choice"), pricing("lot_value", -1), each="title"),),
)
