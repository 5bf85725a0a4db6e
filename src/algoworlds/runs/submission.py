"""A run as one archive that others can check: what goes in, in which form, and the label that lists it.

Nothing goes in that cannot be checked on the other side: records, what they are replayed from, and judgements. What was kept
for whoever made the run stays with them: quarantined texts, the output of programs, the place of the suite.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from algoworlds.core.canonical import canonical_text, digest
from algoworlds.disk import alone, read_plain, sync_directory
from algoworlds.errors import InputError, shown
from algoworlds.measures.judging import JUDGING
from algoworlds.runs.archive import LONGEST_FIRST, Member, write
from algoworlds.runs.directory import RunDirectory, indented, manifest_of
from algoworlds.runs.discretion import Discretion
from algoworlds.runs.inventory import unreplayed
from algoworlds.runs.journal import held
from algoworlds.runs.slot import Slot
from algoworlds.suites.record import Kind, spelled

FORMAT = 1
LABEL = "pack.json"
"""The first file of an archive, which lists the others."""
PRIVATE = "fresh"
"""The name of suites that are built from secrets."""

Files = dict[str, Callable[[], bytes]]
"""By name, how to get at the bytes of a file: not all of a run need be in memory at once."""


def pack(directory: RunDirectory, out: Path, public: bool, environment: Mapping[str, str]) -> dict[str, Any]:
    """Write the archive of a complete run, and give its label; the same run gives the same bytes."""
    with alone(directory.path):
        _require_whole(directory)
        files, discretion = handed_over(directory, public), Discretion.of(directory, environment)
        listed = {}
        for member in _members(files):
            discretion.require(member)
            listed[member.name] = {"bytes": len(member.content), "sha256": sha256(member.content).hexdigest()}
        label = labelled(directory, public, listed)
        first = Member(LABEL, spelled(label))
        if len(first.content) > LONGEST_FIRST:
            raise InputError(f"{len(listed):,} files are too many for one archive: make runs of fewer evaluations")
        _create(out, chain([first], _unchanged(_members(files), listed)))
    return label


def _require_whole(directory: RunDirectory) -> None:
    if problems := unreplayed(directory):
        more = f", and {len(problems) - 1:,} more" if len(problems) > 1 else ""
        raise InputError(
            f"{shown(directory.path)} is not whole ({problems[0]}{more}): complete it; algoworlds verify-run says what is wrong"
        )


def _members(files: Files) -> Iterator[Member]:
    yield from (Member(name, files[name]()) for name in sorted(files))


def _unchanged(members: Iterator[Member], listed: Mapping[str, Any]) -> Iterator[Member]:
    """The same files again, as they were when they were listed."""
    for member in members:
        if sha256(member.content).hexdigest() != listed[member.name]["sha256"]:
            raise InputError(f"{shown(member.name)} has changed while it was packed: pack the run again")
        yield member


def _create(out: Path, members: Iterator[Member]) -> None:
    """Create the archive, whole or not at all; InputError if something of that name is there."""
    try:
        with NamedTemporaryFile(dir=out.parent, prefix=".pack.", suffix=".partial") as file:
            write(file, members)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
            os.link(file.name, out)
        sync_directory(out.parent)
    except FileExistsError:
        raise InputError(f"{shown(out)} exists: choose another --out") from None
    except OSError as problem:
        raise InputError(f"cannot write {shown(out)}: {problem.strerror}; choose another --out") from None


# -- what goes in ---------------------------------------------------------------------------------------------------------


def handed_over(directory: RunDirectory, public: bool) -> Files:
    """The files of a run as they are handed over; in public without the model's texts, and so without its journals."""
    public = public or directory.abridged
    files: Files = {"run.json": partial(_run, directory, public), "manifest.json": partial(_manifest, directory, public)}
    if directory.kind is Kind.MODEL:
        files["attempts.jsonl"] = partial(_sound, directory.path / "attempts.jsonl")
    for slot in directory.schedule:
        files[f"records/{slot.name}.json"] = partial(record_bytes, directory, slot, public)
        if journaled(directory, public):
            files[f"journal/{slot.name}.jsonl"] = partial(_sound, directory.path / "journal" / f"{slot.name}.jsonl")
    for slot in directory.judged:
        files[f"judgements/{slot.name}.json"] = partial(_judgement, directory, slot, public)
    return files


def journaled(directory: RunDirectory, public: bool) -> bool:
    """Whether records are replayed from journals, which are handed over for that alone."""
    return directory.kind is not Kind.AGENT and not public


def _run(directory: RunDirectory, public: bool) -> bytes:
    """run.json without the place of the suite; an abridged one names the root of the whole run, which it is thus bound to."""
    run = directory.document
    document = {name: run[name] for name in ("plan", "identity", "schedule")} | {"suite": None}
    return indented(document | ({"abridged": run.get("abridged") or directory.manifest()["root"]} if public else {}))


def _manifest(directory: RunDirectory, public: bool) -> bytes:
    slots = sorted(directory.schedule, key=lambda slot: slot.name)
    digests = {f"records/{each.name}.json": sha256(record_bytes(directory, each, public)).hexdigest() for each in slots}
    return indented(manifest_of(directory.document["identity"], digests))


def record_bytes(directory: RunDirectory, slot: Slot, public: bool) -> bytes:
    """A record as it is handed over."""
    if not public:
        return read_plain(directory.path / "records" / f"{slot.name}.json")
    return spelled(directory.record(slot) | {"texts": []})


def _judgement(directory: RunDirectory, slot: Slot, public: bool) -> bytes:
    """A judgement bound to its record as it is handed over: it follows from the calls, and these are the same."""
    bound = {"record": sha256(record_bytes(directory, slot, public)).hexdigest()}
    return spelled(directory.judgement(slot) | bound)


def _sound(path: Path) -> bytes:
    """A journal without the torn line that a crash may have left."""
    return read_plain(path)[: held(path)[1]]


def labelled(directory: RunDirectory, public: bool, files: Mapping[str, Any]) -> dict[str, Any]:
    """The label of an archive: whose run it is, what is in it by digest, and one root over all of it."""
    run = directory.document
    body = {
        "format": FORMAT,
        "algoworlds": version("algoworlds"),
        "judging": JUDGING if directory.judged else None,
        "public": public or directory.abridged,
        "identity": run["identity"],
        "configuration": run["plan"]["label"],
        "kind": run["plan"]["kind"],
        "suite": run["plan"]["suite"],
        "evaluations": len(run["schedule"]),
        "files": files,
    }
    return body | {"root": digest(canonical_text(body))}
