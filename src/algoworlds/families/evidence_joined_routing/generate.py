"""Generator of Evidence-Joined Routing: quantity alone misleads, and the residue is far from free.

An arc's intended cost and its exception class are drawn independently; its quantity is the cost divided by the class's
rate. So neither quantity nor class tells which arcs are cheap; only their join does. Residues are drawn without regard to
costs: the sums of few units of the modulus, hidden behind a random offset of either end of the arc, which cancels along a
path. So the residues of most paths add up to much the same. Nothing is planted; only the required residue depends on the
rest. It is drawn among those whose cheapest path differs in at least three arcs from the cheapest path of all, from the
dearer half of them, and among those for which best-first search has many states to expand.
"""

from dataclasses import dataclass, replace
from itertools import chain, pairwise, product, starmap
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from algoworlds.families.declare import Classes, NarrowResidues, Promise, Range, Ranges, Stream, select_hardest_draw
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting

Array = NDArray[np.int64]
N = TypeVar("N", int, Array)
RATES = ((3, 4), (6, 8), (12, 16), (24, 32), (48, 64))
"""The range of the rate of every exception class."""
CHARGE = 1_000, 9_999
"""The range of an arc's intended cost."""
MIN_DIFFERENCE = 2
"""The optimum must differ from the cheapest path of any residue in at least this many inner nodes, and so in three arcs."""
MAX_REDRAWS = 20
"""Graphs without a residue that is hard enough before any residue is taken, and so left to admission."""


@dataclass(frozen=True)
class Config:
    """Relay layers, nodes per layer, modulus, and how residues are drawn."""

    layers: int
    width: int
    modulus: int
    classes: Classes = (0, 0, 0)
    least_open: int = 0
    """The least number of states that best-first search must expand before it meets the target."""


LEVELS = {
    0: Config(12, 4, 7),
    1: Config(12, 8, 31, classes=(3, 2, 1), least_open=350),
    2: Config(16, 10, 257, classes=(2, 0, 3), least_open=3_000),
    3: Config(20, 12, 1021, classes=(3, 0, 2), least_open=10_000),
    4: Config(24, 14, 3079, classes=(3, 1, 2), least_open=150_000),
}


class Arcs(NamedTuple):
    """The arcs between two neighbouring layers, by the positions of their tails and heads: classes, quantities, residues."""

    chi: Array
    quantity: Array
    residue: Array


def ranges(config: Config) -> Ranges:
    """Rates of all classes together, the quantities that follow from charges and rates, and residues."""
    slowest, fastest = RATES[0][0], RATES[-1][1]
    residue = Range(0, config.modulus - 1)
    return Ranges(
        {
            ("freight", "quantity"): Range(_quantity(CHARGE[0], fastest), _quantity(CHARGE[1], slowest)),
            ("tariff", "rate"): Range(slowest, fastest),
            ("freight", "residue"): residue,
            ("required", "required_residue"): replace(residue, label="the required residue"),
        },
        (
            Promise(
                "every arc ends where arcs of the next stage start, those of the last stage at the destination", _is_layered
            ),
        ),
    )


def generate(config: Config, stream: Stream) -> EvidenceJoinedRouting:
    """Draw a complete layered graph, then the required residue."""
    for _ in range(MAX_REDRAWS):
        layers, rates, targets = _draw_graph(config, stream)
        if targets:
            break
    return _instance(config, layers, rates, stream.choice(targets or range(config.modulus)))


def _draw_graph(config: Config, stream: Stream) -> tuple[list[Arcs], Array, list[int]]:
    """The arcs of every stage, the rates, and the required residues to choose from."""
    rates = np.array(stream.shuffled([stream.integer(low, high) for low, high in RATES]))
    sizes = [1, *([config.width] * config.layers), 1]
    narrow = NarrowResidues.draw(config.modulus, config.classes, stream)
    offsets = [narrow.offsets(size, stream) for size in sizes]  # at the ends of an arc: they cancel along a path
    layers = [_arcs(tails, heads, rates, narrow, stream) for tails, heads in pairwise(offsets)]
    costs = [(arcs.quantity * rates[arcs.chi]).T for arcs in layers]
    stages = [(np.broadcast_to(np.arange(cost.shape[1]), cost.shape), cost) for cost in costs]
    draws = [[arcs.residue.T for arcs in layers]]
    _, targets = select_hardest_draw(stages, draws, config.modulus, MIN_DIFFERENCE, config.least_open)
    return layers, rates, targets


def _arcs(tails: Array, heads: Array, rates: Array, narrow: NarrowResidues, stream: Stream) -> Arcs:
    """The arcs between two layers, whose nodes have these offsets."""
    shape = len(tails), len(heads)
    chi, intended = stream.integer_table(*shape, 0, len(rates) - 1), stream.integer_table(*shape, *CHARGE)
    residue = (narrow.table(*shape, stream) + tails[:, None] - heads) % narrow.modulus
    return Arcs(chi, _quantity(intended, rates[chi]), residue)


def _quantity(charge: N, rate: N) -> N:
    """The quantity that costs about `charge` at `rate`, rounded to the nearest integer."""
    return (2 * charge + rate) // (2 * rate)


def _is_layered(instance: EvidenceJoinedRouting) -> bool:
    """Whether the arcs of two stages share no tail, and every arc ends where the next stage starts."""
    ends = [[pair for (s, _), pair in instance.ends.items() if s == stage] for stage in instance.stage]
    tails = [*({tail for tail, _ in arcs} for arcs in ends), {instance.target}]
    heads = [{instance.source}, *({head for _, head in arcs} for arcs in ends)]
    return all(map(set.issubset, heads, tails)) and len(set[str]().union(*tails)) == sum(map(len, tails))


def _instance(config: Config, layers: list[Arcs], rates: Array, required: int) -> EvidenceJoinedRouting:
    stages, classes = [f"s{i}" for i in range(len(layers))], [f"c{c}" for c in range(len(rates))]
    sizes = [*(len(arcs.chi) for arcs in layers), 1]
    nodes = [[f"n{layer}.{at}" for at in range(size)] for layer, size in enumerate(sizes)]
    keys = [(stages[i], f"a{i}.{tail}.{head}") for i, arcs in enumerate(layers) for tail, head in np.ndindex(arcs.chi.shape)]
    columns = zip(*layers, strict=True)
    chi, quantity, residue = (np.concatenate([table.ravel() for table in column]).tolist() for column in columns)
    return EvidenceJoinedRouting.from_trusted(
        stage=tuple(stages),
        component=("x",),
        tariff_class=tuple(classes),
        node=tuple(chain.from_iterable(nodes)),
        arc=tuple(arc for _, arc in keys),
        ends=dict(zip(keys, chain.from_iterable(starmap(product, pairwise(nodes))), strict=True)),
        freight=dict(zip(keys, zip(quantity, residue, strict=True), strict=True)),
        exception=dict(zip(keys, map(classes.__getitem__, chi), strict=True)),
        tariff=dict(zip(product("x", classes), rates.tolist(), strict=True)),
        required={"x": required},
        source=nodes[0][0],
        target=nodes[-1][0],
        modulus=config.modulus,
    )
