"""A prior learned on other seeds: which choices optima tend to make, judged by the features of the choices.

With public features alone (position of a step, order of ids, number of choices) it must learn nothing: its AUC stays near one
half, by cross-validation over all instances. With all features, greedy decoding and one descent must not find the optimum.
Needs scikit-learn.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import product
from math import sqrt
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject, canonical_json
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families.residues import Choices
from algoworlds.families.search_space import SearchSpace
from algoworlds.hardness.attackers import Attack, first_improvement_descent
from algoworlds.worlds.admission import Candidate, Coordinate

TRAINING_INSTANCES = 24
"""Instances of another seed from which a prior is learned."""
EXTRA_TRAINING_INSTANCES = {1: 66, 2: 66}
"""Further ones by level for the AUC of public features, where an instance is quick to solve and offers few choices."""
FOLDS = 5
_TRAINING_SEED = "attack panel: lessons"
_MAX_DESCENT_EVALUATIONS = 10**6


class ChoiceSample(NamedTuple):
    """A choice as it was offered: its step, its public and all its features, and whether the optimum takes it."""

    step: int
    public: list[float]
    whole: list[float]
    taken: bool


ScoredSamples = tuple[Sequence[ChoiceSample], Sequence[float]]
"""The samples of an instance, and one score for each."""


@dataclass(frozen=True)
class PriorTask:
    """A family and level for which a prior is learned: the coordinates on which it is tested, with their admitted attempts."""

    tested: tuple[tuple[Coordinate, int], ...]

    @property
    def key(self) -> str:
        """All that a prior depends on."""
        extra = EXTRA_TRAINING_INSTANCES.get(self.tested[0][0].level, 0)
        coordinates = [[asdict(coordinate), attempt] for coordinate, attempt in self.tested]
        return canonical_json([version("algoworlds"), "prior", TRAINING_INSTANCES, extra, FOLDS, coordinates])


def learn_prior(task: PriorTask) -> JsonObject:
    """Learn from other seeds, then decode greedily and descend once on every tested instance."""
    public_model, model = _models()
    first = task.tested[0][0]
    numbers = range(1, TRAINING_INSTANCES + EXTRA_TRAINING_INSTANCES.get(first.level, 0) + 1)
    others = [Candidate(Coordinate(first.family, first.level, number, _TRAINING_SEED), 0) for number in numbers]
    tested = [Candidate(coordinate, attempt) for coordinate, attempt in task.tested]
    samples = [choice_samples(other, at < TRAINING_INSTANCES) for at, other in enumerate(others)]
    training = [sample for group in samples[:TRAINING_INSTANCES] for sample in group]
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # sums in one order, whatever the machine
        model.fit([sample.whole for sample in training], [sample.taken for sample in training])
        exact = [_solves_by_decoding(candidate, model) for candidate in tested]
        samples += [choice_samples(candidate, False) for candidate in tested]
        area, error = pairwise_auc(_cross_validated_scores(public_model, samples))
    return {"exact": sum(exact) / len(exact), "public_auc": round(area, 4), "public_error": round(error, 4)}


def _cross_validated_scores(model: Any, samples: Sequence[list[ChoiceSample]]) -> list[ScoredSamples]:
    """The samples of every instance, scored by `model` fitted to the instances of the other folds."""
    scored: list[ScoredSamples] = []
    for fold in range(FOLDS):
        others = [sample for at, group in enumerate(samples) if at % FOLDS != fold for sample in group]
        model.fit([sample.public for sample in others], [sample.taken for sample in others])
        scored += [(group, model.predict_proba([sample.public for sample in group])[:, 1]) for group in samples[fold::FOLDS]]
    return scored


def _models() -> tuple[Any, Any]:
    """A logistic model for public features, and boosted trees for all features."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError:
        raise InputError("a prior needs scikit-learn: pip install 'algoworlds[attack]', or use --no-prior") from None
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    return logistic, HistGradientBoostingClassifier(max_iter=60, early_stopping=False, random_state=0)


def choice_samples(candidate: Candidate, with_all_features: bool = True) -> list[ChoiceSample]:
    """Every choice that is offered on the way to the optimum."""
    space = _search_space(candidate)
    optimum = space.to_choices(candidate.solution.decision)
    samples = []
    for at, taken in enumerate(optimum):
        extensions = space.extensions(optimum[:at])
        public = public_features(at, extensions, len(optimum))
        whole = all_features(space, optimum[:at], extensions, len(optimum)) if with_all_features else public
        samples += [
            ChoiceSample(0 if space.is_binary else at, public_row, whole_row, choice == taken)
            for (choice, _), public_row, whole_row in zip(extensions, public, whole, strict=True)
            if not space.is_binary or choice == "1"
        ]
    return samples


