"""Packing a run into one archive that others can check: which files, in which form, and the label that lists them.

An archive holds only what can be checked on the other side: records, what they are replayed from, and judgements. Quarantined
texts, the output of programs and the path of the suite are left out.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.disk import lock_folder, read_regular_file, sync_directory
from algoworlds.errors import InputError, format_value
from algoworlds.measures.judging import JUDGING_VERSION
from algoworlds.runs.archive import MAX_FIRST_MEMBER_BYTES, Member, write_archive
from algoworlds.runs.directory import RunDirectory, indented_json, manifest_from_digests
from algoworlds.runs.integrity import problems_without_replay
from algoworlds.runs.journal import read_journal_if_exists
from algoworlds.runs.providers.secrets import Secret, is_secret_name
from algoworlds.runs.schedule import Slot
from algoworlds.suites.record import PlayerKind, encode_record

ARCHIVE_FORMAT = 1
LABEL_FILE = "pack.json"
"""The first file of an archive, which lists the others."""
PRIVATE_SUITE_NAME = "fresh"
"""The name of suites that are built from secrets."""
MIN_SECRET_LENGTH = 16
"""From this length on, the value of an environment variable with a secret name counts as a key."""
FileReaders = dict[str, Callable[[], bytes]]
"""By name, a function that reads the file, so that only one file at a time is in memory."""

_KEY = re.compile(
    r"(?<![\w+/=-])(sk-[\w-]{20,}|(gsk|hf|gh[opsur]|github_pat)_\w{20,}|xai-\w{20,}|AIza[\w-]{30,}|AKIA[0-9A-Z]{16}\b"
    r"|Bearer [\w.~+/-]{20,})"
)
"""The prefixes of keys of known providers, at the start of a word: never inside a text that a provider has encrypted."""


@dataclass(frozen=True)
class LeakCheck:
    """The keys in the environment and the paths of this machine that must not be in an archive."""

    keys: tuple[Secret, ...]
    paths: tuple[str, ...]

    @classmethod
    def from_run(cls, directory: RunDirectory, environment: Mapping[str, str]) -> "LeakCheck":
        """The keys and paths that the files of a run could hold."""
        settings, suite = directory.document["plan"]["settings"], directory.document["suite"]
        key_name = settings.get("key_env") if isinstance(settings, Mapping) else None
        keys = {
            value
            for name, value in environment.items()
            if name == key_name or (is_secret_name(name) and len(value) >= MIN_SECRET_LENGTH)
        }
        folders = [directory.path.resolve(), Path(suite if isinstance(suite, str) else "/"), Path(environment.get("HOME", "/"))]
        paths = {str(path) for path in folders if path.is_absolute() and len(path.parts) > 2}
        return cls(tuple(map(Secret, sorted(keys))), tuple(sorted(paths | {json.dumps(path)[1:-1] for path in paths})))

    def check_member(self, member: Member) -> None:
        """InputError if the file holds a key or a path; the message does not repeat it."""
        text = member.content.decode(errors="replace")
        if _KEY.search(text) or any(key.redact(text) != text for key in self.keys):
            leak = "a key"
        elif any(path in text for path in self.paths):
            leak = "a path of this machine"
        else:
            return
        advice = "leave it out with --public" if member.name.startswith("journal/") else "take it out and run again"
        raise InputError(f"{format_value(member.name)} holds {leak}, which must not leave it: {advice}; nothing was written")


def pack_run(directory: RunDirectory, out: Path, public: bool, environment: Mapping[str, str]) -> dict[str, Any]:
    """Write the archive of a complete run and return its label; the same run gives the same bytes."""
    with lock_folder(directory.path):
        if problems := problems_without_replay(directory):
            more = f", and {len(problems) - 1:,} more" if len(problems) > 1 else ""
            raise InputError(
                f"{format_value(directory.path)} is not whole ({problems[0]}{more}): complete it; see algoworlds verify-run"
            )
        files, leak_check = files_to_pack(directory, public), LeakCheck.from_run(directory, environment)
        listing = {}
        for member in _read_members(files):
            leak_check.check_member(member)
            listing[member.name] = {"bytes": len(member.content), "sha256": sha256(member.content).hexdigest()}
        label = build_label(directory, public, listing)
        first = Member(LABEL_FILE, encode_record(label))
        if len(first.content) > MAX_FIRST_MEMBER_BYTES:
            raise InputError(f"{len(listing):,} files are too many for one archive: make runs of fewer evaluations")
        _create_archive(out, chain([first], _reread_members(files, listing)))
    return label


def _read_members(files: FileReaders) -> Iterator[Member]:
    yield from (Member(name, files[name]()) for name in sorted(files))


def _reread_members(files: FileReaders, listing: Mapping[str, Any]) -> Iterator[Member]:
    """Read the files a second time; InputError if one has changed since it was listed."""
    for member in _read_members(files):
        if sha256(member.content).hexdigest() != listing[member.name]["sha256"]:
            raise InputError(f"{format_value(member.name)} has changed while it was packed: pack the run again")
        yield member


def _create_archive(out: Path, members: Iterator[Member]) -> None:
    """Create the archive atomically; InputError if `out` exists."""
    try:
        with NamedTemporaryFile(dir=out.parent, prefix=".pack.", suffix=".partial") as file:
            write_archive(file, members)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
            os.link(file.name, out)
        sync_directory(out.parent)
    except FileExistsError:
        raise InputError(f"{format_value(out)} exists: choose another --out") from None
    except OSError as problem:
        raise InputError(f"cannot write {format_value(out)}: {problem.strerror}; choose another --out") from None


# -- which files, in which form -------------------------------------------------------------------------------------------


def files_to_pack(directory: RunDirectory, public: bool) -> FileReaders:
    """The files of a run as they are packed; with `public` without the model's texts, and so without journals."""
    public = public or directory.is_abridged
    files: FileReaders = {
        "run.json": partial(_run_bytes, directory, public),
        "manifest.json": partial(_manifest_bytes, directory, public),
    }
    if directory.kind is PlayerKind.MODEL:
        files["attempts.jsonl"] = partial(_journal_bytes, directory.path / "attempts.jsonl")
    for slot in directory.schedule:
        files[f"records/{slot.name}.json"] = partial(record_bytes, directory, slot, public)
        if directory.kind is not PlayerKind.AGENT and not public:  # journals serve the replay alone
            files[f"journal/{slot.name}.jsonl"] = partial(_journal_bytes, directory.path / "journal" / f"{slot.name}.jsonl")
    for slot in directory.judged_slots:
        files[f"judgements/{slot.name}.json"] = partial(_judgement_bytes, directory, slot, public)
    return files


