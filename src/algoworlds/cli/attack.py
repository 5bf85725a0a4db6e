"""`algoworlds attack`: how often solvers without an exact algorithm find the optimum of fresh worlds."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.options import (
    ExecutorOption,
    FamiliesOption,
    JobsOption,
    JsonOption,
    parse_levels,
    require_positive,
    split_commas,
)
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.cli.progress import progress_bar
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, quote_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from algoworlds.grid import Grid
    from algoworlds.suites.attack.panel import AttackRun
    from algoworlds.suites.attack.summary import HardnessSummary, PriorResult
    from algoworlds.worlds.admission import Coordinate

_DEEP_BUDGET = 1_000_000
MAX_BUDGET = 100 * _DEEP_BUDGET
"""Evaluations of an attacker; more would take weeks."""


def attack(
    out: Annotated[Path, typer.Option(help="Directory for tables and figure; an interrupted attack there is continued.")],
    families: FamiliesOption = None,
    levels: Annotated[str, typer.Option(help="Comma-separated levels.")] = "1,2,3,4",
    instances: Annotated[int, typer.Option(help="Fresh instances per family and level.")] = 30,
    budget: Annotated[int, typer.Option(help="Maximum evaluations of an attacker per instance.")] = 10_000,
    deep: Annotated[bool, typer.Option("--deep", help="The same as --budget 1000000.")] = False,
    kinds: Annotated[
        str, typer.Option(help="Kinds of attackers: shortcut (no global optimization), algorithm (better exact methods).")
    ] = "shortcut,algorithm",
    prior: Annotated[bool, typer.Option(help="Learn a prior on other seeds (needs scikit-learn).")] = True,
    seed: Annotated[str | None, typer.Option(help="Any text selects other fresh instances.")] = None,
    jobs: JobsOption = 1,
    executor: ExecutorOption = None,
    json: JsonOption = False,
) -> None:
    """Attack fresh worlds with all information but no exact algorithm, and report which hardness goals are missed."""
    from importlib.util import find_spec

    from algoworlds.batch import open_executor
    from algoworlds.disk import lock_folder
    from algoworlds.suites.attack.panel import PANEL_SEED
    from algoworlds.suites.attack.summary import missed_goals, panel_tables, summarize_runs
    from algoworlds.suites.suite import MAX_INSTANCES

    if prior and find_spec("sklearn") is None:
        raise InputError("a prior needs scikit-learn: pip install 'algoworlds[attack]', or use --no-prior")
    require_positive("--instances", instances, MAX_INSTANCES)
    coordinates = _coordinates(families, levels, instances, PANEL_SEED if seed is None else seed)
    budget = _DEEP_BUDGET if deep else budget
    if budget < 10:
        raise InputError(f"--budget must be at least 10 evaluations, not {budget}")
    require_positive("--budget", budget, MAX_BUDGET)
    out.mkdir(parents=True, exist_ok=True)
    with lock_folder(out), open_executor(jobs, executor) as workers:
        runs = _run_attacks(coordinates, budget, _parse_kinds(kinds), out, workers)
        summaries = summarize_runs(runs, _learn_priors(runs, out, workers) if prior else {})
        misses = missed_goals(summaries)
        tables = panel_tables(summaries, misses)
        document = {
            "standings": [summary.document for summary in summaries],
            "missed_goals": [vars(miss) for miss in misses],
        }
        _write(out, summaries, tables, document)
    if json:
        print_json(document)
    else:
        _print(tables, len(misses), out)


def _coordinates(families: str | None, levels: str, instances: int, seed: str) -> "list[Coordinate]":
    from algoworlds.families import available_families, load_family
    from algoworlds.hardness.attackers import unattackable
    from algoworlds.worlds.admission import Coordinate

    sorted_levels = sorted(set(parse_levels(levels)))
    attackable = [family.name for family in available_families()[0] if family.hardness.search_space is not None]
    names = list(dict.fromkeys(split_commas("--families", families))) or attackable
    for name in names:
        if problem := unattackable(load_family(name)):
            raise InputError(problem)
    indices = range(1, instances + 1)
    return [Coordinate(name, level, index, seed) for name in names for level in sorted_levels for index in indices]


def _parse_kinds(text: str) -> tuple[str, ...]:
    from algoworlds.suites.attack.panel import ATTACKERS_BY_KIND

    kinds = tuple(dict.fromkeys(text.split(",")))
    if unknown := [kind for kind in kinds if kind not in ATTACKERS_BY_KIND]:
        raise InputError(
            f"--kinds takes {' and '.join(ATTACKERS_BY_KIND)}, separated by a comma, not {quote_value(unknown[0])}"
        )
    return kinds


def _run_attacks(
    coordinates: "Sequence[Coordinate]", budget: int, kinds: tuple[str, ...], out: Path, workers: Executor | None
) -> "list[AttackRun]":
    """Attack every coordinate, hardest level first so that the longest tasks do not come last."""
    from algoworlds.suites.attack.panel import AttackRun, AttackTask, budgets_up_to, run_attack_task, run_resumable

    hardest_first = sorted(coordinates, key=lambda coordinate: -coordinate.level)
    tasks = [AttackTask(coordinate, budgets_up_to(budget), kinds) for coordinate in hardest_first]
    with progress_bar("attacking") as progress:
        documents = run_resumable(run_attack_task, tasks, out / "attacks.jsonl", workers, progress, print_stderr)
    run_at = {run.coordinate: run for run in map(AttackRun.from_json, documents)}
    return [run_at[coordinate] for coordinate in coordinates]


def _learn_priors(runs: "Sequence[AttackRun]", out: Path, workers: Executor | None) -> "dict[tuple[str, int], PriorResult]":
    """Learn one prior for every family and level."""
    from algoworlds.suites.attack.panel import run_resumable
    from algoworlds.suites.attack.prior import PriorTask, learn_prior
    from algoworlds.suites.attack.summary import PriorResult

    groups: dict[tuple[str, int], list[Any]] = {}
    for run in runs:
        groups.setdefault((run.coordinate.family, run.coordinate.level), []).append((run.coordinate, run.attempt))
    with progress_bar("learning") as progress:
        tasks = [PriorTask(tuple(group)) for group in groups.values()]
        results = run_resumable(learn_prior, tasks, out / "priors.jsonl", workers, progress, print_stderr)
    return {
        family_and_level: PriorResult(100 * result["exact"], result["public_auc"], result["public_error"])
        for family_and_level, result in zip(groups, results, strict=True)
    }


def _write(out: Path, summaries: "Sequence[HardnessSummary]", tables: "dict[str, Grid]", document: JsonObject) -> None:
    """Write all tables, `document`, and if matplotlib is installed the figure; the tables hold its numbers."""
    import json
    from importlib.util import find_spec

    from algoworlds.disk import write_atomic
    from algoworlds.grid import to_csv, to_latex, to_markdown

    writers: dict[str, Callable[[Grid], str]] = {"md": to_markdown, "csv": to_csv, "tex": to_latex}
    for name, grid in tables.items():
        for suffix, writer in writers.items():
            write_atomic(out / f"{name}.{suffix}", f"{writer(grid)}\n".encode())
    write_atomic(out / "hardness.json", f"{json.dumps(document, indent=2, sort_keys=True)}\n".encode())
    if find_spec("matplotlib") is None:
        typer.echo("no figure without matplotlib: pip install 'algoworlds[attack]'", err=True)
        return
    from algoworlds.reports.figures import exact_over_evaluations
    from algoworlds.reports.result_figures import figure_files

    for name, content in figure_files({"exact_over_evaluations": exact_over_evaluations(summaries)}):
        write_atomic(out / name, content)


def _print(tables: "dict[str, Grid]", misses: int, out: Path) -> None:
    from algoworlds.cli.console import SafeConsole
    from algoworlds.cli.tables import print_table

    console = SafeConsole()
    print_table(console, tables["hardness"])
    if misses:
        print_table(console, tables["missed_goals"])
    console.print(to_one_line(f"{misses or 'no'} goals missed; tables and figure in {out}"), soft_wrap=True, markup=False)
