"""`algoworlds families`: what there is to choose from."""

from algoworlds.cli.flags import Json, print_json


def families(json: Json = False) -> None:
    """List the families: their decision problem, tools and levels."""
    from algoworlds.families import FAMILIES

    if json:
        print_json(
            [
                {
                    "name": each.name,
                    "title": each.title,
                    "summary": each.summary,
                    "sense": each.sense.value,
                    "levels": list(each.levels),
                    "channels": list(each.channels),
                    "tools": [*each.tools, each.template.closing.evaluate, each.template.closing.submit],
                }
                for each in FAMILIES.values()
            ]
        )
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("family", "goal", "decide", "levels", "info tools", box=None, pad_edge=False)
    for each in FAMILIES.values():
        levels = f"{min(each.levels)}-{max(each.levels)}"
        table.add_row(each.name, each.sense.value, each.summary, levels, str(len(each.tools) + 1))
    Console().print(table)
