"""`algoworlds export`: suites as datasets, runs as trajectories and traces."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.options import (
    ConditionsOption,
    FamiliesOption,
    InterfacesOption,
    JsonOption,
    LevelsOption,
    RunArgument,
    SuiteArgument,
    SuiteOption,
    WorldsOption,
    require_empty,
    require_mcp,
    require_outside,
    resolve_path,
    select_worlds,
)
from algoworlds.cli.output import print_result
from algoworlds.cli.progress import workers_with_progress
from algoworlds.errors import InputError, format_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from algoworlds.adapters.trajectory import Trajectory
    from algoworlds.runs.directory import RunDirectory

NewFolderOption = Annotated[Path, typer.Option("--out", help="Directory to write; it must be new or empty.")]


def hf(
    suite: SuiteArgument,
    out: NewFolderOption,
    answers: Annotated[
        Path | None, typer.Option(help="Write the answers here, as a separate dataset to be gated; public suites only.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Write the public half of a suite as a dataset for the Hugging Face Hub: parquet, a card, Croissant metadata.

    Every row holds the canary. No sealed file is read, except for --answers, which a private suite refuses.
    """
    from algoworlds.adapters.export_files import require_free, write_files
    from algoworlds.adapters.huggingface import CARD_FILE, answers_dataset, dataset_files, worlds_dataset
    from algoworlds.suites.open import open_public_suite, open_suite

    public = open_public_suite(suite)
    for folder in (out, *([] if answers is None else [answers])):
        require_outside(folder, suite)
        if not (folder / CARD_FILE).is_file():  # not an earlier export, whose files are compared later
            require_empty(folder)
    if answers is not None:
        resolved_out, resolved_answers = resolve_path(out), resolve_path(answers)
        if resolved_out.is_relative_to(resolved_answers) or resolved_answers.is_relative_to(resolved_out):
            raise InputError("one of --out and --answers lies in the other, but only one is gated: choose separate folders")
    datasets = {out: worlds_dataset(public)}
    if answers is not None:
        datasets[answers] = answers_dataset(open_suite(suite))
    exports = {folder: dataset_files(dataset, public) for folder, dataset in datasets.items()}
    for folder, files in exports.items():
        require_free(folder, files)
    for folder, files in exports.items():
        write_files(folder, files)
    paths = [str(folder / name) for folder, files in exports.items() for name in files]
    document = {"rows": len(public.entries), "files": paths}
    print_result(document, f"{len(public.entries)} worlds in {format_value(out)}", json)


NoThinkingOption = Annotated[
    bool, typer.Option("--no-thinking", help="Leave out the texts of the model's thinking, as for a private suite.")
]


def atif(
    directory: RunArgument,
    out: NewFolderOption,
    suite: SuiteOption = None,
    no_thinking: NoThinkingOption = False,
    json: JsonOption = False,
) -> None:
    """Write every evaluation of a run as a trajectory in ATIF 1.8, Harbor's interchange format: one file each."""
    from algoworlds.adapters.atif import encode_trajectory
    from algoworlds.adapters.export_files import write_files
    from algoworlds.core.canonical import compact_json

    run, trajectories = _load_trajectories(directory, suite, out, no_thinking)
    files = {
        f"{trajectory.slot.name}.json": compact_json(encode_trajectory(run, trajectory)).encode() + b"\n"
        for trajectory in trajectories
    }
    write_files(out, files)
    count = len(trajectories)
    print_result({"trajectories": count, "out": str(out)}, f"{count} trajectories in {format_value(out)}", json)


def otel(
    directory: RunArgument,
    out: Annotated[Path, typer.Option(help="File to write: OTLP in JSON, one evaluation per line, as collectors read it.")],
    suite: SuiteOption = None,
    no_thinking: NoThinkingOption = False,
    json: JsonOption = False,
) -> None:
    """Write a run as traces by OpenTelemetry's GenAI conventions: spans of the agent, of turns and of tool calls.

    Times come from the log of attempts if there is one; traces of other runs state the order only.
    """
    from algoworlds.adapters.export_files import write_file
    from algoworlds.adapters.opentelemetry import encode_trace
    from algoworlds.core.canonical import compact_json

    run, trajectories = _load_trajectories(directory, suite, out, no_thinking)
    lines = [compact_json(encode_trace(run, trajectory)) + "\n" for trajectory in trajectories]
    write_file(out, "".join(lines).encode())
    print_result({"traces": len(lines), "out": str(out)}, f"{len(lines)} traces in {format_value(out)}", json)


