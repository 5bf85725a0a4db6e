"""Golden digests: the same bytes on every platform and under every version, for ever.

`python -m tests.contract.test_golden` writes the file anew; a change of any line in it changes the default suite.

In the catalogue: F10, F12.
"""

import json
from pathlib import Path

import pytest

from algoworlds.core.canonical import canonical_text, digest
from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build
from tests.certified import certified
from tests.unsolved import unsolved

FILE = Path(__file__).parents[1] / "golden.json"
CASES = [f"{name}-{level}-1" for name in FAMILIES for level in (0, 1, 2)]
DRAWN = [f"{name}-{level}-1" for name in FAMILIES for level in (3, 4)]


def place(case):
    name, level, index = case.split("-")
    return name, int(level), int(index)


def fixed(case):
    """What is fixed about an admitted instance and its worlds."""
    admitted = certified(*place(case))
    worlds = {}
    for interface in Interface:
        world = build(admitted, interface)
        seen = [Episode(world, plan).observations for plan in world.plans.values()]
        texts = [observation.text for observations in seen for observation in observations]
        worlds[interface.value] = digest(canonical_text([world.question, world.tools, texts]))
    return {
        "attempt": admitted.attempt,
        "instance": admitted.instance.digest,
        "work": list(admitted.solution.work),
        "decision": digest(canonical_text(admitted.family.decision.arguments(admitted.solution.decision))),
        "worlds": worlds,
    }


def drawn(case):
    """What is fixed about a large instance: the draw alone."""
    return {"instance": unsolved(*place(case)).instance.digest}


@pytest.mark.parametrize("case", CASES)
def test_certified_instances_and_worlds(case):
    assert fixed(case) == json.loads(FILE.read_text())[case]


@pytest.mark.parametrize("case", DRAWN)
def test_large_draws(case):
    assert drawn(case) == json.loads(FILE.read_text())[case]


if __name__ == "__main__":
    golden = {case: fixed(case) for case in CASES} | {case: drawn(case) for case in DRAWN}
    FILE.write_text(json.dumps(golden, indent=1, sort_keys=True) + "\n")
