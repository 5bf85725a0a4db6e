"""Generator of Authorization Planning: three price sources of one scale, and a residue that is far from free.

Base prices, adjustments and handoffs are drawn alike, so no source can be neglected. Between two stages every package
has the same number of successors and of predecessors: no dead end, and no degree that tells anything. Nothing is
planted. Clearances are uniform; only the required residue looks at the rest: it is drawn among those whose cheapest
plan differs in at least three stages from the cheapest plan of all, so that no small repair of that one is optimal, and
from the dearer half of them, so that it is not met soon among the cheapest plans. Where the modulus is small, chance meets
any residue soon; there the clearances are the one of several draws in which that takes longest.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.places import keys_at
from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.residues import Stage, remote

Array = NDArray[np.int64]
LOW, HIGH = 100, 9_999
APART = 3
"""Stages in which the optimum must differ from the cheapest plan of any residue."""


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
    """An instance by stage and position, still without its clearances and their required residue."""

    base: Array
    code: Array
    eta: Array
    before: Array
    """before[i, v]: the predecessors of package v of stage i + 1."""
    h: Array
    """h[i, v]: the handoff costs from them."""


def ranges(config: Config) -> Ranges:
    """Three price sources of one scale, and residues."""
    price, residue = Range(LOW, HIGH), Range(0, config.modulus - 1)
    return Ranges(
        {
            ("base_price", "base_price"): price,
            ("policy", "adjustments"): price,
            ("handoff", "handoff_cost"): price,
            ("clearance", "clearance"): residue,
            ("policy", "required_clearance"): residue,
        }
    )


def generate(config: Config, stream: Stream) -> AuthorizationPlanning:
    """Draw an instance: prices, codes, clearances and authorizations at random, then the required residue."""
    d, n, k = config.stages, config.width, config.degree
    draft = Draft(
        base=stream.table(d, n, LOW, HIGH),
        code=stream.table(d, n, 0, n - 1),
        eta=stream.table(1, n, LOW, HIGH)[0],
        before=_predecessors(d - 1, n, k, stream),
        h=stream.table((d - 1) * n, k, LOW, HIGH).reshape(-1, n, k),
    )
    draws = stream.table(config.draws * d, n, 0, config.modulus - 1).reshape(-1, d, n)
    at, far = remote(_stages(draft), draws[..., None], config.modulus, APART)
    return _instance(config, draft, draws[at], stream.choice(far or range(config.modulus)))


def _predecessors(steps: int, n: int, k: int, stream: Stream) -> Array:
    """Each package's predecessors in a circulant of k random offsets, both sides relabelled at random, for every step."""
    decks = np.array([stream.shuffled(range(n)) for _ in range(3 * steps)], np.int64)
    offsets, left, right = decks.reshape(steps, 3, n).swapaxes(0, 1)
    before: Array = left[np.arange(steps)[:, None, None], (right[:, :, None] - offsets[:, None, :k]) % n]
    return before


def _stages(draft: Draft) -> list[Stage]:
    """The ways into every package: from its predecessors, handed over, or from the start at no cost."""
    price = (draft.base + draft.eta[draft.code])[..., None]
    later = map(Stage, draft.before, price[1:] + draft.h)
    return [Stage(np.zeros_like(price[0]), price[0]), *later]


def _instance(config: Config, draft: Draft, z: Array, required: int) -> AuthorizationPlanning:
    d, n = config.stages, config.width
    stages, codes = [f"s{i}" for i in range(d)], [f"c{c}" for c in range(n)]
    packages = [f"p{i}.{v}" for i in range(d) for v in range(n)]
    listed = list(zip(np.repeat(stages, n).tolist(), packages, strict=True))
    i, v, _ = np.indices(draft.before.shape)
    u = n * i + draft.before
    order = np.argsort((n * u + v).ravel(), kind="stable")
    ends = [each.ravel()[order] for each in (i + 1, u, n * (i + 1) + v)]
    steps = keys_at((stages, packages, packages), ends)
    return AuthorizationPlanning.from_trusted(
        stage=tuple(stages),
        code=tuple(codes),
        package=tuple(packages),
        base_price=dict(zip(listed, draft.base.ravel().tolist(), strict=True)),
        policy_code=dict(zip(listed, map(codes.__getitem__, draft.code.ravel().tolist()), strict=True)),
        clearance=dict(zip(listed, z.ravel().tolist(), strict=True)),
        opening=frozenset(listed[:n]),
        handoff=dict(zip(steps, draft.h.ravel()[order].tolist(), strict=True)),
        policy=(required, tuple(draft.eta.tolist())),
        modulus=config.modulus,
    )
