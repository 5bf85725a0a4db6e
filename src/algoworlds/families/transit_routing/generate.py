"""Generator of Transit Routing: plain uniform draws, and a target that forces a detour.

Nothing is planted. The target is drawn from the residues whose cheapest route differs from the route that is cheapest
with residues ignored in at least five stages: repairing that route in two stages, and then in two more, can never be exact.
Of these it is one of the dearer half, so that it is not met soon among the cheapest routes. Where the modulus is small, chance
meets any residue soon; there the residues are the one of several draws in which that takes longest.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.residues import Stage, remote
from algoworlds.families.transit_routing.instance import TransitRouting

Array = NDArray[np.int64]
LOW, HIGH, STAY = 1_000, 9_999, 0
"""Travel times and transfer costs lie between the first two; staying on a line costs the third."""
DETOUR = 5
"""In how many stages, at least, the optimum must differ from the route that is cheapest with residues ignored."""


@dataclass(frozen=True)
class Config:
    """Stages d, legs per stage k, lines p, modulus M, and draws of residues from which one is taken."""

    stages: int
    legs: int
    lines: int
    modulus: int
    draws: int = 1


LEVELS = {
    0: Config(20, 6, 8, 3, draws=4),  # as many stages as keep the catalog dearer than the budget
    1: Config(24, 24, 26, 3, draws=24),
    2: Config(32, 32, 34, 31, draws=2),
    3: Config(40, 40, 42, 131),
    4: Config(48, 48, 50, 409),
}


def ranges(config: Config) -> Ranges:
    """Travel and transfers of one scale, staying on a line for nothing, and residues."""
    residue = Range(0, config.modulus - 1)
    return Ranges(
        {
            ("time", "travel_time"): Range(LOW, HIGH),
            ("transfer", "transfer_costs"): Range(LOW, HIGH, own=STAY),
            ("residue", "residue"): residue,
            ("target", "target_residue"): residue,
        }
    )


def generate(config: Config, stream: Stream) -> TransitRouting:
    """Draw an instance whose target some route meets, at least five stages away from the residue-blind optimum."""
    d, k, p, M = config.stages, config.legs, config.lines, config.modulus
    while True:
        tau = stream.table(d, k, LOW, HIGH)
        lines = np.array([stream.sample(range(p), k) for _ in range(d)])
        C = np.full((p, p), STAY)
        C[~np.eye(p, dtype=bool)] = stream.table(p, p - 1, LOW, HIGH).ravel()
        draws = stream.table(config.draws * d, k, 0, M - 1).reshape(-1, d, k)
        at, targets = remote(list(_stages(tau, lines, C)), draws[..., None], M, DETOUR)
        if targets:
            return _instance(config, tau, lines, C, draws[at], stream.choice(targets))


def _stages(tau: Array, lines: Array, C: Array) -> Iterator[Stage]:
    """The ways into every leg: from any leg of the stage before, changing lines, or from the start at no cost."""
    into = tau[1:, :, None] + C[lines[:-1, None, :], lines[1:, :, None]]
    for cost in (tau[0, :, None], *into):
        yield Stage(np.broadcast_to(np.arange(cost.shape[1]), cost.shape), cost)


def _instance(config: Config, tau: Array, lines: Array, C: Array, rho: Array, target: int) -> TransitRouting:
    stations, names = [f"s{i}" for i in range(config.stages)], [f"l{a}" for a in range(config.lines)]
    legs = [(station, f"e{i}-{e}") for i, station in enumerate(stations) for e in range(config.legs)]
    return TransitRouting.from_trusted(
        station=tuple(stations),
        line=tuple(names),
        leg=tuple(leg for _, leg in legs),
        time=dict(zip(legs, tau.ravel().tolist(), strict=True)),
        residue=dict(zip(legs, rho.ravel().tolist(), strict=True)),
        membership=dict(zip(legs, map(names.__getitem__, lines.ravel().tolist()), strict=True)),
        transfer=dict(zip(names, map(tuple, C.tolist()), strict=True)),
        target=target,
        modulus=config.modulus,
    )
