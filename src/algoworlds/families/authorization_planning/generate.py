"""Generator of Authorization Planning: three price sources of one scale, and a residue that is far from free.

Base prices, adjustments and handoffs are drawn alike, so no source can be neglected. Between two stages every package
has the same number of successors and of predecessors: no dead end, and no degree that tells anything. Nothing is
planted. Clearances are uniform; only the required residue looks at the rest: it is drawn among those whose cheapest
plan differs in at least three stages from the cheapest plan of all, so that no small repair of that one is optimal.
"""

from dataclasses import dataclass

from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.model.stream import Stream

LOW, HIGH = 100, 9_999
APART = 3
"""Stages in which the optimum must differ from the cheapest plan of any residue."""


@dataclass(frozen=True)
class Config:
    """Stages, packages per stage (and policy codes), successors per package, residue modulus."""

    stages: int
    width: int
    degree: int
    modulus: int


LEVELS = {
    0: Config(10, 7, 3, 7),
    1: Config(24, 14, 5, 11),
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
    """before[i][v]: the predecessors of package v of stage i (of none in the first)."""
    h: list[list[list[int]]]
    """h[i][v]: the handoff costs from them."""


def generate(config: Config, stream: Stream) -> AuthorizationPlanning:
    """Draw an instance: prices, codes, clearances and authorizations at random, then the required residue."""
    d, n, k = config.stages, config.width, config.degree
    draft = Draft(
        config,
        base=[stream.integers(n, LOW, HIGH) for _ in range(d)],
        code=[stream.integers(n, 0, n - 1) for _ in range(d)],
        eta=stream.integers(n, LOW, HIGH),
        z=[stream.integers(n, 0, config.modulus - 1) for _ in range(d)],
        before=[[[] for _ in range(n)], *(_predecessors(n, k, stream) for _ in range(d - 1))],
        h=[[stream.integers(k if i else 0, LOW, HIGH) for _ in range(n)] for i in range(d)],
    )
    distant = [r for r, stages in enumerate(_distances(draft)) if stages >= APART]
    return _instance(draft, stream.choice(distant or range(config.modulus)))


def _predecessors(n: int, k: int, stream: Stream) -> list[list[int]]:
    """Each package's predecessors in a circulant of k random offsets, both sides relabelled at random."""
    offsets, left, right = stream.sample(range(n), k), stream.shuffled(range(n)), stream.shuffled(range(n))
    return [[left[(right[v] - offset) % n] for offset in offsets] for v in range(n)]


def _distances(draft: Draft) -> list[int]:
    """For every residue, in how many stages its cheapest plan differs from the cheapest plan of all."""
    import numpy as np  # here alone: drawing is rare, naming the family is not

    d, n, M = draft.config.stages, draft.config.width, draft.config.modulus
    far, r = 3 * HIGH * (d + 1), np.arange(M)
    z, base, code, eta = np.array(draft.z), np.array(draft.base), np.array(draft.code), np.array(draft.eta)
    price = base + eta[code]
    D, came = np.full((n, M), far), np.zeros((d, n, M), np.int64)
    D[np.arange(n), z[0]] = price[0]
    for i in range(1, d):
        before, h = np.array(draft.before[i]), np.array(draft.h[i])
        behind = (r[None, :] - z[i][:, None]) % M
        options = np.stack([D[u[:, None], behind] + cost[:, None] for u, cost in zip(before.T, h.T, strict=True)])
        came[i] = np.take_along_axis(before, options.argmin(axis=0), axis=1)
        D = np.minimum(options.min(axis=0) + price[i][:, None], far)
    plans, left, values = np.zeros((d, M), np.int64), r, D.min(axis=0)
    plans[-1] = D.argmin(axis=0)
    for i in range(d - 1, 0, -1):
        plans[i - 1] = came[i, plans[i], left]
        left = (left - z[i, plans[i]]) % M
    distances = (plans != plans[:, [values.argmin()]]).sum(axis=0)
    return [int(each) for each in np.where(values < far, distances, 0)]


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
            for i, v in places
            for u, cost in zip(draft.before[i][v], draft.h[i][v], strict=True)
        },
        policy=(required, draft.eta),
        modulus=draft.config.modulus,
    )
