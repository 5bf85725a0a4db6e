"""Submissions to a board: one archive each, with a statement about it, replayed before it is accepted.

Nothing in a submission is trusted. The archive must be byte for byte as it was packed, its suite must be one of the board's,
and every record is replayed. What cannot be replayed cannot be told: an agent may have looked up the answers of a public
suite, and a provider's responses may be invented. So a model needs its journals, and the board says what kind a player is.
"""

import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from datetime import date
from hashlib import sha256
from pathlib import Path

from algoworlds.disk import read_regular_file
from algoworlds.errors import AlgoWorldsError, InputError, format_value, quote_value, require_printable
from algoworlds.runs.archive import unpack_run, verify_unpacked_run
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import Progress
from algoworlds.suites.commitment import commitment_problems
from algoworlds.suites.manifest import load_manifest
from algoworlds.suites.open import open_suite
from algoworlds.suites.record import PlayerKind
from algoworlds.tracks.track import BARE

STATEMENT_FILE = "submission.toml"
SUBMISSION_FORMAT = 1
MAX_STATEMENT_BYTES = 2**16
DEFAULT_MAX_MEGABYTES = 1_024
"""The largest archive that a board reads, unless its owner allows more: far more than 720 evaluations of any model take."""
STANDARD_TRIALS = 3
"""Trials of every world by the protocol of the paper."""
COPIED_SHARE = 0.9
"""From this share of equal trajectories on, one submission is a copy of another."""

_COMMITMENT = re.compile(r"[0-9a-f]{64}")
_LINK = re.compile(r"https://[^\s\"'<>\\]{1,500}")


@dataclass(frozen=True)
class Statement:
    """What a submission says of itself: `submission.toml`. A bare archive says nothing."""

    by: str = ""
    """Who submits."""
    date: str = ""
    """When, as YYYY-MM-DD."""
    kind: str = ""
    """The kind of player, which must be that of the archive: model, external, human or agent."""
    archive: str = ""
    """The file name of the archive, in the same folder."""
    notes: str = ""
    """How the player was set up."""
    links: tuple[str, ...] = ()
    commitment: str = ""
    """The hash of a private suite that was published before the evaluation."""

    @classmethod
    def read(cls, folder: Path) -> "Statement":
        """Read the statement in `folder`; InputError names a field that is missing, unknown or wrong."""
        path = folder / STATEMENT_FILE
        try:
            content = read_regular_file(path)
            if len(content) > MAX_STATEMENT_BYTES:
                raise InputError(f"{STATEMENT_FILE} has more than {MAX_STATEMENT_BYTES:,} bytes")
            values = tomllib.loads(content.decode())
        except OSError as problem:
            raise InputError(f"{STATEMENT_FILE} cannot be read: {problem.strerror}") from None
        except (ValueError, RecursionError):
            raise InputError(f"{STATEMENT_FILE} is not TOML in UTF-8") from None
        if values.pop("format", None) != SUBMISSION_FORMAT:
            raise InputError(f"{STATEMENT_FILE} must have the line: format = {SUBMISSION_FORMAT}")
        known = [item.name for item in fields(cls)]
        if unknown := sorted(values.keys() - set(known)):
            raise InputError(f"{STATEMENT_FILE} has the unknown field {quote_value(unknown[0])}; known are {', '.join(known)}")
        if missing := [name for name in ("by", "date", "kind", "archive") if name not in values]:
            raise InputError(f"{STATEMENT_FILE} lacks {', '.join(missing)}")
        if type(values["date"]) is date:
            values["date"] = values["date"].isoformat()
        links = values.pop("links", [])
        if not isinstance(links, list) or not all(isinstance(link, str) and _LINK.fullmatch(link) for link in links):
            raise InputError(f"links in {STATEMENT_FILE} must be a list of addresses that begin with https://")
        for name, value in values.items():
            if not isinstance(value, str) or not value:
                raise InputError(f"{name} in {STATEMENT_FILE} must be a text, not {format_value(value)}")
            require_printable(f"{name} in {STATEMENT_FILE}", value)
        return cls(**values, links=tuple(links))._check()

    def _check(self) -> "Statement":
        """The statement itself; InputError if one of its values is wrong."""
        try:
            date.fromisoformat(self.date)
        except ValueError:
            raise InputError(f"date in {STATEMENT_FILE} must be like 2026-11-19, not {quote_value(self.date)}") from None
        kinds = [kind.value for kind in PlayerKind]
        if self.kind not in kinds:
            raise InputError(f"kind in {STATEMENT_FILE} must be one of {', '.join(kinds)}, not {quote_value(self.kind)}")
        if Path(self.archive).name != self.archive or self.archive in (".", ".."):
            raise InputError(
                f"archive in {STATEMENT_FILE} must be the name of a file beside it, not {quote_value(self.archive)}"
            )
        if self.commitment and not _COMMITMENT.fullmatch(self.commitment):
            raise InputError(f"commitment in {STATEMENT_FILE} must be the 64 hex digits that algoworlds commit printed")
        return self


