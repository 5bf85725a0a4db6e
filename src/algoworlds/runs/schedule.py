"""What a run is: its plan, the identity of that plan, and its evaluations in random order."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from algoworlds.core.canonical import JsonObject, canonical_json, sha256_hex
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError, format_value, quote_value, require_printable
from algoworlds.measures.scoring import SCORING_VERSION
from algoworlds.suites.manifest import WorldEntry
from algoworlds.suites.open import PublicSuite, Suite
from algoworlds.suites.record import PlayerKind
from algoworlds.tracks.track import BARE

RUN_FORMAT = 1
MAX_EVALUATIONS = 1_000_000
"""Evaluations of one run."""
PROTOCOL = 2
"""Raised whenever the same model could be treated differently: prompt, answers, caps, rules of ending."""


@dataclass(frozen=True)
class Slot:
    """An entry of the schedule: one evaluation of `world` in `trial`."""

    world: str
    trial: int

    @property
    def name(self) -> str:
        """The stem of the slot's file names."""
        return f"{self.world}--{self.trial}"


@dataclass(frozen=True)
class WorldFilter:
    """Which worlds of a suite to evaluate; an empty tuple allows every value."""

    pattern: str = "*"
    families: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    interfaces: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    """Names as in entries: the clear condition is empty."""

    def select(self, suite: PublicSuite) -> list[WorldEntry]:
        """The matching worlds in the order of `suite`; InputError if none matches."""
        selected = [
            entry
            for entry in suite.manifest.worlds
            if fnmatchcase(entry.id, self.pattern)
            and (not self.families or entry.family in self.families)
            and (not self.levels or entry.level in self.levels)
            and (not self.interfaces or entry.interface in self.interfaces)
            and (not self.conditions or entry.condition in self.conditions)
        ]
        if not selected:
            raise InputError(
                f"no world of {format_value(suite.directory)} matches: "
                "loosen --worlds, --families, --levels, --interfaces or --conditions"
            )
        return selected


@dataclass(frozen=True)
class Experiment:
    """The plan of a run: one configuration, some worlds of a suite, and the number of trials."""

    label: str
    kind: PlayerKind
    settings: JsonObject
    """Everything that determines how the configuration behaves, without secrets."""
    suite_name: str
    suite_root: str
    prompts: dict[str, str]
    """By world, the digest of the bytes that an agent receives: question and tools."""
    trials: int
    track: JsonObject | None = None
    """What identifies the track; None on the bare one, whose plans do not mention it."""
    edition: str | None = None
    """The edition of the suite, if it has one."""

    @classmethod
    def from_suite(
        cls, label: str, kind: PlayerKind, settings: JsonObject, suite: Suite, worlds: list[WorldEntry], trials: int
    ) -> "Experiment":
        """The experiment on `worlds` of an open suite."""
        require_printable("the label of the run", label)
        if trials < 1:
            raise InputError(f"--trials must be at least 1, not {trials}")
        if trials * len(worlds) > MAX_EVALUATIONS:
            raise InputError(
                f"{trials:,} trials of {len(worlds)} worlds are too many: a run has at most {MAX_EVALUATIONS:,} evaluations"
            )
        prompts = {world.id: sha256_hex(world.files["question.json"] + world.files["tools.json"]) for world in worlds}
        track = None if suite.track is BARE else suite.track.identity
        manifest = suite.manifest
        return cls(label, kind, settings, manifest.suite, manifest.root, prompts, trials, track, manifest.edition)

    @property
    def document(self) -> JsonObject:
        """The plan as JSON: everything that the identity depends on."""
        edition = {} if self.edition is None else {"edition": self.edition}
        return {
            "format": RUN_FORMAT,
            "protocol": PROTOCOL,
            "scoring": SCORING_VERSION,
            "label": self.label,
            "kind": self.kind.value,
            "settings": self.settings,
            "suite": {"name": self.suite_name, "root": self.suite_root} | edition,
            "prompts": self.prompts,
            "trials": self.trials,
            **({} if self.track is None else {"track": self.track}),
        }

    @property
    def identity(self) -> str:
        """The digest of the document."""
        return sha256_hex(canonical_json(self.document))

    @property
    def schedule(self) -> list[Slot]:
        """Every evaluation once, in the order of execution."""
        return build_schedule(self.identity, self.prompts, self.trials)


def build_schedule(identity: str, worlds: Iterable[str], trials: int) -> list[Slot]:
    """Every world in every trial once, in a random order seeded by `identity`."""
    return Stream("schedule", identity).shuffled([Slot(world, trial) for world in worlds for trial in range(1, trials + 1)])


def differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """Each path where two JSON documents differ, with both values; of lists the first entry that differs."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(name), theirs.get(name), f"{path}.{name}" if path else name)
    elif isinstance(ours, list) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            yield f"{format_value(path)}: {len(theirs):,} entries -> {len(ours):,}"
        first = next((at for at, (our, their) in enumerate(zip(ours, theirs, strict=False)) if our != their), None)
        if first is not None:
            yield from differences(ours[first], theirs[first], f"{path}[{first}]")
    elif ours != theirs:
        yield f"{format_value(path)}: {quote_value(theirs)} -> {quote_value(ours)}"
