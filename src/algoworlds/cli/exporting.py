"""`algoworlds export` and `import`: suites as datasets, runs as trajectories and traces, and trajectories as runs."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.evaluate import Run, SuiteOf
from algoworlds.cli.flags import Json, print_json, require_outside, resolved
from algoworlds.cli.release import Directory
from algoworlds.errors import InputError, shown
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from algoworlds.adapters.adopting import Brought
    from algoworlds.adapters.trajectory import Journey
    from algoworlds.runs.directory import RunDirectory

Folder = Annotated[Path, typer.Option("--out", help="Directory to write; it must be new or empty.")]


def hf(
    directory: Directory,
    out: Folder,
    answers: Annotated[
        Path | None, typer.Option(help="Write the answers here, as a dataset of its own to be gated; public suites only.")
    ] = None,
    json: Json = False,
) -> None:
    """Write the public half of a suite as a dataset for the Hugging Face Hub: parquet, a card, Croissant metadata.

    Every row holds the canary. No sealed file is read, unless for --answers, which a private suite refuses.
    """
    from algoworlds.adapters.huggingface import answers_of, worlds_of, write_dataset
    from algoworlds.suites.opened import open_suite
    from algoworlds.suites.public import open_public

    public = open_public(directory)
    for place in (out, *([] if answers is None else [answers])):
        _require_new(place)
        require_outside(place, directory)
    if answers is not None:
        here, there = resolved(out), resolved(answers)
        if here.is_relative_to(there) or there.is_relative_to(here):
            raise InputError("--out and --answers lie in one another, and only one of them is gated: choose folders apart")
    datasets = [(worlds_of(public), out), *([(answers_of(open_suite(directory)), answers)] if answers is not None else [])]
    files = [path for dataset, place in datasets for path in write_dataset(dataset, public, place)]
    _print(json, {"rows": len(public.entries), "files": list(map(str, files))}, f"{len(public.entries)} worlds in {shown(out)}")


def atif(directory: Run, out: Folder, suite: SuiteOf = None, json: Json = False) -> None:
    """Write every evaluation of a run as a trajectory in ATIF 1.8, Harbor's interchange format: one file each."""
    from algoworlds.adapters.atif import trajectory

    _write_each(directory, suite, out, trajectory, json)


def otel(
    directory: Run,
    out: Annotated[Path, typer.Option(help="File to write: OTLP in JSON, one evaluation a line, as collectors read it.")],
    suite: SuiteOf = None,
    json: Json = False,
) -> None:
    """Write a run as traces by OpenTelemetry's GenAI conventions: spans of the agent, of turns and of tool calls.

    Times are the log of attempts' where there is one; other runs tell their order only.
    """
    from algoworlds.adapters.opentelemetry import trace
    from algoworlds.core.canonical import compact_text
    from algoworlds.disk import write_once

    lines = [compact_text(trace(run, each)) + "\n" for run, each in _evaluations(directory, suite, out)]
    try:
        write_once(out, "".join(lines).encode())
    except FileExistsError:
        raise InputError(f"{shown(out)} exists: choose another --out") from None
    _print(json, {"traces": len(lines), "out": str(out)}, f"{len(lines)} traces in {shown(out)}")


def _evaluations(directory: Path, suite: Path | None, out: Path) -> "list[tuple[RunDirectory, Journey]]":
    from algoworlds.adapters.trajectory import told
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import suite_of

    run = RunDirectory(directory)
    require_outside(out, directory, "run")
    return [(run, each) for each in told(run, suite_of(run, suite))]


def _write_each(
    directory: Path, suite: Path | None, out: Path, made: "Callable[[RunDirectory, Journey], dict[str, Any]]", json: bool
) -> None:
    """Write one document an evaluation into a new folder."""
    from algoworlds.core.canonical import compact_text
    from algoworlds.disk import write_whole

    _require_new(out)
    found = _evaluations(directory, suite, out)
    out.mkdir(parents=True, exist_ok=True)
    for run, each in found:
        write_whole(out / f"{each.slot.name}.json", compact_text(made(run, each)).encode() + b"\n", durable=False)
    _print(json, {"trajectories": len(found), "out": str(out)}, f"{len(found)} trajectories in {shown(out)}")


PlayedOn = Annotated[Path, typer.Option("--suite", help="The suite that was played.")]
Made = Annotated[Path, typer.Option("--out", help="Directory of the run to be made.")]
Label = Annotated[str | None, typer.Option(help="How tables call it; the agent's own name if left out.")]


def import_atif(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Trajectories in ATIF: files, or folders of *.json.")],
    suite: PlayedOn,
    out: Made,
    label: Label = None,
    json: Json = False,
) -> None:
    """Make a run of trajectories that others kept in ATIF, as report and verify-run take it.

    Every call is made again and must be answered as it was; a trajectory that lacks an answer, or was answered otherwise, is
    refused.
    """
    from algoworlds.adapters.atif import read_trajectories

    _adopt("atif", lambda: list(read_trajectories(paths)), suite, out, label, json)


def import_inspect(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A log of inspect eval algoworlds/algoworlds.")],
    out: Made,
    suite: Annotated[Path | None, typer.Option(help="The suite that was played; where the log says if left out.")] = None,
    label: Label = None,
    json: Json = False,
) -> None:
    """Make a run of a log of Inspect, as report and verify-run take it: every call is made again, and answered as it was."""
    from algoworlds.adapters.inspect_log import read_log, suite_of_log

    _adopt("inspect", lambda: read_log(log), suite_of_log(log) if suite is None else suite, out, label, json)


def _adopt(harness: str, read: "Callable[[], list[Brought]]", suite: Path, out: Path, label: str | None, json: bool) -> None:
    from algoworlds.adapters.adopting import adopt
    from algoworlds.suites.opened import open_suite

    _require_new(out)
    opened, brought = open_suite(suite), read()
    run = adopt(brought, opened, out, label, harness)
    _print(json, {"evaluations": len(brought), "out": str(run.path)}, f"{len(brought)} evaluations in {shown(out)}")


def _require_new(out: Path) -> None:
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise InputError(f"{shown(out)} is there and not empty: choose another")


def _print(json: bool, told: dict[str, Any], line: str) -> None:
    if json:
        print_json(told)
    else:
        print(one_line(line))
