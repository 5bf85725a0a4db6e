"""Generator of Authorization Planning: three price sources of one scale, and a residue that is far from free.

Base prices, adjustments and handoffs are drawn alike, so no source can be neglected. Between two stages every package
has the same number of successors and of predecessors: there is no dead end, and degrees tell nothing. Nothing is
planted. Clearances are uniform; only the required residue depends on the rest. It is drawn among those whose cheapest
plan differs in at least three stages from the cheapest plan of all, so that no small repair of that plan is optimal, and
from the dearer half of them, so that it is not met soon among the cheapest plans. Where the modulus is small, chance meets
any residue soon; there several draws of clearances are made, and the one that is met latest is used.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import keys_at_positions
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.declare import Stream, select_hardest_draw

Array = NDArray[np.int64]
MIN_PRICE, MAX_PRICE = 100, 9_999
MIN_DIFFERENCE = 3
"""The optimum must differ from the cheapest plan of any residue in at least this many stages."""


@dataclass(frozen=True)
class Config:
    """Stages, packages per stage (and policy codes), successors per package, residue modulus, and draws of clearances."""

    stages: int
    width: int
    degree: int
    modulus: int
    draws: int = 1


LEVELS = {
    0: Config(10, 7, 3, 7),
    1: Config(24, 14, 5, 11, draws=16),
    2: Config(28, 16, 6, 167),
    3: Config(32, 18, 7, 809),
    4: Config(36, 20, 8, 2879),
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
    d, n, k = config.stages, config.width, config.degree
    draft = Draft(
        base=stream.integer_table(d, n, MIN_PRICE, MAX_PRICE),
        code=stream.integer_table(d, n, 0, n - 1),
        eta=stream.integer_table(1, n, MIN_PRICE, MAX_PRICE)[0],
        before=_predecessors(d - 1, n, k, stream),
        h=stream.integer_table((d - 1) * n, k, MIN_PRICE, MAX_PRICE).reshape(-1, n, k),
    )
    draws = stream.integer_table(config.draws * d, n, 0, config.modulus - 1).reshape(-1, d, n)
    price = (draft.base + draft.eta[draft.code])[..., None]
    stages = [(np.zeros_like(price[0]), price[0]), *zip(draft.before, price[1:] + draft.h, strict=True)]
    draw, far = select_hardest_draw(stages, draws[..., None], config.modulus, MIN_DIFFERENCE)
    return _instance(config, draft, draws[draw], stream.choice(far or range(config.modulus)))


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
