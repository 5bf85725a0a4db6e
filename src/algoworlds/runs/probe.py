"""A doctor for a configuration: it reaches the server, plays a small world, and says of each part whether it is fit."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from algoworlds.errors import shown
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.findings import CHECKS, Examination, Finding
from algoworlds.runs.outcome import OUTCOMES, event_of, judged
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.providers.retry import Attempt, Policy, ask
from algoworlds.worlds.world import World

PATIENCE = Policy(seconds=15.0)
"""A server that asks for more time than this is not fit now, whatever it may be later."""
Tell = Callable[[str], Any]


@dataclass(frozen=True)
class Probe:
    """What a probe found; without problems the configuration can follow the protocol."""

    seen: Examination

    @property
    def findings(self) -> list[Finding]:
        """What each check says that the probe got to."""
        found = (check(self.seen) for check in CHECKS)
        return [each for each in found if each is not None]

    @property
    def problems(self) -> list[str]:
        """Why the configuration is not ready for a run."""
        return [each.text for each in self.findings if each.state == "problem"]

    @property
    def json(self) -> dict[str, Any]:
        """The probe for a program."""
        conversation = self.seen.conversation
        episode = conversation.episode
        return {
            "world": episode.world.id,
            "stop_reason": conversation.event.value if conversation.event else None,
            "outcome": episode.outcome.value,
            "turns": conversation.turn,
            "executed_calls": episode.executed,
            "attempted_calls": episode.attempts + conversation.later_calls,
            "model": conversation.model,
            "tokens": conversation.tokens,
            "cost": conversation.cost,
            "findings": [each._asdict() for each in self.findings],
            "problems": self.problems,
        }


def probe(
    configuration: Configuration,
    environment: Mapping[str, str],
    world: World,
    tell: Tell,
    patience: float = 60.0,
    policy: Policy = PATIENCE,
    listing: float = 10.0,
) -> Probe:
    """Ask one server about itself, play one world and judge the protocol, not the decision.

    It may be silent for `patience` seconds before an answer, and for `listing` before it says what models it has.
    """
    asked = replace(configuration, timeout=min(configuration.timeout, patience))
    return Probe(asyncio.run(_examined(asked, environment, world, tell, policy, listing)))


async def _examined(
    configuration: Configuration, environment: Mapping[str, str], world: World, tell: Tell, policy: Policy, listing: float
) -> Examination:
    provider = Provider(configuration, environment)
    seen = Examination(configuration, provider.address, Conversation(configuration, world))
    try:
        tell(f"asking {shown(seen.address)} for its models")
        with suppress(TimeoutError):
            async with asyncio.timeout(listing):
                await _list(provider, seen)
        if seen.fault is None:
            tell(f"asking {shown(configuration.model)} to play {world.id}")
            await _played(provider, seen, tell, policy)
    finally:
        await provider.close()
    return seen


async def _list(provider: Provider, seen: Examination) -> None:
    """Ask what models there are. Only a server that nobody can talk to ends here: a list of models is nobody's duty."""
    try:
        seen.listed = await provider.listed()
    except ProviderFault as fault:
        seen.fault = fault if fault.kind == "connection" else None


async def _played(provider: Provider, seen: Examination, tell: Tell, policy: Policy) -> None:
    """Play to the end, or to a fault that is none of the model's outcomes."""
    conversation = seen.conversation

    def note(attempt: Attempt) -> None:
        seen.attempts.append(attempt)
        if attempt.fault:
            tell(f"turn {conversation.turn + 1}, attempt {attempt.number}: {attempt.fault}: {attempt.detail}")

    while conversation.event is None:
        seen.bodies.append(conversation.body)
        try:
            answer = await ask(provider, conversation.body, note, policy)
            conversation.feed({"response": answer.response}, answer.turn)
        except ProviderFault as given:
            fault = judged(given, conversation.turn + 1, seen.configuration)
            if not OUTCOMES[event_of(fault)].final:
                seen.fault = fault
                return
            conversation.feed({"event": event_of(fault).value})
        tell(f"turn {conversation.turn}: {_last(conversation)}")


def _last(conversation: Conversation) -> str:
    """The latest call and what it was answered."""
    episode = conversation.episode
    return f"{episode.calls[-1].tool}: {episode.observations[-1].status.value}" if episode.calls else "no call"
