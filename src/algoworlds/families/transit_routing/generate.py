"""Generator of Transit Routing: plain uniform draws, and a target that forces a detour.

Nothing is planted. The target is drawn from the residues whose cheapest route differs from the route that is cheapest
with residues ignored in at least three stages: repairing that route in one or two stages can never be exact.
"""

from dataclasses import dataclass
from typing import Any

from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.model.stream import Stream

DETOUR = 3
"""In how many stages, at least, the optimum must differ from the route that is cheapest with residues ignored."""

RESIDUE_DRAWS = 4
"""How often residues are redrawn before the whole instance is."""


@dataclass(frozen=True)
class Config:
    """Stages d, legs per stage k, lines p and modulus M."""

    stages: int
    legs: int
    lines: int
    modulus: int


LEVELS = {
    0: Config(20, 6, 8, 3),  # as many stages as keep the catalog dearer than the budget
    1: Config(24, 24, 26, 3),
    2: Config(32, 32, 34, 31),
    3: Config(40, 40, 42, 131),
    4: Config(48, 48, 50, 409),
}


def generate(config: Config, stream: Stream) -> TransitRouting:
    """Draw an instance whose target some route meets, at least three stages away from the residue-blind optimum."""
    d, k, p, M = config.stages, config.legs, config.lines, config.modulus
    while True:
        tau = [stream.integers(k, 1_000, 9_999) for _ in range(d)]
        lines = [stream.sample(range(p), k) for _ in range(d)]
        C = [[0 if a == b else stream.integer(1_000, 9_999) for b in range(p)] for a in range(p)]
        for _ in range(RESIDUE_DRAWS):
            rho = [[stream.below(M) for _ in range(k)] for _ in range(d)]
            targets = _targets(tau, lines, C, rho, M)
            if targets:
                return _instance(config, tau, lines, C, rho, stream.choice(targets))


def _instance(
    config: Config, tau: list[list[int]], lines: list[list[int]], C: list[list[int]], rho: list[list[int]], target: int
) -> TransitRouting:
    pairs = {(f"s{i}", f"e{i}-{e}"): (i, e) for i in range(config.stages) for e in range(config.legs)}
    return TransitRouting(
        station=[f"s{i}" for i in range(config.stages)],
        line=[f"l{a}" for a in range(config.lines)],
        leg=[leg for _, leg in pairs],
        time={pair: tau[i][e] for pair, (i, e) in pairs.items()},
        residue={pair: rho[i][e] for pair, (i, e) in pairs.items()},
        membership={pair: f"l{lines[i][e]}" for pair, (i, e) in pairs.items()},
        transfer={f"l{a}": row for a, row in enumerate(C)},
        target=target,
        modulus=config.modulus,
    )


def _targets(tau: Any, lines: Any, C: Any, rho: Any, M: int) -> list[int]:
    """The residues whose cheapest route lies at least `DETOUR` stages away from the cheapest route of all."""
    value, route = _cheapest_routes(tau, lines, C, rho, M)
    away = (route != route[:, [value.argmin()]]).sum(axis=0)
    return [r for r in range(M) if value[r] < 2**61 and away[r] >= DETOUR]


def _cheapest_routes(tau: Any, lines: Any, C: Any, rho: Any, M: int) -> tuple[Any, Any]:
    """Per residue the least cost of a route and the route itself, as a column of leg positions."""
    import numpy as np  # not with the module: naming a family should stay cheap

    tau, lines, C, rho = (np.array(table, np.int64) for table in (tau, lines, C, rho))
    d, k = tau.shape
    every, back = np.arange(M), np.zeros((d, k, M), np.int64)
    cost = np.full((k, M), 2**62)
    cost[np.arange(k), rho[0]] = tau[0]
    for i in range(1, d):
        through = cost[:, None, :] + C[np.ix_(lines[i - 1], lines[i])][:, :, None]  # last leg, next leg, residue
        before = (every - rho[i][:, None]) % M
        back[i] = np.take_along_axis(through.argmin(axis=0), before, axis=1)
        cost = np.take_along_axis(through.min(axis=0), before, axis=1) + tau[i][:, None]
    route = np.empty((d, M), np.int64)
    route[-1], r = cost.argmin(axis=0), every
    for i in range(d - 1, 0, -1):
        route[i - 1] = back[i, route[i], r]
        r = (r - rho[i][route[i]]) % M
    return cost.min(axis=0), route
