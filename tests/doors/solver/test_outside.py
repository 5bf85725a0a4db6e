"""The example family from outside plays on the tracks without a line of its own."""

import json
import sys
from dataclasses import replace

import pytest

from algoworlds import Coordinate, Episode, Interface, admit, build_world
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families import FAMILIES
from algoworlds.runs.agents import TRACK_AGENTS
from algoworlds.tracks.track import find_track
from tests.command import ROOT

PROGRAM = """
tables = {}
for answer in answers:
    for name, table in answer["answer"]["records"].items():
        columns = table["columns"]
        for row in table["rows"]:
            if name == "weight":
                cells = dict(zip(columns, row))
                tables.setdefault("weight", {}).setdefault(cells["crate"], {})[cells["item"]] = cells["weight"]
            elif name in ("tare", "value"):
                tables.setdefault(name, {})[row[0]] = row[-1]
"""
CHECK = """
best = 0
items, owner = [*tables["value"]], {item: crate for crate, row in tables["weight"].items() for item in row}
for chosen in range(1 << len(items)):
    picked = [item for at, item in enumerate(items) if chosen >> at & 1]
    weight = sum(tables["weight"][owner[item]][item] for item in picked)
    weight += sum(tables["tare"][crate] for crate in {owner[item] for item in picked})
    if weight <= task["capacity"]:
        best = max(best, sum(tables["value"][item] for item in picked))
print(best)
"""


@pytest.fixture(scope="module")
def world():
    """A small knapsack world; the family is registered as an installed package would be."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(ROOT / "examples" / "knapsack" / "src"))
        from algoworlds_knapsack import KNAPSACK

        patched.setitem(FAMILIES, "knapsack", KNAPSACK)
        yield build_world(admit(Coordinate("knapsack", level=0, index=1)), Interface.DIRECT)
        for name in [name for name in sys.modules if name.startswith("algoworlds_knapsack")]:
            del sys.modules[name]


def run(world, track, program):
    """The answer of a program after everything was gathered."""
    episode = Episode(replace(world, track=find_track(track)))
    for call in min(world.plans.values(), key=world.cost):
        episode.call(*call)
    return episode, episode.call("python", {"program": program}).json


def test_knapsack_plays_code_with_a_program_of_the_agent(world):
    _, answer = run(world, "code", PROGRAM + CHECK)
    assert answer["output"] == f"{world.family.solve(world.instance).value}\n", answer


def test_knapsack_plays_tables_by_its_relations(world):
    assert "tare: crate -> tare" in replace(world, track=find_track("tables")).question
    episode, answer = run(world, "tables", PROGRAM + "import json; print(json.dumps(optimum(tables)))")
    assert json.loads(answer["output"])["value"] == world.family.solve(world.instance).value, answer
    assert [computed.misread for computed in episode.computed.values()] == [0]


def test_knapsack_plays_facts_by_the_scripted_agent(world):
    episode = Episode(replace(world, track=find_track("facts")))
    TRACK_AGENTS["gatherer"](episode, Stream("gatherer"))
    assert episode.verdict.value == world.family.solve(world.instance).value


def test_agents_that_need_texts_name_those_that_are_missing(world):
    with pytest.raises(InputError, match=r"^knapsack has no reading\.txt and no program\.txt in its package"):
        TRACK_AGENTS["coder"](Episode(replace(world, track=find_track("code"))), Stream("coder"))
