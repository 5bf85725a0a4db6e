"""What the worlds of one family and level withstood: exact shares and utilities by budget, H50, guessed columns, priors."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, log
from statistics import fmean, median
from typing import Any

from algoworlds.suites.attack.panel import DEEP_BUDGETS, HAND_BUDGET, REPORTED_BUDGETS, AttackRun


@dataclass(frozen=True)
class PriorResult:
    """Percent of instances that a learned prior and one descent solve, and the AUC of public features, with its error."""

    exact: float
    public_auc: float
    public_error: float


@dataclass(frozen=True)
class HardnessSummary:
    """The sieges of one family and level, summed up; shares in percent."""

    family: str
    level: int
    runs: tuple[AttackRun, ...]
    prior: PriorResult | None = None

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets that were reported."""
        return tuple(next(iter(self.runs[0].assaults.values())).utility)

    @property
    def hand_budget(self) -> int:
        """The hand budget, or the most that was spent if that is less."""
        return min(HAND_BUDGET, self.budgets[-1])

    @property
    def attackers(self) -> tuple[str, ...]:
        """The names of the attackers."""
        return tuple(self.runs[0].assaults)

    def evaluations_to_optimum(self, attacker: str) -> list[int]:
        """The evaluations after which an attacker found the optimum, where it did."""
        return [at for run in self.runs if (at := run.assaults[attacker].found_at) is not None]

    def exact_percent(self, attacker: str, budget: int) -> float:
        """The share of instances that an attacker solves within a budget."""
        return 100 * sum(at <= budget for at in self.evaluations_to_optimum(attacker)) / len(self.runs)

    def mean_utility(self, attacker: str, budget: int) -> float:
        """An attacker's mean reference utility at a budget."""
        return fmean(run.assaults[attacker].utility[budget] for run in self.runs)

    def median_evaluations(self, attacker: str) -> float | None:
        """The median of evaluations where the attacker found the optimum."""
        return median(found) if (found := self.evaluations_to_optimum(attacker)) else None

    def best_attacker(self, budget: int) -> tuple[str, float]:
        """The attacker that solves most within a budget, of equals the one that needs the least for it, and its share."""
        name = max(
            self.attackers,
            key=lambda attacker: (self.exact_percent(attacker, budget), -(self.median_evaluations(attacker) or 0)),
        )
        return name, self.exact_percent(name, budget)

    @property
    def best_utilities(self) -> list[float]:
        """The utilities of the attacker that is best at it, at the hand budget, instance by instance."""
        name = max(self.attackers, key=lambda attacker: self.mean_utility(attacker, self.hand_budget))
        return [run.assaults[name].utility[self.hand_budget] for run in self.runs]

    @property
    def best_utility(self) -> float:
        """Their mean."""
        return fmean(self.best_utilities)

    @property
    def curve(self) -> list[tuple[int, float]]:
        """The share that the best attacker solves, by budget."""
        return [(budget, self.best_attacker(budget)[1]) for budget in self.budgets]

    @property
    def h50(self) -> float | None:
        """The evaluations at which some attacker solves half of the instances; None if never."""
        steps = (*REPORTED_BUDGETS, *DEEP_BUDGETS, self.budgets[-1])
        return half_solved_budget([(budget, share) for budget, share in self.curve if budget in steps])

    @property
    def imputed_percent(self) -> dict[str, float]:
        """The share of instances that the exact solver still solves, by what was guessed how."""
        names = dict.fromkeys(name for run in self.runs for name in run.imputations)
        solved = {name: [run.imputations[name] for run in self.runs if name in run.imputations] for name in names}
        return {name: 100 * sum(result) / len(self.runs) for name, result in solved.items()}

    @property
    def document(self) -> dict[str, Any]:
        """All of it as plain JSON, numbers rounded to thousandths."""
        return {
            "family": self.family,
            "level": self.level,
            "instances": len(self.runs),
            "attempts": self._attempts,
            "work": [min(run.work for run in self.runs), max(run.work for run in self.runs)],
            "reference_gap": median(run.reference_gap for run in self.runs),
            "descent": round(100 * fmean(run.descent for run in self.runs), 3),
            "best": dict(zip(("attacker", "exact"), self.best_attacker(self.hand_budget), strict=True)),
            "best_utility": round(self.best_utility, 3),
            "h50": None if self.h50 is None else round(self.h50, 1),
            "curve": [[budget, round(share, 3)] for budget, share in self.curve],
            "attackers": {name: self._attacker(name) for name in self.attackers},
            "imputed": {name: round(share, 3) for name, share in self.imputed_percent.items()},
            "prior": None if self.prior is None else asdict(self.prior),
        }

    @property
    def _attempts(self) -> dict[str, float]:
        """How many attempts admission took, in the median, at the 99th percentile and at most."""
        taken = sorted(1 + run.attempt for run in self.runs)
        return {"median": median(taken), "late": taken[-(-99 * len(taken) // 100) - 1], "most": taken[-1]}

    def _attacker(self, name: str) -> dict[str, Any]:
        return {
            "exact": {str(budget): round(self.exact_percent(name, budget), 3) for budget in self.budgets},
            "utility": {str(budget): round(self.mean_utility(name, budget), 3) for budget in self.budgets},
            "median_evaluations": self.median_evaluations(name),
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


def summarize_runs(sieges: Sequence[AttackRun], priors: Mapping[tuple[str, int], PriorResult]) -> list[HardnessSummary]:
    """The sieges by family and level, in the order in which these come."""
    groups: dict[tuple[str, int], list[AttackRun]] = {}
    for siege in sieges:
        groups.setdefault((siege.coordinate.family, siege.coordinate.level), []).append(siege)
    return [HardnessSummary(*place, tuple(group), priors.get(place)) for place, group in groups.items()]
