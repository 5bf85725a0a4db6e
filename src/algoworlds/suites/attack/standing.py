"""What the worlds of one family and level withstood: exact shares and utilities by budget, H50, guessed columns, priors."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, log
from statistics import fmean, median
from typing import Any

from algoworlds.suites.attack.siege import BUDGETS, DEEPER, HAND_BUDGET, Siege


@dataclass(frozen=True)
class Prior:
    """Percent of instances that a learned prior and one descent solve, and the AUC of public features, with its error."""

    exact: float
    public_auc: float
    public_error: float


@dataclass(frozen=True)
class Standing:
    """The sieges of one family and level, summed up; shares in percent."""

    family: str
    level: int
    sieges: tuple[Siege, ...]
    prior: Prior | None = None

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets that were reported."""
        return tuple(next(iter(self.sieges[0].assaults.values())).utility)

    @property
    def hand_budget(self) -> int:
        """The hand budget, or the most that was spent if that is less."""
        return min(HAND_BUDGET, self.budgets[-1])

    @property
    def attackers(self) -> tuple[str, ...]:
        """The names of the attackers."""
        return tuple(self.sieges[0].assaults)

    def found(self, attacker: str) -> list[int]:
        """The evaluations after which an attacker found the optimum, where it did."""
        return [at for each in self.sieges if (at := each.assaults[attacker].found_at) is not None]

    def exact(self, attacker: str, budget: int) -> float:
        """The share of instances that an attacker solves within a budget."""
        return 100 * sum(at <= budget for at in self.found(attacker)) / len(self.sieges)

    def utility(self, attacker: str, budget: int) -> float:
        """An attacker's mean reference utility at a budget."""
        return fmean(each.assaults[attacker].utility[budget] for each in self.sieges)

    def evaluations(self, attacker: str) -> float | None:
        """The median of evaluations where the attacker found the optimum."""
        return median(found) if (found := self.found(attacker)) else None

    def best(self, budget: int) -> tuple[str, float]:
        """The attacker that solves most within a budget, of equals the one that needs the least for it, and its share."""
        name = max(self.attackers, key=lambda each: (self.exact(each, budget), -(self.evaluations(each) or 0)))
        return name, self.exact(name, budget)

    @property
    def best_utilities(self) -> list[float]:
        """The utilities of the attacker that is best at it, at the hand budget, instance by instance."""
        name = max(self.attackers, key=lambda each: self.utility(each, self.hand_budget))
        return [each.assaults[name].utility[self.hand_budget] for each in self.sieges]

    @property
    def best_utility(self) -> float:
        """Their mean."""
        return fmean(self.best_utilities)

    @property
    def curve(self) -> list[tuple[int, float]]:
        """The share that the best attacker solves, by budget."""
        return [(budget, self.best(budget)[1]) for budget in self.budgets]

    @property
    def h50(self) -> float | None:
        """The evaluations at which some attacker solves half of the instances; None if never."""
        steps = (*BUDGETS, *DEEPER, self.budgets[-1])
        return half_point([(budget, share) for budget, share in self.curve if budget in steps])

    @property
    def imputed(self) -> dict[str, float]:
        """The share of instances that the exact solver still solves, by what was guessed how."""
        names = dict.fromkeys(name for each in self.sieges for name in each.imputations)
        solved = {name: [each.imputations[name] for each in self.sieges if name in each.imputations] for name in names}
        return {name: 100 * sum(each) / len(self.sieges) for name, each in solved.items()}

    @property
    def document(self) -> dict[str, Any]:
        """All of it as plain JSON, numbers rounded to thousandths."""
        return {
            "family": self.family,
            "level": self.level,
            "instances": len(self.sieges),
            "attempts": self._attempts,
            "work": [min(each.work for each in self.sieges), max(each.work for each in self.sieges)],
            "reference_gap": median(each.reference_gap for each in self.sieges),
            "descent": round(100 * fmean(each.descent for each in self.sieges), 3),
            "best": dict(zip(("attacker", "exact"), self.best(self.hand_budget), strict=True)),
            "best_utility": round(self.best_utility, 3),
            "h50": None if self.h50 is None else round(self.h50, 1),
            "curve": [[budget, round(share, 3)] for budget, share in self.curve],
            "attackers": {name: self._attacker(name) for name in self.attackers},
            "imputed": {name: round(share, 3) for name, share in self.imputed.items()},
            "prior": None if self.prior is None else asdict(self.prior),
        }

    @property
    def _attempts(self) -> dict[str, float]:
        """How many attempts admission took, in the median, at the 99th percentile and at most."""
        taken = sorted(1 + each.attempt for each in self.sieges)
        return {"median": median(taken), "late": taken[-(-99 * len(taken) // 100) - 1], "most": taken[-1]}

    def _attacker(self, name: str) -> dict[str, Any]:
        return {
            "exact": {str(budget): round(self.exact(name, budget), 3) for budget in self.budgets},
            "utility": {str(budget): round(self.utility(name, budget), 3) for budget in self.budgets},
            "median_evaluations": self.evaluations(name),
        }


def half_point(curve: Sequence[tuple[int, float]]) -> float | None:
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


def standings(sieges: Sequence[Siege], priors: Mapping[tuple[str, int], Prior]) -> list[Standing]:
    """The sieges by family and level, in the order in which these come."""
    groups: dict[tuple[str, int], list[Siege]] = {}
    for each in sieges:
        groups.setdefault((each.coordinate.family, each.coordinate.level), []).append(each)
    return [Standing(*place, tuple(each), priors.get(place)) for place, each in groups.items()]
