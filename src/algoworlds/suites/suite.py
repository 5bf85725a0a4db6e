"""Suite specifications: which coordinates and interfaces belong together, and the secrets of private suites."""

import json
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from algoworlds.core.canonical import JsonObject, canonical_json, sha256_hex
from algoworlds.core.condition import CLEAR, CLEAR_NAME, CONDITIONS
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError, quote_value, require_printable
from algoworlds.worlds.admission import Coordinate

DEFAULT_SUITE_NAME = "default"
MAX_INSTANCES = 10_000
"""Instances of one family and level in a suite; more would fill the memory before anything is built."""

_PEPPER = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class ScalePoint:
    """A world of the continuous scale: its family, tenths of a bit of work, index and interface."""

    family: str
    tenths: int
    index: int
    interface: Interface

    @property
    def json(self) -> list[str | int]:
        """The point as it is written in sealed/suite.json and in the log of a measurement."""
        return [self.family, self.tenths, self.index, self.interface.value]

    @classmethod
    def from_json(cls, document: list[Any]) -> "ScalePoint":
        """The point that `document`, as given by `json`, describes."""
        family, tenths, index, interface = document
        return cls(family, tenths, index, Interface(interface))


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
    nonce: str = ""
    """A text that was not known when the secrets were drawn, so that the worlds could not be chosen; LATER_NONCE: not yet."""
    imported: tuple[tuple[str, int, int], ...] = ()
    """Family, level and index of every instance, if the suite was imported instead of drawn."""
    source: str = ""
    """Where the worlds of an imported suite come from, as JSON."""
    points: tuple[ScalePoint, ...] = ()
    """The worlds of a suite on the continuous scale, which has neither levels nor pairs of worlds; otherwise empty."""
    conditions: tuple[str, ...] = (CLEAR,)
    """The conditions under which every instance is shown, in each interface."""
    tied: bool = False
    """Whether several decisions attain the optimum of every world."""

    def __post_init__(self) -> None:
        if self.nonce and (not self.pepper or len(self.nonce) > MAX_NONCE_LENGTH):
            raise InputError(f"a nonce has at most {MAX_NONCE_LENGTH} characters and needs a private suite: --seed new")
        require_printable("the nonce of a suite", self.nonce)
        if self.pepper != "" and not _PEPPER.fullmatch(self.pepper):
            raise InputError("the pepper of a suite must be 32 hex digits or empty: restore sealed/suite.json")
        if self.instances < 1 or not self.families or not (self.levels or self.points):
            raise InputError("a suite needs at least one family, level and instance")
        if not self.interfaces or not self.conditions:
            raise InputError("a suite needs at least one interface and condition")
        if self.points and self.conditions != (CLEAR,):
            raise InputError("worlds of the continuous scale are clear: leave out the conditions")
        if self.instances > MAX_INSTANCES:
            raise InputError(f"a suite has at most {MAX_INSTANCES:,} instances per family and level")
        if self.tied and self.certificates:
            raise InputError("certificates are for worlds with one optimum: leave out --certificates or --tied")
        for coordinate in self.coordinates:  # refuses an unknown family, level or condition before anything is written
            _ = [replace(coordinate, condition=condition) for condition in self.conditions]

    @property
    def coordinates(self) -> list[Coordinate]:
        """Every coordinate, in canonical order: family, level, index; or as the points of the scale are listed."""
        if self.imported:
            return [self.coordinate(*place) for place in self.imported]
        if self.points:
            return [self.point_coordinate(point.family, point.tenths, point.index) for point in self.points]
        indices = range(1, self.instances + 1)
        return [self.coordinate(name, level, index) for name in self.families for level in self.levels for index in indices]

    @property
    def interfaces_by_coordinate(self) -> dict[Coordinate, tuple[Interface, ...]]:
        """The interfaces in which each instance is built."""
        if self.points:
            return {at: (point.interface,) for at, point in zip(self.coordinates, self.points, strict=True)}
        return dict.fromkeys(self.coordinates, self.interfaces)

    @property
    def world_count(self) -> int:
        """How many worlds the suite has."""
        return len(self.conditions) * sum(map(len, self.interfaces_by_coordinate.values()))

    def coordinate(self, family: str, level: int, index: int, condition: str = CLEAR) -> Coordinate:
        """The coordinate of one instance under a condition, with the seed and pepper of this suite."""
        place = Coordinate(family, level, index, self.seed, self._key_pepper, imported=bool(self.imported))
        return replace(place, condition=condition, tied=self.tied)

    def point_coordinate(self, family: str, tenths: int, index: int) -> Coordinate:
        """The coordinate of one instance of the continuous scale, under the seed and pepper of this suite."""
        return Coordinate(family, 0, index, self.seed, self._key_pepper, tenths=tenths)

    @property
    def _key_pepper(self) -> str:
        """A nonce replaces the pepper by a digest of both, so that all randomness depends on the secrets and the nonce."""
        if not self.nonce:
            return self.pepper
        return sha256_hex(canonical_json({"nonce": self.nonce, "pepper": self.pepper, "seed": self.seed}))[:32]

    @property
    def edition(self) -> str | None:
        """The edition, if this is the development split; other suites have none."""
        return EDITION if self == default_suite() else None

    @property
    def json(self) -> JsonObject:
        """The document in sealed/suite.json; what is empty, missing or clear is left out, as before it existed."""
        optional: JsonObject = {"pepper": self.pepper, "certificates": self.certificates, "nonce": self.nonce}
        optional |= {"imported": list(map(list, self.imported)), "source": self.source}
        names = [condition or CLEAR_NAME for condition in self.conditions]
        optional |= {"points": [point.json for point in self.points]}
        optional |= {"conditions": [] if names == [CLEAR_NAME] else names, "tied": self.tied}
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
            document.get("nonce", ""),
            tuple((family, level, index) for family, level, index in document.get("imported", ())),
            document.get("source", ""),
            tuple(map(ScalePoint.from_json, document.get("points", ()))),
            parse_conditions(document.get("conditions", [CLEAR_NAME])),
            document.get("tied", False) is True,
        )


