"""`algoworlds reveal`: check a suite against the hash that `algoworlds commit` printed."""

import re
from typing import Annotated

import typer

from algoworlds.cli.options import ExecutorOption, JobsOption, JsonOption, SuiteArgument
from algoworlds.cli.output import print_problems
from algoworlds.cli.progress import workers_with_progress
from algoworlds.errors import InputError, quote_value

_COMMITMENT_PATTERN = re.compile(r"[0-9a-f]{64}")


def reveal(
    suite: SuiteArgument,
    published: Annotated[str, typer.Argument(metavar="HASH", help="What algoworlds commit printed before the evaluation.")],
    nonce: Annotated[str | None, typer.Option(help="The nonce that the suite must have been built with.")] = None,
    jobs: JobsOption = 1,
    executor: ExecutorOption = None,
    json: JsonOption = False,
) -> None:
    """Check a suite against the hash published before an evaluation, and rebuild every byte of it from its sealed secrets."""
    from algoworlds.suites.commitment import commitment_problems
    from algoworlds.suites.manifest import load_manifest
    from algoworlds.suites.open import open_suite

    if not _COMMITMENT_PATTERN.fullmatch(published):
        raise InputError(f"{quote_value(published)} is not a commitment: give the 64 hex digits that algoworlds commit printed")
    with workers_with_progress("rebuilding", jobs, executor) as (workers, progress):
        problems = commitment_problems(suite, published, workers, progress, nonce)
    manifest, _ = load_manifest(suite)
    document = {"suite": str(suite), "commitment": published, "worlds": len(manifest.worlds), "root": manifest.root}
    used = open_suite(suite).spec.nonce
    document |= {"nonce": used or None}
    holds = f"the hash holds with the nonce {quote_value(used)}" if used else "the hash holds"
    print_problems(document, problems, f"{holds}: {len(manifest.worlds)} worlds rebuilt, byte for byte", json)
