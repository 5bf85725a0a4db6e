"""`algoworlds commit` and `reveal`: say before an evaluation which private suite it is of, and prove it afterwards."""

import re
from typing import Annotated

import typer

from algoworlds.cli.flags import Json, print_json, print_problems
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.release import Directory, Engine, Jobs
from algoworlds.errors import InputError, quoted

_HASH = re.compile(r"[0-9a-f]{64}")


def commit(directory: Directory, json: Json = False) -> None:
    """Print a hash to publish before an evaluation: it tells nothing of a private suite and binds every byte of it."""
    from algoworlds.suites.commitment import commitment

    made = commitment(directory)
    if json:
        print_json({"suite": str(directory), "commitment": made})
    else:
        print(made)


def reveal(
    directory: Directory,
    published: Annotated[str, typer.Argument(metavar="HASH", help="What algoworlds commit printed before the evaluation.")],
    jobs: Jobs = 1,
    executor: Engine = None,
    json: Json = False,
) -> None:
    """Check a suite against the hash published before an evaluation, and rebuild every byte of it from its sealed secrets."""
    from algoworlds.batch import engine
    from algoworlds.suites.commitment import revealed
    from algoworlds.suites.manifest import load

    if not _HASH.fullmatch(published):
        raise InputError(f"{quoted(published)} is no commitment: give the 64 hex digits that algoworlds commit printed")
    with engine(jobs, executor) as workers, progress_bar("rebuilding") as progress:
        problems = revealed(directory, published, workers, progress)
    manifest, _ = load(directory)
    found = {"suite": str(directory), "commitment": published, "worlds": len(manifest.worlds), "root": manifest.root}
    print_problems(found, problems, f"the hash holds: {len(manifest.worlds)} worlds rebuilt, byte for byte", json)