def eee(
    directory: RunArgument,
    out: NewFolderOption,
    suite: SuiteOption = None,
    model_id: Annotated[
        str | None, typer.Option(metavar="DEVELOPER/MODEL", help="Id of what played, if the run does not state it in full.")
    ] = None,
    organization: Annotated[str, typer.Option(help="Who ran the evaluation, as the file states it.")] = "unknown",
    no_thinking: NoThinkingOption = False,
    json: JsonOption = False,
) -> None:
    """Write a run in the schema of Every Eval Ever 0.3.0: aggregates, and one line for each evaluation with its messages.

    The files lie below DIR as in the project's datastore: data/algoworlds/DEVELOPER/MODEL.
    """
    from algoworlds.adapters.every_eval_ever import encode_run, find_model_id
    from algoworlds.adapters.export_files import write_files

    run, trajectories = _load_trajectories(directory, suite, out, no_thinking)
    # A later export of the same folder states the same time, so that it writes the same bytes.
    created = int((directory / "run.json").stat().st_mtime)
    files = encode_run(run, trajectories, find_model_id(run, model_id), organization, created)
    write_files(out, files)
    count = len(trajectories)
    document = {"evaluations": count, "files": [str(out / name) for name in files]}
    print_result(document, f"{count} evaluations in {format_value(out)}", json)


def harbor(
    suite: SuiteArgument,
    out: NewFolderOption,
    worlds: WorldsOption = "*",
    families: FamiliesOption = None,
    levels: LevelsOption = None,
    interfaces: InterfacesOption = None,
    conditions: ConditionsOption = None,
    json: JsonOption = False,
) -> None:
    """Write worlds as tasks of Harbor: instruction, containers, tests and the optimal solution, in one folder for each.

    The tasks contain the sealed files and the secrets of the suite: never publish those of a private suite.
    """
    require_mcp()
    from algoworlds.adapters.export_files import write_files
    from algoworlds.adapters.harbor import task_files
    from algoworlds.disk import OWNER_ONLY_FOLDER
    from algoworlds.suites.open import open_suite

    require_outside(out, suite)
    opened = open_suite(suite)
    entries = select_worlds(opened, worlds, families, levels, interfaces, conditions)
    files = {f"{entry.id}/{name}": content for entry in entries for name, content in task_files(opened, entry).items()}
    write_files(out, files, OWNER_ONLY_FOLDER)
    print_result({"tasks": len(entries), "out": str(out)}, f"{len(entries)} tasks in {format_value(out)}", json)


def release(
    directory: RunArgument,
    out: Annotated[Path, typer.Option(help="File to write: submissions.json of the authors' release.")],
    suite: SuiteOption = None,
    trial: Annotated[
        int, typer.Option(help="The trial of the run; a file of submissions has one decision for each world.")
    ] = 1,
    json: JsonOption = False,
) -> None:
    """Write the decisions of a run on an imported release as submissions that the authors' scorer reads.

    Worlds without a decision, and worlds that the import left out, have a null decision, which scores 0.
    """
    from algoworlds.adapters.export_files import write_file
    from algoworlds.adapters.release import submissions_of_run
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import open_suite_of_run
    from algoworlds.runs.run import Run

    run = RunDirectory(directory)
    require_outside(out, directory, "run")
    opened, label = open_suite_of_run(run, suite), run.document["plan"]["label"]
    content, count = submissions_of_run(opened, Run(directory).iterate_records(), trial, label)
    write_file(out, content)
    print_result({"decisions": count, "out": str(out)}, f"{count} decisions in {format_value(out)}", json)


def _load_trajectories(
    directory: Path, suite: Path | None, out: Path, no_thinking: bool
) -> "tuple[RunDirectory, list[Trajectory]]":
    from algoworlds.adapters.trajectory import finished_trajectories
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import open_suite_of_run, rescore_run

    run = RunDirectory(directory)
    require_outside(out, directory, "run")
    opened = open_suite_of_run(run, suite)
    with workers_with_progress("replaying", 1) as (workers, progress):
        for record in rescore_run(run, opened, workers, progress):
            if record.problem or record.changes:
                name, reason = format_value(f"records/{record.slot.name}.json"), record.problem or record.changes[0]
                raise InputError(f"{name} is not what its trajectory gives: {to_one_line(reason)}; see algoworlds verify-run")
    return run, list(finished_trajectories(run, opened, not no_thinking))
