"""A run on disk: one writer, a fixed identity, journals, attempts and final records.

run.json              the plan, its identity and the schedule
records/NAME.json     final records, created exclusively and never changed
journal/NAME.jsonl    every provider response of an evaluation, durable before its tool call runs
attempts.jsonl        every request, before it is sent and with its result: status, latency, waiting, wall time
output/NAME.txt       what an external agent printed, including its traceback, up to a size limit
quarantine/NAME.txt   problems to look at: an error of ours, a provider's refusal midway; the evaluation stays pending
manifest.json         digests of all records, once the run is complete
judgements/NAME.json  what could have been known, one for each judged record; created exclusively as well
"""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from types import NoneType
from typing import Any

from algoworlds.core.canonical import JsonObject, canonical_json, sha256_hex
from algoworlds.disk import (
    OWNER_ONLY_FILE,
    create_atomic,
    lock_folder,
    make_owner_only_folder,
    read_regular_file,
    sync_directory,
    write_atomic,
)
from algoworlds.errors import InputError, format_value, quote_value, require_printable
from algoworlds.runs.journal import Journal, read_journal_if_exists
from algoworlds.runs.schedule import RUN_FORMAT, Experiment, Slot, differences
from algoworlds.suites.manifest import WORLD_ID_PATTERN
from algoworlds.suites.record import PlayerKind, Provenance, encode_record
from algoworlds.tracks.track import BARE, find_track

NETWORK_FILE_SYSTEMS = {
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "glusterfs", "fuse.sshfs", "fuse.glusterfs",
}  # fmt: skip
"""File systems on which locks and exclusive creation cannot be trusted."""
RECORD_TYPES: dict[str, tuple[type, ...]] = {
    "world": (str,),
    "trial": (int,),
    "outcome": (str,),
    "stop_reason": (str,),
    "exact": (int,),
    "cost": (int, float, NoneType),
    "tokens": (dict, NoneType),
    "trajectory": (list,),
}
"""The types of fields by which a record is recognised before it is counted or printed."""
MAX_RECORD_BYTES = 256 * 2**20
"""More than a record with hundreds of calls whose arguments have the maximum length."""
NAME_FIELDS = {"configuration", "kind", "world", "family", "interface", "outcome", "stop_reason"}
"""The names in a record: they are printed, so a record whose names hold control characters is refused."""


