"""`python -m bench.certification [LEVELS] [FAMILY ...]`: the least cost of knowing an optimum, and what agents pay for it.

For every instance of the development split at some levels (default: 1 and 2, as 12): K by implicit hitting sets, and an
episode of `certifier` and `thrifty` in each interface. An episode is justified if its decision is the optimum and the oracle
finds the optimum determined. An agent that exceeds a budget or the call cap ends the benchmark.
"""

import sys
import time
from dataclasses import dataclass, field
from statistics import mean

from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.knowledge.certificate import Certificate, find_certificate
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from algoworlds.measures.hindsight import direct_view
from algoworlds.runs.agents import AGENTS
from algoworlds.suites.suite import default_suite
from algoworlds.worlds.admission import AdmittedInstance, Coordinate, admit
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import CALL_CAP, build_world

KNOWING_AGENTS = ("certifier", "thrifty")
HEADS = (
    "family",
    "level",
    "K exact",
    "K / plan",
    "gap %",
    "K s",
    *(f"{name} {column}" for name in KNOWING_AGENTS for column in ("/ K", "most", "justified", "s")),
)


@dataclass
class Tally:
    """What an agent paid and how often it knew the optimum, on the worlds of a family and level."""

    ratios: list[float] = field(default_factory=list)
    justified: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def cells(self) -> tuple[str, ...]:
        """Mean and largest ratio, the share of justified episodes, and CPU seconds per episode."""
        shares = f"{mean(self.ratios):.3f}", f"{max(self.ratios):.3f}", f"{sum(self.justified)}/{len(self.justified)}"
        return *shares, f"{mean(self.seconds):.1f}"


def play_agent(name: str, admitted: AdmittedInstance, certificate: Certificate, tally: Tally) -> None:
    """Let an agent play an instance in every interface of the suite."""
    for interface in default_suite().interfaces:
        world, start = build_world(admitted, interface), time.process_time()
        episode = Episode(world)
        AGENTS[name](episode, Stream("bench", name))
        tally.seconds.append(time.process_time() - start)
        assert episode.spent <= world.budget, world.id
        assert episode.executed <= CALL_CAP, world.id
        oracle = Oracle.from_world(direct_view(world), admitted.solution.decision)
        is_determined = oracle.optimum_risk(ObservedCalls.from_episode(episode)).determination is Determination.DETERMINED
        tally.justified.append(is_determined and episode.decision == admitted.solution.decision)
        tally.ratios.append(episode.spent / certificate.cost)
        print(f"  {world.id} {name} {episode.spent} K {certificate.cost} {tally.justified[-1]}", file=sys.stderr, flush=True)


def format_row(coordinates: list[Coordinate]) -> tuple[str, ...]:
    """One line of the table: the instances of a family and level."""
    certificates, plans, seconds, tallies = [], [], [], {name: Tally() for name in KNOWING_AGENTS}
    for coordinate in coordinates:
        admitted, interface = admit(coordinate), default_suite().interfaces[0]
        world, start = build_world(admitted, interface), time.process_time()
        certificate = find_certificate(world, admitted.solution.decision)
        assert certificate is not None, world.id
        seconds.append(time.process_time() - start)
        certificates.append(certificate)
        plans.append(certificate.cost / min(map(world.cost, world.plans.values())))
        for name, tally in tallies.items():
            play_agent(name, admitted, certificate, tally)
    exact = sum(certificate.is_exact for certificate in certificates)
    gap = mean(1 - certificate.least / certificate.cost for certificate in certificates)
    head = (
        coordinates[0].family,
        str(coordinates[0].level),
        f"{exact}/{len(coordinates)}",
        f"{mean(plans):.2f}",
        f"{100 * gap:.1f}",
    )
    return *head, f"{mean(seconds):.1f}", *(cell for tally in tallies.values() for cell in tally.cells())


def main(levels: str = "12", *names: str) -> None:
    """Print the table, line by line."""
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    for name in names or FAMILIES:
        for level in map(int, levels):
            coordinates = [
                coordinate
                for coordinate in default_suite().coordinates
                if (coordinate.family, coordinate.level) == (name, level)
            ]
            print(f"| {' | '.join(format_row(coordinates))} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
