"""How one episode ended, against the certified optimum: a record, and its picture on a terminal."""

from typing import Any

from rich.console import Console

from algoworlds.measures.key import Key
from algoworlds.measures.scoring import score
from algoworlds.worlds.admit import Admitted
from algoworlds.worlds.episode import Episode


def result(admitted: Admitted, episode: Episode) -> dict[str, Any]:
    """Every measure of one finished episode, with the world's id and the value of its reference decision."""
    key = Key.of(admitted, episode.world)
    return {"world": episode.world.id, "reference": key.reference_value} | score(episode, key)


def print_result(console: Console, found: dict[str, Any]) -> None:
    """The score of one episode for a person."""
    console.rule("score")
    if found["objective"] is None:
        reason = found["reason"] or "no decision was submitted"
        console.print(f"[red]{found['outcome'].replace('_', ' ')}[/]: {reason}")
    else:
        verdict = "[bold green]globally optimal[/]" if found["exact"] else f"[yellow]{found['gap']:,} away from the optimum[/]"
        console.print(f"your decision: {found['objective']:,}, {verdict}")
    console.print(f"certified optimum: {found['optimum']:,}   myopic reference: {found['reference']:,}")
    console.print(
        f"utility {found['utility']:.1f} of 100   information {100 * found['coverage']:.0f} %   "
        f"spent {found['spend']} of {found['budget']} in {found['executed_calls']} calls"
    )
