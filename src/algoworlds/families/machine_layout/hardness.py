"""How Machine Layout is attacked: one channel erased, and decisions by hand, at random and by descent."""

from itertools import combinations

from algoworlds.families.declare import Hardness, erase_tables
from algoworlds.families.machine_layout.instance import MachineLayout
from algoworlds.families.machine_layout.search import LayoutSearchSpace, sample, swaps


def _flows_first(instance: MachineLayout) -> MachineLayout:
    """Flows dominate: adjustments only choose among the layouts of least handling, which are mirror images."""
    weight = 1 + 2 * sum(map(abs, instance.adjustment.values()))
    return instance.unchecked(flow={pair: weight * flow for pair, flow in instance.flow.items()})


def _strongest_flows_only(instance: MachineLayout) -> MachineLayout:
    """Only the n/2 strongest flows are seen."""
    strongest = sorted(instance.flow, key=lambda pair: -instance.flow[pair])[: len(instance.machine) // 2]
    return instance.unchecked(flow={pair: instance.flow[pair] if pair in strongest else 0 for pair in instance.flow})


def _strongest_flows_capped(instance: MachineLayout) -> MachineLayout:
    """The n/2 strongest flows look no stronger than the next one."""
    cap = sorted(instance.flow.values(), reverse=True)[len(instance.machine) // 2]
    return instance.unchecked(flow={pair: min(flow, cap) for pair, flow in instance.flow.items()})


def _roster_line(instance: MachineLayout) -> MachineLayout:
    """The slots stand in roster order."""
    return instance.unchecked(distance={(s, t): j - i for (i, s), (j, t) in combinations(enumerate(instance.slot), 2)})


HARDNESS: Hardness[MachineLayout, dict[str, str]] = Hardness(
    blind={
        "flows": erase_tables(flow=0),
        "weaker flows": _strongest_flows_only,
        "strongest flows": _strongest_flows_capped,
        "line": _roster_line,
        "adjustments": _flows_first,
    },
    search_space=LayoutSearchSpace,
    sample=sample,
    neighbourhood=swaps,
)
