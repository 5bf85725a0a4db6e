"""Packing a run into one archive that others can check, and unpacking it.

An archive holds only what can be checked on the other side: records, what they are replayed from, and judgements. Quarantined
texts, the output of programs and the path of the suite are left out. Its first file is the label, which lists the others.

An archive is a deterministic tar file: every byte follows from the names and contents of the files, nothing is compressed.
A reader does not trust it. Names must match a few patterns, sizes are known before anything is written, and each header is
computed and compared, so nothing has to be interpreted: a link, a device, a sparse file, a second form of a name or a byte
after the end differs from what is expected. The files go to a new folder, which is renamed once everything is checked.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from tarfile import BLOCKSIZE, USTAR_FORMAT, TarInfo
from tempfile import TemporaryDirectory
from typing import IO, Any, BinaryIO, NamedTuple

from algoworlds.core.canonical import JsonObject, canonical_json, sha256_hex, strict_loads
from algoworlds.disk import (
    BINARY,
    OWNER_ONLY_FILE,
    create_folder,
    create_repeatable,
    lock_folder,
    make_owner_only_folder,
    open_regular_file,
    read_regular_file,
    write_atomic,
)
from algoworlds.errors import InputError, Malformed, format_value, quote_value
from algoworlds.runs.directory import RunDirectory, indented_json, manifest_from_digests
from algoworlds.runs.journal import read_journal_if_exists
from algoworlds.runs.judgement import Progress
from algoworlds.runs.providers.secrets import Secret, is_secret_name
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Slot
from algoworlds.runs.status import problems_without_replay
from algoworlds.suites.open import Suite
from algoworlds.suites.record import PlayerKind, encode_record

MAX_MEMBER_BYTES = 2**30
"""Far more than any journal."""
MAX_FIRST_MEMBER_BYTES = 2**26
"""Bound on the first file, which is parsed before anything about the archive is known."""
END_BLOCKS = bytes(2 * BLOCKSIZE)
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
MAX_ARCHIVE_BYTES = 2**38
"""Bytes of all files together: far more than a million evaluations take."""

_SLOT = r"[a-z0-9_-]{1,64}--[1-9][0-9]{0,6}"
_NAME = re.compile(
    rf"run\.json|manifest\.json|attempts\.jsonl|records/{_SLOT}\.json|judgements/{_SLOT}\.json|journal/{_SLOT}\.jsonl"
)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_WRONG_FORM = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)
"""What reading a document of the wrong form raises."""


class Member(NamedTuple):
    """A plain file in an archive."""

    name: str
    content: bytes


def member_header(name: str, size: int) -> bytes:
    """The header block of a file, without owner and time."""
    info = TarInfo(name)
    info.size, info.mode = size, 0o644
    return info.tobuf(USTAR_FORMAT, "ascii", "strict")


def block_padding(size: int) -> bytes:
    """The zeros that fill the last block of a content of `size` bytes."""
    return bytes(-size % BLOCKSIZE)


def archive_length(sizes: Iterable[int]) -> int:
    """The bytes of an archive whose files have these sizes."""
    return sum(BLOCKSIZE + size + len(block_padding(size)) for size in sizes) + len(END_BLOCKS)


def write_archive(file: IO[bytes], members: Iterable[Member]) -> None:
    """Write an archive."""
    for name, content in members:
        size = len(content)
        if size > MAX_MEMBER_BYTES:
            raise InputError(f"{format_value(name)} has {size:,} bytes; an archive takes files of at most {MAX_MEMBER_BYTES:,}")
        file.write(member_header(name, size) + content + block_padding(size))
    file.write(END_BLOCKS)


def read_first_member(file: BinaryIO, name: str) -> bytes:
    """The content of the first file, which must be called `name`."""
    block = file.read(BLOCKSIZE)
    digits = block[124:135]  # the size, in octal
    size = int(digits, 8) if digits.isdigit() and not set(digits) & set(b"89") else MAX_FIRST_MEMBER_BYTES + 1
    if size > MAX_FIRST_MEMBER_BYTES or block != member_header(name, size):
        raise InputError(f"it does not begin with {format_value(name)} as an archive of algoworlds does")
    return _read_content(file, name, size)


def read_other_members(file: BinaryIO, sizes: Iterable[tuple[str, int]]) -> Iterator[Member]:
    """The files after the first: exactly these names and sizes in this order, then the end."""
    for name, size in sizes:
        if file.read(BLOCKSIZE) != member_header(name, size):
            raise InputError(f"where {format_value(name)} should begin there is something else")
        yield Member(name, _read_content(file, name, size))
    if file.read(len(END_BLOCKS) + 1) != END_BLOCKS:
        raise InputError("it does not end as an archive of algoworlds does")


def _read_content(file: BinaryIO, name: str, size: int) -> bytes:
    content, padding = file.read(size), block_padding(size)
    if len(content) != size or file.read(len(padding)) != padding:
        raise InputError(f"{format_value(name)} is cut off, or its padding is not empty")
    return content


# -- packing --------------------------------------------------------------------------------------------------------------


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


def pack_run(directory: RunDirectory, out: Path, public: bool, environment: Mapping[str, str]) -> JsonObject:
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
    """Create the archive atomically; InputError if `out` exists and is not the same archive."""
    try:
        create_repeatable(out, lambda file: write_archive(file, members))
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


def build_label(directory: RunDirectory, public: bool, files: Mapping[str, Any]) -> JsonObject:
    """The label of an archive: the run it holds, the digests of `files`, and one root over all of it."""
    run = directory.document
    body = {
        "format": ARCHIVE_FORMAT,
        "algoworlds": version("algoworlds"),
        "judging": _judging_version(directory),
        "public": public or directory.is_abridged,
        "identity": run["identity"],
        "configuration": run["plan"]["label"],
        "kind": run["plan"]["kind"],
        "suite": run["plan"]["suite"],
        "evaluations": len(run["schedule"]),
        "files": files,
    }
    return body | {"root": sha256_hex(canonical_json(body))}


def _judging_version(directory: RunDirectory) -> int | None:
    """The version of the rules by which the run was judged, which may be an earlier one; None if nothing was judged."""
    versions = {directory.read_judgement(slot).get("judging") for slot in directory.judged_slots}
    if len(versions) > 1:
        raise InputError(
            f"{format_value(directory.path)} was judged by different versions: algoworlds judge makes the old again"
        )
    return next(iter(versions), None)


# -- unpacking ------------------------------------------------------------------------------------------------------------


@contextmanager
def unpack_run(archive: Path, out: Path | None, root: str | None) -> Iterator[RunDirectory]:
    """The run in `archive`, in a temporary folder that becomes `out` if the block ends without an error.

    An `out` that exists must be this run, unpacked by the same command.
    """
    with TemporaryDirectory(prefix=".unpack.") if out is None else create_folder(out) as temporary:
        folder = Path(temporary)
        try:
            with open_regular_file(archive) as file:
                label = _write_members(file, folder, root)
        except InputError as problem:
            raise InputError(f"{format_value(archive)} is damaged or not an archive of a run: {problem}") from None
        except OSError as problem:
            raise InputError(f"{format_value(problem.filename or archive)}: {problem.strerror or 'cannot be read'}") from None
        try:
            _check_run(RunDirectory(folder), label)
        except InputError as problem:
            text = str(problem).replace(format_value(folder), format_value(archive.name))
            raise InputError(f"{format_value(archive)} does not hold a whole run: {text}") from None
        yield RunDirectory(folder)


def _write_members(file: BinaryIO, folder: Path, root: str | None) -> JsonObject:
    """Write the files of an archive into a new folder, and return its label."""
    first = read_first_member(file, LABEL_FILE)
    label = _read_label(first)
    if root is not None and label["root"] != root:
        raise InputError(f"its root is {format_value(label['root'][:16])}..., not {format_value(root[:16])}...")
    sizes = [(name, entry["bytes"]) for name, entry in sorted(label["files"].items())]
    if os.fstat(file.fileno()).st_size != archive_length([len(first), *(size for _, size in sizes)]):
        raise InputError("it is not as long as its label says")
    for name in ("records", "journal", "judgements"):
        make_owner_only_folder(folder / name)
    for name, content in read_other_members(file, sizes):
        if sha256(content).hexdigest() != label["files"][name]["sha256"]:
            raise InputError(f"{format_value(name)} is altered")
        with os.fdopen(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, OWNER_ONLY_FILE), "wb") as target:
            target.write(content)
    return label


def _read_label(content: bytes) -> JsonObject:
    """The label, in canonical form, with names and sizes that an archive can have."""
    try:
        label: JsonObject = strict_loads(content.decode("ascii"))
        if label["format"] != ARCHIVE_FORMAT:
            raise InputError(
                f"it has format {format_value(label['format'])}, this version reads {ARCHIVE_FORMAT}: update algoworlds"
            )
        body = {name: value for name, value in label.items() if name != "root"}
        if sha256_hex(canonical_json(body)) != label["root"] or encode_record(label) != content:
            raise InputError(f"{LABEL_FILE} is altered: it does not fit its root")
        for name, entry in label["files"].items():
            _check_entry(name, entry)
        if sum(entry["bytes"] for entry in label["files"].values()) > MAX_ARCHIVE_BYTES:
            raise InputError(f"its files have more than {MAX_ARCHIVE_BYTES:,} bytes")
    except (Malformed, *_WRONG_FORM):
        raise InputError(f"{LABEL_FILE} has not the form of one") from None
    return label


def _check_entry(name: str, entry: Any) -> None:
    """InputError if the label lists a file with a name, size or digest that it cannot have."""
    if not _NAME.fullmatch(name):
        raise InputError(f"{LABEL_FILE} lists {quote_value(name)}, which is not a file of a run")
    size, digest = entry["bytes"], entry["sha256"]
    if set(entry) != {"bytes", "sha256"} or type(size) is not int or not 0 <= size <= MAX_MEMBER_BYTES:
        raise InputError(f"{LABEL_FILE} lists {quote_value(name)} with a size that no file of a run has")
    if not _DIGEST.fullmatch(digest):
        raise InputError(f"{LABEL_FILE} lists {quote_value(name)} with a digest that is not SHA-256")


def _check_run(directory: RunDirectory, label: JsonObject) -> None:
    """InputError unless the folder is exactly what packing its run gives, and the label belongs to it."""
    try:
        files = files_to_pack(directory, public=False)
        if set(files) != set(label["files"]):
            odd = min(set(files) ^ set(label["files"]))
            raise InputError(f"{format_value(odd)} is {'missing' if odd in files else 'not one of its files'}")
        for name in ("run.json", "manifest.json"):
            if files[name]() != read_regular_file(directory.path / name):
                raise InputError(f"{name} is not written as packing writes it")
        own = build_label(directory, False, label["files"])
        if any(own[name] != label[name] for name in own.keys() - {"algoworlds", "root"}) or own.keys() != label.keys():
            raise InputError(f"{LABEL_FILE} is of another run")
        if problems := problems_without_replay(directory):
            raise InputError(problems[0])
    except _WRONG_FORM:
        raise InputError("run.json has not the form of one") from None


def verify_unpacked_run(directory: RunDirectory, suite: Suite, executor: Executor | None, progress: Progress) -> list[str]:
    """Everything that is wrong with an unpacked run; every record is replayed against the suite."""
    try:
        return verify_run(directory, suite, executor, progress)
    except _WRONG_FORM:
        return ["a file of the run has not the form that it should have"]


def set_suite_path(directory: RunDirectory, suite: Path | None) -> None:
    """Note in an unpacked run where its suite is on this machine, so that later commands find it."""
    if suite is not None:
        document = json.loads(read_regular_file(directory.path / "run.json")) | {"suite": str(suite.resolve())}
        write_atomic(directory.path / "run.json", indented_json(document), mode=OWNER_ONLY_FILE)
