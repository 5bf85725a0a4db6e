"""`algoworlds reveal`: check a suite against the hash that `algoworlds commit` printed."""

import re
from typing import Annotated

import typer

from algoworlds.cli.options import ExecutorOption, JobsOption, JsonOption, SuiteArgument
from algoworlds.cli.output import print_problems
from algoworlds.cli.progress import progress_bar
from algoworlds.errors import InputError, quote_value

_COMMITMENT_PATTERN = re.compile(r"[0-9a-f]{64}")


def reveal(
    directory: SuiteArgument,
    published: Annotated[str, typer.Argument(metavar="HASH", help="What algoworlds commit printed before the evaluation.")],
    jobs: JobsOption = 1,
    executor: ExecutorOption = None,
    json: JsonOption = False,
) -> None:
    """Check a suite against the hash published before an evaluation, and rebuild every byte of it from its sealed secrets."""
    from algoworlds.batch import open_executor
    from algoworlds.suites.commitment import commitment_problems
    from algoworlds.suites.manifest import load_manifest

    if not _COMMITMENT_PATTERN.fullmatch(published):
        raise InputError(f"{quote_value(published)} is not a commitment: give the 64 hex digits that algoworlds commit printed")
    with open_executor(jobs, executor) as workers, progress_bar("rebuilding") as progress:
        problems = commitment_problems(directory, published, workers, progress)
    manifest, _ = load_manifest(directory)
    document = {"suite": str(directory), "commitment": published, "worlds": len(manifest.worlds), "root": manifest.root}
    print_problems(document, problems, f"the hash holds: {len(manifest.worlds)} worlds rebuilt, byte for byte", json)
