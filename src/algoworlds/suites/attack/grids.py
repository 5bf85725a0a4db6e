"""The panel's tables: one line a family and level, one line an attacker, one line a guessed column, one line a missed goal."""

from collections.abc import Sequence

from algoworlds.families import family
from algoworlds.grid import Grid
from algoworlds.suites.attack.goals import Miss
from algoworlds.suites.attack.standing import Standing


def grids(standings: Sequence[Standing], misses: Sequence[Miss]) -> dict[str, Grid]:
    """All tables by name."""
    return {each.name: each for each in (_hardness(standings), _attackers(standings), _imputed(standings), _missed(misses))}


def _hardness(standings: Sequence[Standing]) -> Grid:
    head = ("family", "level", "instances", "best attacker", "exact %", "utility", "H50", "guessed %", "prior %", "public AUC")
    caption = "What worlds withstand: best attacker within the hand budget, H50, worst guessed column, learned prior"
    return Grid("hardness", caption, head, tuple(map(_summary, standings)))


def _summary(each: Standing) -> tuple[str, ...]:
    name, share = each.best(each.hand_budget)
    prior = ("-", "-") if each.prior is None else (f"{each.prior.exact:.0f}", f"{each.prior.public_auc:.3f}")
    guessed = f"{max(each.imputed.values(), default=0.0):.0f}"
    place = (family(each.family).title, str(each.level), str(len(each.sieges)))
    return (*place, name, f"{share:.0f}", f"{each.best_utility:.1f}", spelled_h50(each), guessed, *prior)


def spelled_h50(each: Standing) -> str:
    """H50 as a number, or that it lies beyond the deepest budget."""
    return f">{each.budgets[-1]:,}" if each.h50 is None else f"{each.h50:,.0f}"


def _attackers(standings: Sequence[Standing]) -> Grid:
    caption = "Every attacker: percent exact and mean utility at the hand budget and at the end, median evaluations where exact"
    head = ("family", "level", "attacker", "exact %", "utility", "exact % at the end", "utility at the end", "evaluations")
    rows = tuple(_attacker(each, name) for each in standings for name in each.attackers)
    return Grid("attackers", caption, head, rows)


def _attacker(each: Standing, name: str) -> tuple[str, ...]:
    spent = each.evaluations(name)
    figures = [f(name, budget) for budget in (each.hand_budget, each.budgets[-1]) for f in (each.exact, each.utility)]
    shown = (f"{figures[0]:.0f}", f"{figures[1]:.1f}", f"{figures[2]:.0f}", f"{figures[3]:.1f}")
    return (family(each.family).title, str(each.level), name, *shown, "-" if spent is None else f"{spent:,.0f}")


def _imputed(standings: Sequence[Standing]) -> Grid:
    rows = ((family(each.family).title, str(each.level), *line) for each in standings for line in each.imputed.items())
    lines = tuple((title, level, name, f"{share:.0f}") for title, level, name, share in rows)
    return Grid("imputations", "The exact solver on guessed columns", ("family", "level", "guessed column", "exact %"), lines)


def _missed(misses: Sequence[Miss]) -> Grid:
    head = ("family", "level", "goal", "found", "beyond chance", "conceded by the family")
    lines = tuple(
        (family(each.family).title, str(each.level), each.goal, each.how, "yes" if each.sure else "no", each.conceded or "no")
        for each in misses
    )
    return Grid("missed_goals", "Goals that are missed", head, lines)
