"""Evidence-Joined Routing without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from algoworlds.families.declare import ChainSearchSpace, Hardness, Move, ResidueChain, Stream, Table
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting

Path = tuple[str, ...]
NO_PATH = "no path satisfies the constraints"


def reference(instance: EvidenceJoinedRouting) -> Path:
    """From node to node, the cheapest arc among those that can still meet the required residue."""
    return build_chain(instance).walk(lambda path, arcs: min(arcs, key=instance.arc_costs.__getitem__), NO_PATH)


def sample(instance: EvidenceJoinedRouting, stream: Stream) -> Path:
    """From node to node, a random arc among those that can still meet the required residue."""
    return build_chain(instance).walk(lambda path, arcs: stream.choice(arcs), NO_PATH)


def build_chain(instance: EvidenceJoinedRouting) -> ResidueChain[str]:
    """The chain of paths through the nodes of the graph."""
    moves: dict[str, list[Move[str]]] = {node: [] for node in instance.topological_order}
    for ((_, arc), (tail, head)), (_, rho) in zip(instance.ends.items(), instance.freight.values(), strict=True):
        moves[tail].append(Move(arc, rho, head))
    return ResidueChain(moves, instance.source, {instance.target}, instance.required_residue, instance.modulus)


def search_space(instance: EvidenceJoinedRouting) -> ChainSearchSpace:
    """A path is a chain of arcs; each adds its charge."""
    return ChainSearchSpace(lambda: (build_chain(instance), lambda _, arc: instance.arc_costs[arc]))


def _unit_quantities(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every arc carries one unit, so that only classes price it."""
    return instance.unchecked(freight={key: (1, rho) for key, (_, rho) in instance.freight.items()})


def _no_residues(instance: EvidenceJoinedRouting) -> EvidenceJoinedRouting:
    """Every path meets the residue: modulus one, where all residues are zero."""
    freight = {key: (quantity, 0) for key, (quantity, _) in instance.freight.items()}
    return instance.unchecked(modulus=1, freight=freight, required=dict.fromkeys(instance.required, 0))


def _shift_values(table: Table) -> Table:
    """The values are read against the wrong keys: every key has the value of the next, the last that of the first."""
    values = list(table.values())
    return dict(zip(table, values[1:] + values[:1], strict=True))


HARDNESS: Hardness[EvidenceJoinedRouting, tuple[str, ...]] = Hardness(
    blind={
        "quantities": _unit_quantities,
        "residues": _no_residues,
        "equal rates": {"tariff": 1},
        "mixed rates": lambda instance: instance.unchecked(tariff=_shift_values(instance.tariff)),
        "mixed classes": lambda instance: instance.unchecked(exception=_shift_values(instance.exception)),
    },
    search_space=search_space,
    sample=sample,
    neighbourhood=lambda instance: build_chain(instance).neighbours,  # reroute around one or two inner nodes
)
