"""The protocol-compatibility run: does a configuration use tools over several rounds and submit a well-formed decision?"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from algoworlds.runs.conversation import Conversation
from algoworlds.runs.outcome import OUTCOMES, Event, event_of, judged
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.providers.retry import Policy, ask
from algoworlds.worlds.world import World

ROUNDS = 2
"""Executed information calls that make several rounds of tools."""


@dataclass(frozen=True)
class Probe:
    """What a probe found; without problems the configuration can follow the protocol."""

    conversation: Conversation
    problems: list[str]

    @property
    def json(self) -> dict[str, Any]:
        """The probe for a program."""
        played, episode = self.conversation.played, self.conversation.episode
        return {
            "world": episode.world.id,
            "stop_reason": played.stop_reason,
            "outcome": episode.outcome.value,
            "turns": played.rounds,
            "executed_calls": episode.executed,
            "attempted_calls": episode.attempts + len(played.extras),
            "model": played.model,
            "tokens": played.tokens,
            "cost": played.cost,
            "problems": self.problems,
        }


def probe(
    configuration: Configuration, environment: Mapping[str, str], world: World, tell: Callable[[Conversation], Any]
) -> Probe:
    """Play one world and judge the protocol, not the decision; faults of the provider are raised."""
    conversation = asyncio.run(_play(configuration, environment, world, tell))
    return Probe(conversation, list(_problems(configuration, conversation)))


async def _play(
    configuration: Configuration, environment: Mapping[str, str], world: World, tell: Callable[[Conversation], Any]
) -> Conversation:
    provider, conversation = Provider(configuration, environment), Conversation(configuration, world)
    try:
        while conversation.event is None:
            try:
                policy = Policy(seconds=min(configuration.retry_seconds, 60.0))
                answer = await ask(provider, conversation.body, lambda attempt: None, policy)
                conversation.feed({"response": answer.response}, answer.turn)
            except ProviderFault as given:
                fault = judged(given, conversation.turn + 1, configuration)
                if not OUTCOMES[event_of(fault)].final:
                    raise fault from None
                conversation.feed({"event": event_of(fault).value})
            tell(conversation)
    finally:
        await provider.close()
    return conversation


def _problems(configuration: Configuration, conversation: Conversation) -> list[str]:
    """Why the configuration is not ready for a run."""
    found = []
    if conversation.episode.executed < ROUNDS:
        found.append(f"it executed {conversation.episode.executed} information calls; several rounds need {ROUNDS} at least")
    if conversation.event is not Event.SUBMITTED:
        ended = conversation.event.value if conversation.event else "nowhere"
        found.append(f"it ended with {ended} instead of a well-formed submission")
    if configuration.reasoning and conversation.tokens["reasoning"] == 0:
        found.append("it reports no reasoning tokens although reasoning is configured")
    return found
