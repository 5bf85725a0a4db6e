"""Suite specifications: which coordinates and interfaces belong together, and the secrets of private suites."""

import json
import re
import secrets
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files as package_files

from algoworlds.core.canonical import JsonObject
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError
from algoworlds.worlds.admission import Coordinate

DEFAULT_SUITE_NAME = "default"
MAX_INSTANCES = 10_000
"""Instances of one family and level in a suite; more would fill the memory before anything is built."""

_PEPPER = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class SuiteSpec:
    """A named set of worlds. Seed and pepper are secret in every suite except the public default suite.

    Any text is a valid seed here; the command line checks that a typed seed is hard to guess.
    """

    name: str
    seed: str = field(repr=False)
    families: tuple[str, ...]
    levels: tuple[int, ...] = (1, 2, 3, 4)
    instances: int = 3
    interfaces: tuple[Interface, ...] = (Interface.DIRECT, Interface.MEDIATED)
    pepper: str = field(default="", repr=False)
    """128 random bits in hex; empty in the development split and in suites built before peppers existed."""
    certificates: bool = False
    """Whether worlds are sealed with the minimum cost of knowing their optimum."""

    def __post_init__(self) -> None:
        if self.pepper != "" and not _PEPPER.fullmatch(self.pepper):
            raise InputError("the pepper of a suite must be 32 hex digits or empty: restore sealed/suite.json")
        if self.instances < 1 or not self.families or not self.levels or not self.interfaces:
            raise InputError("a suite needs at least one family, level, instance and interface")
        if self.instances > MAX_INSTANCES:
            raise InputError(f"a suite has at most {MAX_INSTANCES:,} instances per family and level")
        _ = self.coordinates  # refuses an unknown family or level before anything is written

    @property
    def coordinates(self) -> list[Coordinate]:
        """Every coordinate, in canonical order: family, level, index."""
        indices = range(1, self.instances + 1)
        return [self.coordinate(name, level, index) for name in self.families for level in self.levels for index in indices]

    def coordinate(self, family: str, level: int, index: int) -> Coordinate:
        """The coordinate of one instance, under the seed and pepper of this suite."""
        return Coordinate(family, level, index, self.seed, self.pepper)

    @property
    def json(self) -> JsonObject:
        """The document in sealed/suite.json; an empty pepper and missing certificates are left out, as in older suites."""
        optional = {"pepper": self.pepper, "certificates": self.certificates}
        return {name: value for name, value in optional.items() if value} | {
            "name": self.name,
            "seed": self.seed,
            "families": list(self.families),
            "levels": list(self.levels),
            "instances": self.instances,
            "interfaces": [interface.value for interface in self.interfaces],
        }

    @classmethod
    def from_json(cls, document: JsonObject) -> "SuiteSpec":
        """The suite that `document`, as given by `json`, describes."""
        return cls(
            document["name"],
            document["seed"],
            tuple(document["families"]),
            tuple(document["levels"]),
            document["instances"],
            tuple(map(Interface, document["interfaces"])),
            document.get("pepper", ""),
            document.get("certificates", False) is True,
        )


@cache
def default_suite() -> SuiteSpec:
    """The default suite (the development split), from a file of this package: installed families do not change it."""
    return SuiteSpec.from_json(json.loads((package_files("algoworlds.suites") / "suite.json").read_text(encoding="utf-8")))


def longest_first(coordinates: list[Coordinate]) -> list[Coordinate]:
    """Order of work: high levels first, so that no worker idles at the end."""
    return sorted(coordinates, key=lambda coordinate: -coordinate.level)


NEW_SEED = "new"
"""Value of --seed that asks for a random seed."""
MIN_SEED_LENGTH = 16
"""Characters; a dictionary attack finds a shorter typed seed."""
MIN_SEED_VARIETY = 6
"""Distinct characters; a typed seed with fewer is easy to guess, however long it is."""


def draw_secret() -> str:
    """A new secret: 128 bits of the operating system's randomness, in hex."""
    return secrets.token_hex(16)


def seed_weakness(seed: str) -> str | None:
    """Why a typed seed can be guessed; None if its length and variety are sufficient."""
    if len(seed) < MIN_SEED_LENGTH:
        return f"a seed of fewer than {MIN_SEED_LENGTH} characters can be guessed"
    if len(set(seed)) < MIN_SEED_VARIETY:
        return f"a seed of fewer than {MIN_SEED_VARIETY} different characters can be guessed"
    return None


@dataclass(frozen=True)
class PrivateSuiteDraft:
    """A private suite whose pepper, and seed unless one was typed, are still to be drawn."""

    spec: SuiteSpec
    """Everything but the secrets; its own seed and pepper are ignored."""
    typed_seed: str | None

    def resolve(self, sealed_text: str | None) -> SuiteSpec:
        """The suite to build: the one that an interrupted build sealed if it matches, otherwise one with new secrets."""
        try:
            sealed = None if sealed_text is None else SuiteSpec.from_json(json.loads(sealed_text))
        except (InputError, ValueError, KeyError, TypeError, AttributeError):
            sealed = None
        if (
            sealed is not None
            and sealed.pepper != ""
            and self.typed_seed in (None, sealed.seed)
            and replace(self.spec, seed=sealed.seed, pepper=sealed.pepper) == sealed
        ):
            return sealed
        return replace(self.spec, seed=draw_secret() if self.typed_seed is None else self.typed_seed, pepper=draw_secret())
