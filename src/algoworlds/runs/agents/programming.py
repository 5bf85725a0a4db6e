"""Scripted agents of the tracks: each gathers everything by the cheaper plan and leaves the rest to one program.

The texts of the programs lie in each family's folder: `reading.txt` joins the answers into tables, `program.txt` is the
textbook dynamic program on them, `model.txt` the straightforward model.
"""

from importlib.resources import files
from json import loads
from typing import TYPE_CHECKING

from algoworlds.core.canonical import JsonObject
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families.family import AnyFamily
from algoworlds.tracks.track import CALL_FUNCTION, PROGRAM_TOOL
from algoworlds.worlds.episode import Episode

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from algoworlds.runs.agents import Agent

TEXTS = {
    "coder": ("reading.txt", "program.txt"),
    "modeller": ("reading.txt", "model.txt"),
    "clerk": ("reading.txt",),
    "gatherer": (),
    "caller": ("reading.txt", "program.txt"),
}
"""By agent, the texts of a family that its program is made of."""
TRACK_OF_AGENT = {"coder": "code", "modeller": "solver", "clerk": "tables", "gatherer": "facts", "caller": CALL_FUNCTION + "s"}
"""The track that an agent needs."""

_CLERK = "print(json.dumps(optimum({name: table for name, table in data.items() if name not in task})))\n"
_GATHERER = "import json\nprint(json.dumps(optimum()))\n"


def missing_texts(agent: str, family: AnyFamily) -> str:
    """Which texts the `agent` misses in the package of `family`; empty if it can play."""
    missing = [name for name in TEXTS.get(agent, ()) if not _family_file(family, name).is_file()]
    return f"{family.name} has no {' and no '.join(missing)} in its package: {agent} plays with it" if missing else ""


def _family_file(family: AnyFamily, name: str) -> "Traversable":
    return files(family.instance.__module__.rpartition(".")[0]) / name


def _family_text(family: AnyFamily, name: str) -> str:
    return _family_file(family, name).read_text(encoding="utf-8")


def program_text(agent: str, family: AnyFamily) -> str:
    """The program that an agent runs in worlds of a family."""
    if agent == "gatherer":
        return _GATHERER
    reading = (files(__package__) / "reading.txt").read_text(encoding="utf-8")
    texts = [reading, *(_family_text(family, name) for name in TEXTS[agent])]
    return "".join([*texts, _CLERK] if agent == "clerk" else texts)


def programming_agent(name: str) -> "Agent":
    """The agent that gathers by the cheaper plan, runs one program and submits the decision that it prints."""

    def play(episode: Episode, stream: Stream) -> None:
        world = episode.world
        if problem := missing_texts(name, world.family):
            raise InputError(problem)
        plan = min(world.plans.values(), key=world.cost)
        program = program_text(name, world.family)
        if name == "caller":
            calls = [[call.tool, loads(call.arguments)] for call in plan]
            program = f"for tool, arguments in {calls!r}:\n    call(tool, arguments)\n{program}"
        else:
            for call in plan:
                episode.call(*call)
        answer: JsonObject = episode.call(PROGRAM_TOOL, {"program": program}).json
        if answer.get("output") and (decision := loads(answer["output"])["decision"]):
            episode.call(world.family.template.decision_tools.submit, decision)

    return play
