"""What the attack panel found: a summary of each family and level, the goals that are missed, and the tables.

A goal is judged by what was measured. With few instances a miss may be chance, so a miss also says whether it is beyond chance:
whether worlds that just meet the goal would do as badly in fewer than one panel of a thousand.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, inf, log, sqrt
from statistics import fmean, median, variance
from typing import NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.families import load_family
from algoworlds.grid import Grid
from algoworlds.hardness.algorithms import ALGORITHMS
from algoworlds.suites.attack.panel import DEEP_BUDGETS, HAND_BUDGET, REPORTED_BUDGETS, AttackRun

ALGORITHM_NAMES = frozenset(algorithm.name for algorithm in ALGORITHMS)


@dataclass(frozen=True)
class PriorResult:
    """Percent of instances that a learned prior and one descent solve, and the AUC of public features, with its error."""

    exact: float
    public_auc: float
    public_error: float


@dataclass(frozen=True)
class HardnessSummary:
    """The attack runs of one family and level, summed up; shares in percent."""

    family: str
    level: int
    runs: tuple[AttackRun, ...]
    prior: PriorResult | None = None

    @property
    def budgets(self) -> tuple[int, ...]:
        """The reported budgets, in rising order."""
        return tuple(next(iter(self.runs[0].results.values())).utility)

    @property
    def hand_budget(self) -> int:
        """The hand budget, or the largest budget if that is smaller."""
        return min(HAND_BUDGET, self.budgets[-1])

    @property
    def shortcuts(self) -> tuple[str, ...]:
        """The names of the attackers that search by hand."""
        return tuple(name for name in self.runs[0].results if name not in ALGORITHM_NAMES)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The names of the better algorithms."""
        return tuple(name for name in self.runs[0].results if name in ALGORITHM_NAMES)

    def evaluations_to_optimum(self, attacker: str) -> list[int]:
        """After how many evaluations `attacker` found the optimum, for the instances that it solved."""
        return [at for run in self.runs if (at := run.results[attacker].found_at) is not None]

    def exact_percent(self, attacker: str, budget: int) -> float:
        """The share of instances that `attacker` solves within `budget`."""
        return 100 * sum(at <= budget for at in self.evaluations_to_optimum(attacker)) / len(self.runs)

    def mean_utility(self, attacker: str, budget: int) -> float:
        """The mean reference utility of `attacker` at `budget`."""
        return fmean(run.results[attacker].utility[budget] for run in self.runs)

    def median_evaluations(self, attacker: str) -> float | None:
        """The median of `evaluations_to_optimum`; None if `attacker` solves no instance."""
        evaluations = self.evaluations_to_optimum(attacker)
        return median(evaluations) if evaluations else None

    def best_shortcut(self, budget: int) -> tuple[str, float]:
        """The shortcut that solves most within `budget`, and its share; among equals the one with the lower median."""
        return self._best_of(self.shortcuts, budget)

    def best_algorithm(self, budget: int) -> tuple[str, float]:
        """The same of the better algorithms."""
        return self._best_of(self.algorithms, budget)

    def _best_of(self, names: tuple[str, ...], budget: int) -> tuple[str, float]:
        name = max(
            names,
            key=lambda attacker: (self.exact_percent(attacker, budget), -(self.median_evaluations(attacker) or 0)),
            default="",
        )
        return name, self.exact_percent(name, budget) if name else 0.0

    @property
    def best_utilities(self) -> list[float]:
        """The utility of every instance at the hand budget, under the shortcut with the best mean; zeros without shortcuts."""
        if not self.shortcuts:
            return [0.0] * len(self.runs)
        name = max(self.shortcuts, key=lambda attacker: self.mean_utility(attacker, self.hand_budget))
        return [run.results[name].utility[self.hand_budget] for run in self.runs]

    @property
    def best_utility(self) -> float:
        """The mean of `best_utilities`."""
        return fmean(self.best_utilities)

    @property
    def curve(self) -> list[tuple[int, float]]:
        """The share that the best shortcut solves, by budget."""
        return [(budget, self.best_shortcut(budget)[1]) for budget in self.budgets]

    @property
    def h50(self) -> float | None:
        """The evaluations at which some shortcut solves half of the instances; None if never."""
        return self._half_solved(self.best_shortcut)

    @property
    def algorithm_h50(self) -> float | None:
        """The same of the better algorithms."""
        return self._half_solved(self.best_algorithm)

    @property
    def least_known(self) -> float | None:
        """The least evaluations known at which half of the instances are solved, by either kind; None if never."""
        return min((known for known in (self.h50, self.algorithm_h50) if known is not None), default=None)

    def _half_solved(self, best: Callable[[int], tuple[str, float]]) -> float | None:
        steps = (*REPORTED_BUDGETS, *DEEP_BUDGETS, self.budgets[-1])
        return half_solved_budget([(budget, best(budget)[1]) for budget in self.budgets if budget in steps])

    @property
    def imputed_percent(self) -> dict[str, float]:
        """The share of instances that the exact solver still solves, by guessed column and method."""
        names = dict.fromkeys(name for run in self.runs for name in run.imputations)
        return {name: 100 * sum(run.imputations.get(name, False) for run in self.runs) / len(self.runs) for name in names}

    @property
    def document(self) -> JsonObject:
        """The summary as JSON, shares and utilities rounded to thousandths."""
        attempts = sorted(1 + run.attempt for run in self.runs)
        late = attempts[-(-99 * len(attempts) // 100) - 1]  # the 99th percentile
        return {
            "family": self.family,
            "level": self.level,
            "instances": len(self.runs),
            "attempts": {"median": median(attempts), "late": late, "most": attempts[-1]},
            "work": [min(run.work for run in self.runs), max(run.work for run in self.runs)],
            "reference_gap": median(run.reference_gap for run in self.runs),
            "descent": round(100 * fmean(run.descent for run in self.runs), 3),
            "best": dict(zip(("attacker", "exact"), self.best_shortcut(self.hand_budget), strict=True)),
            "best_utility": round(self.best_utility, 3),
            "h50": None if self.h50 is None else round(self.h50, 1),
            "best_algorithm": dict(zip(("attacker", "exact"), self.best_algorithm(self.hand_budget), strict=True)),
            "algorithm_h50": None if self.algorithm_h50 is None else round(self.algorithm_h50, 1),
            "curve": [[budget, round(share, 3)] for budget, share in self.curve],
            "attackers": {
                name: {
                    "exact": {str(budget): round(self.exact_percent(name, budget), 3) for budget in self.budgets},
                    "utility": {str(budget): round(self.mean_utility(name, budget), 3) for budget in self.budgets},
                    "median_evaluations": self.median_evaluations(name),
                }
                for name in (*self.shortcuts, *self.algorithms)
            },
            "imputed": {name: round(share, 3) for name, share in self.imputed_percent.items()},
            "prior": None if self.prior is None else asdict(self.prior),
        }


def half_solved_budget(curve: Sequence[tuple[int, float]]) -> float | None:
    """Where a curve of shares over budgets reaches 50, on a line between logarithms of budgets; None if it never does."""
    before: tuple[int, float] | None = None
    for budget, share in curve:
        if share >= 50:
            if before is None or share == 50:
                return float(budget)
            low, high = log(before[0]), log(budget)
            return exp(low + (high - low) * (50 - before[1]) / (share - before[1]))
        before = budget, share
    return None


def summarize_runs(runs: Sequence[AttackRun], priors: Mapping[tuple[str, int], PriorResult]) -> list[HardnessSummary]:
    """One summary per family and level, in the order in which these first occur in `runs`."""
    groups: dict[tuple[str, int], list[AttackRun]] = {}
    for run in runs:
        groups.setdefault((run.coordinate.family, run.coordinate.level), []).append(run)
    return [HardnessSummary(*key, tuple(group), priors.get(key)) for key, group in groups.items()]


EXACT_BY_HAND = "exact by hand"
MAX_EXACT_PERCENT = {1: 50.0, 2: 25.0, 3: 10.0, 4: 10.0}
"""Percent that the best attacker may solve within the hand budget, by level."""
MAX_GUESSED_PERCENT = 10.0
"""Percent that may be solved with a guessed column, or by a learned prior."""
MIN_H50 = 1_000
"""H50 of level 1."""
MIN_H50_GROWTH = 2
"""Factor of H50 from level to level."""
MIN_GROWTH = 1.5
"""Factor of the least evaluations known, by either kind of attack, from level to level."""
MAX_AUC_DEVIATION = 0.05
"""How far the AUC of public features may be from one half."""
MAX_STANDARD_ERRORS = 3.29
"""Standard errors that chance exceeds once in a thousand times, on either side."""
REFUTATION_CHANCE = 0.001
"""Significance level at which a share is exceeded."""


def max_likely_hits(rates: Sequence[float], refuted: float = REFUTATION_CHANCE) -> int:
    """The most hits that do not refute the `rates`, one per instance: at least as many have a chance above `refuted`.

    A share of a few instances says little about a rate: at exactly 10 % two of three are solved in one suite of 36.
    """
    chances = [1.0]  # chances[k] of k hits, one instance after the other
    for rate in rates:
        chances = [miss * (1 - rate) + hit * rate for miss, hit in zip([*chances, 0.0], [0.0, *chances], strict=True)]
    return max(hits for hits in range(len(chances)) if round(sum(chances[hits:]), 12) > refuted)


class Shortfall(NamedTuple):
    """How a goal is missed, and whether chance alone would explain it: `sure` means that it would not."""

    how: str
    sure: bool


Judge = Callable[[HardnessSummary, HardnessSummary | None, float | None], Shortfall | None]
"""How a summary misses a goal, if it does. It may look at the level before, and `limit` replaces the goal's own figure."""


class Goal(NamedTuple):
    """A goal that every family must meet at every level: its name, what it means, and how it is judged."""

    name: str
    meaning: str
    shortfall: Judge


@dataclass(frozen=True)
class MissedGoal:
    """A goal that a family misses at a level, how, whether beyond chance, and why if the family concedes as much."""

    family: str
    level: int
    goal: str
    how: str
    sure: bool
    conceded: str


def missed_goals(summaries: Sequence[HardnessSummary]) -> list[MissedGoal]:
    """Every goal that is missed; levels without goals, such as the warm-up, are not judged."""
    by_place = {(summary.family, summary.level): summary for summary in summaries}
    misses = []
    for summary in (summary for summary in summaries if summary.level in MAX_EXACT_PERCENT):
        before = by_place.get((summary.family, summary.level - 1))
        for goal in GOALS:
            if (shortfall := goal.shortfall(summary, before, None)) is None:
                continue
            concession = load_family(summary.family).hardness.concession_for(goal.name, summary.level)
            is_conceded = concession is not None and goal.shortfall(summary, before, concession.limit) is None
            reason = concession.why if concession is not None and is_conceded else ""
            misses.append(MissedGoal(summary.family, summary.level, goal.name, *shortfall, reason))
    return misses


def _share_shortfall(summary: HardnessSummary, share: float, limit: float, by: str) -> Shortfall | None:
    """A share of instances that must not be above `limit` percent."""
    if share <= limit:
        return None
    count = len(summary.runs)
    return Shortfall(f"{share:.0f} %{by}, at most {limit:.0f} %", share * count / 100 > max_likely_hits([limit / 100] * count))


def _hand_shortfall(summary: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    name, share = summary.best_shortcut(summary.hand_budget)
    return _share_shortfall(summary, share, MAX_EXACT_PERCENT[summary.level] if limit is None else limit, f" by {name}")


def _imputation_shortfall(summary: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    name, share = max(summary.imputed_percent.items(), key=lambda item: item[1], default=("", 0.0))
    return _share_shortfall(summary, share, MAX_GUESSED_PERCENT if limit is None else limit, f" with {name}")


def _h50_shortfall(summary: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    """H50 is above a number at level 1, and at least twice that of the level before at every other level."""
    own, least = summary.h50, limit
    if least is None and summary.level == 1:
        least = MIN_H50
    elif least is None and before is not None:
        least = inf if before.h50 is None else MIN_H50_GROWTH * before.h50
    if own is None or least is None or own > least or (own == least and summary.level > 1):
        return None
    if least == inf:
        return Shortfall(f"{own:,.0f}, the level before is never half solved", False)
    count = len(summary.runs)
    solved = summary.best_shortcut(int(least))[1] * count / 100
    return Shortfall(f"{own:,.0f}, asked for {least:,.0f}", solved > max_likely_hits([0.5] * count))


def _order_shortfall(summary: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    """The least evaluations known, by either kind, grow from level to level."""
    own, known = summary.least_known, None if before is None else before.least_known
    least = limit if limit is not None else None if known is None else MIN_GROWTH * known
    if before is None or own is None or (least is not None and own >= least):
        return None
    if least is None:
        return Shortfall(f"{own:,.0f}, the level before is never half solved", False)
    solved = max(summary.best_shortcut(int(least))[1], summary.best_algorithm(int(least))[1]) * len(summary.runs) / 100
    return Shortfall(f"{own:,.0f}, asked for {least:,.0f}", solved > max_likely_hits([0.5] * len(summary.runs)))


def _utility_shortfall(summary: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    """The best utility by hand falls from level to level; or stays below `limit`."""
    if before is None or not summary.shortcuts:
        return None
    own, most = summary.best_utility, before.best_utility if limit is None else limit
    if own < most:
        return None
    spread = sum(variance(level.best_utilities) / len(level.runs) for level in (summary, before) if len(level.runs) > 1)
    is_sure = own - most > MAX_STANDARD_ERRORS * sqrt(spread)
    return Shortfall(f"{own:.1f}, not below the {most:.1f} of the level before", is_sure)


def _prior_shortfall(summary: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    most = MAX_GUESSED_PERCENT if limit is None else limit
    return None if summary.prior is None else _share_shortfall(summary, summary.prior.exact, most, "")


def _public_shortfall(summary: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    """An AUC near one half: missed only beyond chance, because every AUC has a standard error."""
    if summary.prior is None:
        return None
    auc, error = summary.prior.public_auc, summary.prior.public_error
    deviation, most = round(abs(auc - 0.5), 6), MAX_AUC_DEVIATION if limit is None else limit - 0.5
    if deviation <= most or deviation <= MAX_STANDARD_ERRORS * error:
        return None
    return Shortfall(f"{auc:.3f} (standard error {error:.3f}), outside {0.5 - most:.2f} to {0.5 + most:.2f}", True)


GOALS = (
    Goal(EXACT_BY_HAND, "the best attacker solves few instances within the hand budget", _hand_shortfall),
    Goal("exact with a guessed column", "the exact solver fails when typical values replace a column", _imputation_shortfall),
    Goal("H50", "half of the instances take many evaluations, twice as many at every further level", _h50_shortfall),
    Goal("order of levels", "the least evaluations known of either kind grow by half from level to level", _order_shortfall),
    Goal("utility by hand", "the best attacker's mean utility falls from level to level", _utility_shortfall),
    Goal("learned prior", "other seeds teach no way to the optimum", _prior_shortfall),
    Goal("public AUC", "what is public before anything is read reveals nothing", _public_shortfall),
)


def panel_tables(summaries: Sequence[HardnessSummary], misses: Sequence[MissedGoal]) -> dict[str, Grid]:
    """The tables by name: one row per family and level, per attacker, per guessed column, and per missed goal."""
    hardness, attackers, imputations, missed = [], [], [], []
    for summary in summaries:
        keys = (load_family(summary.family).title, str(summary.level))
        name, share = summary.best_shortcut(summary.hand_budget)
        prior = ("-", "-") if summary.prior is None else (f"{summary.prior.exact:.0f}", f"{summary.prior.public_auc:.3f}")
        h50, algorithm_h50 = (
            f">{summary.budgets[-1]:,}" if known is None else f"{known:,.0f}" for known in (summary.h50, summary.algorithm_h50)
        )
        algorithm = summary.best_algorithm(summary.hand_budget)
        guessed = f"{max(summary.imputed_percent.values(), default=0.0):.0f}"
        count, best_utility = str(len(summary.runs)), f"{summary.best_utility:.1f}"
        by_algorithm = (algorithm[0], f"{algorithm[1]:.0f}", algorithm_h50)
        hardness.append((*keys, count, name, f"{share:.0f}", best_utility, h50, *by_algorithm, guessed, *prior))
        for attacker in (*summary.shortcuts, *summary.algorithms):
            budgets = (summary.hand_budget, summary.budgets[-1])
            shares = [(summary.exact_percent(attacker, budget), summary.mean_utility(attacker, budget)) for budget in budgets]
            evaluations = summary.median_evaluations(attacker)
            cells = [cell for exact, utility in shares for cell in (f"{exact:.0f}", f"{utility:.1f}")]
            kind = "algorithm" if attacker in ALGORITHM_NAMES else "shortcut"
            attackers.append((*keys, attacker, kind, *cells, "-" if evaluations is None else f"{evaluations:,.0f}"))
        imputations += [(*keys, column, f"{solved:.0f}") for column, solved in summary.imputed_percent.items()]
    for miss in misses:
        keys, is_sure = (load_family(miss.family).title, str(miss.level)), "yes" if miss.sure else "no"
        missed.append((*keys, miss.goal, miss.how, is_sure, miss.conceded or "no"))
    hardness_head = (
        *("instances", "best shortcut", "exact %", "utility", "H50", "best algorithm", "exact %", "H50"),
        *("guessed %", "prior %", "public AUC"),
    )
    hardness_caption = (
        "What worlds withstand: best shortcut and best algorithm within the hand budget with their H50, worst guessed column, "
        "learned prior"
    )
    attacker_head = ("attacker", "kind", "exact %", "utility", "exact % at the end", "utility at the end", "evaluations")
    attacker_caption = (
        "Every attacker: percent exact and mean utility at the hand budget and at the end, median evaluations where exact"
    )
    missed_head = ("goal", "found", "beyond chance", "conceded by the family")

    def grid(name: str, caption: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Grid:
        return Grid(name, caption, ("family", "level", *head), tuple(rows))

    return {
        "hardness": grid("hardness", hardness_caption, hardness_head, hardness),
        "attackers": grid("attackers", attacker_caption, attacker_head, attackers),
        "imputations": grid("imputations", "The exact solver on guessed columns", ("guessed column", "exact %"), imputations),
        "missed_goals": grid("missed_goals", "Goals that are missed", missed_head, missed),
    }
