"""Generator of Evidence-Joined Routing: quantity alone misleads, and the residue is far from free.

An arc's intended cost and its exception class are drawn independently; its quantity is the cost divided by the class's
rate. So neither quantity nor class tells which arcs are cheap; only their join does. Residues are uniform. Nothing is
planted; only the required residue looks at the rest: it is drawn among those whose cheapest path differs in at least
three arcs from the cheapest path of all, so that no small repair of that one is optimal, and from the dearer half of
them, so that it is not met soon among the cheapest paths.
"""

from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import NamedTuple

from algoworlds.core.ranges import Promise, Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.residues import Stage, remote

RATES = ((3, 4), (6, 8), (12, 16), (24, 32), (48, 64))
CHARGE = 1_000, 9_999
"""What an arc is intended to cost."""
APART = 2
"""Inner nodes in which the optimum must differ from the cheapest path of any residue; so it differs in three arcs."""


@dataclass(frozen=True)
class Config:
    """Relay layers, nodes per layer, residue modulus."""

    layers: int
    width: int
    modulus: int


LEVELS = {0: Config(12, 4, 7), 1: Config(12, 8, 31), 2: Config(16, 10, 257), 3: Config(20, 12, 1021), 4: Config(24, 14, 3079)}


class Arc(NamedTuple):
    """An arc between two neighbouring layers, ends by position in their layers."""

    tail: int
    head: int
    chi: int
    quantity: int
    residue: int


def ranges(config: Config) -> Ranges:
    """Rates of all classes together, quantities as far as charges and rates take them, and residues."""
    slowest, fastest = RATES[0][0], RATES[-1][1]
    residue = Range(0, config.modulus - 1)
    return Ranges(
        {
            ("freight", "quantity"): Range(_quantity(CHARGE[0], fastest), _quantity(CHARGE[1], slowest)),
            ("tariff", "rate"): Range(slowest, fastest),
            ("freight", "residue"): residue,
            ("required", "required_residue"): replace(residue, words="the required residue"),
        },
        (Promise("every arc ends where arcs of the next stage start, those of the last stage at the destination", _layered),),
    )


def generate(config: Config, stream: Stream) -> EvidenceJoinedRouting:
    """Draw a complete layered graph, then the required residue."""
    rates = stream.shuffled([stream.integer(low, high) for low, high in RATES])
    sizes = [1, *([config.width] * config.layers), 1]
    layers = [_arcs(tails, heads, rates, config.modulus, stream) for tails, heads in pairwise(sizes)]
    into = [[arcs[v::heads] for v in range(heads)] for arcs, heads in zip(layers, sizes[1:], strict=True)]
    residues = [[[arc.residue for arc in ways] for ways in heads] for heads in into]
    _, far = remote([_stage(heads, rates) for heads in into], [residues], config.modulus, APART)
    return _instance(config, sizes, layers, rates, stream.choice(far or range(config.modulus)))


def _arcs(tails: int, heads: int, rates: list[int], modulus: int, stream: Stream) -> list[Arc]:
    ends = list(product(range(tails), range(heads)))
    chi = stream.integers(len(ends), 0, len(rates) - 1)
    intended = stream.integers(len(ends), *CHARGE)
    quantity = [_quantity(cost, rates[c]) for cost, c in zip(intended, chi, strict=True)]
    residue = stream.integers(len(ends), 0, modulus - 1)
    return [Arc(*pair, *rest) for pair, *rest in zip(ends, chi, quantity, residue, strict=True)]


def _quantity(charge: int, rate: int) -> int:
    """How much of something costs about so much at a rate."""
    return (2 * charge + rate) // (2 * rate)


def _layered(instance: EvidenceJoinedRouting) -> bool:
    """Whether no node is passed by two stages, and every arc ends where the next stage starts."""
    ends = [[pair for (s, _), pair in instance.ends.items() if s == stage] for stage in instance.stage]
    tails = [*({tail for tail, _ in arcs} for arcs in ends), {instance.target}]
    heads = [{instance.source}, *({head for _, head in arcs} for arcs in ends)]
    passed = set[str]().union(*tails)
    return all(map(set.issubset, heads, tails)) and len(passed) == sum(map(len, tails))


def _stage(into: list[list[Arc]], rates: list[int]) -> Stage:
    """The ways into every node of a layer."""
    return Stage(
        before=[[arc.tail for arc in ways] for ways in into],
        cost=[[arc.quantity * rates[arc.chi] for arc in ways] for ways in into],
    )


def _instance(
    config: Config, sizes: list[int], layers: list[list[Arc]], rates: list[int], required: int
) -> EvidenceJoinedRouting:
    nodes = [[f"n{layer}.{at}" for at in range(size)] for layer, size in enumerate(sizes)]
    filed = {(f"s{i}", f"a{i}.{arc.tail}.{arc.head}"): (i, arc) for i, arcs in enumerate(layers) for arc in arcs}
    return EvidenceJoinedRouting(
        stage=[f"s{i}" for i in range(len(layers))],
        component=["x"],
        tariff_class=[f"c{c}" for c in range(len(rates))],
        node=[node for layer in nodes for node in layer],
        arc=[name for _, name in filed],
        ends={key: (nodes[i][arc.tail], nodes[i + 1][arc.head]) for key, (i, arc) in filed.items()},
        freight={key: (arc.quantity, arc.residue) for key, (_, arc) in filed.items()},
        exception={key: f"c{arc.chi}" for key, (_, arc) in filed.items()},
        tariff={("x", f"c{c}"): rate for c, rate in enumerate(rates)},
        required={"x": required},
        source=nodes[0][0],
        target=nodes[-1][0],
        modulus=config.modulus,
    )
