"""The worlds as a task of Inspect: `inspect eval algoworlds/algoworlds -T suite=DIR --model NAME`.

The turns are ours, since Inspect's own loop would execute every call of a turn: one call a turn is executed, as for models that
are asked directly, and the worlds' limits rule. Only the model is Inspect's. Arguments come to us parsed: a text that is no
JSON is lost on the way and counts as arguments that fit no schema.
"""

from collections.abc import Mapping
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageTool, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo

from algoworlds.adapters.syllabus import listed
from algoworlds.adapters.trajectory import SCORED, TOLD
from algoworlds.core.tool import Call
from algoworlds.runs.conversation import LATER_CALL
from algoworlds.runs.schedule import PROTOCOL, Wanted
from algoworlds.suites.documents import CANARY
from algoworlds.suites.manifest import Entry
from algoworlds.suites.opened import Opened, Play, open_suite

CALLS = "algoworlds_calls"
"""Where a sample keeps the calls that were made: with the world they are all of its state."""


@task
def algoworlds(
    suite: str,
    worlds: str = "*",
    families: str | list[str] | None = None,
    levels: int | str | list[int] | None = None,
    interfaces: str | list[str] | None = None,
) -> Task:
    """Worlds of a suite: gather information through priced tools, then submit one decision. Trials are `--epochs`."""
    opened = open_suite(suite)
    wanted = Wanted(worlds, listed(families), tuple(map(int, listed(levels))), listed(interfaces))
    named = {"suite": opened.manifest.suite, "root": opened.manifest.root, "protocol": PROTOCOL, "canary": CANARY}
    return Task(
        dataset=MemoryDataset([_sample(opened, entry) for entry in wanted.of(opened)], name="algoworlds"),
        solver=play(suite),
        scorer=measures(suite),
        metadata=named,
        version=PROTOCOL,
    )


def _sample(suite: Opened, entry: Entry) -> Sample:
    told = {name: getattr(entry, name) for name in ("family", "level", "index", "interface")}
    return Sample(id=entry.id, input=suite.presented(entry.id).question, metadata=told | {"canary": CANARY})


@solver
def play(suite: str) -> Solver:
    """Ask the model turn by turn until the episode or the model has come to its end."""
    opened = open_suite(suite)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        playing = opened.play(str(state.sample_id))
        tools = [ToolInfo(**tool) for tool in playing.tools]
        while not playing.done:
            state.output = await get_model().generate(state.messages, tools=tools)
            state.messages.append(state.output.message)
            if not _acted(playing, state, state.output):
                break
            state.store.set(CALLS, [list(call) for call in playing.calls])
        state.completed = True
        return state

    return solve


def _acted(playing: Play, state: TaskState, output: ModelOutput) -> bool:
    """Execute the first call of a turn and answer every one; whether there was any, and the turn was not cut off."""
    calls = output.message.tool_calls or []
    if not calls or output.stop_reason in ("max_tokens", "model_length", "content_filter"):
        return False
    first, *later = calls
    answer = playing.call(first.function, "" if first.parse_error else first.arguments)
    state.messages += [_answer(first, answer.text), *(_answer(each, LATER_CALL) for each in later)]
    return True


def _answer(call: ToolCall, text: str) -> ChatMessageTool:
    return ChatMessageTool(content=text, tool_call_id=call.id, function=call.function)


@metric
def paired() -> Metric:
    """How much lower the measure is behind the mediated interface than behind the direct one, over worlds that have both."""

    def compute(scores: list[SampleScore]) -> Value:
        pairs: dict[tuple[Any, ...], dict[str, float]] = {}
        for each in scores:
            told: Mapping[str, Any] = each.sample_metadata or {}
            place = tuple(told.get(name) for name in ("family", "level", "index"))
            pairs.setdefault(place, {})[str(told.get("interface"))] = each.score.as_float()
        both = [found["direct"] - found["mediated"] for found in pairs.values() if {"direct", "mediated"} <= found.keys()]
        return sum(both) / len(both) if both else float("nan")

    return compute


@scorer(metrics=[{"*": [mean(), stderr(), paired()]}])
def measures(suite: str) -> Scorer:
    """The measures of an evaluation. None from which the value of an optimum follows: logs are published."""
    opened = open_suite(suite)

    async def score(state: TaskState, target: Target) -> Score:
        calls = [Call(*each) for each in state.store.get(CALLS, [])]
        found = opened.play(str(state.sample_id), calls).score()
        value = {name: int(found[name]) if isinstance(found[name], bool) else found[name] for name in SCORED}
        return Score(value=value, answer=calls[-1].arguments if calls else None, metadata={each: found[each] for each in TOLD})

    return score
