"""Episodes: one agent plays one world.

An episode's state is (world, calls): replaying the calls gives byte-equal observations, so an episode can be rebuilt
and continued anywhere. An agent's mistake is an observation with a status, never an exception. Rejections are free and
depend only on what the agent may know: schema, listed ids, prices, balance.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from algoworlds.core.canonical import compact_json, strict_loads
from algoworlds.core.condition import Boxes, Look, Spot, estimate_facts, narrow
from algoworlds.core.decision import Confidence, Decision, Verdict, split_claim
from algoworlds.core.interface import NewFacts, Normalizer
from algoworlds.core.ranges import Range
from algoworlds.core.relation import Fact
from algoworlds.core.tool import MAX_ARGUMENT_CHARS, Call, Refusal, Selection, call_from_input
from algoworlds.errors import InputError, Malformed
from algoworlds.tracks.track import EPISODE_COMPUTE, PROGRAM_TOOL, Computed, read_arguments
from algoworlds.worlds.observation import Observation, Status
from algoworlds.worlds.world import World


class StopReason(Enum):
    """Why an episode ended."""

    SUBMITTED = "submitted"
    CALL_CAP = "call_cap"
    ATTEMPT_CAP = "attempt_cap"


class ProgramNotRecorded(InputError):
    """A program would have to run to replay an episode."""


class ProgramMode(Enum):
    """What an episode does with a program whose result is recorded, and with one whose result is not."""

    RUN = "run"
    """Uses the recorded result, and runs the program if there is none."""
    REPLAY = "replay"
    """Uses the recorded result; raises InputError if there is none. Never runs a program."""
    CHECK = "check"
    """Runs the program with its recorded replies and compares; raises InputError for a difference."""


class Outcome(Enum):
    """The paper's category of the final decision."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    NO_DECISION = "no_decision"
    PROTOCOL_VIOLATION = "protocol_violation"


REJECTION_TEXTS = {
    Status.UNKNOWN_TOOL: "There is no tool of that name.",
    Status.BAD_ARGUMENTS: "The arguments do not match the tool's schema.",
    Status.UNKNOWN_ID: "That id is not listed in the question.",
    Status.BAD_WINDOW: "That range is not admissible for this tool.",
    Status.OVER_BUDGET: "The call costs more than what is left.",
    Status.EVALUATION_USED: "The evaluation has been used.",
    Status.MALFORMED_DECISION: "The decision does not match the required format.",
    Status.CALL_CAP: "All information calls have been used. The episode has ended.",
    Status.ENDED: "The episode has ended.",
    Status.OVER_COMPUTE: "Nothing is left to compute with.",
}
"""What an agent is told about a rejected call."""
_NO_NEW_FACTS = NewFacts(False, frozenset())
_FIXED_OBSERVATIONS = {
    status: Observation(status, 0, compact_json({"error": text}))
    for status, text in REJECTION_TEXTS.items()
    if status is not Status.OVER_BUDGET  # its text holds the price and the balance
}
ENDED_OBSERVATION = _FIXED_OBSERVATIONS[Status.ENDED]
"""The result of every call after the end."""
_SUBMITTED = Observation(Status.SUBMITTED, 0, compact_json({"submitted": True}))
_UNCLEAR_CLAIM = Observation(Status.SUBMITTED, 0, compact_json({"submitted": True, "claim": "not understood, counts as none"}))
_REFUSAL_OBSERVATIONS = {
    Refusal.SCHEMA: _FIXED_OBSERVATIONS[Status.BAD_ARGUMENTS],
    Refusal.UNKNOWN_ID: _FIXED_OBSERVATIONS[Status.UNKNOWN_ID],
    Refusal.BAD_WINDOW: _FIXED_OBSERVATIONS[Status.BAD_WINDOW],
}


