"""`algoworlds generate`: one certified hidden instance."""

import sys
from typing import Annotated

import typer

from algoworlds.cli.flags import Json, Seed


def generate(
    family: Annotated[str, typer.Argument(help="A family's name; `algoworlds families` lists them.")],
    level: Annotated[int, typer.Option(help="Workload level, 0-4; 0 is for trying things out.")] = 1,
    index: Annotated[int, typer.Option(help="Instance index, counted from 1.")] = 1,
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Generate the instance at a coordinate, certify it, and print it as JSON tables.

    A line on stderr says what was certified; --json leaves it out.
    """
    from algoworlds.worlds.admit import DEFAULT_SEED, Coordinate, admit

    admitted = admit(Coordinate(family, level, index, seed or DEFAULT_SEED))
    typer.echo(admitted.instance.text)
    if not json:
        print(
            f"{admitted.coordinate.name}: attempt {admitted.attempt} admitted, unique optimum confirmed by two algorithms, "
            f"work {admitted.solution.work.total:,}, sha256 {admitted.instance.digest[:16]}",
            file=sys.stderr,
        )
