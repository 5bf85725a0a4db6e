"""`algoworlds import`: trajectories of other harnesses become runs, and the authors' release becomes a suite."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.options import JobsOption, JsonOption, require_empty
from algoworlds.cli.output import print_result, print_stderr
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import format_value

if TYPE_CHECKING:
    from algoworlds.adapters.trajectory_import import ImportedTrajectory

NewRunOption = Annotated[Path, typer.Option("--out", help="Directory of the new run.")]
LabelOption = Annotated[str | None, typer.Option(help="Its name in tables; default: the agent's own name.")]


def atif(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Trajectories in ATIF: files, or folders of *.json.")],
    suite: Annotated[Path, typer.Option("--suite", metavar="SUITE", help="The suite that was played.")],
    out: NewRunOption,
    label: LabelOption = None,
    json: JsonOption = False,
) -> None:
    """Make a run from trajectories in ATIF, for report and verify-run.

    Every call is repeated and must get the same answer; a trajectory with a missing or different answer is refused.
    """
    from algoworlds.adapters.atif import read_trajectories

    _import("atif", lambda: list(read_trajectories(paths)), suite, out, label, json)


def inspect(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A log of inspect eval algoworlds/algoworlds.")],
    out: NewRunOption,
    suite: Annotated[
        Path | None, typer.Option(metavar="SUITE", help="The suite that was played; default: the path in the log.")
    ] = None,
    label: LabelOption = None,
    json: JsonOption = False,
) -> None:
    """Make a run from a log of Inspect, for report and verify-run: every call is repeated and must get the same answer."""
    from algoworlds.adapters.inspect_log import read_log, suite_path_from_log, track_from_log

    path = suite_path_from_log(log) if suite is None else suite
    _import("inspect", lambda: read_log(log), path, out, label, json, lambda: track_from_log(log))


def release(
    directory: Annotated[Path, typer.Argument(metavar="RELEASE", help="A checkout of the authors' release.")],
    out: Annotated[Path, typer.Option("--out", metavar="SUITE", help="The suite to write; it must not exist.")],
    jobs: JobsOption = 1,
    json: JsonOption = False,
) -> None:
    """Make a suite of the release of the paper's authors: ten families in both interfaces, with their prices, budgets and ids.

    Both exact algorithms solve every instance, and each optimum must equal the published certificate. Worlds with values
    of 2^53 and above are left out and named.
    """
    from algoworlds.adapters.release import import_release, read_release
    from algoworlds.cli.progress import workers_with_progress

    read = read_release(directory)
    with workers_with_progress("importing", jobs, None) as (workers, progress):
        manifest, left_out = import_release(read, out, workers, progress)
    document: JsonObject = {"out": str(out), "worlds": len(manifest.worlds), "root": manifest.root}
    document["left_out"] = [{"world": name, "reason": reason} for name, reason in left_out.items()]
    text = f"{len(manifest.worlds)} worlds in {format_value(out)}, all optima equal the certificates, root {manifest.root}"
    print_result(document, text, json)
    for name, reason in {} if json else left_out.items():
        print_stderr(f"left out: {name}: {reason}")


def _import(
    harness: str,
    read: "Callable[[], list[ImportedTrajectory]]",
    suite: Path,
    out: Path,
    label: str | None,
    json: bool,
    read_track: Callable[[], str] = lambda: "bare",
) -> None:
    from algoworlds.adapters.trajectory_import import import_trajectories
    from algoworlds.suites.open import open_suite

    if not (out / "run.json").is_file():  # an import that was killed goes on
        require_empty(out)
    opened = open_suite(suite).on_track(read_track())
    trajectories = read()
    run = import_trajectories(trajectories, opened, out, label, harness)
    count = len(trajectories)
    print_result({"evaluations": count, "out": str(run.path)}, f"{count} evaluations in {format_value(out)}", json)
