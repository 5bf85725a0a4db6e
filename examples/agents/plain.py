"""A plain Python agent for every family: it reads ids one by one while the budget lasts, then decides at once.

algoworlds run suite --agent examples/agents/plain.py:play --out runs/plain
"""

import json
import re


def play(world):
    """Read all ids with the tools that take one, then fill the example decision with the first ids read."""
    ids = {}
    for match in re.finditer(r"\b([a-z]+)-[0-9a-z]{10}\b", world.question):
        ids.setdefault(match[1], []).append(match[0])
    responses = list(read(world, ids.values()))
    example, decision = json.loads(world.question[world.question.rindex("\n{") :].splitlines()[1]), {}
    for name, value in example.items():
        examples = next(iter(value.items())) if isinstance(value, dict) else value[:1] * 2
        key_kind, kind = (example.split("-")[0] for example in examples)
        firsts = [matches[0] for text in responses if (matches := re.findall(rf"\b{kind}-[0-9a-z]{{10}}\b", text))]
        pairs = zip(ids.get(key_kind, ()), ids.get(kind, ()) * 100, strict=False)
        decision[name] = dict(pairs) if isinstance(value, dict) else list(dict.fromkeys(firsts))
    world.call(world.tools[-1]["name"], decision)


def read(world, ids_by_kind):
    """The responses of every tool that takes one id, for all ids of its kind, while calls are executed."""
    for tool in world.tools[:-2]:
        for ids in ids_by_kind if len(tool["parameters"]["properties"]) == 1 else ():
            for id_ in ids:
                observation = world.call(tool["name"], dict.fromkeys(tool["parameters"]["properties"], id_))
                if observation.status.value != "executed":
                    break
                yield observation.text
                if observation.json["calls_left"] == 0:
                    return
