"""Registers: one row per world of a stream, with what certification found. A register holds optima: no agent may read it.

Rows are computed in parts of `WORLDS_PER_PART` worlds. Each part is written atomically to a folder beside the register, with
a digest, so an interrupted command continues where it stopped; at the end the parts become one file. The bytes depend neither
on interruptions nor on the engine, and only a few parts are in memory at a time.
"""

import json
import os
import shutil
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import JsonObject, canonical_json, sha256_hex
from algoworlds.disk import (
    OWNER_ONLY_FILE,
    lock_folder,
    make_owner_only_folder,
    read_regular_file,
    sync_directory,
    write_atomic,
)
from algoworlds.errors import InputError, format_value
from algoworlds.suites.stream import StreamSlice, StreamWorld, WorldStream

WORLDS_PER_PART = 500
_MAX_PENDING_PARTS = 64
_SPEC_FILE = "stream.json"
"""File in the folder of parts that says which register they belong to."""

MAX_WORLDS = 100_000_000
"""Worlds of one register."""
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
"""Columns and their types: the world's coordinate, the admitted attempt, the certified optimum, the reference decision's
distance from it, the work of solving, and the digest of the hidden instance."""


def register_row(position: int, stream_world: StreamWorld) -> JsonObject:
    """The register's row on a world."""
    coordinate, admitted = stream_world.coordinate, stream_world.admitted
    return {
        "position": position,
        "id": stream_world.id,
        "family": coordinate.family,
        "difficulty": float(coordinate.difficulty),
        "index": coordinate.index,
        "interface": stream_world.interface.value,
        "split": coordinate.split,
        "attempt": admitted.attempt,
        "optimum": admitted.optimum,
        "gap": admitted.reference_gap,
        "work": admitted.solution.work.total,
        "digest": admitted.instance.digest,
    }


def register_lines(part: StreamSlice) -> str:
    """The rows of `part` as JSON lines."""
    return "".join(f"{canonical_json(register_row(position, part.stream[position]))}\n" for position in part.positions)


def write_register(
    stream: WorldStream,
    count: int,
    out: Path,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
    warn: Callable[[str], Any] = warnings.warn,
) -> None:
    """Write the register of the first `count` worlds of `stream`, as parquet or JSON lines by the suffix of `out`.

    `warn` gets the name of every damaged part, which is computed again. The finished register lies beside `out` under a name
    that only this specification has, until the parts are deleted: renaming it to `out` is the last step.
    """
    if out.suffix not in _WRITERS:
        raise InputError(f"{format_value(out)} must end in .parquet or .jsonl")
    if count < 1:
        raise InputError(f"--count must be at least 1, not {count}")
    if count > MAX_WORLDS:
        raise InputError(f"--count must be at most {MAX_WORLDS:,}, not {format_value(count)}: write several registers")
    if out.exists():
        raise InputError(f"{format_value(out)} exists already: choose another --out, or delete it")
    write, folder = _WRITERS[out.suffix](), out.with_name(f".{out.name}.parts")
    spec = {"count": count, "part": WORLDS_PER_PART, "version": version("algoworlds"), **asdict(stream)}
    text = canonical_json(spec | {"interfaces": [interface.value for interface in stream.interfaces]})
    finished = out.with_name(f".{out.name}.{sha256_hex(text)[:16]}")
    make_owner_only_folder(folder)
    with lock_folder(folder):
        if not finished.is_file():
            if not (folder / _SPEC_FILE).exists():
                write_atomic(folder / _SPEC_FILE, text.encode())
            elif read_regular_file(folder / _SPEC_FILE).decode(errors="replace") != text:
                raise InputError(f"{format_value(folder)} holds parts of another register: delete it, or choose another --out")
            files = _complete_parts(stream[:count], folder, text, executor, progress, warn)
            write((_read_intact(file, text) for file in files), folder / "whole")
            (folder / "whole").chmod(OWNER_ONLY_FILE)
            with (folder / "whole").open("rb") as whole:
                os.fsync(whole.fileno())
            (folder / "whole").replace(finished)
        shutil.rmtree(folder)
        finished.replace(out)
        sync_directory(out.parent)


def _complete_parts(
    worlds: StreamSlice,
    folder: Path,
    spec: str,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
    warn: Callable[[str], Any],
) -> list[Path]:
    """The files of all parts in order, after computing those that are missing or damaged.

    The first line of a part is the digest of the register's specification, the part's name and its rows.
    """
    parts = [worlds[start : start + WORLDS_PER_PART] for start in range(0, len(worlds), WORLDS_PER_PART)]
    files = {part: folder / f"{part.positions.start}.jsonl" for part in parts}
    missing = []
    for part, file in files.items():
        if file.is_symlink() or file.exists():
            if _read_part(file, spec) is not None:
                continue
            warn(f"{format_value(file)} is damaged: its {len(part):,} worlds are computed again")
        missing.append(part)
    done = len(parts) - len(missing)
    progress(min(done * WORLDS_PER_PART, len(worlds)), len(worlds))
    for part, rows in run_tasks(register_lines, missing, executor, _MAX_PENDING_PARTS):
        write_atomic(files[part], f"{_part_digest(files[part], spec, rows)}\n{rows}".encode())
        done += 1
        progress(min(done * WORLDS_PER_PART, len(worlds)), len(worlds))
    return list(files.values())


def _part_digest(file: Path, spec: str, rows: str) -> str:
    return sha256_hex(f"{spec}\n{file.name}\n{rows}")


def _read_part(file: Path, spec: str) -> str | None:
    """The rows of a finished part; None if it is not as it was written."""
    try:
        digest, _, rows = read_regular_file(file).decode().partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    return rows if digest == _part_digest(file, spec, rows) else None


def _read_intact(file: Path, spec: str) -> str:
    rows = _read_part(file, spec)
    if rows is None:
        raise InputError(f"{format_value(file)} was changed while the register was written: run again")
    return rows


PartWriter = Callable[[Iterable[str], Path], None]
"""Joins the rows of all parts into one file."""


def _jsonl_writer() -> PartWriter:
    def write(parts: Iterable[str], out: Path) -> None:
        with out.open("wb") as whole:
            whole.writelines(rows.encode() for rows in parts)

    return write


def _parquet_writer() -> PartWriter:
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise InputError("parquet needs an extra: pip install 'algoworlds[hf]', or name a file that ends in .jsonl") from None
    arrow_types = {int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    schema = arrow.schema([(name, arrow_types[python_type]) for name, python_type in COLUMNS.items()])

    def write(parts: Iterable[str], out: Path) -> None:
        with parquet.ParquetWriter(out, schema, compression="zstd") as whole:
            for rows in parts:
                whole.write_table(arrow.Table.from_pylist([json.loads(row) for row in rows.splitlines()], schema))

    return write


_WRITERS = {".jsonl": _jsonl_writer, ".parquet": _parquet_writer}
