"""Finalized records for the tests of figures and report: scripted agents really play worlds, hostile models are added."""

from bisect import bisect_left
from functools import cache
from hashlib import sha256
from typing import Any

from algoworlds.evaluate.agents import AGENTS, Agent
from algoworlds.families import FAMILIES
from algoworlds.metrics.discovery import coverage, sufficient, sufficient_sets
from algoworlds.metrics.outcomes import Scale, exact, feasible, gap, normalized_regret, utility
from algoworlds.model.interface import Interface
from algoworlds.worlds.admit import Admitted, Coordinate, admit
from algoworlds.worlds.episode import Episode, Status
from algoworlds.worlds.world import World, build

Record = dict[str, Any]


@cache
def admitted(family: str, level: int, index: int) -> Admitted:
    return admit(Coordinate(family, level, index))


def half_informed(episode: Episode) -> None:
    """Reads half of the cheaper plan, one call twice, makes a mistake, and submits the myopic decision of the truth."""
    world = episode.world
    plan = min(world.plans.values(), key=world.cost)
    for call in (*plan[: len(plan) // 2], plan[0]):
        episode.call(*call)
    episode.call("no_such_tool", {})
    decision = world.family.reference(world.instance)
    episode.call(world.family.template.closing.submit, world.family.decision.arguments(decision))


def silent(episode: Episode) -> None:
    """Reads one thing and stops."""
    episode.call(*min(episode.world.plans.values(), key=episode.world.cost)[0])


PLAYERS: dict[str, Agent] = {**AGENTS, "half-informed": half_informed, "silent": silent}


def record_of(label: str, agent: Agent, known: Admitted, world: World, trial: int, **changes: Any) -> Record:
    """The finalized record of an agent's way through a world."""
    episode = Episode(world)
    agent(episode)
    return _identity(label, known, world, trial) | _outcome(known, episode) | _path(episode) | changes


def _identity(label: str, known: Admitted, world: World, trial: int) -> Record:
    at = known.coordinate
    return {
        "format": 1,
        "scoring": 1,
        "configuration": label,
        "kind": "agent",
        "world": world.id,
        "family": at.family,
        "level": at.level,
        "index": at.index,
        "interface": world.interface.value,
        "trial": trial,
        "model": None,
        "tokens": None,
        "cost": None,
        "texts": [],
    }


def _outcome(known: Admitted, episode: Episode) -> Record:
    verdict, scale, shape = episode.verdict, Scale.of(known), known.family.decision
    best = known.family.check(known.instance, known.solution.decision)
    decision = None if episode.decision is None else shape.arguments(episode.decision)
    return {
        "outcome": episode.outcome.value,
        "exact": exact(scale, verdict),
        "feasible": feasible(verdict),
        "objective": verdict.value,
        "optimum": known.optimum,
        "gap": gap(scale, verdict),
        "reference_gap": known.reference_gap,
        "regret": normalized_regret(scale, verdict),
        "utility": utility(scale, verdict),
        "decision": decision,
        "optimal_decision": shape.arguments(known.solution.decision),
        "parts": dict(verdict.parts) if verdict.feasible else None,
        "optimal_parts": dict(best.parts),
        "reason": verdict.reason,
        "grounding": float(decision is not None),
    }


def _path(episode: Episode) -> Record:
    sets, world = sufficient_sets(episode.world), episode.world
    curve = [[at, coverage(Episode(world, episode.calls[:at]).facts, sets)] for at in _sampled(episode.attempts)]
    enough = sufficient(episode.facts, sets)
    steps = zip(episode.calls, episode.observations, strict=True)
    return {
        "sufficiency": enough,
        "coverage": coverage(episode.facts, sets),
        "sufficient_at": _first_sufficient(episode, sets) if enough else None,
        "redundant_calls": len(episode.calls) - len(set(episode.calls)),
        "coverage_curve": curve,
        "executed_calls": episode.executed,
        "attempted_calls": episode.attempts,
        "spend": episode.spent,
        "budget": world.budget,
        "call_cap": 0,
        "budget_cap": int(any(seen.status is Status.OVER_BUDGET for seen in episode.observations)),
        "stop_reason": episode.stop.value if episode.stop else "text_end",
        "turns": episode.attempts,
        "trajectory": [
            {"turn": at, "tool": call.tool, "arguments": call.arguments, "status": seen.status.value, "charged": seen.charged}
            for at, (call, seen) in enumerate(steps, start=1)
        ],
        "observed": sha256("".join(seen.text for seen in episode.observations).encode()).hexdigest(),
    }


def _first_sufficient(episode: Episode, sets: list[Any]) -> int:
    """The first call after which the facts suffice; facts only grow, so bisection finds it."""
    return bisect_left(
        range(episode.attempts), 1, key=lambda at: sufficient(Episode(episode.world, episode.calls[:at]).facts, sets)
    )


def _sampled(attempts: int) -> list[int]:
    return sorted({*range(0, attempts + 1, max(1, attempts // 12)), attempts})


@cache
def panel(families: tuple[str, ...] = tuple(FAMILIES)[:2], trials: int = 2) -> tuple[Record, ...]:
    """Every player on level 0 of some families, both interfaces."""
    found = []
    for name in families:
        known = admitted(name, 0, 1)
        for world in (build(known, each) for each in (Interface.DIRECT, Interface.MEDIATED)):
            for label, agent in PLAYERS.items():
                found += [record_of(label, agent, known, world, trial) for trial in range(1, trials + 1)]
    return tuple(found)