@dataclass(frozen=True)
class RunDirectory:
    """The files of one run."""

    path: Path

    @cached_property
    def document(self) -> JsonObject:
        """run.json; InputError if this is not a run that this version can read."""
        path = self.path / "run.json"
        try:
            document = json.loads(read_regular_file(path).decode())
            version = document["plan"]["format"]
            names = {world for world, _ in document["schedule"]} | document["plan"]["prompts"].keys()
            _ = document["identity"], document["suite"], [int(trial) for _, trial in document["schedule"]]
            label, suite_name = document["plan"]["label"], document["plan"]["suite"]["name"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise InputError(f"{format_value(self.path)} is not a run: make one with algoworlds run") from None
        if version != RUN_FORMAT:
            stated = f"{format_value(self.path)} has format {format_value(version)}"
            raise InputError(f"{stated}, this version reads {RUN_FORMAT}: update algoworlds")
        if sha256_hex(canonical_json(document["plan"])) != document["identity"]:
            raise InputError(f"{format_value(path)} is altered: its plan does not fit its identity")
        if not {world for world, _ in document["schedule"]} <= set(document["plan"]["prompts"]):
            raise InputError(f"{format_value(path)} is altered: its schedule does not fit its plan")
        if wrong := [name for name in names if not WORLD_ID_PATTERN.fullmatch(name)]:
            raise InputError(f"{format_value(path)} is altered: {quote_value(wrong[0])} is not a world id")
        require_printable(f"the label in {format_value(path)}", label)
        require_printable(f"the name of the suite in {format_value(path)}", suite_name)
        require_printable(f"the edition in {format_value(path)}", document["plan"]["suite"].get("edition", ""))
        return document  # type: ignore[no-any-return]

    @property
    def suite_path(self) -> Path | None:
        """The suite's path as noted in the run, if it still exists; an unpacked run may have none."""
        path = self.document["suite"]
        return Path(path) if isinstance(path, str) and Path(path).exists() else None

    @property
    def is_abridged(self) -> bool:
        """Whether the model's texts and journals were left out when the run was packed."""
        return "abridged" in self.document

    @property
    def kind(self) -> PlayerKind:
        """What kind of player the run evaluates."""
        try:
            return PlayerKind(self.document["plan"]["kind"])
        except (KeyError, ValueError):
            raise InputError(
                f"{format_value(self.path)} is a run of a kind that this version does not know: update algoworlds"
            ) from None

    @property
    def track(self) -> str:
        """The name of the run's track; InputError if this version does not know it."""
        track = self.document["plan"].get("track")
        if track is None:
            return BARE.name
        if not isinstance(track, dict) or not isinstance(track.get("name"), str) or track["name"] == BARE.name:
            raise InputError(f"{format_value(self.path / 'run.json')} is altered: its track has not the form of one")
        return find_track(track["name"]).name

    def provenance(self, slot: Slot) -> Provenance:
        """The run, player and trial that the record of `slot` belongs to."""
        plan = self.document["plan"]
        return Provenance(self.document["identity"], plan["label"], self.kind, slot.trial, plan["suite"].get("edition"))

    @cached_property
    def schedule(self) -> list[Slot]:
        """The scheduled evaluations, in order."""
        return [Slot(world, trial) for world, trial in self.document["schedule"]]

    def create_or_resume(self, experiment: Experiment, suite: Path) -> None:
        """Create the run, or resume one with the same identity; InputError for a different one."""
        for folder in (self.path / "records", self.path / "journal"):
            make_owner_only_folder(folder)
        if not (self.path / "run.json").exists():
            document = {
                "plan": experiment.document,
                "identity": experiment.identity,
                "suite": str(suite.resolve()),
                "schedule": [[slot.world, slot.trial] for slot in experiment.schedule],
            }
            write_atomic(self.path / "run.json", indented_json(document), mode=OWNER_ONLY_FILE)
        elif self.document["identity"] != experiment.identity:
            changes = list(differences(experiment.document, self.document["plan"]))
            listing = "; ".join(changes[:5]) + (f"; and {len(changes) - 5} more" if len(changes) > 5 else "")
            raise InputError(f"{format_value(self.path)} holds another run, choose another --out. It differs in {listing}")

    @contextmanager
    def lock(self, allow_network: bool = False) -> Iterator[None]:
        """Hold the run as its only writer; the lock ends with the process."""
        self._check_writable(allow_network)
        with lock_folder(self.path):
            for left_over in self.path.rglob(".*.partial"):  # of a process that was killed: only the writer gets here
                left_over.unlink()
            yield

    def _check_writable(self, allow_network: bool) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{format_value(self.path)} is not a directory: choose another --out")
        if self.path.is_dir() and not (self.path / "run.json").exists():
            # a run that was killed at its start leaves these
            names = {path.name for path in self.path.iterdir()} - {"lock", "records", "journal"}
            if not all(name.endswith(".partial") for name in names):
                raise InputError(f"{format_value(self.path)} is not empty and not a run: choose another --out")
        try:
            if not self.path.exists():  # one that the user has created keeps its mode
                make_owner_only_folder(self.path)
            TemporaryFile(dir=self.path).close()
        except OSError as problem:
            raise InputError(f"cannot write {format_value(self.path)}: {problem.strerror}; choose another --out") from None
        kind = file_system_type(self.path)
        if kind in NETWORK_FILE_SYSTEMS and not allow_network:
            raise InputError(f"{format_value(self.path)} is on {kind}, where locks cannot be trusted: choose a local --out")

    # -- evaluations --------------------------------------------------------------------------------------------------

    @property
    def finished_slots(self) -> set[Slot]:
        """The evaluations that have a final record."""
        return self._slots_in("records")

    @property
    def judged_slots(self) -> set[Slot]:
        """The evaluations that have a judgement."""
        return self._slots_in("judgements")

    def _slots_in(self, folder: str) -> set[Slot]:
        schedule = self.schedule  # first: it refuses what is not a run
        try:
            names = {path.name for path in (self.path / folder).iterdir()}
        except FileNotFoundError:
            names = set()
        except OSError as problem:
            raise InputError(f"{format_value(self.path / folder)} cannot be read: {problem.strerror}; restore it") from None
        return {slot for slot in schedule if f"{slot.name}.json" in names}

    def journal_heading(self, slot: Slot) -> JsonObject:
        """The first line of an evaluation's journal: which run and slot it belongs to."""
        return {"identity": self.document["identity"], "world": slot.world, "trial": slot.trial}

    def open_journal(self, slot: Slot) -> Journal:
        """Open an evaluation's journal for appending, with its heading; InputError for a journal of another run."""
        path = self.path / "journal" / f"{slot.name}.jsonl"
        is_new = not path.exists()
        journal = Journal(path)
        try:
            self._check_journal(slot, journal.values_at_open)
            if is_new:
                sync_directory(path.parent)
            if not journal.values_at_open:
                journal.append(self.journal_heading(slot))
            elif journal.values_at_open[0] != self.journal_heading(slot):
                raise InputError(f"the journal of {format_value(slot.name)} belongs to another run: restore it, or remove it")
        except BaseException:
            journal.close()
            raise
        return journal

    def read_journal(self, slot: Slot) -> list[JsonObject]:
        """The lines of an evaluation's journal; empty if there is no journal."""
        return self._check_journal(slot, read_journal_if_exists(self.path / "journal" / f"{slot.name}.jsonl")[0])

    def _check_journal(self, slot: Slot, lines: list[Any]) -> list[JsonObject]:
        """`lines`; InputError if one is not an object, as in a journal that was edited together with its digests."""
        for number, line in enumerate(lines, 1):
            if not isinstance(line, dict):
                name = format_value(f"journal/{slot.name}.jsonl")
                raise InputError(
                    f"{name}: line {number} is {format_value(line)}, not an object: the journal is damaged, restore it"
                )
        return lines

    def open_attempt_log(self) -> Journal:
        """The log of all attempts, open for appending."""
        return Journal(self.path / "attempts.jsonl", durable=False)

    def write_record(self, slot: Slot, record: JsonObject) -> None:
        """Create the final record of an evaluation."""
        write_final_file(self.path / "records", slot, record)

    def write_judgement(self, slot: Slot, judgement: JsonObject) -> None:
        """Create the final judgement of an evaluation."""
        make_owner_only_folder(self.path / "judgements")
        write_final_file(self.path / "judgements", slot, judgement)

    def quarantine(self, slot: Slot, text: str) -> None:
        """Keep the description of a failure of ours; the evaluation stays pending."""
        self._write_text("quarantine", slot, text.encode("utf-8", "backslashreplace"))

    def write_output(self, slot: Slot, content: bytes) -> None:
        """Keep what the agent of an evaluation has printed."""
        self._write_text("output", slot, content)

    def _write_text(self, folder: str, slot: Slot, content: bytes) -> None:
        make_owner_only_folder(self.path / folder)
        write_atomic(self.path / folder / f"{slot.name}.txt", content, mode=OWNER_ONLY_FILE)

    def read_record(self, slot: Slot) -> JsonObject:
        """The final record of an evaluation."""
        path = self.path / "records" / f"{slot.name}.json"
        record = _read_json(path)
        for field in NAME_FIELDS & record.keys():
            require_printable(f"the {field} in {format_value(path)}", record[field])
        return record

    def read_judgement(self, slot: Slot) -> JsonObject:
        """The judgement of a judged evaluation."""
        return _read_json(self.path / "judgements" / f"{slot.name}.json")

    def read_records(self) -> Iterator[JsonObject]:
        """Every final record, by world and trial; InputError if one has not the form of a record, or some have gone."""
        slots = sort_slots(self.finished_slots)
        if len(slots) < len(self.schedule) and (self.path / "manifest.json").is_file():
            missing = sort_slots(set(self.schedule) - set(slots))
            raise InputError(
                f"{format_value(self.path)} was complete, but {len(missing)} of its records are missing, "
                f"the first of {missing[0].name}: restore them"
            )
        for slot in slots:
            record = self.read_record(slot)
            if not all(name in record and isinstance(record[name], types) for name, types in RECORD_TYPES.items()):
                name = format_value(self.path / "records" / f"{slot.name}.json")
                raise InputError(f"{name} has not the form of a record: algoworlds verify-run says what is wrong")
            yield record

    def write_manifest(self) -> None:
        """Write the manifest of a complete run, unless there is one: the digest of every record, and one root."""
        if not (self.path / "manifest.json").is_file():
            write_atomic(self.path / "manifest.json", self.manifest_bytes(), mode=OWNER_ONLY_FILE)

    def manifest_bytes(self) -> bytes:
        """The manifest file for the records as they are now."""
        return indented_json(self.build_manifest())

    def build_manifest(self) -> JsonObject:
        """The manifest for the records as they are now."""
        paths = [f"records/{slot.name}.json" for slot in self.schedule]
        digests = {path: sha256(read_regular_file(self.path / path)).hexdigest() for path in paths}
        return manifest_from_digests(self.document["identity"], digests)


def manifest_from_digests(identity: str, digests: Mapping[str, str]) -> JsonObject:
    """The manifest of a run whose records have these digests."""
    body = {"identity": identity, "files": digests}
    return body | {"root": sha256_hex(canonical_json(body))}


def indented_json(document: JsonObject) -> bytes:
    """The file content of a document about a whole run."""
    return (json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def write_final_file(folder: Path, slot: Slot, document: JsonObject) -> None:
    """Create the slot's file in `folder` exactly once, complete and durable; a second write must have the same bytes."""
    path, content = folder / f"{slot.name}.json", encode_record(document)
    try:
        create_atomic(path, content, OWNER_ONLY_FILE)
    except FileExistsError:
        if read_regular_file(path) != content:
            raise InputError(f"{format_value(path)} exists with other content: it is final and was not touched") from None
        sync_directory(folder)


def _read_json(path: Path) -> JsonObject:
    try:
        if path.stat().st_size > MAX_RECORD_BYTES:
            raise ValueError("too long")
        document = json.loads(read_regular_file(path), parse_constant=refuse_constant)
        if not isinstance(document, dict):
            raise TypeError("not an object")
        return document
    except (OSError, ValueError, TypeError, RecursionError):
        raise InputError(f"{format_value(path)} cannot be read: algoworlds verify-run says what is wrong") from None


def refuse_constant(name: str) -> None:
    """Refuse NaN and infinities, as `parse_constant` of a JSON parser."""
    raise ValueError(f"{name} is not JSON")  # no file that was written here holds NaN or an infinity


def sort_slots(slots: Iterable[Slot]) -> list[Slot]:
    """Slots by world and trial."""
    return sorted(slots, key=lambda slot: (slot.world, slot.trial))


def file_system_type(path: Path) -> str:
    """The type of the file system that holds `path`; "unknown" outside Linux."""
    if not sys.platform.startswith("linux"):
        return "unknown"
    longest, kind = "", "unknown"
    for row in Path("/proc/mounts").read_text().splitlines():
        _, mount, name, *_ = row.split(" ")
        mount = mount.replace("\\040", " ")
        if len(mount) >= len(longest) and path.resolve().is_relative_to(mount):
            longest, kind = mount, name
    return kind
