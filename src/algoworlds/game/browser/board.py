"""What the page of a game is told: all that a player may know by now, and, once it is over, what there is to look back on."""

import json
from collections.abc import Mapping
from typing import Any

from algoworlds.core.decision import Assurance
from algoworlds.core.tool import Call
from algoworlds.game.builder import described
from algoworlds.game.challenge import Challenge
from algoworlds.game.debrief import debrief
from algoworlds.game.nicknames import Nicknames
from algoworlds.game.notebook import notebook
from algoworlds.reports.verdict import decided
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Observation
from algoworlds.worlds.world import ATTEMPT_CAP, CALL_CAP, World

CLAIMS = (Assurance.PROVEN.value, Assurance.GUESS.value)


def opening(challenge: Challenge) -> dict[str, Any]:
    """What stays the same: the question, the tools with what may be asked of each, and the budget."""
    world = challenge.episode.world
    closing = world.family.template.closing
    return {
        "title": world.family.title,
        "question": world.question,
        "budget": world.budget,
        "call_cap": CALL_CAP,
        "attempt_cap": ATTEMPT_CAP,
        "keeps": challenge.keeps,
        "tools": [_tool(world, each) for each in world.tools if each["name"] in world.family.tools],
        "evaluate": {"name": closing.evaluate, "price": world.prices[closing.evaluate]},
        "submit": closing.submit,
        "claims": CLAIMS,
        "rosters": {heading: world.public[name] for name, heading in world.family.template.rosters.items()},
    }


def _tool(world: World, tool: dict[str, Any]) -> dict[str, Any]:
    """A tool with every arguments object that it admits: public data, as the catalog of requests is."""
    argument = world.family.tools[tool["name"]].argument
    fields = [{"name": name, "about": each["description"]} for name, each in tool["parameters"]["properties"].items()]
    told = {"name": tool["name"], "about": tool["description"], "price": world.prices[tool["name"]]}
    return {**told, "fields": fields, "domain": argument.domain(world.public)}


def board(challenge: Challenge, since: int = 0) -> dict[str, Any]:
    """How it stands: calls from a number on with their answers, the notebook, short names, and what a decision is made of."""
    episode = challenge.episode
    known = notebook(episode)
    names = Nicknames.heard([episode.world.question, *(each.text for each in episode.observations)])
    made = list(zip(episode.calls, episode.observations, strict=True))
    return {
        "made": len(made),
        "steps": [_step(call, seen) for call, seen in made[since:]],
        "left": episode.remaining,
        "executed": episode.executed,
        "evaluated": episode.evaluated,
        "over": challenge.over,
        "names": names.short,
        "notebook": known.document,
        "builder": described(episode.world, known),
    }


def _step(call: Call, seen: Observation) -> dict[str, Any]:
    """A call and its answer, tables apart."""
    answer = seen.json
    told = {"tool": call.tool, "arguments": call.arguments, "status": seen.status.value, "charged": seen.charged}
    return {**told, "records": answer.pop("records", {}), "answer": answer}


def result(challenge: Challenge) -> dict[str, Any]:
    """What a game that is over came to."""
    found = debrief(challenge.episode, challenge.key)
    return {**found.document, "verdict": decided(found.record), "replay": _replay(challenge.episode, found.record)}


def _replay(episode: Episode, record: Mapping[str, Any]) -> dict[str, Any]:
    """The game as `replay.js` of the report takes it, with short names; what could be known comes later."""
    world, covered = episode.world, dict(record["coverage_curve"])
    steps = [
        {
            **{name: told[name] for name in ("tool", "arguments", "status", "charged")},
            **{"turn": number, "number": number, "said": [], "coverage": covered.get(number)},
            "response": _response(told),
        }
        for number, told in enumerate(map(_step, episode.calls, episode.observations), 1)
    ]
    tools = [{**each, "price": world.prices.get(each["name"])} for each in world.tools]
    value = {"question": world.question, "tools": tools, "budget": world.budget, "steps": steps, "said": [], "missing": None}
    names = Nicknames.heard([world.question, *(each.text for each in episode.observations)])
    known = {"sufficient_at": record["sufficient_at"], "determined_at": None, "risks": None}
    return json.loads(names.shorten(json.dumps(value))) | known  # type: ignore[no-any-return]


def _response(told: Mapping[str, Any]) -> dict[str, Any] | None:
    if told["records"]:
        return {"tables": [{"name": name, **each} for name, each in told["records"].items()]}
    return told["answer"] if {"feasible", "error"} & set(told["answer"]) else None
