"""Episodes: one agent's way through one world.

An episode's state is (world, calls): replaying the calls gives byte-equal observations, so an episode can be rebuilt
and continued anywhere. What an agent does wrong is an observation with a status, never an exception. Rejections are
free and depend only on what the agent may know: schema, listed ids, prices, balance.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import InitVar, dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from algoworlds.core.canonical import compact_text, strict_loads
from algoworlds.core.decision import Assurance, Decision, Verdict, without_claim
from algoworlds.core.given import LONGEST_ARGUMENTS, given
from algoworlds.core.interface import Response
from algoworlds.core.normalize import Gathering, News
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call, Refusal
from algoworlds.errors import Malformed
from algoworlds.worlds.observation import Observation, Status
from algoworlds.worlds.world import ATTEMPT_CAP, CALL_CAP, World


class Stop(Enum):
    """How an episode ended by itself."""

    SUBMITTED = "submitted"
    CALL_CAP = "call_cap"
    ATTEMPT_CAP = "attempt_cap"


class Outcome(Enum):
    """What an episode amounts to, in the paper's final-decision categories."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    NO_DECISION = "no_decision"
    PROTOCOL_VIOLATION = "protocol_violation"


REJECTIONS = {
    Status.UNKNOWN_TOOL: "There is no tool of that name.",
    Status.BAD_ARGUMENTS: "The arguments do not match the tool's schema.",
    Status.UNKNOWN_ID: "That id is not listed in the question.",
    Status.BAD_WINDOW: "That range is not admissible for this tool.",
    Status.OVER_BUDGET: "The call costs more than what is left.",
    Status.EVALUATION_USED: "The evaluation has been used.",
    Status.MALFORMED_DECISION: "The decision does not match the required format.",
    Status.CALL_CAP: "All information calls have been used. The episode has ended.",
    Status.ENDED: "The episode has ended.",
}
"""What an agent is told of a call that is refused."""
_NO_NEWS = News(False, frozenset())
_FIXED = {
    status: Observation(status, 0, compact_text({"error": text}))
    for status, text in REJECTIONS.items()
    if status is not Status.OVER_BUDGET  # which also says the price and what is left
}
ENDED = _FIXED[Status.ENDED]
"""The answer to every call after the end."""
_SUBMITTED = Observation(Status.SUBMITTED, 0, compact_text({"submitted": True}))
_UNCLEAR = Observation(Status.SUBMITTED, 0, compact_text({"submitted": True, "claim": "not understood, counts as none"}))
_REFUSED = {
    Refusal.SCHEMA: _FIXED[Status.BAD_ARGUMENTS],
    Refusal.UNKNOWN_ID: _FIXED[Status.UNKNOWN_ID],
    Refusal.BAD_WINDOW: _FIXED[Status.BAD_WINDOW],
}


