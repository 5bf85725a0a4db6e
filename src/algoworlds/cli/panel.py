"""`algoworlds panel`: scripted agents on the worlds of finished runs, as floor and ceiling of their report."""

from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.options import JobsOption, JsonOption, SuiteOption
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.cli.progress import workers_with_progress
from algoworlds.grid import to_one_line


def panel(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs on one suite.")],
    out: Annotated[Path, typer.Option(help="Directory of the report; the agents are played into OUT/panel.")],
    suite: SuiteOption = None,
    jobs: JobsOption = 1,
    json: JsonOption = False,
) -> None:
    """Play null, random, greedy and oracle on the worlds that all runs have played, as floor and ceiling of their report.

    Agents that the runs already contain are left out. If all runs are judged, the agents are judged too; judge the runs and
    repeat the command to judge them later. An interrupted command resumes.
    """
    from algoworlds.reports.loading import PANEL_AGENTS, worlds_to_compare
    from algoworlds.reports.output_folder import PANEL_FOLDER, check_report_folder
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.panel import play_panel, unplayable_agents
    from algoworlds.runs.rescore import open_suite_of_run

    check_report_folder(out)
    directories = [RunDirectory(path) for path in runs]
    opened = open_suite_of_run(directories[0], suite)
    worlds = worlds_to_compare(directories, opened, common=True)
    folder = out / PANEL_FOLDER
    with workers_with_progress("playing and judging agents", jobs) as (workers, progress):
        played = play_panel(PANEL_AGENTS, directories, worlds, opened, folder, workers, progress)
    for agent, problem in unplayable_agents(PANEL_AGENTS, [opened.entries[world].family for world in sorted(worlds)]).items():
        print_stderr(f"{problem}; the panel leaves {agent} out")
    names = [run.path.name for run in played]
    evaluations, judged = sum(len(run.schedule) for run in played), sum(len(run.judged_slots) for run in played)
    if json:
        print_json({"agents": names, "evaluations": evaluations, "judged": judged, "panel": str(folder)})
        return
    print(to_one_line(f"{evaluations:,} evaluations of {', '.join(names) or 'no agent'} in {folder}, {judged:,} judged"))
