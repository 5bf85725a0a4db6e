"""`algoworlds describe`: tables of the benchmark's construction, generated from its declarations."""

from typing import Annotated

import typer

from algoworlds.cli.completion import complete_table
from algoworlds.cli.options import FormatOption, JsonOption, TableFormat
from algoworlds.cli.output import format_tables, print_json
from algoworlds.errors import InputError, quote_value


def describe(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[TABLE...]", help="Which tables; default: all.", autocompletion=complete_table),
    ] = None,
    form: FormatOption = TableFormat.TEXT,
    json: JsonOption = False,
) -> None:
    """Print how the benchmark is made: families, generation controls, templates, tools, verification, measures, work, models.

    The tables are families, controls, levels, components, tools, verification, metrics, counters, bands, drivers and subjects.
    """
    from rich.text import Text

    from algoworlds.cli.console import SafeConsole
    from algoworlds.cli.tables import print_table
    from algoworlds.reports.descriptions import DESCRIPTIONS, description_tables

    available = [description.__name__ for description in DESCRIPTIONS]
    if unknown := [name for name in names or () if name not in available]:
        raise InputError(f"there is no table {quote_value(unknown[0])}; choose from {', '.join(available)}")
    tables = description_tables(names or ())
    if json:
        print_json({name: [dict(zip(table.head, row, strict=True)) for row in table.rows] for name, table in tables.items()})
    elif form is not TableFormat.TEXT:
        print(format_tables(tables, form))
    else:
        console = SafeConsole()
        for table in tables.values():
            console.print(Text(table.caption), style="bold")
            print_table(console, table)
