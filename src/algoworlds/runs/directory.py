"""A run on disk: one writer, an identity that may not change, journals, attempts and finalized records.

run.json              the plan, its identity and the schedule
records/NAME.json     finalized records, created exclusively, never touched again
journal/NAME.jsonl    every provider response of an evaluation, durable before its tool call runs
attempts.jsonl        every request that was sent: status, latency, waiting, wall time
output/NAME.txt       what an agent of somebody's own printed, its traceback included, as far as there is room
quarantine/NAME.txt   what somebody must look at: an error of ours, a provider's refusal midway; the evaluation stays pending
manifest.json         digests of all records, once the run is complete
judgements/NAME.json  what could have been known, one a record that was judged; created exclusively as well
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
from typing import Any

from algoworlds.core.canonical import canonical_text, digest
from algoworlds.disk import alone, read_plain, sync_directory, write_whole
from algoworlds.errors import InputError, shown
from algoworlds.runs.journal import Journal, held
from algoworlds.runs.schedule import FORMAT, Experiment, differences
from algoworlds.runs.slot import Slot, finalize
from algoworlds.suites.record import Kind, Whose

NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "glusterfs", "fuse.sshfs", "fuse.glusterfs"}
"""File systems on which locks and exclusive creation cannot be trusted."""

LONGEST_RECORD = 256 * 2**20
"""Bytes; a record with hundreds of calls at the limit of their arguments stays below."""


@dataclass(frozen=True)
class RunDirectory:
    """The files of one run."""

    path: Path

    @cached_property
    def document(self) -> dict[str, Any]:
        """run.json; InputError if this is no run that we can read."""
        try:
            document = json.loads(read_plain(self.path / "run.json").decode())
            version = document["plan"]["format"]
            _ = document["identity"], document["suite"], [(world, trial) for world, trial in document["schedule"]]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise InputError(f"{shown(self.path)} is no run: make one with algoworlds run") from None
        if version != FORMAT:
            raise InputError(f"{shown(self.path)} has format {shown(version)}, this version reads {FORMAT}: update algoworlds")
        if digest(canonical_text(document["plan"])) != document["identity"]:
            raise InputError(f"{shown(self.path / 'run.json')} is altered: its plan does not fit its identity")
        if not {world for world, _ in document["schedule"]} <= set(document["plan"]["prompts"]):
            raise InputError(f"{shown(self.path / 'run.json')} is altered: its schedule does not fit its plan")
        return document  # type: ignore[no-any-return]

    @property
    def suite_place(self) -> Path | None:
        """Where the suite was when the run was made, if it is still there; a run from elsewhere remembers no place."""
        place = self.document["suite"]
        return Path(place) if isinstance(place, str) and Path(place).exists() else None

    @property
    def abridged(self) -> bool:
        """Whether the model's texts, journals with them, were left out when the run was handed over."""
        return "abridged" in self.document

    @property
    def kind(self) -> Kind:
        """What played, or is to play."""
        try:
            return Kind(self.document["plan"]["kind"])
        except (KeyError, ValueError):
            raise InputError(f"{shown(self.path)} is a run of no kind that this version knows: update algoworlds") from None

    def whose(self, slot: Slot) -> Whose:
        """Whose the record of a slot is."""
        return Whose(self.document["identity"], self.document["plan"]["label"], self.kind, slot.trial)

    @cached_property
    def schedule(self) -> list[Slot]:
        """The scheduled evaluations, in order."""
        return [Slot(world, trial) for world, trial in self.document["schedule"]]

    def begin(self, experiment: Experiment, suite: Path) -> None:
        """Create the run, or take up an interrupted one of the same identity; a different one is refused."""
        for folder in (self.path / "records", self.path / "journal"):
            folder.mkdir(exist_ok=True)
        for torn in self.path.rglob(".*.partial"):
            torn.unlink()
        if (self.path / "run.json").exists():
            self._same(experiment)
            return
        document = {
            "plan": experiment.document,
            "identity": experiment.identity,
            "suite": str(suite.resolve()),
            "schedule": [[each.world, each.trial] for each in experiment.schedule],
        }
        write_whole(self.path / "run.json", indented(document))

    def _same(self, experiment: Experiment) -> None:
        document = self.document
        if document["identity"] != experiment.identity:
            changed = list(differences(experiment.document, document["plan"]))
            listed = "; ".join(changed[:5]) + (f"; and {len(changed) - 5} more" if len(changed) > 5 else "")
            raise InputError(f"{shown(self.path)} holds another run, choose another --out. It differs in {listed}")

    @contextmanager
    def locked(self, network: bool = False) -> Iterator[None]:
        """Hold the run as its only writer; the lock dies with the process."""
        self._writable(network)
        with alone(self.path):
            yield

    def _writable(self, network: bool) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise InputError(f"{shown(self.path)} is no directory: choose another --out")
        if self.path.is_dir() and not (self.path / "run.json").exists() and any(map(_foreign, self.path.iterdir())):
            raise InputError(f"{shown(self.path)} is not empty and no run: choose another --out")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=self.path).close()
        except OSError as problem:
            raise InputError(f"cannot write {shown(self.path)}: {problem.strerror}; choose another --out") from None
        kind = file_system(self.path)
        if kind in NETWORK and not network:
            raise InputError(f"{shown(self.path)} is on {kind}, where locks cannot be trusted: choose a local --out")

    # -- evaluations --------------------------------------------------------------------------------------------------

    @property
    def finished(self) -> set[Slot]:
        """The evaluations that have a finalized record."""
        names = {path.name for path in (self.path / "records").glob("*.json")}
        return {each for each in self.schedule if f"{each.name}.json" in names}

    @property
    def judged(self) -> set[Slot]:
        """The evaluations that have a judgement."""
        names = {path.name for path in (self.path / "judgements").glob("*.json")}
        return {each for each in self.schedule if f"{each.name}.json" in names}

    def heading(self, slot: Slot) -> dict[str, Any]:
        """The first line of an evaluation's journal: whose it is."""
        return {"identity": self.document["identity"], "world": slot.world, "trial": slot.trial}

    def journal(self, slot: Slot) -> Journal:
        """The journal of an evaluation, open for appending, its heading written; InputError for one of another run."""
        path = self.path / "journal" / f"{slot.name}.jsonl"
        fresh = not path.exists()
        journal = Journal(path)
        try:
            if fresh:
                sync_directory(path.parent)
            if not journal.recorded:
                journal.append(self.heading(slot))
            elif journal.recorded[0] != self.heading(slot):
                raise InputError(f"the journal of {shown(slot.name)} belongs to another run: restore it, or remove it")
        except BaseException:
            journal.close()
            raise
        return journal

    def journaled(self, slot: Slot) -> list[Any]:
        """What the journal of an evaluation holds; nothing if there is none."""
        return held(self.path / "journal" / f"{slot.name}.jsonl")[0]

    def attempts(self) -> Journal:
        """The log of all attempts, open for appending."""
        return Journal(self.path / "attempts.jsonl", durable=False)

    def finalize(self, slot: Slot, record: dict[str, Any]) -> None:
        """Create the evaluation's record, once and for all."""
        finalize(self.path / "records", slot, record)

    def settle(self, slot: Slot, judgement: dict[str, Any]) -> None:
        """Create the evaluation's judgement, once and for all."""
        (self.path / "judgements").mkdir(exist_ok=True)
        finalize(self.path / "judgements", slot, judgement)

    def quarantine(self, slot: Slot, text: str) -> None:
        """Keep what went wrong on our side with an evaluation, which stays pending."""
        self._note("quarantine", slot, text.encode("utf-8", "backslashreplace"))

    def output(self, slot: Slot, content: bytes) -> None:
        """Keep what the agent of an evaluation has printed."""
        self._note("output", slot, content)

    def _note(self, name: str, slot: Slot, content: bytes) -> None:
        (self.path / name).mkdir(exist_ok=True)
        write_whole(self.path / name / f"{slot.name}.txt", content)

    def record(self, slot: Slot) -> dict[str, Any]:
        """The finalized record of an evaluation."""
        return _read(self.path / "records" / f"{slot.name}.json")

    def judgement(self, slot: Slot) -> dict[str, Any]:
        """The judgement of an evaluation that has one."""
        return _read(self.path / "judgements" / f"{slot.name}.json")

    def records(self) -> Iterator[dict[str, Any]]:
        """Every finalized record, by world and trial."""
        yield from map(self.record, in_order(self.finished))

    def seal(self) -> None:
        """Write the experiment manifest of a complete run: every record by digest, and one root."""
        if not (self.path / "manifest.json").is_file():
            write_whole(self.path / "manifest.json", self.manifest_bytes())

    def manifest_bytes(self) -> bytes:
        """The manifest's file as the records are now."""
        return indented(self.manifest())

    def manifest(self) -> dict[str, Any]:
        """The experiment manifest as the files are now."""
        paths = [f"records/{each.name}.json" for each in sorted(self.schedule, key=lambda each: each.name)]
        digests = {path: sha256(read_plain(self.path / path)).hexdigest() for path in paths}
        return manifest_of(self.document["identity"], digests)


