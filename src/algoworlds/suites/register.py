"""A register of a stream's worlds: one row each, with what certification found. It holds optima, so that no agent may read it.

The rows are made in parts of some worlds each. A part is written whole beside the register and made only once, so that work
that was interrupted, in whatever way, goes on where it was; at the end the parts become one file and are put away. Nothing that
is written depends on where that happened, nor on the engine, and never is more than a few parts in memory.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from algoworlds.batch import results
from algoworlds.core.canonical import canonical_text
from algoworlds.disk import alone, read_plain, write_whole
from algoworlds.errors import InputError, shown
from algoworlds.suites.endless import Endless, Fresh, Stretch

PART = 500
"""Worlds of a part."""
_AHEAD = 64
"""Parts under way at most."""
_MARK = "stream.json"

COLUMNS = {
    "position": int,
    "id": str,
    "family": str,
    "difficulty": float,
    "index": int,
    "interface": str,
    "split": str,
    "attempt": int,
    "optimum": int,
    "gap": int,
    "work": int,
    "digest": str,
}
"""The columns and their kinds: where a world stands, at which attempt it was admitted, the certified optimum, the reference
decision's distance from it, the work of solving, and the digest of the hidden instance."""


def row(position: int, fresh: Fresh) -> dict[str, Any]:
    """What a register says of a world."""
    place, admitted = fresh.coordinate, fresh.admitted
    return {
        "position": position,
        "id": fresh.id,
        "family": place.family,
        "difficulty": float(place.difficulty),
        "index": place.index,
        "interface": fresh.interface.value,
        "split": place.split,
        "attempt": admitted.attempt,
        "optimum": admitted.optimum,
        "gap": admitted.reference_gap,
        "work": admitted.solution.work.total,
        "digest": admitted.instance.digest,
    }


def rows(stretch: Stretch) -> str:
    """The rows of some worlds, each a line."""
    return "".join(f"{canonical_text(row(at, stretch.stream[at]))}\n" for at in stretch.positions)


def register(stream: Endless, count: int, out: Path, executor: Executor | None, progress: Callable[[int, int], Any]) -> None:
    """Write the register of a stream's first worlds, as parquet or as JSON lines by the name of the file."""
    if out.suffix not in _WRITERS:
        raise InputError(f"{shown(out)} is neither .parquet nor .jsonl: name a file that ends so")
    if count < 1:
        raise InputError(f"--count counts from 1, so {count} is none")
    if out.exists():
        raise InputError(f"{shown(out)} is there already: choose another --out, or delete it")
    write, work = _WRITERS[out.suffix](), out.with_name(f".{out.name}.parts")
    work.mkdir(parents=True, exist_ok=True)
    with alone(work):
        _begin(work, canonical_text({"count": count, "part": PART, "version": version("algoworlds"), **_spelled(stream)}))
        write(_made(stream[:count], work, executor, progress), partial := work / "whole")
        partial.replace(out)
        shutil.rmtree(work)


def _spelled(stream: Endless) -> dict[str, Any]:
    return asdict(stream) | {"interfaces": [each.value for each in stream.interfaces]}


def _begin(work: Path, mark: str) -> None:
    """Go on with the parts that are there if they are of the same register."""
    if not (work / _MARK).exists():
        write_whole(work / _MARK, mark.encode(), durable=False)
    elif read_plain(work / _MARK).decode() != mark:
        raise InputError(f"{shown(work)} holds parts of another register: delete it, or choose another --out")


def _made(worlds: Stretch, work: Path, executor: Executor | None, progress: Callable[[int, int], Any]) -> list[Path]:
    """The files of all parts in order, those made that are not there."""
    parts = [worlds[at : at + PART] for at in range(0, len(worlds), PART)]
    files = [work / f"{part.positions.start}.jsonl" for part in parts]
    todo = [part for part, file in zip(parts, files, strict=True) if not file.is_file()]
    done = sum(file.is_file() for file in files)
    progress(min(done * PART, len(worlds)), len(worlds))
    for part, text in results(rows, todo, executor, _AHEAD):
        write_whole(work / f"{part.positions.start}.jsonl", text.encode(), durable=False)
        done += 1
        progress(min(done * PART, len(worlds)), len(worlds))
    return files


def _lines(files: list[Path]) -> Iterator[bytes]:
    return (read_plain(file) for file in files)


def _jsonl() -> Callable[[list[Path], Path], None]:
    def write(files: list[Path], out: Path) -> None:
        with out.open("wb") as whole:
            whole.writelines(_lines(files))

    return write


def _parquet() -> Callable[[list[Path], Path], None]:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise InputError("parquet needs an extra: pip install 'algoworlds[hf]', or name a file that ends in .jsonl") from None
    kinds = {int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    schema = arrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])

    def write(files: list[Path], out: Path) -> None:
        with parquet.ParquetWriter(out, schema, compression="zstd") as whole:
            for lines in _lines(files):
                whole.write_table(arrow.Table.from_pylist([json.loads(line) for line in lines.splitlines()], schema))

    return write


_WRITERS = {".jsonl": _jsonl, ".parquet": _parquet}
