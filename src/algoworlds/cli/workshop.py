"""`algoworlds family check` and `family new`: a family of one's own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.flags import Json, levels_of, print_json
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.release import Engine, Jobs
from algoworlds.cli.streams import complain
from algoworlds.errors import InputError

if TYPE_CHECKING:
    from algoworlds.suites.contracts.holding import Held

Name = Annotated[str, typer.Argument(help="The family's name: lower-case letters, digits and underscores.")]


def check(
    name: Name,
    instances: Annotated[int, typer.Option(help="Instances of every level to hold to the contracts.")] = 2,
    seed: Annotated[str | None, typer.Option(help="Any other text gives other instances.")] = None,
    levels: Annotated[str | None, typer.Option(help="Comma-separated levels; 0,1,2,3,4 if left out.")] = None,
    jobs: Jobs = 1,
    executor: Engine = None,
    json: Json = False,
) -> None:
    """Hold a family to every contract: brute force, work bands, plans, interfaces, counterfactuals, shortcuts, leaks."""
    from algoworlds.batch import engine
    from algoworlds.suites.contracts.holding import LEVELS, hold
    from algoworlds.worlds.admit import DEFAULT_SEED

    if instances < 1:
        raise InputError(f"--instances counts from 1, so {instances} is none")
    chosen = seed or DEFAULT_SEED
    with engine(jobs, executor) as workers, progress_bar("checking") as progress:
        held = hold(name, chosen, instances, workers, progress, levels_of(levels) or LEVELS)
    if json:
        print_json(_document(name, chosen, held))
    else:
        _print(held)
        _print_breaches(held, chosen)
    if held.breaches:
        raise typer.Exit(1)


def _document(name: str, seed: str, held: "Held") -> dict[str, Any]:
    return {
        "family": name,
        "seed": seed,
        "contracts": [
            {"contract": contract, "count": len(units), "passed": sum(problem is None for _, problem in units)}
            for contract, units in held.units.items()
        ],
        "failures": [{"contract": contract, "unit": unit, "problem": problem} for contract, unit, problem in held.breaches],
        "not_tried": held.notes,
    }


def _print(held: "Held") -> None:
    from rich.console import Console

    from algoworlds.cli.printing import print_table
    from algoworlds.grid import Grid

    rows = [
        (contract, str(len(units)), str(sum(problem is None for _, problem in units))) for contract, units in held.units.items()
    ]
    print_table(Console(highlight=False), Grid("contracts", "", ("contract", "count", "passed"), tuple(rows)))


def _print_breaches(held: "Held", seed: str) -> None:
    """One line a contract: the first unit that breaks it, the seed to find it by, and how many more there are."""
    broken: dict[str, list[tuple[str, str]]] = {}
    for contract, unit, problem in held.breaches:
        broken.setdefault(contract, []).append((unit, problem))
    for contract, ((unit, problem), *more) in broken.items():
        rest = f" (and {len(more)} more)" if more else ""
        complain(f"{contract}: {unit}, seed {seed}: {problem}{rest}")
    for contract, note in held.notes.items():
        complain(f"{contract}: not tried on {note}")


def new(
    name: Name,
    out: Annotated[Path | None, typer.Option(help="Directory to write into, which must be empty; NAME if left out.")] = None,
    json: Json = False,
) -> None:
    """Write a distribution with a small family that passes every contract, to be changed into one's own part by part."""
    from algoworlds.cli.skeleton import write

    directory = out or Path(name)
    files = write(name, directory)
    if json:
        print_json({"out": str(directory), "files": files})
        return
    print(f"{len(files)} files in {directory}; next:")
    print(f"  pip install -e {directory}")
    print(f"  algoworlds family check {name}")