EDITION: str | None = "2026.1"
"""The edition of the development split that this version builds; docs/versioning.md says when it changes."""


def parse_conditions(names: Iterable[str]) -> tuple[str, ...]:
    """Conditions as coordinates name them, from names in which the clear one is spelled out."""
    return tuple(dict.fromkeys(CLEAR if name == CLEAR_NAME else name for name in names))


@cache
def default_suite() -> SuiteSpec:
    """The default suite (the development split), from a file of this package: installed families do not change it."""
    return SuiteSpec.from_json(json.loads((package_files("algoworlds.suites") / "suite.json").read_text(encoding="utf-8")))


CONDITIONED_SUITE_NAME = "conditioned"


def conditioned_suite() -> SuiteSpec:
    """The second public suite: instances of the default suite under all conditions but the clear one."""
    names = tuple(condition.name for condition in CONDITIONS)
    return replace(default_suite(), name=CONDITIONED_SUITE_NAME, levels=(1, 2), conditions=names)


LITE_SUITE_NAME, LITE_WORLDS = "lite", 48
LITE_RANGE = 80, 240
"""Tenths of a bit between which the worlds of the short form lie evenly."""


@cache
def lite_suite() -> SuiteSpec:
    """The short form: 48 worlds, evenly over families and the continuous scale; interfaces and prices take turns."""
    whole = default_suite()
    points, (low, high) = [], LITE_RANGE
    for number in range(LITE_WORLDS):
        turn, at = divmod(number, len(whole.families))
        family = whole.families[at]
        tenths = low + (high - low) * (len(whole.families) * turn + at) // LITE_WORLDS
        coordinate = Coordinate.from_bits(family, tenths / 10, turn + 1, whole.seed)
        points.append(ScalePoint(family, coordinate.tenths, turn + 1, whole.interfaces[(turn + at) % 2]))
    return SuiteSpec(LITE_SUITE_NAME, whole.seed, whole.families, (), 1, whole.interfaces, points=tuple(points))


def longest_first(coordinates: list[Coordinate]) -> list[Coordinate]:
    """Order of work: high levels first, so that no worker idles at the end."""
    return sorted(coordinates, key=lambda coordinate: (-coordinate.level, -coordinate.tenths))


LATER_NONCE = "later"
"""Value of --nonce that draws and seals the secrets of a suite, and builds nothing."""
MAX_NONCE_LENGTH = 1_000
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
    """Everything but the secrets and the nonce; its own are ignored."""
    typed_seed: str | None
    nonce: str = ""
    """LATER_NONCE to begin a suite, then the nonce to continue it; empty for a suite without one."""

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
            and replace(self.spec, seed=sealed.seed, pepper=sealed.pepper, nonce=sealed.nonce) == sealed
        ):
            if sealed.nonce not in (self.nonce, LATER_NONCE):
                was = f"with the nonce {quote_value(sealed.nonce)}" if sealed.nonce else "without a nonce"
                raise InputError(f"this suite was begun {was}, which cannot be changed: choose another --out")
            if sealed.nonce == LATER_NONCE and not self.nonce:
                raise InputError("this suite waits for its nonce: give it with --nonce TEXT")
            return replace(sealed, nonce=self.nonce)
        if self.nonce not in ("", LATER_NONCE):
            raise InputError(
                "a nonce must come after the secrets: run this command with --nonce later, publish the hash, then get the nonce"
            )
        seed = draw_secret() if self.typed_seed is None else self.typed_seed
        return replace(self.spec, seed=seed, pepper=draw_secret(), nonce=self.nonce)