def manifest_of(identity: str, digests: Mapping[str, str]) -> dict[str, Any]:
    """The experiment manifest of a run whose records have these digests."""
    body = {"identity": identity, "files": digests}
    return body | {"root": digest(canonical_text(body))}


def indented(document: dict[str, Any]) -> bytes:
    """A document about a whole run as the bytes of its file."""
    return (json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LONGEST_RECORD:
            raise ValueError("too long")
        return dict(json.loads(read_plain(path)))
    except (OSError, ValueError, TypeError, RecursionError):
        raise InputError(f"{shown(path)} cannot be read: algoworlds verify-run says what is wrong") from None


def in_order(slots: Iterable[Slot]) -> list[Slot]:
    """Slots by world and trial."""
    return sorted(slots, key=lambda slot: (slot.world, slot.trial))


def _foreign(path: Path) -> bool:
    """Whether a file is no trace of a run that was killed as it began."""
    return path.name not in {"lock", "records", "journal"} and not path.name.endswith(".partial")


def file_system(path: Path) -> str:
    """The kind of file system that a path lies on, where the system tells."""
    if not sys.platform.startswith("linux"):
        return "unknown"
    best, kind = "", "unknown"
    for row in Path("/proc/mounts").read_text().splitlines():
        _, place, name, *_ = row.split(" ")
        mounted = place.replace("\\040", " ")
        if len(mounted) >= len(best) and path.resolve().is_relative_to(mounted):
            best, kind = mounted, name
    return kind
