"""Plain Python that plays every family: it reads one id after the other while the budget lasts, and takes what comes first.

algoworlds run --suite suite --agent examples/agents/plain.py:play --out runs/plain
"""

import json
import re


def play(world):
    """Learn what one id at a time tells, then decide without much thought."""
    listed = {}
    for found in re.finditer(r"\b([a-z]+)-[0-9a-z]{10}\b", world.question):
        listed.setdefault(found[1], []).append(found[0])
    seen = list(answers(world, listed.values()))
    example, decision = json.loads(world.question[world.question.rindex("\n{") :].splitlines()[1]), {}
    for name, value in example.items():
        key, chosen = (each.split("-")[0] for each in (next(iter(value.items())) if isinstance(value, dict) else value[:1] * 2))
        met = [ids[0] for text in seen if (ids := re.findall(rf"\b{chosen}-[0-9a-z]{{10}}\b", text))]
        pairs = zip(listed.get(key, ()), listed.get(chosen, ()) * 100, strict=False)
        decision[name] = dict(pairs) if isinstance(value, dict) else list(dict.fromkeys(met))
    world.call(world.tools[-1]["name"], decision)


def answers(world, kinds):
    """What every tool that takes one id says of all ids of its kind, as long as calls are executed."""
    for tool in world.tools[:-2]:
        for ids in kinds if len(tool["parameters"]["properties"]) == 1 else ():
            for each in ids:
                answer = world.call(tool["name"], dict.fromkeys(tool["parameters"]["properties"], each))
                if answer.status.value != "executed":
                    break
                yield answer.text
                if answer.json["calls_left"] == 0:
                    return
