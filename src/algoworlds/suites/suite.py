"""Suites: which coordinates and interfaces belong together."""

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from algoworlds.core.interface import Interface
from algoworlds.errors import InputError
from algoworlds.worlds.admit import Coordinate

DEFAULT = "default"

_PEPPER = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True)
class Suite:
    """A named set of worlds. Seed and pepper are secrets of every suite but the default one, which anyone can regenerate.

    Any text is a seed here; that a typed one is long enough to keep is the command line's to ask for.
    """

    name: str
    seed: str
    families: tuple[str, ...]
    levels: tuple[int, ...] = (1, 2, 3, 4)
    instances: int = 3
    interfaces: tuple[Interface, ...] = (Interface.DIRECT, Interface.MEDIATED)
    pepper: str = ""
    """128 random bits in hex; empty in the development split and in suites built before there were any."""
    certificates: bool = False
    """Whether worlds are sealed with what knowing their optimum costs at least."""

    def __post_init__(self) -> None:
        if self.pepper != "" and not _PEPPER.fullmatch(self.pepper):
            raise InputError("a suite's pepper is 32 hex digits, or none: restore sealed/suite.json")
        _ = self.coordinates  # an unknown family or level is refused before anything is written
        if self.instances < 1 or not self.families or not self.levels or not self.interfaces:
            raise InputError("a suite needs at least one family, level, instance and interface")

    @property
    def coordinates(self) -> list[Coordinate]:
        """Every coordinate, in canonical order: family, level, index."""
        indices = range(1, self.instances + 1)
        return [self.coordinate(name, level, index) for name in self.families for level in self.levels for index in indices]

    def coordinate(self, family: str, level: int, index: int) -> Coordinate:
        """A place in this suite."""
        return Coordinate(family, level, index, self.seed, self.pepper)

    @property
    def json(self) -> dict[str, Any]:
        """The suite as a sealed document; one without a pepper, or certificates, reads as it did before there were any."""
        added = {"pepper": self.pepper, "certificates": self.certificates}
        return {name: value for name, value in added.items() if value} | {
            "name": self.name,
            "seed": self.seed,
            "families": list(self.families),
            "levels": list(self.levels),
            "instances": self.instances,
            "interfaces": [each.value for each in self.interfaces],
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> "Suite":
        """The suite that a sealed document describes."""
        interfaces = tuple(Interface(each) for each in document["interfaces"])
        lists = {name: tuple(document[name]) for name in ("families", "levels")}
        return cls(
            document["name"],
            document["seed"],
            lists["families"],
            lists["levels"],
            document["instances"],
            interfaces,
            document.get("pepper", ""),
            document.get("certificates", False) is True,
        )


@cache
def default_suite() -> Suite:
    """The default suite, the development split, as data: it stays what it is whatever families there are or are installed."""
    return Suite.from_json(json.loads((package_files("algoworlds.suites") / "suite.json").read_text(encoding="utf-8")))


def longest_first(coordinates: list[Coordinate]) -> list[Coordinate]:
    """An order of work that keeps every worker busy to the end."""
    return sorted(coordinates, key=lambda each: -each.level)
