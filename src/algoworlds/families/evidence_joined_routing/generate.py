"""Generator of Evidence-Joined Routing: quantity alone misleads, and the residue is far from free.

An arc's intended cost and its exception class are drawn independently; its quantity is the cost divided by the class's
rate. So neither quantity nor class tells which arcs are cheap; only their join does. Residues are uniform. Nothing is
planted; only the required residue looks at the rest: it is drawn among those whose cheapest path differs in at least
three arcs from the cheapest path of all, so that no small repair of that one is optimal.
"""

import itertools
from dataclasses import dataclass
from typing import Any

from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.model.stream import Stream

RATES = ((3, 4), (6, 8), (12, 16), (24, 32), (48, 64))
APART = 3
"""Stages in which the optimum must differ from the cheapest path of any residue."""


@dataclass(frozen=True)
class Config:
    """Relay layers, nodes per layer, residue modulus."""

    layers: int
    width: int
    modulus: int


LEVELS = {0: Config(12, 4, 7), 1: Config(12, 8, 31), 2: Config(16, 10, 257), 3: Config(20, 12, 1021), 4: Config(24, 14, 3079)}


@dataclass(frozen=True)
class Draft:
    """The arcs between two neighbouring layers: cost, residue, quantity and class by tail and head."""

    cost: list[list[int]]
    residue: list[list[int]]
    quantity: list[list[int]]
    chi: list[list[int]]


def generate(config: Config, stream: Stream) -> EvidenceJoinedRouting:
    """Draw a complete layered graph, then the required residue."""
    rates = stream.shuffled([stream.integer(low, high) for low, high in RATES])
    sizes = [1, *([config.width] * config.layers), 1]
    drafts = [_draft(tails, heads, rates, config.modulus, stream) for tails, heads in itertools.pairwise(sizes)]
    distant = [r for r, apart in enumerate(_distances(drafts, config.modulus)) if apart >= APART]
    return _instance(config, sizes, drafts, rates, stream.choice(distant or range(config.modulus)))


def _draft(tails: int, heads: int, rates: list[int], modulus: int, stream: Stream) -> Draft:
    chi = [stream.integers(heads, 0, len(rates) - 1) for _ in range(tails)]
    intended = [stream.integers(heads, 1_000, 9_999) for _ in range(tails)]
    quantity = [
        [(2 * cost + rates[c]) // (2 * rates[c]) for cost, c in zip(*row, strict=True)]
        for row in zip(intended, chi, strict=True)
    ]
    cost = [[q * rates[c] for q, c in zip(*row, strict=True)] for row in zip(quantity, chi, strict=True)]
    return Draft(cost, [stream.integers(heads, 0, modulus - 1) for _ in range(tails)], quantity, chi)


def _distances(drafts: list[Draft], M: int) -> list[int]:
    """For every residue, in how many arcs its cheapest path differs from the cheapest path of all."""
    import numpy as np  # here alone: drawing is rare, naming the family is not

    far, r = 10**9, np.arange(M)
    D = np.full((1, M), far)
    D[0, 0] = 0
    came: list[Any] = []
    for draft in drafts:
        behind = (r - np.array(draft.residue)[:, :, None]) % M
        options = D[np.arange(len(D))[:, None, None], behind] + np.array(draft.cost)[:, :, None]
        came.append(options.argmin(axis=0))
        D = np.minimum(options.min(axis=0), far)
    values, left = D[0], r
    nodes = np.zeros((len(drafts) + 1, M), np.int64)
    for i in range(len(drafts) - 1, -1, -1):
        nodes[i] = came[i][nodes[i + 1], left]
        left = (left - np.array(drafts[i].residue)[nodes[i], nodes[i + 1]]) % M
    other = nodes != nodes[:, [values.argmin()]]
    return [int(each) for each in np.where(values < far, (other[1:] | other[:-1]).sum(axis=0), 0)]


def _instance(config: Config, sizes: list[int], drafts: list[Draft], rates: list[int], required: int) -> EvidenceJoinedRouting:
    stages, classes = [f"s{i}" for i in range(len(drafts))], [f"c{c}" for c in range(len(rates))]
    nodes = [[f"n{layer}.{at}" for at in range(size)] for layer, size in enumerate(sizes)]
    places = [(i, u, v) for i in range(len(drafts)) for u in range(sizes[i]) for v in range(sizes[i + 1])]
    filed = {(i, u, v): (stages[i], f"a{i}.{u}.{v}") for i, u, v in places}
    return EvidenceJoinedRouting(
        stage=stages,
        component=["x"],
        tariff_class=classes,
        node=[node for layer in nodes for node in layer],
        arc=[arc for _, arc in filed.values()],
        ends={filed[i, u, v]: (nodes[i][u], nodes[i + 1][v]) for i, u, v in places},
        freight={filed[i, u, v]: (drafts[i].quantity[u][v], drafts[i].residue[u][v]) for i, u, v in places},
        exception={filed[i, u, v]: classes[drafts[i].chi[u][v]] for i, u, v in places},
        tariff={("x", name): rate for name, rate in zip(classes, rates, strict=True)},
        required={"x": required},
        source=nodes[0][0],
        target=nodes[-1][0],
        modulus=config.modulus,
    )
