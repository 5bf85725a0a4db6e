"""`algoworlds pack`: a run as one archive that others can check with `algoworlds unpack`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.options import JsonOption, RunArgument
from algoworlds.cli.output import print_result
from algoworlds.errors import InputError, format_value


def pack(
    directory: RunArgument,
    out: Annotated[Path | None, typer.Option(help="The archive to write; default: RUN.tar in the current directory.")] = None,
    public: Annotated[bool, typer.Option("--public", help="Leave out what the model wrote; calls and measures stay.")] = False,
    revealed: Annotated[
        bool, typer.Option("--revealed", help="With --public: the private suite of the run has been published since.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Make one archive of a complete run that others can check: records, journals, configuration, judgements and digests.

    The same run gives the same bytes. An archive that would hold a key or a path of this machine is not written.
    """
    from algoworlds.runs.archive import PRIVATE_SUITE_NAME, pack_run
    from algoworlds.runs.directory import RunDirectory

    run = RunDirectory(directory)
    if run.document["plan"]["suite"]["name"] == PRIVATE_SUITE_NAME and public and not revealed:
        raise InputError("its records hold the optima of a private suite: once the suite is published, add --revealed")
    out = out or Path(f"{directory.resolve().name}.tar")
    label = pack_run(run, out, public, os.environ)
    size, root, count = out.stat().st_size, label["root"], label["evaluations"]
    document = {"out": str(out), "bytes": size, "evaluations": count, "public": label["public"], "root": root}
    print_result(document, f"{count} evaluations in {format_value(out)}, {size:,} bytes, root {root}", json)
