"""Experiments in which the truth is known, for measuring how often statistics hold.

A family has a chance of success; an instance's own chance varies about it, a world's about its instance's, and trials are
tosses of the world's. Of half of the instances all configurations share the difficulty.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SEED = 20_260_102
INTERFACES, TRIALS = 2, 3
EVALUATIONS = INTERFACES * TRIALS
_WORLDS_ALIKE = 0.2

Chances = NDArray[np.float64]
Outcomes = NDArray[np.bool_]
"""By simulation, configuration, instance, interface and trial: whether the evaluation was optimal."""


@dataclass(frozen=True)
class Design:
    """An experiment: the instances of each family, the rate of success, and how alike the evaluations of an instance are."""

    counts: tuple[int, ...]
    rate: float
    alike: float = 0.5

    @property
    def name(self) -> str:
        """The design in words."""
        each = " or ".join(map(str, dict.fromkeys(self.counts)))
        return f"{len(self.counts)} x {each}, rate {self.rate:.2f}, alike {self.alike:.1f}"

    @property
    def chances(self) -> Chances:
        """Every instance's chance as a member of its family; families spread evenly about the rate, up to never or always."""
        spread = np.linspace(0, 2 * min(self.rate, 1 - self.rate), len(self.counts))
        return np.repeat(spread if self.rate <= 0.5 else 1 - spread, self.counts)

    @property
    def truth(self) -> float:
        """The rate that new instances of the same families would have."""
        return float(self.chances.mean())

    def outcomes(self, draws: int, ease: Sequence[float] = (1.0,)) -> Outcomes:
        """Simulated experiments; each configuration has a factor on the chances of success."""
        source = np.random.default_rng([SEED, *self.counts, *map(_whole, (self.rate, self.alike, *ease))])
        means = np.broadcast_to(np.array(ease)[:, None] * self.chances, (draws, len(ease), sum(self.counts)))
        hardness, shared = source.random((2, draws, 1, sum(self.counts)))
        own = _about(means, self.alike, source)
        instance = own if len(ease) == 1 else np.where(shared < 0.5, hardness < means, own)
        world = _about(np.repeat(instance[..., None], INTERFACES, axis=-1), _WORLDS_ALIKE, source)
        return source.random((*world.shape, TRIALS)) < world[..., None]

    def halves(self, draws: int) -> Outcomes:
        """By simulation, world and trial: whether a random schedule puts the evaluation into its first half."""
        shape = (draws, sum(self.counts) * INTERFACES, TRIALS)
        order = np.broadcast_to(np.arange(shape[1] * shape[2]), (draws, shape[1] * shape[2]))
        places = np.random.default_rng([SEED, *self.counts]).permuted(order, axis=1)
        return (2 * places < places.shape[1]).reshape(shape)


def _whole(share: float) -> int:
    return round(1000 * share)


def _about(means: Chances, alike: float, source: np.random.Generator) -> Chances:
    """Chances that vary about their means; two tosses of one chance have the given correlation."""
    certain = (means < 1e-6) | (means > 1 - 1e-6)
    inner, scale = np.where(certain, 0.5, means), 1 / alike - 1
    return np.where(certain, np.round(means), source.beta(inner * scale, (1 - inner) * scale))
