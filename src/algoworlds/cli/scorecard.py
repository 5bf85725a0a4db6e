"""How one episode ended, against the certified optimum: a record, and its picture on a terminal."""

from typing import Any

from rich.console import Console

from algoworlds.measures.discovery import coverage, sufficient_sets
from algoworlds.measures.outcomes import Scale, exact, feasible, gap, utility
from algoworlds.worlds.admit import Admitted
from algoworlds.worlds.episode import Episode


def score(admitted: Admitted, episode: Episode) -> dict[str, Any]:
    """The measures of one finished episode."""
    verdict, scale, world = episode.verdict, Scale.of(admitted), episode.world
    return {
        "world": world.id,
        "outcome": episode.outcome.value,
        "feasible": feasible(verdict),
        "exact": exact(scale, verdict),
        "objective": verdict.value,
        "optimum": admitted.optimum,
        "reference": admitted.reference_value,
        "gap": gap(scale, verdict),
        "utility": utility(scale, verdict),
        "coverage": coverage(episode.facts, sufficient_sets(world)),
        "executed_calls": episode.executed,
        "attempted_calls": episode.attempts,
        "spend": episode.spent,
        "budget": world.budget,
        "reason": verdict.reason,
    }


def print_score(console: Console, result: dict[str, Any]) -> None:
    """The score of one episode for a person."""
    console.rule("score")
    if result["objective"] is None:
        console.print(f"[red]{result['outcome'].replace('_', ' ')}[/]: {result['reason']}")
    else:
        verdict = (
            "[bold green]globally optimal[/]" if result["exact"] else f"[yellow]{result['gap']:,} away from the optimum[/]"
        )
        console.print(f"your decision: {result['objective']:,}, {verdict}")
    console.print(f"certified optimum: {result['optimum']:,}   myopic reference: {result['reference']:,}")
    console.print(
        f"utility {result['utility']:.1f} of 100   information {100 * result['coverage']:.0f} %   "
        f"spent {result['spend']} of {result['budget']} in {result['executed_calls']} calls"
    )
