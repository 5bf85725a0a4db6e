"""The worlds as an Inspect task: `inspect eval algoworlds/algoworlds --model NAME`, or a suite with `-T suite=DIR`.

The turn loop is ours, since Inspect's would execute every call of a turn: here one call per turn is executed, as for models
that are called directly, and the worlds' limits apply. Only the model is Inspect's. It parses arguments before we see
them: a text that is not JSON is lost and counts as arguments that fit no schema.
"""

from collections.abc import Mapping
from typing import Any

from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageTool, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, mean, metric, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo

from algoworlds.adapters.trajectory import NUMERIC_MEASURES, export_measures
from algoworlds.adapters.world_source import split_values
from algoworlds.core.tool import Call
from algoworlds.runs.conversation import LATER_CALL_ANSWER
from algoworlds.runs.schedule import PROTOCOL, WorldFilter
from algoworlds.suites.bundle import CANARY
from algoworlds.suites.development import development_split
from algoworlds.suites.manifest import WorldEntry
from algoworlds.suites.open import Play, Suite, open_suite
from algoworlds.suites.suite import parse_conditions
from algoworlds.tracks.track import Computed

CALLS_KEY = "algoworlds_calls"
"""The key of a sample's store for its calls: with the world they are its whole state."""
PROGRAMS_KEY = "algoworlds_programs"
"""The key of a sample's store for what its programs came to."""
CUT_OFF_REASONS = ("max_tokens", "model_length", "content_filter")


@task
def algoworlds(
    suite: str | None = None,
    worlds: str = "*",
    families: str | list[str] | None = None,
    levels: int | str | list[int] | None = None,
    interfaces: str | list[str] | None = None,
    track: str = "bare",
    conditions: str | list[str] | None = None,
) -> Task:
    """Worlds of a suite: gather information through priced tools, then submit one decision. Trials are `--epochs`.

    Without `suite` it is the development split, which is built into the cache directory when it is first used.
    """
    suite = str(development_split()) if suite is None else suite
    opened = open_suite(suite, track)
    selection = WorldFilter(
        worlds,
        split_values(families),
        tuple(map(int, split_values(levels))),
        split_values(interfaces),
        parse_conditions(split_values(conditions)),
    )
    return Task(
        dataset=MemoryDataset([_sample(opened, entry) for entry in selection.select(opened)], name="algoworlds"),
        solver=play(suite, track),
        scorer=measures(suite, track),
        metadata={
            **{"suite": opened.manifest.suite, "root": opened.manifest.root, "protocol": PROTOCOL, "canary": CANARY},
            **({"track": opened.track.identity} if opened.track.runs_programs else {}),
        },
        version=PROTOCOL,
    )


def _sample(suite: Suite, entry: WorldEntry) -> Sample:
    metadata = {name: getattr(entry, name) for name in ("family", "level", "index", "interface")} | {"canary": CANARY}
    return Sample(id=entry.id, input=suite.public_world(entry.id).question, metadata=metadata)


@solver
def play(suite: str, track: str = "bare") -> Solver:
    """Call the model turn by turn until the episode ends or the model stops calling tools."""
    opened = open_suite(suite, track)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        playing = opened.play(str(state.sample_id))
        tools = [ToolInfo(**tool) for tool in playing.tools]
        while not playing.done:
            state.output = await get_model().generate(state.messages, tools=tools)
            state.messages.append(state.output.message)
            if playing.episode.world.track.runs_programs:  # a program may take half a minute
                answered = await to_thread.run_sync(_answer_turn, playing, state, state.output)
                state.store.set(PROGRAMS_KEY, [computed.json for computed in playing.programs])
            else:
                answered = _answer_turn(playing, state, state.output)
            if not answered:
                break
            state.store.set(CALLS_KEY, [list(call) for call in playing.calls])
        state.completed = True
        return state

    return solve


def _answer_turn(playing: Play, state: TaskState, output: ModelOutput) -> bool:
    """Execute the first call of a turn and answer all; False if there is none or the turn was cut off."""
    calls = output.message.tool_calls or []
    if not calls or output.stop_reason in CUT_OFF_REASONS:
        return False
    first, *later = calls
    answer = playing.call(first.function, "" if first.parse_error else first.arguments)
    state.messages += [_tool_message(first, answer.text), *(_tool_message(call, LATER_CALL_ANSWER) for call in later)]
    return True


def _tool_message(call: ToolCall, text: str) -> ChatMessageTool:
    return ChatMessageTool(content=text, tool_call_id=call.id, function=call.function)


@metric
def paired() -> Metric:
    """How much lower the measure is with the mediated interface than with the direct one, over worlds that have both."""

    def compute(scores: list[SampleScore]) -> Value:
        pairs: dict[tuple[Any, ...], dict[str, float]] = {}
        for score in scores:
            metadata: Mapping[str, Any] = score.sample_metadata or {}
            instance = tuple(metadata.get(name) for name in ("family", "level", "index"))
            pairs.setdefault(instance, {})[str(metadata.get("interface"))] = score.score.as_float()
        differences = [pair["direct"] - pair["mediated"] for pair in pairs.values() if {"direct", "mediated"} <= pair.keys()]
        return sum(differences) / len(differences) if differences else float("nan")

    return compute


@scorer(metrics=[{"*": [mean(), stderr(), paired()]}])
def measures(suite: str, track: str = "bare") -> Scorer:
    """The measures of an evaluation, without what reveals the value of an optimum, because logs are published."""
    opened = open_suite(suite, track)

    async def score(state: TaskState, target: Target) -> Score:
        calls = [Call(*call) for call in state.store.get(CALLS_KEY, [])]
        programs = [Computed.from_json(computed) for computed in state.store.get(PROGRAMS_KEY, [])]
        values = opened.play(str(state.sample_id), calls, programs).score()
        numbers = export_measures(values, NUMERIC_MEASURES)
        return Score(
            value={name: int(value) if isinstance(value, bool) else value for name, value in numbers.items()},
            answer=calls[-1].arguments if calls else None,
            metadata=export_measures(values),
        )

    return score
