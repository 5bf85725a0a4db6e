"""`algoworlds family check` and `family new`: families of your own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.options import ExecutorOption, FamilyArgument, JobsOption, JsonOption, parse_levels, require_positive
from algoworlds.cli.output import print_json, print_rows, print_stderr
from algoworlds.cli.progress import workers_with_progress
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, format_value

if TYPE_CHECKING:
    from algoworlds.suites.contracts.family_check import ContractReport


def check(
    name: FamilyArgument,
    instances: Annotated[int, typer.Option(help="Instances of every level to check.")] = 2,
    seed: Annotated[str | None, typer.Option(help="Any text selects other instances.")] = None,
    levels: Annotated[str | None, typer.Option(help="Comma-separated levels; default: 0,1,2,3,4.")] = None,
    jobs: JobsOption = 1,
    executor: ExecutorOption = None,
    json: JsonOption = False,
) -> None:
    """Check a family against every contract: brute force, work bands, plans, interfaces, counterfactuals, shortcuts, leaks."""
    from algoworlds.families import load_family
    from algoworlds.suites.contracts.family_check import CHECKED_LEVELS, check_family, check_reproduction
    from algoworlds.suites.suite import MAX_INSTANCES
    from algoworlds.worlds.admission import DEFAULT_SEED

    require_positive("--instances", instances, MAX_INSTANCES)
    chosen, available = parse_levels(levels), load_family(name).levels
    if missing := [level for level in chosen if level not in available]:
        raise InputError(f"{format_value(name)} has no level {missing[0]}; choose from {', '.join(map(str, available))}")
    seed = seed or DEFAULT_SEED
    chosen = chosen or CHECKED_LEVELS
    with workers_with_progress("checking", jobs, executor) as (workers, progress):
        report = check_family(name, seed, instances, workers, progress, chosen)
        check_reproduction(report, name, seed, chosen)
    contracts: list[JsonObject] = [
        {"contract": contract, "count": len(units), "passed": sum(problem is None for _, problem in units)}
        for contract, units in report.units.items()
    ]
    if json:
        failures = [
            {"contract": contract, "unit": unit, "level": report.levels[contract, unit], "problem": problem}
            for contract, unit, problem in report.breaches
        ]
        document = {"family": name, "seed": seed, "contracts": contracts, "failures": failures, "not_tried": report.notes}
        print_json(document)
    else:
        _print(contracts, report, seed)
    if report.breaches:
        raise typer.Exit(1)


def _print(contracts: list[JsonObject], report: "ContractReport", seed: str) -> None:
    """Print a table of the contracts, and for every broken one its first breach and how many more there are."""
    print_rows(("contract", "count", "passed"), [tuple(map(str, contract.values())) for contract in contracts])
    broken: dict[str, list[tuple[str, str]]] = {}
    for name, unit, problem in report.breaches:
        level = report.levels[name, unit]
        broken.setdefault(name, []).append((f"{unit} (level {level})" if level else unit, problem))
    for name, ((unit, problem), *more) in broken.items():
        rest = f" (and {len(more)} more)" if more else ""
        print_stderr(f"{name}: {unit}, seed {seed}: {problem}{rest}")
    for name, note in report.notes.items():
        print_stderr(f"{name}: not tried on {note}")


def new(
    name: Annotated[str, typer.Argument(help="The family's name: lower-case letters, digits and underscores.")],
    out: Annotated[Path | None, typer.Option(help="Directory to write into, which must be empty; default: NAME.")] = None,
    json: JsonOption = False,
) -> None:
    """Write a distribution with a small family that passes every contract, as a starting point for your own."""
    from algoworlds.cli.skeleton import write_skeleton

    directory = out or Path(name)
    files = write_skeleton(name, directory)
    if json:
        print_json({"out": str(directory), "files": files})
        return
    print(f"{len(files)} files in {directory}; next:\n  pip install -e {directory}\n  algoworlds family check {name}")
