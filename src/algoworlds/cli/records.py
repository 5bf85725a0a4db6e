"""`algoworlds records`: the finalized records of a run."""

import sys
from collections.abc import Iterator
from typing import Annotated

import typer

from algoworlds.cli.options import RunArgument
from algoworlds.cli.output import print_json
from algoworlds.core.canonical import JsonObject


def records(
    directory: RunArgument,
    judged: Annotated[
        bool, typer.Option("--judged", help="Add a field judgement: what algoworlds judge has found, or null.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON array instead of JSON lines.")] = False,
) -> None:
    """Print every finalized record as one line of JSON, sorted by world and trial.

    In Python, algoworlds.read_run(RUN) gives the same evaluations as plain rows for data frames.
    """
    from algoworlds.core.canonical import canonical_json
    from algoworlds.runs.run import Run

    def documents() -> Iterator[JsonObject]:
        if not judged:
            yield from Run(directory).iterate_records()
            return
        for record, judgement in Run(directory).iterate_judged_records():
            yield record | {"judgement": judgement}

    if json:
        print_json(list(documents()))
        return
    for document in documents():
        sys.stdout.write(canonical_json(document) + "\n")
