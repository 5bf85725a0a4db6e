"""What a run is: its identity, and its evaluations in the random order in which they are to be made."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from algoworlds.core.canonical import canonical_text, digest
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError, quoted, shown
from algoworlds.measures.scoring import SCORING
from algoworlds.runs.slot import Slot
from algoworlds.suites.manifest import Entry
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import Kind

FORMAT = 1
MOST = 1_000_000
"""Evaluations of one run."""
PROTOCOL = 2
"""Rises whenever the same model could be treated otherwise: prompt, answers, caps, rules of ending."""


@dataclass(frozen=True)
class Wanted:
    """Which worlds of a suite to evaluate on."""

    pattern: str = "*"
    families: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    interfaces: tuple[str, ...] = ()

    def of(self, suite: Opened) -> list[Entry]:
        """The wanted worlds in the suite's order; InputError if there are none."""
        chosen = [entry for entry in suite.manifest.worlds if self._takes(entry)]
        if not chosen:
            raise InputError(
                f"no world of {shown(suite.directory)} is wanted: loosen --worlds, --families, --levels or --interfaces"
            )
        return chosen

    def _takes(self, entry: Entry) -> bool:
        return (
            fnmatchcase(entry.id, self.pattern)
            and (not self.families or entry.family in self.families)
            and (not self.levels or entry.level in self.levels)
            and (not self.interfaces or entry.interface in self.interfaces)
        )


@dataclass(frozen=True)
class Experiment:
    """A run to be made: a configuration on some worlds of a suite, in several trials."""

    label: str
    kind: Kind
    settings: dict[str, Any]
    """All that determines how the configuration behaves; no secret is among it."""
    suite_name: str
    suite_root: str
    prompts: dict[str, str]
    """By world, the digest of the bytes that an agent is given: question and tools."""
    trials: int

    @classmethod
    def of(
        cls, label: str, kind: Kind, settings: dict[str, Any], suite: Opened, worlds: list[Entry], trials: int
    ) -> "Experiment":
        """The experiment that a run on an opened suite makes."""
        if trials < 1:
            raise InputError(f"--trials counts from 1, so {trials} is none")
        if trials * len(worlds) > MOST:
            raise InputError(f"{trials:,} trials of {len(worlds)} worlds are too many: at most {MOST:,} evaluations make a run")
        prompts = {each.id: digest(each.files["question.json"] + each.files["tools.json"]) for each in worlds}
        return cls(label, kind, settings, suite.manifest.suite, suite.manifest.root, prompts, trials)

    @property
    def document(self) -> dict[str, Any]:
        """Everything that the run's identity is made of."""
        return {
            "format": FORMAT,
            "protocol": PROTOCOL,
            "scoring": SCORING,
            "label": self.label,
            "kind": self.kind.value,
            "settings": self.settings,
            "suite": {"name": self.suite_name, "root": self.suite_root},
            "prompts": self.prompts,
            "trials": self.trials,
        }

    @property
    def identity(self) -> str:
        """The digest of the document."""
        return digest(canonical_text(self.document))

    @property
    def schedule(self) -> list[Slot]:
        """Every evaluation once, in the order in which they are to be made."""
        return scheduled(self.identity, self.prompts, self.trials)


def scheduled(identity: str, worlds: Iterable[str], trials: int) -> list[Slot]:
    """Every world in every trial once, trials interleaved, in the random order that belongs to an identity."""
    return Stream("schedule", identity).shuffled([Slot(world, trial) for world in worlds for trial in range(1, trials + 1)])


def differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    """Every place where two documents differ, with both values."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(name), theirs.get(name), f"{path}.{name}" if path else name)
    elif ours != theirs:
        yield f"{shown(path)}: {quoted(theirs)} -> {quoted(ours)}"
