"""What Series Portfolio leaves open while series are unread: any of them may tell a portfolio from another by all it can.

The index tells which series a title is in; otherwise the scope of an unread series may be anything.
"""

from collections.abc import Iterator

from algoworlds.core.completions import Completions, Scope
from algoworlds.families.series_portfolio.check import check
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.families.unknowns import Relaxed, Unknowns

Lots = tuple[str, ...]


def relaxed(completions: Completions, instance: SeriesPortfolio, decision: Lots) -> Iterator[Relaxed]:
    """No unread series, and the width of all their cells for every other portfolio, or what is left if its sum was told."""
    unread = frozenset(row[0] for row in completions.unread("factor"))
    cells, told = completions.ranges.columns["factor", "table"], completions.told
    left = instance.without("series", unread) if unread else instance
    lowest = len(unread) * cells.low
    if told is not None and told.value is not None and told.decision == decision and "lot_value" not in completions.open:
        lowest = told.value - (check(left, decision).value or 0)
    yield Relaxed(left, len(unread) * cells.high - lowest if unread else 0)


def made(completions: Completions, instance: SeriesPortfolio, decision: Lots, rival: Lots) -> tuple[SeriesPortfolio, Lots]:
    """Every unread series covers a title in which the two differ, if it may, and sets them as far apart as it can."""
    cells = completions.ranges.columns["factor", "table"]
    taken = {title: lot for title, lot in instance.choice if lot in decision}
    apart = [title for title, lot in taken.items() if lot not in rival]
    asked = [title for title in instance.title if Scope("factor", "title", title, partial=True) in completions.scopes]
    factor = dict(instance.factor)
    for series, scope, _ in completions.unread("factor"):
        scope = _scope(scope, apart, asked)
        own, theirs = (_cell(instance, scope, lots) for lots in (decision, rival))
        table = [cells.high] * 2 ** len(scope)
        table[own] = cells.low if own != theirs else cells.high
        factor[series] = scope, tuple(table)
    return instance.replaced(factor=factor), rival


def _scope(scope: Lots, apart: list[str], asked: list[str]) -> Lots:
    """A scope that the index allows, with a title of some in it if that is possible."""
    known = tuple(title for title in scope if title in asked)
    free = next((title for title in apart if title not in asked), None)
    return scope if set(scope) & set(apart) or free is None else (*known, free)


def _cell(instance: SeriesPortfolio, scope: Lots, lots: Lots) -> int:
    number = {title: z for (title, lot), z in instance.choice.items() if lot in lots}
    return int("".join(str(number[title]) for title in scope), 2)


UNKNOWNS = Unknowns(
    binding={("choice", "choice"): 0}, structure=frozenset({"factor"}), scopes=frozenset({"factor"}), relaxed=relaxed, made=made
)
