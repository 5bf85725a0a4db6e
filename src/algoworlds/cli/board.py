"""`algoworlds board`: a public board as a static site, from archives that are replayed first."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.options import JobsOption, JsonOption, require_outside, require_positive
from algoworlds.cli.output import print_json, print_problems, print_stderr
from algoworlds.cli.progress import workers_with_progress
from algoworlds.cli.report import missing_report_extra
from algoworlds.errors import InputError, format_value
from algoworlds.grid import fix_plurals, to_one_line

if TYPE_CHECKING:
    from algoworlds.board.submissions import SubmissionChecker

_DEFAULT_MAX_MEGABYTES = 1_024

SuitesOption = Annotated[
    list[Path], typer.Option("--suite", metavar="SUITE", help="A suite of the board; repeat the option for several.")
]
MaxMegabytesOption = Annotated[int, typer.Option(help="The largest archive that is read.")]


def write(
    submissions: Annotated[
        list[Path],
        typer.Argument(
            metavar="ARCHIVE...", help="Archives made by algoworlds pack, folders of submissions, or folders of these."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Directory to write the site into; an earlier board there is replaced.")],
    suite: SuitesOption,
    jobs: JobsOption = 1,
    max_megabytes: MaxMegabytesOption = _DEFAULT_MAX_MEGABYTES,
    responses: Annotated[bool, typer.Option(help="Include tool responses in the reports, for replays.")] = True,
    thinking: Annotated[bool, typer.Option(help="Include what models thought in the reports.")] = True,
    json: JsonOption = False,
) -> None:
    """Replay every submission, and write a static site with rankings and reports of those that hold.

    A submission that does not hold is listed with the reason. Exit code 1 if none holds.
    """
    if (problem := missing_report_extra()) is not None:
        raise InputError(problem)
    from algoworlds.board.site import PAGE, write_board
    from algoworlds.board.submissions import find_submissions

    for path in suite:
        require_outside(out, path)
    with _checker(suite, jobs, max_megabytes) as checker:
        refusals = checker.check_all(list(find_submissions(submissions)))
        document = write_board(out, checker.accepted, refusals, responses, thinking)
        accepted = len(checker.accepted)
    if json:
        print_json(document)
    else:
        for refusal in refusals:
            print_stderr(f"refused {format_value(refusal.source.name)}: {refusal.reason}")
        print(fix_plurals(f"{accepted} submissions accepted, {len(refusals)} refused"))
        print(to_one_line(f"read {out / PAGE}"))
    if not accepted:
        raise typer.Exit(1)


def check(
    submission: Annotated[
        Path, typer.Argument(metavar="SUBMISSION", help="A folder with submission.toml and an archive, or an archive.")
    ],
    suite: SuitesOption,
    against: Annotated[
        list[Path] | None, typer.Option(help="Earlier submissions, or a folder of them: refuse a copy; repeatable.")
    ] = None,
    jobs: JobsOption = 1,
    max_megabytes: MaxMegabytesOption = _DEFAULT_MAX_MEGABYTES,
    json: JsonOption = False,
) -> None:
    """Check one submission as the board will: what a pull request runs. Exit code 1 with one line if it does not hold."""
    from algoworlds.board.submissions import find_submissions
    from algoworlds.errors import AlgoWorldsError

    with _checker(suite, jobs, max_megabytes) as checker:
        own = submission.absolute()
        earlier = [path for path in find_submissions(against or []) if path.absolute() != own]
        for refusal in checker.check_all(earlier):
            print_stderr(f"earlier submission {format_value(refusal.source.name)} does not hold itself: {refusal.reason}")
        problems: list[str] = []
        label, badges = "", list[str]()
        try:
            accepted = checker.check(submission)
            label, badges = accepted.label, list(accepted.badges)
        except AlgoWorldsError as problem:
            problems = [f"{format_value(submission)}: {problem}"]
    document = {"submission": str(submission), "configuration": label or None, "badges": badges}
    print_problems(document, problems, f"{format_value(label)} holds: {', '.join(badges)}", json)


@contextmanager
def _checker(suites: list[Path], jobs: int, max_megabytes: int) -> "Iterator[SubmissionChecker]":
    """A checker for submissions on `suites`; their runs are deleted at the end."""
    from algoworlds.board.submissions import BoardSuite, SubmissionChecker

    require_positive("--max-megabytes", max_megabytes)
    opened = [BoardSuite.from_path(path) for path in suites]
    with ExitStack() as stack:
        workers, progress = stack.enter_context(workers_with_progress("replaying", jobs))
        yield SubmissionChecker({one.root: one for one in opened}, stack, workers, progress, max_megabytes)
