"""Generator of Transit Routing: uniform costs, residues in few classes, and a target far from that of cheap routes.

Nothing is planted. The residues of a station fall into few classes, drawn without regard to costs: the sums of few units
of the modulus. So the residues of most routes add up to much the same. The target is drawn from the residues whose
cheapest route differs in at least five stages from the route that is cheapest with residues ignored: repairing that route
in two stages, and then in two more, can never be exact. The target is one of the dearer half of these residues, and best-
first search has many states to expand until it is met. Where the modulus is small, several draws of residues are made,
and the one that is met latest is used.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algoworlds.families.declare import Classes, Range, Stream, draw_stage_residues, select_hardest_draw
from algoworlds.families.transit_routing.instance import TransitRouting

Array = NDArray[np.int64]
MIN_COST, MAX_COST, STAY_COST = 1_000, 9_999, 0
"""Travel times and transfer costs lie between the first two; staying on a line costs the third."""
MIN_DETOUR = 5
"""The optimum must differ from the residue-blind optimum in at least this many stages, or in half of a shorter route."""


@dataclass(frozen=True)
class Config:
    """Stages d, legs per stage k, lines p, modulus M, and how residues are drawn."""

    stages: int
    legs: int
    lines: int
    modulus: int
    draws: int = 1
    classes: Classes = (0, 0, 0)
    least_open: int = 0
    """The least number of states that best-first search must expand before it meets the target."""


LEVELS = {
    0: Config(20, 6, 8, 3, draws=4),  # enough stages for the catalog to cost more than the budget
    1: Config(24, 24, 26, 3, draws=24, classes=(1, 18, 1), least_open=200),
    2: Config(32, 32, 34, 31, classes=(1, 0, 3), least_open=1_500),
    3: Config(40, 40, 42, 131, classes=(2, 0, 2), least_open=10_000),
    4: Config(48, 48, 50, 409, classes=(3, 0, 1), least_open=30_000),
}


def ranges(config: Config) -> dict[tuple[str, str], Range]:
    """Travel times and transfer costs of one scale, free stays on a line, and residues."""
    return {
        ("time", "travel_time"): Range(MIN_COST, MAX_COST),
        ("transfer", "transfer_costs"): Range(MIN_COST, MAX_COST, diagonal=STAY_COST),
        ("residue", "residue"): Range(0, config.modulus - 1),
        ("target", "target_residue"): Range(0, config.modulus - 1),
    }


def generate(config: Config, stream: Stream) -> TransitRouting:
    """Draw an instance whose target some route meets, at least five stages away from the residue-blind optimum."""
    d, k, p, M = config.stages, config.legs, config.lines, config.modulus
    while True:
        tau = stream.integer_table(d, k, MIN_COST, MAX_COST)
        lines = np.array([stream.sample(range(p), k) for _ in range(d)])
        C = np.full((p, p), STAY_COST)
        C[~np.eye(p, dtype=bool)] = stream.integer_table(p, p - 1, MIN_COST, MAX_COST).ravel()
        draws = draw_stage_residues(d, k, M, config.classes, config.draws, stream)
        # Arcs into every leg: from any leg of the stage before, changing lines; into the first stage at no cost.
        costs = (tau[0, :, None], *(tau[1:, :, None] + C[lines[:-1, None, :], lines[1:, :, None]]))
        stages = [(np.broadcast_to(np.arange(cost.shape[1]), cost.shape), cost) for cost in costs]
        draw, targets = select_hardest_draw(stages, draws[..., None], M, min(MIN_DETOUR, d // 2), config.least_open)
        if targets:
            return _instance(config, tau, lines, C, draws[draw], stream.choice(targets))


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
