"""`algoworlds describe`: how the benchmark is made, as tables from its declarations."""

from typing import Annotated

import typer

from algoworlds.cli.flags import Json, print_json
from algoworlds.cli.release import Form, written
from algoworlds.errors import InputError, quoted


def describe(
    names: Annotated[list[str] | None, typer.Argument(metavar="[TABLE...]", help="Which tables; all if left out.")] = None,
    form: Annotated[Form, typer.Option("--format", help="How to write the tables.")] = Form.TEXT,
    json: Json = False,
) -> None:
    """Print how the benchmark is made: families, generation controls, templates, tools, verification, measures, work, models.

    The tables are families, controls, levels, components, tools, verification, metrics, counters, bands, drivers and subjects.
    """
    from rich.console import Console
    from rich.text import Text

    from algoworlds.cli.printing import print_table
    from algoworlds.reports.declared import DESCRIPTIONS, descriptions

    known = [each.__name__ for each in DESCRIPTIONS]
    if strange := [each for each in names or () if each not in known]:
        raise InputError(f"there is no table {quoted(strange[0])}; choose from {', '.join(known)}")
    tables = descriptions(names or ())
    if json:
        print_json({name: [dict(zip(each.head, row, strict=True)) for row in each.rows] for name, each in tables.items()})
    elif form is not Form.TEXT:
        print(written(tables, form))
    else:
        console = Console(highlight=False)
        for each in tables.values():
            console.print(Text(each.caption), style="bold")
            print_table(console, each)
