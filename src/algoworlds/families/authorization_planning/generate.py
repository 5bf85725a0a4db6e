"""Generator of Authorization Planning: three price sources of one scale, and a residue that is far from free.

Base prices, adjustments and handoffs are drawn alike, so no source can be neglected. Between two stages every package
has the same number of successors and of predecessors: no dead end, and no degree that tells anything. Nothing is
planted. Clearances are uniform; only the required residue looks at the rest: it is drawn among those whose cheapest
plan differs in at least three stages from the cheapest plan of all, so that no small repair of that one is optimal, and
from the dearer half of them, so that it is not met soon among the cheapest plans. Where the modulus is small, chance meets
any residue soon; there the clearances are the one of several draws in which that takes longest.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.families.residues import Stage, remote

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


@dataclass(frozen=True)
class Draft:
    """An instance by stage and position, still without its required residue."""

    config: Config
    base: list[list[int]]
    code: list[list[int]]
    eta: list[int]
    z: list[list[int]]
    before: list[list[list[int]]]
    """before[i][v]: the predecessors of package v of stage i; those of the first stage have the start alone."""
    h: list[list[list[int]]]
    """h[i][v]: the handoff costs from them."""


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
        config,
        base=stream.rows(d, n, LOW, HIGH),
        code=stream.rows(d, n, 0, n - 1),
        eta=stream.integers(n, LOW, HIGH),
        z=[],
        before=[[[0]] * n, *(_predecessors(n, k, stream) for _ in range(d - 1))],
        h=[[[0]] * n, *(stream.rows(n, k, LOW, HIGH) for _ in range(d - 1))],
    )
    draws = [stream.rows(d, n, 0, config.modulus - 1) for _ in range(config.draws)]
    at, far = remote(list(_stages(draft)), (np.array(z)[:, :, None] for z in draws), config.modulus, APART)
    return _instance(replace(draft, z=draws[at]), stream.choice(far or range(config.modulus)))


def _predecessors(n: int, k: int, stream: Stream) -> list[list[int]]:
    """Each package's predecessors in a circulant of k random offsets, both sides relabelled at random."""
    offsets, left, right = stream.sample(range(n), k), stream.shuffled(range(n)), stream.shuffled(range(n))
    return [[left[(right[v] - offset) % n] for offset in offsets] for v in range(n)]


def _stages(draft: Draft) -> Iterator[Stage]:
    """The ways into every package: from its predecessors, handed over, or from the start at no cost."""
    for i, codes in enumerate(draft.code):
        price = [base + draft.eta[code] for base, code in zip(draft.base[i], codes, strict=True)]
        cost = [[p + h for h in handoffs] for p, handoffs in zip(price, draft.h[i], strict=True)]
        yield Stage(draft.before[i], cost)


def _instance(draft: Draft, required: int) -> AuthorizationPlanning:
    d, n = draft.config.stages, draft.config.width
    places = [(i, v) for i in range(d) for v in range(n)]
    package = {(i, v): f"p{i}.{v}" for i, v in places}
    stages, codes = [f"s{i}" for i in range(d)], [f"c{c}" for c in range(n)]
    return AuthorizationPlanning(
        stage=stages,
        code=codes,
        package=list(package.values()),
        base_price={(stages[i], package[i, v]): draft.base[i][v] for i, v in places},
        policy_code={(stages[i], package[i, v]): codes[draft.code[i][v]] for i, v in places},
        clearance={(stages[i], package[i, v]): draft.z[i][v] for i, v in places},
        opening=[(stages[0], package[0, v]) for v in range(n)],
        handoff={
            (stages[i], package[i - 1, u], package[i, v]): cost
            for i, v in places[n:]
            for u, cost in zip(draft.before[i][v], draft.h[i][v], strict=True)
        },
        policy=(required, tuple(draft.eta)),
        modulus=draft.config.modulus,
    )
