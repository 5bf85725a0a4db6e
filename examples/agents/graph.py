"""An agent as a graph of nodes over one state, in the manner of LangGraph and without it; asynchronous, as such agents are.

A node takes the state and returns what it changes; an edge names the next node. Nodes ask the world through `state["world"]`.

algoworlds run --suite suite --agent examples/agents/graph.py:play --out runs/graph
"""

import json
import re

ID = re.compile(r"\b([a-z]+)-[0-9a-z]{10}\b")


async def survey(state):
    """Note the ids of the question by kind, and which questions one id at a time can ask: cheap and dull."""
    ids = {}
    for found in ID.finditer(state["world"].question):
        ids.setdefault(found[1], []).append(found[0])
    *readers, _, _ = state["world"].tools
    single = [tool for tool in readers if len(tool["parameters"]["required"]) < 2]
    return {"ids": ids, "agenda": [(tool, kind) for tool in single for kind in ids], "notes": []}


async def read(state):
    """Ask one tool about all ids of one kind, or about nothing if it takes no argument; stop at the first refusal."""
    (tool, kind), *agenda = state["agenda"]
    names, notes = tool["parameters"]["required"], []
    for each in state["ids"][kind] if names else state["ids"][kind][:1]:
        observation = state["world"].call(tool["name"], dict.fromkeys(names, each))
        if "records" not in observation.json:
            break
        notes.append(observation.text)
        if observation.json["calls_left"] == 0:
            return {"agenda": [], "notes": state["notes"] + notes}
    if notes:  # who answers about one kind knows no other
        agenda = [task for task in agenda if task[0] is not tool]
    return {"agenda": agenda, "notes": state["notes"] + notes}


async def decide(state):
    """Fill the question's example with ids of the right kinds: one from every note, or one of the second kind for each."""
    question = state["world"].question
    example = json.loads(question[question.rindex("\n{") :].splitlines()[1])
    return {"decision": {name: filled(value, state) for name, value in example.items()}}


def filled(value, state):
    """A list or a mapping like the one in the example."""
    if isinstance(value, dict):
        key, chosen = (each.split("-")[0] for each in next(iter(value.items())))
        return dict(zip(state["ids"][key], state["ids"][chosen] * len(state["ids"][key]), strict=False))
    kind = value[0].split("-")[0]
    met = [next((found[0] for found in ID.finditer(note) if found[1] == kind), None) for note in state["notes"]]
    return list(dict.fromkeys(each for each in met if each is not None))


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
