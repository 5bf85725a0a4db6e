"""Golden digests: the same bytes on every platform and in every version.

`python -m tests.contract.test_golden` rewrites the file; a change of any line in it changes the default suite.

In the catalogue: F10, F12.
"""

import json
from pathlib import Path

import pytest

from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance
from tests.unsolved import unsolved_world

FILE = Path(__file__).parents[1] / "golden.json"
CASES = [f"{name}-{level}-1" for name in FAMILIES for level in (0, 1, 2)]
DRAWN = [f"{name}-{level}-1" for name in FAMILIES for level in (3, 4)]


def parse_case(case):
    name, level, index = case.split("-")
    return name, int(level), int(index)


def certified_digests(case):
    """The digests of an admitted instance and its worlds."""
    admitted = certified_instance(*parse_case(case))
    worlds = {}
    for interface in Interface:
        world = build_world(admitted, interface)
        transcripts = [Episode(world, plan).observations for plan in world.plans.values()]
        texts = [observation.text for observations in transcripts for observation in observations]
        worlds[interface.value] = sha256_hex(canonical_json([world.question, world.tools, texts]))
    return {
        "attempt": admitted.attempt,
        "instance": admitted.instance.digest,
        "work": list(admitted.solution.work),
        "decision": sha256_hex(canonical_json(admitted.family.decision.arguments(admitted.solution.decision))),
        "worlds": worlds,
    }


def draw_digest(case):
    """The digest of a large instance, which is drawn but not solved."""
    return {"instance": unsolved_world(*parse_case(case)).instance.digest}


@pytest.mark.parametrize("case", CASES)
def test_certified_instances_and_worlds(case):
    assert certified_digests(case) == json.loads(FILE.read_text())[case]


@pytest.mark.parametrize("case", DRAWN)
def test_large_draws(case):
    assert draw_digest(case) == json.loads(FILE.read_text())[case]


if __name__ == "__main__":
    golden = {case: certified_digests(case) for case in CASES} | {case: draw_digest(case) for case in DRAWN}
    FILE.write_text(json.dumps(golden, indent=1, sort_keys=True) + "\n")