@dataclass(eq=False)
class Episode:
    """The running state of one trajectory; a recorded beginning is replayed."""

    world: World
    recorded: InitVar[Iterable[Call]] = ()
    calls: list[Call] = field(default_factory=list, init=False)
    observations: list[Observation] = field(default_factory=list, init=False)
    spent: int = field(default=0, init=False)
    executed: int = field(default=0, init=False)
    evaluated: bool = field(default=False, init=False)
    decision: Decision | None = field(default=None, init=False)
    claim: Assurance | None = field(default=None, init=False)
    """What the agent said of its decision when it submitted it, if anything."""
    stop: Stop | None = field(default=None, init=False)
    _news: list[News] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self, recorded: Iterable[Call]) -> None:
        for each in recorded:
            self.call(*each)

    @property
    def remaining(self) -> int:
        """What is left of the budget."""
        return self.world.budget - self.spent

    @property
    def attempts(self) -> int:
        """Calls of any kind made before the end."""
        return len(self.calls)

    def call(self, tool: str, arguments: Mapping[str, Any] | str | None = None) -> Observation:
        """Make a call, by parsed arguments or JSON text, and observe what becomes of it, whatever is given."""
        if self.stop is not None:
            return ENDED
        made = given(tool, arguments)
        observation = self._answer(made)
        self.calls.append(made)
        self.observations.append(observation)
        if self.stop is None and self.attempts >= ATTEMPT_CAP:
            self.stop = Stop.ATTEMPT_CAP
        return observation

    def _answer(self, call: Call) -> Observation:
        closing = self.world.family.template.closing
        if call.tool == closing.submit:
            return self._submit(call)
        if call.tool not in self.world.prices:
            return _FIXED[Status.UNKNOWN_TOOL]
        if self.executed >= CALL_CAP:
            self.stop = Stop.CALL_CAP
            return _FIXED[Status.CALL_CAP]
        return self._evaluate(call) if call.tool == closing.evaluate else self._inform(call)

    def _inform(self, call: Call) -> Observation:
        price = self.world.prices[call.tool]
        if price > self.remaining:  # the world keeps nothing of it, so that what it keeps is bounded by what can be bought
            selection = self.world.selection(call)
            return _REFUSED[selection] if isinstance(selection, Refusal) else self._over_budget(price)
        refused = self.world.refusal(call)
        return self._execute(price, '"records":', call) if refused is None else _REFUSED[refused]

    def _evaluate(self, call: Call) -> Observation:
        if self.evaluated:
            return _FIXED[Status.EVALUATION_USED]
        try:
            decision = self.world.family.decision.parse(strict_loads(call.arguments, LONGEST_ARGUMENTS))
        except Malformed:
            return _FIXED[Status.MALFORMED_DECISION]
        price = self.world.prices[call.tool]
        if price > self.remaining:
            return self._over_budget(price)
        self.evaluated = True
        verdict: Verdict = self.world.family.check(self.world.instance, decision)
        value = f',"value":{verdict.value}' if verdict.feasible else ""
        return self._execute(price, f'"feasible":{"true" if verdict.feasible else "false"}{value}}}')

    def _submit(self, call: Call) -> Observation:
        try:
            arguments, claim = without_claim(strict_loads(call.arguments, LONGEST_ARGUMENTS))
            self.decision = self.world.family.decision.parse(arguments)
        except Malformed:
            return _FIXED[Status.MALFORMED_DECISION]
        self.claim, self.stop = claim, Stop.SUBMITTED
        return _UNCLEAR if claim is Assurance.UNCLEAR else _SUBMITTED

    def _execute(self, price: int, body: str, shown: Call | None = None) -> Observation:
        self.spent += price
        self.executed += 1
        head = f'{{"charged":{price},"budget_left":{self.remaining},"calls_left":{CALL_CAP - self.executed},'
        return Observation(Status.EXECUTED, price, head + body, self.world if shown else None, shown)

    def _over_budget(self, price: int) -> Observation:
        text = compact_text({"error": REJECTIONS[Status.OVER_BUDGET], "price": price, "budget_left": self.remaining})
        return Observation(Status.OVER_BUDGET, 0, text)

    # -- what the episode amounts to ----------------------------------------------------------------------------------

    @property
    def outcome(self) -> Outcome:
        """The final-decision category if the episode ended now."""
        if self.decision is not None:
            return Outcome.FEASIBLE if self.verdict.feasible else Outcome.INFEASIBLE
        submit = self.world.family.template.closing.submit
        return Outcome.PROTOCOL_VIOLATION if any(call.tool == submit for call in self.calls) else Outcome.NO_DECISION

    @property
    def verdict(self) -> Verdict:
        """The checker's word on the submitted decision."""
        if self.decision is None:
            return Verdict.infeasible("no decision was submitted")
        return self.world.family.check(self.world.instance, self.decision)

    @property
    def facts(self) -> frozenset[Fact]:
        """A_w(tau): the instance facts that the executed fact-revealing calls amount to."""
        self._gather()
        return self._gathering.facts

    @property
    def news(self) -> list[News]:
        """What every call added to the facts known before it; nothing for a call that reveals none."""
        self._gather()
        return self._news

    def _gather(self) -> None:
        for at in range(len(self._news), self.attempts):
            reveals = self.calls[at].tool in self.world.family.revealing
            shown = self.world.revealed(self.calls[at]) if self._informs(at) else None
            self._news.append(_NO_NEWS if shown is None else self._gathering.add(shown, reveals))

    def _informs(self, at: int) -> bool:
        return self.observations[at].status is Status.EXECUTED and self.calls[at].tool in self.world.family.tools

    @cached_property
    def _gathering(self) -> Gathering:
        return self.world.gathering()

    @property
    def redundant_calls(self) -> int:
        """Executed information calls, navigation included, all of whose records had been seen before."""
        return sum(self._informs(at) and not news.fresh for at, news in enumerate(self.news))

    def shows(self, entity: str) -> bool:
        """Whether the records of an executed call mention an id; the name of a column is none."""
        told = (self.world.revealed(self.calls[at]) for at in range(self.attempts) if self._informs(at))
        return any(entity in _mentioned(response) for response in told)


def _mentioned(response: Response) -> Iterator[Any]:
    """Every value in the rows of a response, those in lists one by one."""
    for table in response.values():
        for row in table["rows"]:
            for cell in row:
                yield from cell if type(cell) is tuple else (cell,)
