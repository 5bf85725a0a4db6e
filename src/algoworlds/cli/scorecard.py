"""How one episode ended, against the certified optimum: a record, and its picture on a terminal."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from algoworlds.measures.key import Key
from algoworlds.measures.scoring import score
from algoworlds.worlds.admit import Admitted
from algoworlds.worlds.episode import Episode

if TYPE_CHECKING:
    from algoworlds.game.debrief import Beside, Debrief

Shorten = Callable[[str], str]


def result(admitted: Admitted, episode: Episode) -> dict[str, Any]:
    """Every measure of one finished episode, with the world's id and the value of its reference decision."""
    key = Key.of(admitted, episode.world)
    return {"world": episode.world.id, "reference": key.reference_value} | score(episode, key)


def print_debrief(console: Console, found: "Debrief", shorten: Shorten) -> None:
    """The score of one game for whoever played it, and the three decisions beside each other."""
    record = found.record
    console.rule("score")
    if record["objective"] is None:
        reason = record["reason"] or "no decision was submitted"
        console.print(f"[red]{record['outcome'].replace('_', ' ')}[/]: {escape(shorten(reason))}")
    else:
        verdict = (
            "[bold green]globally optimal[/]" if record["exact"] else f"[yellow]{record['gap']:,} away from the optimum[/]"
        )
        console.print(f"your decision: {record['objective']:,}, {verdict}")
    console.print(
        f"utility {record['utility']:.1f} of 100   information {100 * record['coverage']:.0f} %   "
        f"spent {record['spend']} of {record['budget']} in {record['executed_calls']} calls\n"
    )
    console.print(_beside("term", found.terms, lambda cell: "" if cell is None else f"{cell:,}"))
    for argument, lines in found.decisions.items():
        console.print(_beside(argument, lines, lambda cell: "" if cell is None else escape(shorten(cell)), shorten))


def _beside(head: str, lines: "tuple[Beside, ...]", spell: Callable[[Any], str], shorten: Shorten = str) -> Table:
    """Yours, greedy's and the optimum's, line by line; what differs from the optimum stands out."""
    table = Table(head, "yours", "greedy's", "optimum", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right" if head == "term" else "left"
    for line in lines:
        cells = [spell(each) if each == line.optimum else f"[yellow]{spell(each)}[/]" for each in (line.yours, line.greedy)]
        table.add_row(escape(shorten(line.about)).replace("_", " "), *cells, spell(line.optimum))
    return table


def print_hindsight(console: Console, found: dict[str, Any], shorten: Shorten) -> None:
    """What could have been known, and if it was not enough, what else could have been true."""
    console.print(f"\n{found['sentence']}")
    if found["witness"] is None or not found["witness"]["cells"]:
        return
    console.print("With every answer you got unchanged, another decision would have been better, had it been so:\n")
    table = Table("not read", "about", "in truth", "could be", box=None, pad_edge=False)
    for cell in found["witness"]["cells"][:6]:
        true = "" if cell["true"] is None else f"{cell['true']:,}"
        about = escape(shorten(" ".join(map(str, cell["row"]))))
        table.add_row(cell["column"].replace("_", " "), about, true, f"{cell['possible']:,}")
    console.print(table)