@dataclass(eq=False)
class Episode:
    """The state of one trajectory; the calls in `recorded` are replayed first."""

    world: World
    recorded: InitVar[Iterable[Call]] = ()
    answered: InitVar[Iterable[Computed]] = ()
    """Results of programs that are known, in order; `expect` adds one."""
    mode: ProgramMode = ProgramMode.RUN
    calls: list[Call] = field(default_factory=list, init=False)
    observations: list[Observation] = field(default_factory=list, init=False)
    spent: int = field(default=0, init=False)
    executed: int = field(default=0, init=False)
    evaluated: bool = field(default=False, init=False)
    decision: Decision | None = field(default=None, init=False)
    claim: Confidence | None = field(default=None, init=False)
    """What the agent claimed about its decision, if anything."""
    stop: StopReason | None = field(default=None, init=False)
    computed: dict[int, Computed] = field(default_factory=dict, init=False)
    """What programs came to, by the position of the call that ran them."""
    made_by: dict[int, int] = field(default_factory=dict, init=False)
    """Of calls that a program made, by position: the position of the call that ran it."""
    _new_facts: list[NewFacts] = field(default_factory=list, init=False, repr=False)
    _times_asked: dict[tuple[str, Selection], int] = field(default_factory=dict, init=False, repr=False)
    """In a conditioned world, how often each question was answered."""
    _shown_boxes: dict[Spot, Range] = field(default_factory=dict, init=False, repr=False)
    """The interval that the looks so far leave of every measured number, whether its row is known or not."""

    def __repr__(self) -> str:
        return f"<Episode of {self.world.id}, {len(self.calls):,} calls, {self.stop.value if self.stop else 'running'}>"

    def __post_init__(self, recorded: Iterable[Call], answered: Iterable[Computed]) -> None:
        self._answered = deque(answered)
        for call in recorded:
            self.call(*call)

    @property
    def remaining(self) -> int:
        """The budget left."""
        return self.world.budget - self.spent

    @property
    def attempts(self) -> int:
        """Calls of any kind made before the end."""
        return len(self.calls)

    def call(self, tool: str, arguments: Mapping[str, Any] | str | None = None) -> Observation:
        """Make a call, with parsed arguments or JSON text, and return its observation.

        Nothing that an agent does raises. Only a program that cannot be run does; then the call was not made.
        """
        if self.stop is not None:
            return ENDED_OBSERVATION
        call = call_from_input(tool, arguments)
        if call.tool == PROGRAM_TOOL and self.world.track.runs_programs:
            observation = self._run_program(call)
        else:
            observation = self._respond(call)
            self.calls.append(call)
            self.observations.append(observation)
        if self.stop is None and self.attempts >= self.world.attempt_cap:
            self.stop = StopReason.ATTEMPT_CAP
        return observation

    def _respond(self, call: Call) -> Observation:
        closing = self.world.family.template.decision_tools
        if call.tool == closing.submit:
            return self._submit(call)
        if call.tool not in self.world.prices:
            return _FIXED_OBSERVATIONS[Status.UNKNOWN_TOOL]
        if self.executed >= self.world.call_cap:
            self.stop = StopReason.CALL_CAP
            return _FIXED_OBSERVATIONS[Status.CALL_CAP]
        return self._evaluate(call) if call.tool == closing.evaluate else self._query(call)

    def _query(self, call: Call) -> Observation:
        price = self.world.prices[call.tool]
        if price > self.remaining:  # nothing is cached for it, so that the budget bounds the world's cache
            selection = self.world.selection(call)
            return _REFUSAL_OBSERVATIONS[selection] if isinstance(selection, Refusal) else self._over_budget(price)
        refusal = self.world.refusal(call)
        if refusal is not None:
            return _REFUSAL_OBSERVATIONS[refusal]
        return self._execute(price, '"records":', call if self.world.law is None else self._next_look(call))

    def _next_look(self, call: Call) -> Look:
        """The look that executing a call makes: repetitions of a question count, however its arguments are spelled."""
        assert self.world.law is not None
        selection = self.world.selection(call)
        assert not isinstance(selection, Refusal)
        question = call.tool, selection
        times = self._times_asked.get(question, 0)
        self._times_asked[question] = times + 1
        return Look(call, self.world.law.phase(times, self.executed))

    def _evaluate(self, call: Call) -> Observation:
        if self.evaluated:
            return _FIXED_OBSERVATIONS[Status.EVALUATION_USED]
        try:
            decision = self.world.family.decision.parse(strict_loads(call.arguments, MAX_ARGUMENT_CHARS))
        except Malformed:
            return _FIXED_OBSERVATIONS[Status.MALFORMED_DECISION]
        price = self.world.prices[call.tool]
        if price > self.remaining:
            return self._over_budget(price)
        self.evaluated = True
        verdict: Verdict = self.world.family.check(self.world.instance, decision)
        value = f',"value":{verdict.value}' if verdict.feasible else ""
        return self._execute(price, f'"feasible":{"true" if verdict.feasible else "false"}{value}}}')

    def _submit(self, call: Call) -> Observation:
        try:
            arguments, claim = split_claim(strict_loads(call.arguments, MAX_ARGUMENT_CHARS))
            self.decision = self.world.family.decision.parse(arguments)
        except Malformed:
            return _FIXED_OBSERVATIONS[Status.MALFORMED_DECISION]
        self.claim, self.stop = claim, StopReason.SUBMITTED
        return _UNCLEAR_CLAIM if claim is Confidence.UNCLEAR else _SUBMITTED

    def _execute(self, price: int, body: str, records_of: Call | Look | None = None) -> Observation:
        self.spent += price
        self.executed += 1
        head = f'{{"charged":{price},"budget_left":{self.remaining},"calls_left":{self.world.call_cap - self.executed},'
        return Observation(Status.EXECUTED, price, head + body, self.world if records_of else None, records_of)

    def _over_budget(self, price: int) -> Observation:
        text = compact_json({"error": REJECTION_TEXTS[Status.OVER_BUDGET], "price": price, "budget_left": self.remaining})
        return Observation(Status.OVER_BUDGET, 0, text)

    # -- programs ----------------------------------------------------------------------------------------------------

    @property
    def compute_left(self) -> int:
        """Millions of instructions that programs may still take."""
        return EPISODE_COMPUTE - sum(computed.units for computed in self.computed.values())

    @property
    def own_calls(self) -> list[Call]:
        """The calls that no program made: with `computed` they are the state of the episode."""
        return [call for at, call in enumerate(self.calls) if at not in self.made_by]

    def expect(self, computed: Computed) -> None:
        """Add the known result of the next program that is not known yet."""
        self._answered.append(computed)

    def _run_program(self, call: Call) -> Observation:
        """Answer a call of the program tool, whose place is before the calls that the program makes."""
        at, left = self.attempts, self.compute_left
        program = read_arguments(call.arguments)
        runs = program is not None and left > 0
        known = self._answered.popleft() if runs and self._answered else None
        if runs and known is None and self.mode is not ProgramMode.RUN:
            raise ProgramNotRecorded(f"the result of the program in call {at + 1} is not recorded")
        observation = _FIXED_OBSERVATIONS[Status.BAD_ARGUMENTS if program is None else Status.OVER_COMPUTE]
        self.calls.append(call)
        self.observations.append(observation)
        if program is not None and runs:
            from algoworlds.worlds.programs import run_episode_program

            if known is not None and self.mode is not ProgramMode.CHECK:
                computed = known
                for made in known.calls:
                    self.call_from_program(at, *made)
            else:
                try:
                    computed = run_episode_program(self, at, program, left, known)
                except BaseException:  # a fault of the infrastructure or an interruption: the call was not made
                    self._return_to(at)
                    raise
            self.computed[at] = computed
            observation = self.observations[at] = Observation(Status.COMPUTED, 0, computed.text)
        return observation

    def _return_to(self, at: int) -> None:
        """Take back all calls from position `at` on, which the agent made itself."""
        calls = [call for place, call in enumerate(self.calls[:at]) if place not in self.made_by]
        earlier = Episode(self.world, calls, self.computed.values(), ProgramMode.REPLAY)
        vars(self).update({name: value for name, value in vars(earlier).items() if name not in ("mode", "_answered")})

    def call_from_program(self, at: int, tool: Any, arguments: Any) -> Observation:
        """Make a call of the program that the call at position `at` runs; programs run no programs."""
        if tool == PROGRAM_TOOL or self.stop is not None:
            return _FIXED_OBSERVATIONS[Status.UNKNOWN_TOOL] if self.stop is None else ENDED_OBSERVATION
        self.made_by[self.attempts] = at
        return self.call(tool, arguments)

    # -- outcome and facts ----------------------------------------------------------------------------------

    @property
    def outcome(self) -> Outcome:
        """The final-decision category if the episode ended now."""
        if self.decision is not None:
            return Outcome.FEASIBLE if self.verdict.feasible else Outcome.INFEASIBLE
        submit = self.world.family.template.decision_tools.submit
        return Outcome.PROTOCOL_VIOLATION if any(call.tool == submit for call in self.calls) else Outcome.NO_DECISION

    @property
    def verdict(self) -> Verdict:
        """The checker's verdict on the submitted decision."""
        if self.decision is None:
            return Verdict.infeasible("no decision was submitted")
        return self.world.family.check(self.world.instance, self.decision)

    @property
    def facts(self) -> frozenset[Fact]:
        """A_w(tau): the instance facts that the executed fact-revealing calls have revealed."""
        self._normalize_new_calls()
        return self._normalizer.facts

    @property
    def new_facts(self) -> list[NewFacts]:
        """For every call, the facts that it added; empty for a call that reveals none."""
        self._normalize_new_calls()
        return self._new_facts

    @property
    def looks(self) -> list[Look]:
        """In a conditioned world, the executed calls that showed records, with their phases."""
        return [observation.call for observation in self.observations if isinstance(observation.call, Look)]

    @property
    def readings(self) -> list[tuple[Look, Boxes]]:
        """In a conditioned world, every look with the interval that it left of each measured number that it showed."""
        return [(look, self.world.readings(look)) for look in self.looks]

    @property
    def boxes(self) -> Boxes:
        """In a conditioned world, the interval in which every measured number of a known row lies, as far as was shown."""
        if self.world.law is None:
            return {}
        names = {name for name, _ in self.world.family.conditions.measured}
        widths = {name: len(self.world.family.instance.relations[name].keys) for name in names}
        read = {(name, row[: widths[name]]) for name, row in self.facts if name in names}
        return {spot: box for spot, box in self._shown_boxes.items() if (spot.relation, spot.keys) in read}

    @property
    def estimated_facts(self) -> frozenset[Fact]:
        """The facts as an agent can know them: measured numbers are the middle of their intervals. `facts` hold the truth."""
        if self.world.law is None:
            return self.facts
        return estimate_facts(self.facts, self.world.family.instance.relations, self.boxes)

    def _normalize_new_calls(self) -> None:
        for at in range(len(self._new_facts), self.attempts):
            call, added = self.calls[at], _NO_NEW_FACTS
            if self._returned_records(at):
                reveals = call.tool in self.world.family.revealing_tools
                added = self._normalizer.add(self.world.revealed_rows(call), reveals)
                if isinstance(look := self.observations[at].call, Look):
                    is_narrower = narrow(self._shown_boxes, self.world.readings(look), self.world.ranges)
                    added = added._replace(has_new_records=added.has_new_records or is_narrower)
            self._new_facts.append(added)

    def _returned_records(self, at: int) -> bool:
        return self.observations[at].status is Status.EXECUTED and self.calls[at].tool in self.world.family.tools

    @cached_property
    def _normalizer(self) -> Normalizer:
        return self.world.new_normalizer()

    @property
    def redundant_calls(self) -> int:
        """Executed information calls, navigation included, that showed no new record and narrowed no interval."""
        return sum(self._returned_records(at) and not new.has_new_records for at, new in enumerate(self.new_facts))

    def mentions(self, entity: str) -> bool:
        """Whether the records of an executed call mention an id; names of columns do not count."""
        for at in filter(self._returned_records, range(self.attempts)):
            for table in self.world.revealed_rows(self.calls[at]).values():
                for row in table["rows"]:
                    if any(entity in cell if type(cell) is tuple else entity == cell for cell in row):
                        return True
        return False
