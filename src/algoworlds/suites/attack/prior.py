"""A prior learned on other seeds: which choices optima tend to make, told from how choices look.

On public features alone (where a choice stands, the order of ids, how many there are) it must tell nothing: its AUC
stays near one half. On all features, greedy decoding and one descent must not be a way to the optimum. Needs scikit-learn.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import product
from typing import Any, NamedTuple

from algoworlds.core.canonical import canonical_text
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families.hand import Extension, Hand
from algoworlds.families.residues import Choices
from algoworlds.suites.attack.attackers import descend
from algoworlds.suites.attack.game import Game
from algoworlds.suites.attack.ledger import Document
from algoworlds.worlds.admit import Candidate, Coordinate

LESSONS = 24
"""Instances of another seed from which a prior is learned."""
_ELSEWHERE = "attack panel: lessons"
_ENOUGH = 10**6


class Sight(NamedTuple):
    """A choice as it was offered: the step it belongs to, its public and all its features, and whether the optimum takes it."""

    step: int
    public: list[float]
    whole: list[float]
    taken: bool


@dataclass(frozen=True)
class Study:
    """A prior to be learned for a family and level and tried on instances, each a coordinate and its admitted attempt."""

    tried: tuple[tuple[Coordinate, int], ...]

    @property
    def key(self) -> str:
        """All that a prior depends on."""
        places = [[asdict(each), attempt] for each, attempt in self.tried]
        return canonical_text([version("algoworlds"), "prior", LESSONS, places])


def study(task: Study) -> Document:
    """Learn from other seeds, then decode greedily and descend once on every instance."""
    public, whole = _models()
    first = task.tried[0][0]
    lessons = [Candidate(Coordinate(first.family, first.level, at, _ELSEWHERE), 0) for at in range(1, LESSONS + 1)]
    exams = [Candidate(coordinate, attempt) for coordinate, attempt in task.tried]
    seen = [sight for each in lessons for sight in sights(each)]
    labels = [each.taken for each in seen]
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # sums in one order, whatever the machine
        public.fit([each.public for each in seen], labels)
        whole.fit([each.whole for each in seen], labels)
        exact = [_decoded(each, whole) for each in exams]
        met = [list(sights(each)) for each in exams]
        area = separation([(sights_, public.predict_proba([s.public for s in sights_])[:, 1]) for sights_ in met])
    return {"exact": sum(exact) / len(exact), "public_auc": round(area, 4)}


def _models() -> tuple[Any, Any]:
    """A logistic model of public features, and boosted trees on all."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError:
        raise InputError("a prior needs scikit-learn: pip install 'algoworlds[attack]', or say --no-prior") from None
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    return logistic, HistGradientBoostingClassifier(max_iter=60, early_stopping=False, random_state=0)


def sights(candidate: Candidate) -> list[Sight]:
    """Every choice that is offered on the way to the optimum."""
    hand = _hand(candidate)
    wanted, found = hand.choices(candidate.solution.decision), []
    for at, choice in enumerate(wanted):
        ways = hand.extensions(wanted[:at])
        shown = [each for each in ways if not hand.switched or each.choice == "1"]
        step = 0 if hand.switched else at
        for way in shown:
            public, whole = features(hand, wanted[:at], ways, way, len(wanted))
            found.append(Sight(step, public, whole, way.choice == choice))
    return found


def _hand(candidate: Candidate) -> Hand[Any]:
    assert candidate.family.hand is not None  # the panel attacks no family without one
    return candidate.family.hand(candidate.instance)


def features(
    hand: Hand[Any], partial: Choices, ways: Sequence[Extension], way: Extension, length: int
) -> tuple[list[float], list[float]]:
    """What a choice looks like before anything hidden is read, and with all losses known."""
    place = len(partial) / max(1, length - 1)
    order = sorted(each.choice for each in ways).index(way.choice) / max(1, len(ways) - 1)
    roster = ways.index(way) / max(1, len(ways) - 1)
    ends = [(2 * each - 1) ** 2 for each in (place, order, roster)]
    public = [place, order, roster, *ends, place * order, place * roster, float(length)]
    ahead = {each.choice: each.loss + hand.rest((*partial, each.choice)) for each in ways}
    whole = [*public, float(len(ways)), *_standing([each.loss for each in ways], way.loss)]
    return public, [*whole, *_standing(list(ahead.values()), ahead[way.choice])]


def _standing(losses: list[int], own: int) -> list[float]:
    """Where a loss stands among others: its rank, and its distance from the least, in their spread."""
    least, spread = min(losses), max(1, max(losses) - min(losses))
    return [float(sum(each < own for each in losses)), (own - least) / spread, float(own - least)]


def _decoded(candidate: Candidate, model: Any) -> bool:
    """Whether taking the likeliest choice at every step, and then one descent, finds the optimum."""
    hand, partial = _hand(candidate), Choices()
    length = len(hand.choices(candidate.reference))
    value = candidate.solution.value
    assert value is not None
    while ways := hand.extensions(partial):
        likely = model.predict_proba([features(hand, partial, ways, way, length)[1] for way in ways])[:, 1]
        if hand.switched:  # the model was taught what is on
            likely = [chance if way.choice == "1" else 1 - likely[-1] for way, chance in zip(ways, likely, strict=True)]
        partial = (*partial, ways[max(range(len(ways)), key=lambda at: float(likely[at]))].choice)
    y = hand.decision(partial)
    verdict = None if y is None else candidate.family.check(candidate.instance, y)
    start = y if verdict is not None and verdict.feasible else candidate.reference
    game = Game(candidate.family, candidate.instance, value, _ENOUGH, Stream("prior", candidate.instance.digest))
    return game.play(lambda game: descend(game, start)).found_at is not None


def separation(groups: Sequence[tuple[Sequence[Sight], Sequence[float]]]) -> float:
    """How often a choice of the optimum scores above another one offered at the same step; ties count half (AUC)."""
    above = total = 0.0
    for shown, scores in groups:
        for step in sorted({each.step for each in shown}):
            scored = [(each.taken, score) for each, score in zip(shown, scores, strict=True) if each.step == step]
            pairs = product([s for taken, s in scored if taken], [s for taken, s in scored if not taken])
            for taken, other in pairs:
                above += 1.0 if taken > other else 0.5 if taken == other else 0.0
                total += 1.0
    return above / total if total else 0.5