@dataclass(frozen=True)
class BoardSuite:
    """A suite that submissions may have been played on."""

    path: Path
    name: str
    root: str
    world_count: int
    is_public: bool
    """Whether anyone with the code can compute its answers."""

    @classmethod
    def from_path(cls, path: Path) -> "BoardSuite":
        """The suite at `path`; InputError if it is not one."""
        manifest, _ = load_manifest(path)
        return cls(path, manifest.suite, manifest.root, len(manifest.worlds), not open_suite(path).spec.pepper)


@dataclass(frozen=True)
class Submission:
    """An accepted submission: its run, which has been replayed, and its statement."""

    source: Path
    statement: Statement
    run: RunDirectory
    suite: BoardSuite
    is_committed: bool
    """Whether its private suite was rebuilt from the secrets behind the stated commitment."""

    @property
    def label(self) -> str:
        """The name of its configuration."""
        return str(self.run.document["plan"]["label"])

    @property
    def trials(self) -> int:
        """The evaluations of every world."""
        return int(self.run.document["plan"]["trials"])

    @property
    def worlds(self) -> frozenset[str]:
        """The ids of the worlds that it played."""
        return frozenset(self.run.document["plan"]["prompts"])

    @property
    def is_standard(self) -> bool:
        """Whether it followed the paper's protocol: a model without aids, every world, at least three trials."""
        is_whole = len(self.worlds) == self.suite.world_count and self.trials >= STANDARD_TRIALS
        return self.run.kind is PlayerKind.MODEL and self.run.track == BARE.name and is_whole

    @property
    def badges(self) -> tuple[str, ...]:
        """What can be said of it at a glance."""
        texts = ["replayed", "standard protocol" if self.is_standard else "custom protocol"]
        if self.is_committed:
            texts.append("committed suite, revealed")
        if self.run.is_abridged:
            texts.append("texts left out")
        return tuple(texts)


@dataclass(frozen=True)
class Refusal:
    """A submission that is not on the board, and why."""

    source: Path
    reason: str


