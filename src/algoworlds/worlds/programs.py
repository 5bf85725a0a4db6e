"""Programs of an episode: what they are given, who answers their questions, and how a recorded result is checked."""

import json
from collections import deque
from collections.abc import Iterator
from math import ceil
from typing import TYPE_CHECKING, Any

from algoworlds.core.canonical import JsonObject, strict_loads
from algoworlds.core.tool import Call
from algoworlds.errors import InputError, InstanceError
from algoworlds.tracks.sandbox import AskHost, HostReply
from algoworlds.tracks.solving import UNITS_PER_WORK, answer_solve, find_violation, read_question, solve_model
from algoworlds.tracks.track import CALL_FUNCTION, Computed, ProgramCall, run_program
from algoworlds.worlds.observation import Status
from algoworlds.worlds.optimum import (
    answer_optimum,
    count_misread_cells,
    instance_from_facts,
    instance_from_tables,
    program_values,
    refusal,
)

if TYPE_CHECKING:
    from algoworlds.worlds.episode import Episode


def run_episode_program(episode: "Episode", at: int, program: ProgramCall, left: int, known: Computed | None) -> Computed:
    """Run the program of the call at position `at`; with a result `known`, check it: InputError says what differs."""
    host = _Host(episode, at, known)
    values = program_values(episode.world, executed_answers(episode, at))
    result = run_program(program, left, values, episode.world.track.functions, host.answers)
    # The answers of calls are not recorded twice: the calls themselves are.
    questions = tuple(
        question._replace(reply={}) if question.name == CALL_FUNCTION else question for question in result.questions
    )
    computed = Computed(result.units, result.text, questions, tuple(host.calls), host.misread)
    if known is not None:
        for problem in _differences(computed, known):
            raise InputError(f"the program in call {at + 1} {problem}")
    return computed


def executed_answers(episode: "Episode", before: int) -> list[JsonObject]:
    """The executed information calls before a position, as programs see them."""
    calls = zip(episode.calls[:before], episode.observations, strict=False)
    return [
        {"tool": call.tool, "arguments": strict_loads(call.arguments), "answer": observation.json}
        for call, observation in calls
        if observation.status is Status.EXECUTED
    ]


def _differences(ours: Computed, recorded: Computed) -> Iterator[str]:
    if ours.calls != recorded.calls:
        yield "makes other calls than recorded"
    for number, (question, other) in enumerate(zip(ours.questions, recorded.questions, strict=False), 1):
        if question[:2] != other[:2]:
            yield f"asks something else than recorded as question {number}"
        if question != other:
            yield f"gets another reply than recorded to question {number}"
    if len(ours.questions) != len(recorded.questions):
        yield f"asks {len(ours.questions)} questions, not the {len(recorded.questions)} that are recorded"
    if ours.units != recorded.units:
        yield f"takes {ours.units:,} million instructions, not the {recorded.units:,} that are recorded"
    if ours.text != recorded.text:
        yield "prints something else than recorded"
    if ours.misread != recorded.misread:
        yield "hands over tables with another number of misread cells than recorded"


class _Host:
    """Answers the questions of one program that need the episode or a record, and notes what they came to."""

    def __init__(self, episode: "Episode", at: int, known: Computed | None) -> None:
        self._episode, self._at = episode, at
        self.calls: list[Call] = []
        self.misread: int | None = None
        self.answers: dict[str, AskHost] = {"optimum": self._optimum, CALL_FUNCTION: self._call}
        if known is not None:
            self._solves = deque(question for question in known.questions if question.name == "solve")
            self.answers["solve"] = self._check_solve

    def _optimum(self, name: str, text: str) -> HostReply:
        world = self._episode.world
        try:
            arguments = _read_arguments(text, ("tables",))
            if arguments:
                instance = instance_from_tables(world, arguments[0])
                self.misread = count_misread_cells(world, instance)
            elif world.track.name == "facts":
                instance = instance_from_facts(world, self._episode.estimated_facts)
            else:
                raise InstanceError("optimum takes one argument: a dict of tables")
            return answer_optimum(world, instance)
        except InputError as problem:
            return refusal(problem)

    def _call(self, name: str, text: str) -> HostReply:
        try:
            tool, *rest = _read_arguments(text, ("tool", "arguments"))
        except (InputError, ValueError):
            return HostReply({"error": "call takes the name of a tool and a dict of arguments", "kind": "ValueError"})
        before = self._episode.attempts
        observation = self._episode.call_from_program(self._at, tool, rest[0] if rest else None)
        self.calls += self._episode.calls[before:]
        return HostReply({"answer": observation.json, "executed": observation.status is Status.EXECUTED})

    def _check_solve(self, name: str, text: str) -> HostReply:
        """The recorded reply to a model, after it was checked exactly; what was proven is solved again."""
        answer = HostReply(self._solves[0].reply, self._solves[0].units) if self._solves else None
        if self._solves:
            self._solves.popleft()
        if answer is None or "answer" not in answer.reply:
            return answer_solve(text)  # another reply than recorded is found when the questions are compared
        model, max_work = read_question(text)
        solution = answer.reply["answer"]
        try:
            status, values, objective = solution["status"], solution["values"], solution["objective"]
            if values is not None and (problem := find_violation(model, values, objective)):
                raise InputError(f"the recorded solution of call {self._at + 1} is none: {problem}")
            if (values is not None) != (status in ("OPTIMAL", "FEASIBLE")):
                raise InputError(f"the recorded status {status} of call {self._at + 1} does not fit its values")
            if answer.units != ceil(UNITS_PER_WORK * solution["work"]):
                raise InputError(f"the charge of a solve in call {self._at + 1} does not fit its work")
        except (KeyError, TypeError):
            raise InputError(f"the recorded reply to a solve in call {self._at + 1} has not the form of one") from None
        if status in ("OPTIMAL", "INFEASIBLE"):
            again = solve_model(model, max_work)
            proven = again.status in ("OPTIMAL", "INFEASIBLE")  # on another machine it may end at its limit
            if proven and (again.status, again.objective) != (status, objective):
                raise InputError(f"the recorded solution of call {self._at + 1} is not what the solver proves")
        return answer


def _read_arguments(text: str, names: tuple[str, ...]) -> list[Any]:
    """The arguments of a question, by position or by name; InstanceError if there are others."""
    try:
        arguments, options = json.loads(text)
        arguments = [*arguments, *(options.pop(name) for name in names[len(arguments) :] if name in options)]
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InstanceError("the arguments cannot be read") from None
    if options or len(arguments) > len(names):
        raise InstanceError(f"there are other arguments than {' and '.join(names)}")
    return arguments
