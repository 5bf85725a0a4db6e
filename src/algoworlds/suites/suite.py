"""Suites: which coordinates and interfaces belong together."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from algoworlds.core.interface import Interface
from algoworlds.errors import InputError
from algoworlds.worlds.admit import Coordinate

DEFAULT = "default"


@dataclass(frozen=True)
class Suite:
    """A named set of worlds. The seed is secret for every suite but the default one."""

    name: str
    seed: str
    families: tuple[str, ...]
    levels: tuple[int, ...] = (1, 2, 3, 4)
    instances: int = 3
    interfaces: tuple[Interface, ...] = (Interface.DIRECT, Interface.MEDIATED)

    def __post_init__(self) -> None:
        _ = self.coordinates  # an unknown family or level is refused before anything is written
        if self.instances < 1 or not self.families or not self.levels or not self.interfaces:
            raise InputError("a suite needs at least one family, level, instance and interface")

    @property
    def coordinates(self) -> list[Coordinate]:
        """Every coordinate, in canonical order: family, level, index."""
        indices = range(1, self.instances + 1)
        return [
            Coordinate(name, level, index, self.seed) for name in self.families for level in self.levels for index in indices
        ]

    @property
    def json(self) -> dict[str, Any]:
        """The suite as a sealed document."""
        return {
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
        return cls(document["name"], document["seed"], lists["families"], lists["levels"], document["instances"], interfaces)


@cache
def default_suite() -> Suite:
    """The default suite, as data: it stays what it is whatever families there are or are installed."""
    return Suite.from_json(json.loads((package_files("algoworlds.suites") / "suite.json").read_text(encoding="utf-8")))


def longest_first(coordinates: list[Coordinate]) -> list[Coordinate]:
    """An order of work that keeps every worker busy to the end."""
    return sorted(coordinates, key=lambda each: -each.level)
