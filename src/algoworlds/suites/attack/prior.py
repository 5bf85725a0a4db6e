"""A prior learned on other seeds: which choices optima tend to make, told from how choices look.

On public features alone (where a choice stands, the order of ids, how many there are) it must tell nothing: its AUC
stays near one half. It is tried on all instances at hand, a fifth of them after the other, each time taught by the rest. On all
features, greedy decoding and one descent must not be a way to the optimum. Needs scikit-learn.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import product
from math import sqrt
from typing import Any, NamedTuple

from algoworlds.core.canonical import canonical_json
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families.residues import Choices
from algoworlds.families.search_space import Extension, SearchSpace
from algoworlds.hardness.attackers import Attack, first_improvement_descent
from algoworlds.suites.attack.panel import JsonObject
from algoworlds.worlds.admission import Candidate, Coordinate

TRAINING_INSTANCES = 24
"""Instances of another seed from which a prior is learned."""
EXTRA_TRAINING_INSTANCES = {1: 66, 2: 66}
"""Further ones by level for the AUC of public features, where an instance is quick to solve and offers few choices."""
FOLDS = 5
_ELSEWHERE = "attack panel: lessons"
_MAX_DESCENT_EVALUATIONS = 10**6


class ChoiceSample(NamedTuple):
    """A choice as it was offered: the step it belongs to, its public and all its features, and whether the optimum takes it."""

    step: int
    public: list[float]
    whole: list[float]
    taken: bool


ScoredSamples = tuple[Sequence[ChoiceSample], Sequence[float]]
"""The sights of an instance, each with a score."""


@dataclass(frozen=True)
class PriorTask:
    """A prior to be learned for a family and level and tried on instances, each a coordinate and its admitted attempt."""

    tried: tuple[tuple[Coordinate, int], ...]

    @property
    def key(self) -> str:
        """All that a prior depends on."""
        places = [[asdict(coordinate), attempt] for coordinate, attempt in self.tried]
        return canonical_json(
            [
                version("algoworlds"),
                "prior",
                TRAINING_INSTANCES,
                EXTRA_TRAINING_INSTANCES.get(self.tried[0][0].level, 0),
                FOLDS,
                places,
            ]
        )


def learn_prior(task: PriorTask) -> JsonObject:
    """Learn from other seeds, then decode greedily and descend once on every instance."""
    public, whole = _models()
    first = task.tried[0][0]
    others = [
        Candidate(Coordinate(first.family, first.level, at, _ELSEWHERE), 0)
        for at in range(1, TRAINING_INSTANCES + EXTRA_TRAINING_INSTANCES.get(first.level, 0) + 1)
    ]
    exams = [Candidate(coordinate, attempt) for coordinate, attempt in task.tried]
    seen = [choice_samples(other, at < TRAINING_INSTANCES) for at, other in enumerate(others)]
    taught = [sight for samples in seen[:TRAINING_INSTANCES] for sight in samples]
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # sums in one order, whatever the machine
        whole.fit([sample.whole for sample in taught], [sample.taken for sample in taught])
        exact = [_solves_by_decoding(exam, whole) for exam in exams]
        area, error = pairwise_auc(_score_samples(public, [*seen, *(choice_samples(exam, False) for exam in exams)]))
    return {"exact": sum(exact) / len(exact), "public_auc": round(area, 4), "public_error": round(error, 4)}


def _score_samples(model: Any, met: Sequence[list[ChoiceSample]]) -> list[ScoredSamples]:
    """The sights of every instance with what a model says of them that was taught by instances of the other folds."""
    found: list[ScoredSamples] = []
    for fold in range(FOLDS):
        others = [sight for at, samples in enumerate(met) if at % FOLDS != fold for sight in samples]
        model.fit([other.public for other in others], [other.taken for other in others])
        found += [(samples, model.predict_proba([sight.public for sight in samples])[:, 1]) for samples in met[fold::FOLDS]]
    return found


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


def choice_samples(candidate: Candidate, wholly: bool = True) -> list[ChoiceSample]:
    """Every choice that is offered on the way to the optimum; all its features only if wanted."""
    hand = _search_space(candidate)
    wanted, found = hand.to_choices(candidate.solution.decision), []
    for at, choice in enumerate(wanted):
        ways = hand.extensions(wanted[:at])
        public = public_features(at, ways, len(wanted))
        whole = all_features(hand, wanted[:at], ways, len(wanted)) if wholly else public
        found += [
            ChoiceSample(0 if hand.is_binary else at, before, after, way.choice == choice)
            for way, before, after in zip(ways, public, whole, strict=True)
            if not hand.is_binary or way.choice == "1"
        ]
    return found


def _search_space(candidate: Candidate) -> SearchSpace[Any]:
    assert candidate.family.hardness.search_space is not None  # the panel attacks no family without one
    return candidate.family.hardness.search_space(candidate.instance)


def public_features(at: int, ways: Sequence[Extension], length: int) -> list[list[float]]:
    """What the choices of a step look like before anything hidden is read."""
    place, last = at / max(1, length - 1), max(1, len(ways) - 1)
    order = {choice: number / last for number, choice in enumerate(sorted(way.choice for way in ways))}
    found = []
    for number, way in enumerate(ways):
        own, roster = order[way.choice], number / last
        ends = [(2 * value - 1) ** 2 for value in (place, own, roster)]
        found.append([place, own, roster, *ends, place * own, place * roster, float(length)])
    return found


def all_features(hand: SearchSpace[Any], partial: Choices, ways: Sequence[Extension], length: int) -> list[list[float]]:
    """What the choices of a step look like with all losses known."""
    losses = [way.loss for way in ways]
    ahead = [way.loss + hand.remaining_lower_bound((*partial, way.choice)) for way in ways]
    return [
        [*public, float(len(ways)), *_relative_position(losses, loss), *_relative_position(ahead, further)]
        for public, loss, further in zip(public_features(len(partial), ways, length), losses, ahead, strict=True)
    ]


def _relative_position(losses: list[int], own: int) -> list[float]:
    """Where a loss stands among others: its rank, and its distance from the least, in their spread."""
    least, spread = min(losses), max(1, max(losses) - min(losses))
    return [float(sum(loss < own for loss in losses)), (own - least) / spread, float(own - least)]


def _solves_by_decoding(candidate: Candidate, model: Any) -> bool:
    """Whether taking the likeliest choice at every step, and then one descent, finds the optimum."""
    hand, partial = _search_space(candidate), Choices()
    length = len(hand.to_choices(candidate.reference))
    value = candidate.solution.value
    assert value is not None
    while ways := hand.extensions(partial):
        likely = model.predict_proba(all_features(hand, partial, ways, length))[:, 1]
        if hand.is_binary:  # the model was taught what is on
            likely = [chance if way.choice == "1" else 1 - likely[-1] for way, chance in zip(ways, likely, strict=True)]
        partial = (*partial, ways[max(range(len(ways)), key=lambda at: float(likely[at]))].choice)
    y = hand.to_decision(partial)
    verdict = None if y is None else candidate.family.check(candidate.instance, y)
    start = y if verdict is not None and verdict.feasible else candidate.reference
    game = Attack(
        candidate.family, candidate.instance, value, _MAX_DESCENT_EVALUATIONS, Stream("prior", candidate.instance.digest)
    )
    return game.run(lambda game: first_improvement_descent(game, start)).found_at is not None


def pairwise_auc(groups: Sequence[ScoredSamples]) -> tuple[float, float]:
    """How often a choice of the optimum scores above another one offered at the same step, and the standard error of that.

    Ties count half (AUC). The error takes every instance as one observation: choices of an instance hang together.
    """
    counts = [_count_pairs_above(*group) for group in groups]
    total = sum(pairs for _, pairs in counts)
    if not total:
        return 0.5, 0.0
    area = sum(above for above, _ in counts) / total
    off = sum((above - area * pairs) ** 2 for above, pairs in counts)
    return area, sqrt(off * len(counts) / max(1, len(counts) - 1)) / total


def _count_pairs_above(shown: Sequence[ChoiceSample], scores: Sequence[float]) -> tuple[float, float]:
    """The pairs of a taken and another choice of one step in which the taken one scores higher, and all such pairs."""
    steps: dict[int, tuple[list[float], list[float]]] = {}
    for sample, score in zip(shown, scores, strict=True):
        steps.setdefault(sample.step, ([], []))[sample.taken].append(score)
    pairs = [pair for others, taken in steps.values() for pair in product(taken, others)]
    return sum(1.0 if taken > other else 0.5 if taken == other else 0.0 for taken, other in pairs), float(len(pairs))