@dataclass
class SubmissionChecker:
    """Checks submissions one after the other; their runs stay unpacked until `stack` is closed."""

    suites: Mapping[str, BoardSuite]
    """The suites of the board by root."""
    stack: ExitStack
    executor: Executor | None = None
    progress: Progress = lambda done, total: None
    max_megabytes: int = DEFAULT_MAX_MEGABYTES
    accepted: list[Submission] = field(default_factory=list)
    _trajectories: dict[Path, dict[str, str]] = field(default_factory=dict)
    _committed: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def check_all(self, sources: Sequence[Path], on_checked: Callable[[Path], object] = lambda source: None) -> list[Refusal]:
        """Check every submission, the earliest date first, and return those that are refused."""
        refusals = []
        for source in sorted(sources, key=_stated_date):
            try:
                self.accepted.append(self.check(source))
            except AlgoWorldsError as problem:
                refusals.append(Refusal(source, str(problem)))
            on_checked(source)
        return refusals

    def check(self, source: Path) -> Submission:
        """The submission at `source`, an archive or a folder with a statement; InputError says what is wrong with it."""
        is_folder = source.is_dir()
        statement = Statement.read(source) if is_folder else Statement()
        archive = source / statement.archive if is_folder else source
        self._check_size(archive)
        run = self.stack.enter_context(unpack_run(archive, None, None))
        suite = self._suite_of(run)
        self._check_kind(run, statement)
        self._check_copies(source, run)
        opened = open_suite(suite.path, run.track)
        if problems := verify_unpacked_run(run, opened, self.executor, self.progress):
            more = f", and {len(problems) - 1:,} more problems" if len(problems) > 1 else ""
            raise InputError(f"its replay differs: {problems[0]}{more}")
        is_committed = bool(statement.commitment) and self._check_commitment(suite, statement.commitment)
        self._trajectories[source] = trajectory_digests(run)
        return Submission(source, statement, run, suite, is_committed)

    def _check_size(self, archive: Path) -> None:
        try:
            size = archive.stat().st_size
        except OSError as problem:
            raise InputError(f"{format_value(archive.name)} cannot be read: {problem.strerror}") from None
        if size > self.max_megabytes * 2**20:
            raise InputError(f"its archive has {size // 2**20:,} MB, this board reads at most {self.max_megabytes:,}")

    def _suite_of(self, run: RunDirectory) -> BoardSuite:
        plan = run.document["plan"]["suite"]
        if plan["root"] not in self.suites:
            names = ", ".join(f"{suite.name} ({suite.root[:8]}...)" for suite in self.suites.values())
            raise InputError(
                f"it was played on the suite {format_value(plan['name'])} ({plan['root'][:8]}...), not on one of this board: "
                f"{names}"
            )
        return self.suites[plan["root"]]

    def _check_kind(self, run: RunDirectory, statement: Statement) -> None:
        kind = run.kind
        if statement.kind and statement.kind != kind.value:
            raise InputError(f"it is stated to be of kind {statement.kind}, but its archive holds a run of kind {kind.value}")
        if kind is PlayerKind.MODEL and run.is_abridged:
            raise InputError(
                "its journals are left out, so that nobody can tell a model from a script: pack the run without --public"
            )

    def _check_copies(self, source: Path, run: RunDirectory) -> None:
        label = str(run.document["plan"]["label"])
        own = trajectory_digests(run)
        for other in self.accepted:
            if other.run.document["plan"]["suite"]["root"] != run.document["plan"]["suite"]["root"]:
                continue
            theirs = self._trajectories[other.source]
            shared = own.keys() & theirs.keys()
            equal = sum(own[name] == theirs[name] for name in shared)
            if shared and equal >= COPIED_SHARE * max(len(own), len(theirs)):
                raise InputError(
                    f"it duplicates {quote_value(other.label)}: {equal:,} of {len(own):,} trajectories are equal, call by call"
                )
            if other.label == label and other.run.kind is run.kind and other.run.track == run.track:
                raise InputError(f"another submission is called {quote_value(label)}: give the run a label of its own")

    def _check_commitment(self, suite: BoardSuite, commitment: str) -> bool:
        key = suite.root, commitment
        if key not in self._committed:
            self._committed[key] = commitment_problems(suite.path, commitment, self.executor, self.progress)
        if problems := self._committed[key]:
            raise InputError(f"its commitment does not hold: {problems[0]}")
        return True


def _stated_date(source: Path) -> tuple[str, str]:
    """When `source` says that it was submitted; what says nothing comes last."""
    try:
        stated = Statement.read(source).date if source.is_dir() else ""
    except InputError:
        stated = ""
    return stated or "9999", str(source)


def trajectory_digests(run: RunDirectory) -> dict[str, str]:
    """By name of the evaluation, the digest of its calls and its decision; evaluations without a call are left out."""
    digests = {}
    for record in run.read_records():
        calls = [[step["tool"], step["arguments"]] for step in record["trajectory"]]
        if calls:
            content = json.dumps([calls, record["decision"]], sort_keys=True)
            digests[f"{record['world']}--{record['trial']}"] = sha256(content.encode()).hexdigest()
    return digests


def find_submissions(paths: Iterable[Path]) -> Iterator[Path]:
    """Archives and submission folders; a folder without a statement stands for the submissions in it."""
    for path in paths:
        if not os.path.lexists(path):
            raise InputError(f"{format_value(path)} does not exist: name an archive or a folder of submissions")
        if not path.is_dir() or (path / STATEMENT_FILE).exists():
            yield path
            continue
        inside = sorted(child for child in path.iterdir() if (child / STATEMENT_FILE).exists() or child.suffix == ".tar")
        if not inside:
            raise InputError(f"{format_value(path)} holds no submission: neither {STATEMENT_FILE} nor an archive")
        yield from inside
