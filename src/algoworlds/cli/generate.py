"""`algoworlds generate`: one certified hidden instance."""

import sys
from typing import Annotated

import typer

from algoworlds.cli.options import FamilyArgument, JsonOption, SeedOption


def generate(
    family: FamilyArgument,
    level: Annotated[int, typer.Option(help="Workload level, 0-4; 0 is for trying things out.")] = 1,
    index: Annotated[int, typer.Option(help="Instance index, counted from 1.")] = 1,
    seed: SeedOption = None,
    json: JsonOption = False,
) -> None:
    """Generate the instance at a coordinate, certify it, and print it as JSON tables.

    A line on stderr states what was certified; --json leaves it out.
    """
    from algoworlds.worlds.admission import DEFAULT_SEED, Coordinate, admit

    admitted = admit(Coordinate(family, level, index, seed or DEFAULT_SEED))
    typer.echo(admitted.instance.canonical_json)
    if not json:
        print(
            f"{admitted.coordinate.name}: attempt {admitted.attempt} admitted, unique optimum confirmed by two algorithms, "
            f"work {admitted.solution.work.total:,}, sha256 {admitted.instance.digest[:16]}",
            file=sys.stderr,
        )