def _search_space(candidate: Candidate) -> SearchSpace[Any]:
    assert candidate.family.hardness.search_space is not None  # the panel attacks no family without one
    return candidate.family.hardness.search_space(candidate.instance)


def public_features(at: int, extensions: Sequence[tuple[str, int]], length: int) -> list[list[float]]:
    """One row per choice of step `at` of `length`: what it looks like before anything hidden is read."""
    step, last = at / max(1, length - 1), max(1, len(extensions) - 1)
    id_order = {choice: number / last for number, choice in enumerate(sorted(name for name, _ in extensions))}
    rows = []
    for number, (choice, _) in enumerate(extensions):
        by_id, by_position = id_order[choice], number / last
        from_middle = [(2 * value - 1) ** 2 for value in (step, by_id, by_position)]
        rows.append([step, by_id, by_position, *from_middle, step * by_id, step * by_position, float(length)])
    return rows


def all_features(
    space: SearchSpace[Any], partial: Choices, extensions: Sequence[tuple[str, int]], length: int
) -> list[list[float]]:
    """One row per choice after `partial`: what it looks like with all losses known."""
    losses = [loss for _, loss in extensions]
    bounds = [loss + space.remaining_lower_bound((*partial, choice)) for choice, loss in extensions]

    def relative_position(values: list[int], own: int) -> list[float]:
        """The rank of `own` among `values`, and its distance from the least, in units of their spread and absolute."""
        least, spread = min(values), max(1, max(values) - min(values))
        return [float(sum(value < own for value in values)), (own - least) / spread, float(own - least)]

    return [
        [*public, float(len(extensions)), *relative_position(losses, loss), *relative_position(bounds, bound)]
        for public, loss, bound in zip(public_features(len(partial), extensions, length), losses, bounds, strict=True)
    ]


def _solves_by_decoding(candidate: Candidate, model: Any) -> bool:
    """Whether taking the likeliest choice at every step, and then one descent, finds the optimum."""
    space, partial = _search_space(candidate), Choices()
    length = len(space.to_choices(candidate.reference))
    optimum = candidate.solution.value
    assert optimum is not None
    while extensions := space.extensions(partial):
        chances = model.predict_proba(all_features(space, partial, extensions, length))[:, 1]
        if space.is_binary:  # the model has learned the chance of "1" only
            chances = [
                chance if choice == "1" else 1 - chances[-1] for (choice, _), chance in zip(extensions, chances, strict=True)
            ]
        likeliest = max(range(len(extensions)), key=lambda at: float(chances[at]))
        partial = (*partial, extensions[likeliest][0])
    decision = space.to_decision(partial)
    is_feasible = decision is not None and candidate.family.check(candidate.instance, decision).feasible
    start = decision if is_feasible else candidate.reference
    stream = Stream("prior", candidate.instance.digest)
    attack = Attack(candidate.family, candidate.instance, optimum, _MAX_DESCENT_EVALUATIONS, stream)
    return attack.run(lambda attack: first_improvement_descent(attack, start)).found_at is not None


def pairwise_auc(groups: Sequence[ScoredSamples]) -> tuple[float, float]:
    """How often a choice of the optimum scores above another one offered at the same step, and the standard error of that.

    Ties count half (AUC). The error takes every instance as one observation, because choices of one instance are dependent.
    """
    counts = []  # by instance: pairs in which the choice of the optimum scores higher, and all pairs
    for samples, scores in groups:
        steps: dict[int, tuple[list[float], list[float]]] = {}
        for sample, score in zip(samples, scores, strict=True):
            steps.setdefault(sample.step, ([], []))[sample.taken].append(score)
        pairs = [pair for others, taken in steps.values() for pair in product(taken, others)]
        above = sum(1.0 if taken > other else 0.5 if taken == other else 0.0 for taken, other in pairs)
        counts.append((above, len(pairs)))
    total = sum(count for _, count in counts)
    if not total:
        return 0.5, 0.0
    area = sum(above for above, _ in counts) / total
    squares = sum((above - area * count) ** 2 for above, count in counts)
    return area, sqrt(squares * len(counts) / max(1, len(counts) - 1)) / total
