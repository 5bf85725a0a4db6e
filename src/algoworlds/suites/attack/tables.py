"""The panel's tables: one line a family and level, one line an attacker, one line a guessed column, one line a missed goal."""

from collections.abc import Sequence

from algoworlds.families import load_family
from algoworlds.grid import Grid
from algoworlds.suites.attack.goals import MissedGoal
from algoworlds.suites.attack.summary import HardnessSummary


def panel_tables(standings: Sequence[HardnessSummary], misses: Sequence[MissedGoal]) -> dict[str, Grid]:
    """All tables by name."""
    tables = (_hardness(standings), _attackers(standings), _imputations(standings), _goal_misses(misses))
    return {table.name: table for table in tables}


def _hardness(standings: Sequence[HardnessSummary]) -> Grid:
    head = ("family", "level", "instances", "best attacker", "exact %", "utility", "H50", "guessed %", "prior %", "public AUC")
    caption = "What worlds withstand: best attacker within the hand budget, H50, worst guessed column, learned prior"
    return Grid("hardness", caption, head, tuple(map(_summary, standings)))


def _summary(summary: HardnessSummary) -> tuple[str, ...]:
    name, share = summary.best_attacker(summary.hand_budget)
    prior = ("-", "-") if summary.prior is None else (f"{summary.prior.exact:.0f}", f"{summary.prior.public_auc:.3f}")
    guessed = f"{max(summary.imputed_percent.values(), default=0.0):.0f}"
    place = (load_family(summary.family).title, str(summary.level), str(len(summary.runs)))
    return (*place, name, f"{share:.0f}", f"{summary.best_utility:.1f}", format_h50(summary), guessed, *prior)


def format_h50(summary: HardnessSummary) -> str:
    """H50 as a number, or that it lies beyond the deepest budget."""
    return f">{summary.budgets[-1]:,}" if summary.h50 is None else f"{summary.h50:,.0f}"


def _attackers(standings: Sequence[HardnessSummary]) -> Grid:
    caption = "Every attacker: percent exact and mean utility at the hand budget and at the end, median evaluations where exact"
    head = ("family", "level", "attacker", "exact %", "utility", "exact % at the end", "utility at the end", "evaluations")
    rows = tuple(_attacker(standing, name) for standing in standings for name in standing.attackers)
    return Grid("attackers", caption, head, rows)


def _attacker(summary: HardnessSummary, name: str) -> tuple[str, ...]:
    spent = summary.median_evaluations(name)
    figures = [
        f(name, budget)
        for budget in (summary.hand_budget, summary.budgets[-1])
        for f in (summary.exact_percent, summary.mean_utility)
    ]
    shown = (f"{figures[0]:.0f}", f"{figures[1]:.1f}", f"{figures[2]:.0f}", f"{figures[3]:.1f}")
    return (load_family(summary.family).title, str(summary.level), name, *shown, "-" if spent is None else f"{spent:,.0f}")


def _imputations(standings: Sequence[HardnessSummary]) -> Grid:
    rows = (
        (load_family(standing.family).title, str(standing.level), *line)
        for standing in standings
        for line in standing.imputed_percent.items()
    )
    lines = tuple((title, level, name, f"{share:.0f}") for title, level, name, share in rows)
    return Grid("imputations", "The exact solver on guessed columns", ("family", "level", "guessed column", "exact %"), lines)


def _goal_misses(misses: Sequence[MissedGoal]) -> Grid:
    head = ("family", "level", "goal", "found", "beyond chance", "conceded by the family")
    lines = tuple(
        (
            load_family(miss.family).title,
            str(miss.level),
            miss.goal,
            miss.how,
            "yes" if miss.sure else "no",
            miss.conceded or "no",
        )
        for miss in misses
    )
    return Grid("missed_goals", "Goals that are missed", head, lines)
