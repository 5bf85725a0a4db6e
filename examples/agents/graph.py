"""An asynchronous agent as a graph of nodes over one state, like a LangGraph agent but without the library.

A node takes the state and returns its changes; an edge names the next node. Nodes call the world through `state["world"]`.

algoworlds run suite --agent examples/agents/graph.py:play --out runs/graph
"""

import json
import re

ID = re.compile(r"\b([a-z]+)-[0-9a-z]{10}\b")


async def survey(state):
    """Collect the ids of the question by kind, and plan to call every tool of one argument with every kind."""
    ids = {}
    for match in ID.finditer(state["world"].question):
        ids.setdefault(match[1], []).append(match[0])
    *readers, _, _ = state["world"].tools
    single = [tool for tool in readers if len(tool["parameters"]["required"]) < 2]
    return {"ids": ids, "agenda": [(tool, kind) for tool in single for kind in ids], "notes": []}


async def read(state):
    """Call one tool with all ids of one kind, or once if it takes no argument; stop at the first refusal."""
    (tool, kind), *agenda = state["agenda"]
    names, notes = tool["parameters"]["required"], []
    for argument in state["ids"][kind] if names else state["ids"][kind][:1]:
        observation = state["world"].call(tool["name"], dict.fromkeys(names, argument))
        if "records" not in observation.json:
            break
        notes.append(observation.text)
        if observation.json["calls_left"] == 0:
            return {"agenda": [], "notes": state["notes"] + notes}
    if notes:  # a tool takes ids of one kind only
        agenda = [task for task in agenda if task[0] is not tool]
    return {"agenda": agenda, "notes": state["notes"] + notes}


async def decide(state):
    """Fill the question's example decision with ids of the right kinds."""
    question = state["world"].question
    example = json.loads(question[question.rindex("\n{") :].splitlines()[1])
    return {"decision": {name: fill(value, state) for name, value in example.items()}}


def fill(value, state):
    """A mapping with a value for every key, or a list with the first id of every note, like `value` in the example."""
    if isinstance(value, dict):
        key_kind, value_kind = (example.split("-")[0] for example in next(iter(value.items())))
        keys = state["ids"][key_kind]
        return dict(zip(keys, state["ids"][value_kind] * len(keys), strict=False))
    kind = value[0].split("-")[0]
    firsts = [next((match[0] for match in ID.finditer(note) if match[1] == kind), None) for note in state["notes"]]
    return list(dict.fromkeys(first for first in firsts if first is not None))


async def submit(state):
    """Commit to the decision."""
    return {"answer": state["world"].call(state["world"].tools[-1]["name"], state["decision"]).json}


NODES = {"survey": survey, "read": read, "decide": decide, "submit": submit}
EDGES = {
    "survey": lambda state: "read",
    "read": lambda state: "read" if state["agenda"] else "decide",
    "decide": lambda state: "submit",
    "submit": lambda state: None,
}


async def play(world):
    """Walk the graph from its first node to its end."""
    state, node = {"world": world}, "survey"
    while node is not None:
        state |= await NODES[node](state)
        node = EDGES[node](state)
    print(state["answer"])
