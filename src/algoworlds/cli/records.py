"""`algoworlds records`: the finalized records of a run."""

import sys
from typing import Annotated

import typer

from algoworlds.cli.options import RunArgument
from algoworlds.cli.output import print_json


def records(
    directory: RunArgument, json: Annotated[bool, typer.Option("--json", help="One JSON array instead of JSON lines.")] = False
) -> None:
    """Print every finalized record as one line of JSON, sorted by world and trial."""
    from algoworlds.core.canonical import canonical_json
    from algoworlds.runs.directory import RunDirectory

    documents = RunDirectory(directory).read_records()
    if json:
        print_json(list(documents))
        return
    for document in documents:
        sys.stdout.write(canonical_json(document) + "\n")
