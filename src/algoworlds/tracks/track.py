"""Tracks: what an agent may use beside the tools of a world. `bare` is the paper's protocol; each track of the ladder adds
one aid to the track before it, so that differences between tracks say where the loss is.

`run_program` is the only way from a call of the tool `python` to its answer. It is a pure function of the call, of what the
agent was told, and of what is left to compute with.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject, compact_json, strict_loads
from algoworlds.core.relation import Relation
from algoworlds.core.tool import MAX_ARGUMENT_CHARS, Call
from algoworlds.errors import InputError, Malformed, quote_value
from algoworlds.tracks.sandbox import AskHost, Question, sandbox_identity

PROGRAM_TOOL = "python"
MILLION = 10**6
EPISODE_COMPUTE = 1_000_000
"""Millions of instructions that all programs of an episode may take."""
PROGRAM_COMPUTE = 400_000
"""Millions of instructions that one program may take."""
EPISODE_SECONDS = EPISODE_COMPUTE // 5_000
"""CPU seconds that this takes at most: programs take 5 to 17 thousand million instructions a second, measured."""
OPTIMUM_UNITS = 10_000
"""Millions of instructions that a call of `optimum` is charged."""
CALL_FUNCTION = "call"


@dataclass(frozen=True)
class Computed:
    """What a program came to: its charge in millions of instructions, the text that the agent sees, and its questions."""

    units: int
    text: str
    questions: tuple[Question, ...] = ()
    calls: tuple[Call, ...] = ()
    """The calls of tools that the program made, in order."""
    misread: int | None = None
    """Cells of the last tables handed to `optimum` that differ from the instance; never told to the agent."""

    @property
    def json(self) -> JsonObject:
        """The form in journals."""
        fields: JsonObject = {"units": self.units, "text": self.text, "asked": [question.json for question in self.questions]}
        if self.calls:
            fields["calls"] = [list(call) for call in self.calls]
        return fields if self.misread is None else fields | {"misread": self.misread}

    @classmethod
    def from_json(cls, document: Any) -> "Computed":
        """Read what a journal or a record holds; InputError if it has another form."""
        try:
            units, text, misread = document["units"], document["text"], document.get("misread")
            questions = tuple(Question(**question) for question in document["asked"])
            calls = tuple(Call(tool, arguments) for tool, arguments in document.get("calls", ()))
            texts = [text, *(part for call in calls for part in call), *(question.name for question in questions)]
            numbers = [units, *(question.units for question in questions), *([] if misread is None else [misread])]
            if not all(isinstance(part, str) for part in texts) or not all(type(number) is int for number in numbers):
                raise TypeError
            if not all(isinstance(question.reply, dict) for question in questions) or min(numbers) < 0:
                raise TypeError
            if set(document) - {"units", "text", "asked", "calls", "misread"}:
                raise TypeError
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError("the result of a program has not the form of one") from None
        return cls(units, text, questions, calls, misread)


class ProgramCall(NamedTuple):
    """A call of the tool `python`, as its arguments say."""

    program: str
    limit: int
    """Millions of instructions."""


def read_arguments(arguments: str) -> ProgramCall | None:
    """The program and its limit; None if the arguments do not fit the schema."""
    try:
        document = strict_loads(arguments, MAX_ARGUMENT_CHARS)
    except Malformed:
        return None
    if not isinstance(document, dict) or set(document) - {"program", "limit"} or not isinstance(document.get("program"), str):
        return None
    limit = document.get("limit", PROGRAM_COMPUTE)
    return ProgramCall(document["program"], limit) if type(limit) is int and limit >= 1 else None


def run_program(
    call: ProgramCall,
    left: int,
    values: Mapping[str, Any],
    functions: tuple[str, ...],
    answers: Mapping[str, AskHost],
    recorded: tuple[Question, ...] = (),
) -> Computed:
    """Run a program in a worker process; `left` is what the episode may still compute, in millions of instructions."""
    from algoworlds.tracks.workers import ProgramRequest, run_in_worker

    limit = min(call.limit, PROGRAM_COMPUTE, left)
    # Surrogates cannot enter the sandbox; a program that holds one is refused by its parser in words.
    text = call.program.encode("utf-8", "backslashreplace").decode()
    result = run_in_worker(ProgramRequest(text, values, functions, limit * MILLION, left), answers, recorded)
    charged = min(limit, -(-result.instructions // MILLION)) + sum(question.units for question in result.questions)
    units = min(charged, left)
    told: JsonObject = {"computed": units, "compute_left": left - units, "output": result.output}
    if result.error:
        told["error"] = result.error
    return Computed(units, compact_json(told), result.questions)


# -- the tracks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Track:
    """What an agent may use beside the tools of a world."""

    name: str
    adds: str
    """What it adds to the track before it, in a few words, for lists."""
    version: int = 1
    functions: tuple[str, ...] = ()
    """Functions of the host that programs may call."""
    paragraph: Callable[[Mapping[str, Relation]], str] | None = None
    """What is appended to the question, given the relations of the family; None if there is no tool."""

    @property
    def tools(self) -> list[JsonObject]:
        """The schemas that are appended to the tools of a world; a new list on every access."""
        return [] if self.paragraph is None else [_python_schema()]

    @property
    def runs_programs(self) -> bool:
        """Whether the track has the tool `python`."""
        return self.paragraph is not None

    def extend_question(self, question: str, relations: Mapping[str, Relation]) -> str:
        """The question with the track's paragraph, if it has one."""
        return question if self.paragraph is None else f"{question}\n{self.paragraph(relations)}\n"

    @property
    def identity(self) -> JsonObject:
        """What identifies the track in a plan: InputError in one line if a package that it needs is missing."""
        from algoworlds.tracks.solving import solver_identity

        solver = solver_identity() if "solve" in self.functions else {}
        return {"name": self.name, "version": self.version, **sandbox_identity(), **solver}


