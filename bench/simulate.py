"""Simulated experiments with a known truth, to measure how often statistics hold.

A family has a probability of success; that of an instance varies around it, that of a world around its instance, and trials are
Bernoulli draws of the world. All configurations share the difficulty of half of the instances.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SEED = 20_260_102
INTERFACES, TRIALS = 2, 3
EVALUATIONS = INTERFACES * TRIALS
_WORLD_CORRELATION = 0.2

Probabilities = NDArray[np.float64]
Outcomes = NDArray[np.bool_]
"""Whether an evaluation was optimal, by simulation, configuration, instance, interface and trial."""


@dataclass(frozen=True)
class Design:
    """An experiment: the instances per family, the rate of success, and the correlation within an instance (`alike`)."""

    counts: tuple[int, ...]
    rate: float
    alike: float = 0.5
    family_rates: tuple[float, ...] = ()
    """The rate of each family; by default they spread evenly around `rate`."""

    @property
    def name(self) -> str:
        """A short description."""
        sizes = " or ".join(map(str, dict.fromkeys(self.counts)))
        families = "unequal " if self.family_rates else ""
        return f"{len(self.counts)} {families}x {sizes}, rate {self.rate:.2f}, alike {self.alike:.1f}"

    @property
    def probabilities(self) -> Probabilities:
        """The probability of every instance by its family; without given rates they spread around the rate, up to 0 or 1."""
        if self.family_rates:
            return np.repeat(np.array(self.family_rates), self.counts)
        spread = np.linspace(0, 2 * min(self.rate, 1 - self.rate), len(self.counts))
        return np.repeat(spread if self.rate <= 0.5 else 1 - spread, self.counts)

    @property
    def truth(self) -> float:
        """The rate for new instances of the same families."""
        return float(self.probabilities.mean())

    def outcomes(self, draws: int, ease: Sequence[float] = (1.0,)) -> Outcomes:
        """Simulate `draws` experiments; `ease` has a factor on the probabilities for every configuration."""
        source = np.random.default_rng([SEED, *self.counts, *(round(1000 * share) for share in (self.rate, self.alike, *ease))])
        means = np.broadcast_to(np.array(ease)[:, None] * self.probabilities, (draws, len(ease), sum(self.counts)))
        hardness, shared = source.random((2, draws, 1, sum(self.counts)))
        own = _vary(means, self.alike, source)
        instance = own if len(ease) == 1 else np.where(shared < 0.5, hardness < means, own)
        world = _vary(np.repeat(instance[..., None], INTERFACES, axis=-1), _WORLD_CORRELATION, source)
        return source.random((*world.shape, TRIALS)) < world[..., None]

    def halves(self, draws: int) -> Outcomes:
        """Whether a random schedule puts an evaluation into its first half, by simulation, world and trial."""
        shape = (draws, sum(self.counts) * INTERFACES, TRIALS)
        order = np.broadcast_to(np.arange(shape[1] * shape[2]), (draws, shape[1] * shape[2]))
        positions = np.random.default_rng([SEED, *self.counts]).permuted(order, axis=1)
        return (2 * positions < positions.shape[1]).reshape(shape)


STAGE_FAILURES = {"compute": 0.3, "search": 0.2, "model": 0.2, "read": 0.1, "gather": 0.1}
"""How often each stage fails, in the order in which the tracks of the ladder take them away."""


@dataclass(frozen=True)
class LadderDesign:
    """An experiment on all tracks of the ladder: the instances per family, and the trials.

    A stage fails more often in some families than in others, and its probability varies around that from instance to instance.
    """

    counts: tuple[int, ...]
    trials: int = 1

    @property
    def name(self) -> str:
        """A short description."""
        return f"{len(self.counts)} x {self.counts[0]}, {INTERFACES} interfaces, trials: {self.trials}"

    @property
    def evaluations(self) -> int:
        """The evaluations of an instance on one track."""
        return INTERFACES * self.trials

    @property
    def failures(self) -> Probabilities:
        """The mean probability of failure, by stage and instance."""
        families = np.repeat(np.linspace(0.4, 1.6, len(self.counts)), self.counts)
        return np.array(list(STAGE_FAILURES.values()))[:, None] * families

    @property
    def truth(self) -> Probabilities:
        """The rate of success for new instances of the same families, by track."""
        left = np.array([(1 - self.failures[track:]).prod(axis=0) for track in range(len(STAGE_FAILURES))])
        return left.mean(axis=1)

    def successes(self, draws: int) -> NDArray[np.int64]:
        """Simulate `draws` experiments: how many evaluations are solved, by simulation, track and instance."""
        source = np.random.default_rng([SEED, *self.counts, self.trials])
        shape = (draws, *self.failures.shape)
        failing = _vary(np.broadcast_to(self.failures, shape), 0.2, source)
        tracks = [
            (source.random((self.evaluations, *failing[:, track:].shape)) >= failing[:, track:]).all(axis=2).sum(axis=0)
            for track in range(shape[1])
        ]
        return np.stack(tracks, axis=1)


def _vary(means: Probabilities, correlation: float, source: np.random.Generator) -> Probabilities:
    """Beta-distributed probabilities around `means`; two Bernoulli draws of one have this `correlation`."""
    certain = (means < 1e-6) | (means > 1 - 1e-6)
    inner, scale = np.where(certain, 0.5, means), 1 / correlation - 1
    return np.where(certain, np.round(means), source.beta(inner * scale, (1 - inner) * scale))
