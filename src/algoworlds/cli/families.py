"""`algoworlds families`: what there is to choose from."""

from typing import TYPE_CHECKING, Any

from algoworlds.cli.flags import Json, print_json
from algoworlds.cli.streams import complain

if TYPE_CHECKING:
    from algoworlds.families.family import Family


def families(json: Json = False) -> None:
    """List the families, those of installed distributions included: their decision problem, tools and levels."""
    from algoworlds.families import available

    found, problems = available()
    if json:
        print_json([_described(each) for each in found])
    else:
        _print(found)
    for problem in problems:
        complain(f"algoworlds: {problem}")


def _described(each: "Family[Any, Any]") -> dict[str, Any]:
    return {
        "name": each.name,
        "title": each.title,
        "summary": each.summary,
        "sense": each.sense.value,
        "levels": list(each.levels),
        "channels": list(each.channels),
        "tools": [*each.tools, each.template.closing.evaluate, each.template.closing.submit],
    }


def _print(found: "list[Family[Any, Any]]") -> None:
    from rich.console import Console

    from algoworlds.cli.printing import print_table
    from algoworlds.grid import Grid

    rows = [
        (each.name, each.sense.value, each.summary, f"{min(each.levels)}-{max(each.levels)}", str(len(each.tools) + 1))
        for each in found
    ]
    heads = ("family", "goal", "decide", "levels", "info tools")
    print_table(Console(highlight=False), Grid("families", "", heads, tuple(rows)))
