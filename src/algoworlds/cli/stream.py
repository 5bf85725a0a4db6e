"""`algoworlds stream`: a register of fresh worlds for training."""

from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.completion import complete_interfaces
from algoworlds.cli.options import ExecutorOption, FamiliesOption, JobsOption, JsonOption, split_commas
from algoworlds.cli.output import print_result, print_stderr
from algoworlds.cli.progress import workers_with_progress
from algoworlds.errors import InputError, format_value, quote_value


def stream(
    out: Annotated[Path, typer.Option(help="FILE.parquet (needs pyarrow) or FILE.jsonl; an interrupted one is continued.")],
    count: Annotated[int, typer.Option(help="How many worlds, from the first.")] = 1_000,
    seed: Annotated[str, typer.Option(help="Any text.")] = "0",
    families: FamiliesOption = None,
    levels: Annotated[str, typer.Option(help="Comma-separated difficulties, as in 0,0.5,1.")] = "0",
    interfaces: Annotated[
        str, typer.Option(help="Comma-separated: direct, mediated, split.", autocompletion=complete_interfaces)
    ] = "direct,mediated",
    split: Annotated[str, typer.Option(help="train or test.")] = "train",
    rank: Annotated[int, typer.Option(help="Number of this shard, from 0.")] = 0,
    world_size: Annotated[int, typer.Option(help="Number of shards.")] = 1,
    jobs: JobsOption = 1,
    executor: ExecutorOption = None,
    json: JsonOption = False,
) -> None:
    """Write a register of fresh certified worlds: coordinate, optimum, work, gap and digest of each.

    It holds optima, so no agent may read it. `algoworlds.stream` generates the worlds themselves from their coordinates.
    """
    from algoworlds.families import FAMILIES
    from algoworlds.suites import stream as streams
    from algoworlds.suites.register import write_register

    try:
        difficulties = [float(level) for level in levels.split(",")]
    except ValueError:
        raise InputError(f"--levels takes numbers like 0,0.5, not {quote_value(levels)}") from None
    names = split_commas("--families", families) or tuple(FAMILIES)
    worlds = streams.stream(seed, names, difficulties, split_commas("--interfaces", interfaces), split, rank, world_size)
    with workers_with_progress("worlds", jobs, executor) as (workers, progress):
        write_register(worlds, count, out, workers, progress, print_stderr)
    print_result({"out": str(out), "worlds": count}, f"{count:,} worlds in {format_value(out)}", json)
