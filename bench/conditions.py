"""How hard conditions are: exact and justified after one look at everything, over fresh instances of each family and level.

    python -m bench.conditions [FAMILY ...] [--levels 1,2] [--instances 30]
    python -m bench.conditions --pin FOLDER     # build and validate the conditioned suite there, and pin its root

A spread fits if one look is exact in 10 to 70 % of the instances and justified in at most 2 %; under `shift`, with measured
calls first, exact in at most 60 %. The spreads stand in `Family(conditions=...)`. Pin the suite after every change of theirs.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

from algoworlds.core.condition import midpoint_instance
from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from algoworlds.suites.build import build_suite
from algoworlds.suites.suite import conditioned_suite
from algoworlds.suites.validation import validate_suite
from algoworlds.worlds.admission import AdmittedInstance, Coordinate, admit
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

SEED = "bench of conditions"
PIN = Path(__file__).parent.parent / "src" / "algoworlds" / "suites" / "conditioned.json"


def one_look(admitted: AdmittedInstance, condition: str) -> tuple[int, int]:
    """Whether the best decision after one look at everything is exact, and whether it is proven; measured calls come first."""
    world = World(replace(admitted.coordinate, condition=condition), admitted.instance, Interface.DIRECT)
    plan = min(world.plans.values(), key=world.cost)
    calls = sorted(plan, key=lambda call: call.tool not in world.family.measuring_tools)
    episode, declared = Episode(world, calls), world.family.conditions
    decision = world.family.solve(
        midpoint_instance(world.instance, declared.measured, declared.counted, episode.boxes)
    ).decision
    exact = int(world.family.check(world.instance, decision).value == admitted.optimum)
    known = Oracle.from_world(world, admitted.solution.decision).optimum_risk(ObservedCalls.from_episode(episode))
    return exact, int(exact and known.determination is Determination.DETERMINED)


def measure(family: str, level: int, instances: int) -> dict[str, tuple[float, float]]:
    """By condition, the percentages that are exact and justified after one look."""
    admitted = [admit(Coordinate(family, level, index, SEED)) for index in range(1, instances + 1)]
    results = {name: [one_look(one, name) for one in admitted] for name in ("noisy", "stale", "shift")}
    return {
        name: (100 * sum(exact for exact, _ in own) / instances, 100 * sum(justified for _, justified in own) / instances)
        for name, own in results.items()
    }


def pin(folder: Path) -> None:
    """Build the conditioned suite, prove its claims, and pin its root."""
    manifest = build_suite(conditioned_suite(), folder, None, lambda done, total: None)
    failures = validate_suite(folder, None, lambda done, total: None, manifest.root).failures
    if failures:
        raise SystemExit("\n".join(failures))
    PIN.write_text(json.dumps({"root": manifest.root}) + "\n", encoding="utf-8")
    print(f"{len(manifest.worlds)} worlds, root {manifest.root}, pinned in {PIN.name}")


def main() -> None:
    """Print a line for each family and level as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", default=list(FAMILIES))
    parser.add_argument("--levels", default="1,2")
    parser.add_argument("--instances", type=int, default=30)
    parser.add_argument("--pin", type=Path)
    options = parser.parse_args()
    if options.pin is not None:
        pin(options.pin)
        return
    for family in options.families:
        for level in map(int, options.levels.split(",")):
            rates = measure(family, level, options.instances)
            spread = FAMILIES[family].conditions.spread_at(level)
            text = "  ".join(
                f"{name} {exact:3.0f} exact {justified:3.0f} justified" for name, (exact, justified) in rates.items()
            )
            print(f"{family:24} level {level}  spread {spread:5}  {text}", flush=True)


if __name__ == "__main__":
    main()
