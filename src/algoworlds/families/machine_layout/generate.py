"""Generator of Machine Layout: partners whose flow outweighs all others, so that pairs of machines must move together.

Every machine has one partner (one stays alone if their number is odd). A swap of two machines parts them from their
partners and pays; only moving whole pairs gains. Adjustments weigh about as much as the flows between pairs. No
placement is planted or forbidden, and the line order of the slots is unrelated to their roster.
"""

from dataclasses import dataclass
from itertools import combinations

from algoworlds.core.stream import Stream
from algoworlds.families.machine_layout.instance import MachineLayout


@dataclass(frozen=True)
class Config:
    """The number of machines, and of slots."""

    machines: int


LEVELS = {0: Config(8), 1: Config(12), 2: Config(15), 3: Config(18), 4: Config(20)}


def generate(config: Config, stream: Stream) -> MachineLayout:
    """Draw an instance: partners, flows, adjustments, and the line."""
    machines = [f"m{a}" for a in range(config.machines)]
    slots = [f"s{s}" for s in range(config.machines)]
    place = {s: at for at, s in enumerate(stream.shuffled(slots))}
    paired = stream.shuffled(machines)
    partners = {frozenset(pair) for pair in zip(paired[::2], paired[1::2], strict=False)}
    return MachineLayout(
        machine=machines,
        slot=slots,
        flow={(a, b): _flow(frozenset((a, b)) in partners, stream) for a, b in combinations(machines, 2)},
        distance={(s, t): abs(place[s] - place[t]) for s, t in combinations(slots, 2)},
        adjustment={(a, s): stream.integer(1_000, 14_999) for a in machines for s in slots},
    )


def _flow(partners: bool, stream: Stream) -> int:
    """Weak, medium or strong, each with the same chance; between partners much stronger than that."""
    if partners:
        return stream.integer(4_000, 9_999)
    return stream.integer(*stream.choice([(1, 9), (10, 99), (500, 1_499)]))
