"""Generator of Authorization Planning: three price sources of one scale, and a residue that is far from free.

Base prices, adjustments and handoffs are drawn alike, so no source can be neglected. Between two stages every package
has the same number of successors and of predecessors: there is no dead end, and degrees tell nothing. Nothing is
planted. The clearances of a stage fall into few classes, drawn without regard to prices: the sums of few units of the
modulus. So the clearances of most plans add up to much the same. Only the required residue depends on the rest. It is drawn
among those whose cheapest plan differs in at least three stages from the cheapest plan of all, from the dearer half of them,
and among those for which best-first search has many states to expand. So it is far from what cheap plans leave. Where the
modulus is small, several draws of clearances are made, and the one that is met latest is used.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import keys_at_positions
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.declare import Classes, Stream, draw_stage_residues, select_hardest_draw

Array = NDArray[np.int64]
MIN_PRICE, MAX_PRICE = 100, 9_999
MIN_DIFFERENCE = 3
"""The optimum must differ from the cheapest plan of any residue in at least this many stages."""
MAX_REDRAWS = 20
"""Drafts without a residue that is hard enough before any residue is taken, and so left to admission."""


@dataclass(frozen=True)
class Config:
    """Stages, packages per stage (and policy codes), successors per package, modulus, and how clearances are drawn."""

    stages: int
    width: int
    degree: int
    modulus: int
    draws: int = 1
    classes: Classes = (0, 0, 0)
    least_open: int = 0
    """The least number of states that best-first search must expand before it meets the target."""


LEVELS = {
    0: Config(10, 7, 3, 7),
    1: Config(24, 14, 5, 11, draws=8, classes=(1, 1, 1), least_open=500),
    2: Config(28, 16, 6, 167, classes=(2, 0, 2), least_open=4_000),
    3: Config(32, 18, 7, 809, classes=(3, 0, 1), least_open=15_000),
    4: Config(36, 20, 8, 2879, classes=(4, 0, 1), least_open=200_000),
}


class Draft(NamedTuple):
    """An instance by stage and position, without clearances and the required residue."""

    base: Array
    code: Array
    eta: Array
    before: Array
    """before[i, v]: the predecessors of package v of stage i + 1."""
    h: Array
    """h[i, v]: the handoff costs from them."""


def ranges(config: Config) -> dict[tuple[str, str], tuple[int, int]]:
    """Three price sources of one scale, and residues."""
    price, residue = (MIN_PRICE, MAX_PRICE), (0, config.modulus - 1)
    return {
        ("base_price", "base_price"): price,
        ("policy", "adjustments"): price,
        ("handoff", "handoff_cost"): price,
        ("clearance", "clearance"): residue,
        ("policy", "required_clearance"): residue,
    }


def generate(config: Config, stream: Stream) -> AuthorizationPlanning:
    """Draw an instance: prices, codes, clearances and authorizations at random, then the required residue."""
    for _ in range(MAX_REDRAWS):
        draft, clearances, targets = _draw_draft(config, stream)
        if targets:
            break
    return _instance(config, draft, clearances, stream.choice(targets or range(config.modulus)))


def _draw_draft(config: Config, stream: Stream) -> tuple[Draft, Array, list[int]]:
    """A draft, its clearances, and the required residues to choose from."""
    d, n, k = config.stages, config.width, config.degree
    draft = Draft(
        base=stream.integer_table(d, n, MIN_PRICE, MAX_PRICE),
        code=stream.integer_table(d, n, 0, n - 1),
        eta=stream.integer_table(1, n, MIN_PRICE, MAX_PRICE)[0],
        before=_predecessors(d - 1, n, k, stream),
        h=stream.integer_table((d - 1) * n, k, MIN_PRICE, MAX_PRICE).reshape(-1, n, k),
    )
    draws = draw_stage_residues(d, n, config.modulus, config.classes, config.draws, stream)
    price = (draft.base + draft.eta[draft.code])[..., None]
    stages = [(np.zeros_like(price[0]), price[0]), *zip(draft.before, price[1:] + draft.h, strict=True)]
    draw, targets = select_hardest_draw(stages, draws[..., None], config.modulus, MIN_DIFFERENCE, config.least_open)
    return draft, draws[draw], targets


def _predecessors(steps: int, n: int, k: int, stream: Stream) -> Array:
    """Each package's predecessors in a circulant of k random offsets, both sides relabelled at random, for every step."""
    decks = np.array([stream.shuffled(range(n)) for _ in range(3 * steps)], np.int64)
    offsets, left, right = decks.reshape(steps, 3, n).swapaxes(0, 1)
    before: Array = left[np.arange(steps)[:, None, None], (right[:, :, None] - offsets[:, None, :k]) % n]
    return before


def _instance(config: Config, draft: Draft, z: Array, required: int) -> AuthorizationPlanning:
    d, n = config.stages, config.width
    stages, codes = [f"s{i}" for i in range(d)], [f"c{c}" for c in range(n)]
    packages = [f"p{i}.{v}" for i in range(d) for v in range(n)]
    keys = list(zip(np.repeat(stages, n).tolist(), packages, strict=True))
    i, v, _ = np.indices(draft.before.shape)
    u = n * i + draft.before
    order = np.argsort((n * u + v).ravel(), kind="stable")
    positions = [column.ravel()[order] for column in (i + 1, u, n * (i + 1) + v)]
    steps = keys_at_positions((stages, packages, packages), positions)
    return AuthorizationPlanning.from_trusted(
        stage=tuple(stages),
        code=tuple(codes),
        package=tuple(packages),
        base_price=dict(zip(keys, draft.base.ravel().tolist(), strict=True)),
        policy_code=dict(zip(keys, map(codes.__getitem__, draft.code.ravel().tolist()), strict=True)),
        clearance=dict(zip(keys, z.ravel().tolist(), strict=True)),
        opening=frozenset(keys[:n]),
        handoff=dict(zip(steps, draft.h.ravel()[order].tolist(), strict=True)),
        policy=(required, tuple(draft.eta.tolist())),
        modulus=config.modulus,
    )