def _python_schema() -> JsonObject:
    properties = {
        "program": {"type": "string", "description": "The text of the program."},
        "limit": {
            "type": "integer",
            "description": f"Millions of instructions it may take; {PROGRAM_COMPUTE:,} if left out.",
        },
    }
    return {
        "name": PROGRAM_TOOL,
        "description": "Run a Python program in a sealed interpreter and see what it prints. Costs no access budget; see "
        "Computing.",
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": ["program"],
            "additionalProperties": False,
        },
    }


_CODE = f"""\
Computing
- {PROGRAM_TOOL} runs a program in a sealed Python 3.14 with the standard library and nothing else: no files, no network, \
no clock, no packages. It answers with what the program prints, up to 20,000 characters. Nothing is kept from one program \
to the next.
- Two names are set: `task`, a dict with the lists and numbers of this question by name, and `answers`, a list with every \
executed information call so far, each a dict with "tool", "arguments" and "answer", the parsed answer.
- Programs may take {EPISODE_COMPUTE:,} million instructions in all, and one of them {PROGRAM_COMPUTE:,}; a million take \
about a ten-thousandth of a second. Computing costs no access budget and is no information call, but counts among the calls \
of any kind."""
_SOLVER = """
- `from ortools.sat.python import cp_model` works as in OR-Tools for whole-number models (variables, linear constraints, \
logic, element, product, max, min, absolute value, modulo, all different, circuit, allowed and forbidden rows). A solve \
takes 10,000 million instructions for each unit of the solver's own measure of work; `parameters.max_deterministic_time` \
sets less than the 5 it may take."""
_TABLES = """
- `optimum(tables)` solves a task of this kind exactly and returns {"value": ..., "decision": ...}; a call takes 10,000 \
million instructions. `tables` is a dict with these tables: """
_FACTS = """
- `optimum()` does the same with all that your answers tell, once they tell everything."""
_CALLS = """
- `call(tool, arguments)` makes an information call of the task and returns the parsed answer. It is charged and counts \
like any other call; an executed one is appended to `answers`."""


def table_forms(relations: Mapping[str, Relation]) -> str:
    """The form of every hidden table, as `optimum` takes it."""
    hidden = [relation for relation in relations.values() if not relation.public and not relation.is_roster]
    return "; ".join(map(_table_form, hidden)) + "."


def _table_form(relation: Relation) -> str:
    keys = [key.name for key in relation.keys]
    if not relation.values:
        return f"{relation.name}: a list of [{', '.join(keys)}] rows"
    names = [column.name for column in relation.values]
    leaf = names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
    return f"{relation.name}: {' -> '.join([*keys, leaf])}{', as nested JSON objects' if keys else ''}"


BARE = Track("bare", "nothing: the paper's protocol")
LADDER = (
    BARE,
    Track("code", "a sealed Python interpreter that holds all answers", 1, (), lambda relations: _CODE),
    Track("solver", "CP-SAT inside the interpreter", 1, ("solve",), lambda relations: _CODE + _SOLVER),
    Track(
        "tables",
        "the exact optimum of tables that the agent hands over",
        1,
        ("solve", "optimum"),
        lambda relations: _CODE + _SOLVER + _TABLES + table_forms(relations),
    ),
    Track(
        "facts",
        "the exact optimum of all that the answers tell",
        1,
        ("solve", "optimum"),
        lambda relations: _CODE + _SOLVER + _TABLES + table_forms(relations) + _FACTS,
    ),
)
"""Each track has everything that the one before it has, and one aid more."""
CALLS = Track("calls", "information calls from programs", 1, (CALL_FUNCTION,), lambda relations: _CODE + _CALLS)
"""Beside the ladder: `code` with programmatic tool calling."""
TRACKS = {track.name: track for track in (*LADDER, CALLS)}


def find_track(name: str) -> Track:
    """The track called `name`; InputError lists the names."""
    if name not in TRACKS:
        raise InputError(f"there is no track {quote_value(name)}; choose from {', '.join(TRACKS)}")
    return TRACKS[name]