def _run_bytes(directory: RunDirectory, public: bool) -> bytes:
    """run.json without the path of the suite; an abridged one is bound to the whole run by the root of its manifest."""
    run = directory.document
    document = {name: run[name] for name in ("plan", "identity", "schedule")} | {"suite": None}
    return indented_json(document | ({"abridged": run.get("abridged") or directory.build_manifest()["root"]} if public else {}))


def _manifest_bytes(directory: RunDirectory, public: bool) -> bytes:
    digests = {
        f"records/{slot.name}.json": sha256(record_bytes(directory, slot, public)).hexdigest() for slot in directory.schedule
    }
    return indented_json(manifest_from_digests(directory.document["identity"], digests))


def record_bytes(directory: RunDirectory, slot: Slot, public: bool) -> bytes:
    """A record as it is packed."""
    if not public:
        return read_regular_file(directory.path / "records" / f"{slot.name}.json")
    return encode_record(directory.read_record(slot) | {"texts": []})


def _judgement_bytes(directory: RunDirectory, slot: Slot, public: bool) -> bytes:
    """A judgement bound to its packed record: it depends on the calls, which are the same."""
    digest = sha256(record_bytes(directory, slot, public)).hexdigest()
    return encode_record(directory.read_judgement(slot) | {"record": digest})


def _journal_bytes(path: Path) -> bytes:
    """A journal without the incomplete last line that a crash may have left."""
    return read_regular_file(path)[: read_journal_if_exists(path)[1]]


def build_label(directory: RunDirectory, public: bool, files: Mapping[str, Any]) -> dict[str, Any]:
    """The label of an archive: the run it holds, the digests of `files`, and one root over all of it."""
    run = directory.document
    body = {
        "format": ARCHIVE_FORMAT,
        "algoworlds": version("algoworlds"),
        "judging": JUDGING_VERSION if directory.judged_slots else None,
        "public": public or directory.is_abridged,
        "identity": run["identity"],
        "configuration": run["plan"]["label"],
        "kind": run["plan"]["kind"],
        "suite": run["plan"]["suite"],
        "evaluations": len(run["schedule"]),
        "files": files,
    }
    return body | {"root": sha256_hex(canonical_json(body))}
