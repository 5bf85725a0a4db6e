"""`algoworlds stream`: a register of fresh worlds for training, with what certification found of each."""

from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.flags import Json, listed, print_json
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.release import Engine, Jobs
from algoworlds.errors import InputError, quoted, shown


def stream(
    out: Annotated[Path, typer.Option(help="FILE.parquet (needs pyarrow) or FILE.jsonl; what was interrupted goes on.")],
    count: Annotated[int, typer.Option(help="How many worlds, from the first.")] = 1_000,
    seed: Annotated[str, typer.Option(help="Any text.")] = "0",
    families: Annotated[str | None, typer.Option(help="Comma-separated names; our ten if left out.")] = None,
    levels: Annotated[str, typer.Option(help="Comma-separated difficulties, as in 0,0.5,1.")] = "0",
    interfaces: Annotated[str, typer.Option(help="Comma-separated: direct, mediated, split.")] = "direct,mediated",
    split: Annotated[str, typer.Option(help="train or test.")] = "train",
    rank: Annotated[int, typer.Option(help="Which share, from 0.")] = 0,
    world_size: Annotated[int, typer.Option(help="How many shares.")] = 1,
    jobs: Jobs = 1,
    executor: Engine = None,
    json: Json = False,
) -> None:
    """Write a register of fresh certified worlds: coordinate, optimum, work, gap and digest of each.

    It holds optima: no agent may read it. The worlds themselves are made anew from their places by `algoworlds.stream`.
    """
    from algoworlds.batch import engine
    from algoworlds.families import FAMILIES
    from algoworlds.suites.endless import stream as endless
    from algoworlds.suites.register import register

    named = listed(families) or tuple(FAMILIES)
    worlds = endless(seed, named, _numbers(levels), listed(interfaces), split, rank, world_size)
    with engine(jobs, executor) as workers, progress_bar("worlds") as progress:
        register(worlds, count, out, workers, progress)
    if json:
        print_json({"out": str(out), "worlds": count})
    else:
        print(f"{count:,} worlds in {shown(out)}")


def _numbers(text: str) -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise InputError(f"--levels takes numbers like 0,0.5, not {quoted(text)}") from None
