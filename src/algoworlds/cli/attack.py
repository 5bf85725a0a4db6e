"""`algoworlds attack`: how far worlds fall to anything cheaper than global optimization."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.flags import Json, levels_of, print_json
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.release import Engine, Jobs
from algoworlds.errors import InputError
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from algoworlds.suites.attack.siege import Siege
    from algoworlds.suites.attack.standing import Prior, Standing
    from algoworlds.worlds.admit import Coordinate

_DEEP = 1_000_000


def attack(
    out: Annotated[Path, typer.Option(help="Directory for tables and figure; an interrupted panel there is continued.")],
    families: Annotated[str | None, typer.Option(help="Comma-separated names; all that have a hand if left out.")] = None,
    levels: Annotated[str, typer.Option(help="Comma-separated levels.")] = "1,2,3,4",
    instances: Annotated[int, typer.Option(help="Fresh instances per family and level.")] = 30,
    budget: Annotated[int, typer.Option(help="Most evaluations of an attacker on an instance.")] = 10_000,
    deep: Annotated[bool, typer.Option("--deep", help="The same as --budget 1000000.")] = False,
    prior: Annotated[bool, typer.Option(help="Learn a prior on other seeds (needs scikit-learn).")] = True,
    seed: Annotated[str | None, typer.Option(help="Any text: other fresh instances than usual.")] = None,
    jobs: Jobs = 1,
    executor: Engine = None,
    json: Json = False,
) -> None:
    """Attack fresh worlds with all information and no exact algorithm, and say which hardness goals are missed."""
    from algoworlds.batch import engine
    from algoworlds.disk import alone
    from algoworlds.suites.attack.goals import missed
    from algoworlds.suites.attack.siege import SEED
    from algoworlds.suites.attack.standing import standings

    if prior:
        _need_scikit()
    places = _places(families, levels, instances, SEED if seed is None else seed)
    most = _DEEP if deep else budget
    if most < 10:
        raise InputError(f"--budget counts evaluations from 10, so {most} is too few")
    out.mkdir(parents=True, exist_ok=True)
    with alone(out), engine(jobs, executor) as workers:
        sieges = _sieges(places, most, out, workers)
        found = standings(sieges, _priors(sieges, out, workers) if prior else {})
        document = _write(out, found)
    if json:
        print_json(document)
    else:
        _print(found, len(missed(found)), out)


def _need_scikit() -> None:
    from importlib.util import find_spec

    if find_spec("sklearn") is None:
        raise InputError("a prior needs scikit-learn: pip install 'algoworlds[attack]', or say --no-prior")


def _places(families: str | None, levels: str, instances: int, seed: str) -> "list[Coordinate]":
    from algoworlds.families import available, family
    from algoworlds.suites.attack.game import unattackable
    from algoworlds.worlds.admit import Coordinate

    if instances < 1:
        raise InputError(f"--instances counts from 1, so {instances} is none")
    depths = sorted(set(levels_of(levels)))
    known = [each.name for each in available()[0] if each.hardness.hand is not None]
    names = list(dict.fromkeys(families.split(","))) if families else known
    for name in names:
        if problem := unattackable(family(name)):
            raise InputError(problem)
    return [Coordinate(name, level, at, seed) for name in names for level in depths for at in range(1, instances + 1)]


def _sieges(places: "Sequence[Coordinate]", most: int, out: Path, workers: Executor | None) -> "list[Siege]":
    from algoworlds.suites.attack.ledger import resumed
    from algoworlds.suites.attack.siege import Siege, Target, budgets_up_to, lay

    targets = [Target(place, budgets_up_to(most)) for place in sorted(places, key=lambda each: -each.level)]
    with progress_bar("attacking") as progress:
        laid = resumed(lay, targets, out / "sieges.jsonl", workers, progress)
    by_place = {siege.coordinate: siege for siege in map(Siege.read, laid)}
    return [by_place[place] for place in places]


def _priors(sieges: "Sequence[Siege]", out: Path, workers: Executor | None) -> "dict[tuple[str, int], Prior]":
    from algoworlds.suites.attack.ledger import resumed
    from algoworlds.suites.attack.prior import Study, study
    from algoworlds.suites.attack.standing import Prior

    groups: dict[tuple[str, int], list[Any]] = {}
    for each in sieges:
        groups.setdefault((each.coordinate.family, each.coordinate.level), []).append((each.coordinate, each.attempt))
    with progress_bar("learning") as progress:
        studies = [Study(tuple(each)) for each in groups.values()]
        found = resumed(study, studies, out / "priors.jsonl", workers, progress)
    return {
        place: Prior(100 * each["exact"], each["public_auc"], each["public_error"])
        for place, each in zip(groups, found, strict=True)
    }


def _write(out: Path, found: "Sequence[Standing]") -> dict[str, Any]:
    """Write all tables and the figure; the document that holds everything."""
    import json

    from algoworlds.disk import write_whole
    from algoworlds.grid import Grid, comma_separated, latex, markdown
    from algoworlds.suites.attack.goals import missed
    from algoworlds.suites.attack.grids import grids

    misses = missed(found)
    tables = grids(found, misses)
    document = {"standings": [each.document for each in found], "missed_goals": [vars(each) for each in misses]}
    writers: dict[str, Callable[[Grid], str]] = {"md": markdown, "csv": comma_separated, "tex": latex}
    for name, grid in tables.items():
        for form, writer in writers.items():
            write_whole(out / f"{name}.{form}", f"{writer(grid)}\n".encode())
    write_whole(out / "hardness.json", f"{json.dumps(document, indent=2, sort_keys=True)}\n".encode())
    _draw(out, found)
    return document


def _draw(out: Path, found: "Sequence[Standing]") -> None:
    """The figure, where matplotlib is installed; the tables hold its numbers."""
    from importlib.util import find_spec

    from algoworlds.disk import write_whole

    if find_spec("matplotlib") is None:
        typer.echo("no figure without matplotlib: pip install 'algoworlds[attack]'", err=True)
        return
    from algoworlds.reports.hardness import exact_over_evaluations
    from algoworlds.reports.illustrate import figure_files

    for name, content in figure_files({"exact_over_evaluations": exact_over_evaluations(found)}):
        write_whole(out / name, content)


def _print(found: "Sequence[Standing]", misses: int, out: Path) -> None:
    from rich.console import Console

    from algoworlds.cli.printing import print_table
    from algoworlds.suites.attack.goals import missed
    from algoworlds.suites.attack.grids import grids

    console, tables = Console(highlight=False), grids(found, missed(found))
    print_table(console, tables["hardness"])
    if misses:
        print_table(console, tables["missed_goals"])
    console.print(one_line(f"{misses or 'no'} goals missed; tables and figure in {out}"), soft_wrap=True, markup=False)
