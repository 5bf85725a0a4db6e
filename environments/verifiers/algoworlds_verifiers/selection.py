"""The selection of worlds: settings shared by the taskset, its tasks and its tool server."""

from functools import cache
from pathlib import Path
from typing import Any

from pydantic import field_validator
from pydantic_config import BaseConfig

from algoworlds.adapters.world_source import WorldSource, world_source


class WorldSelection(BaseConfig):
    """Worlds of a suite, or fresh ones by a seed; lists are texts with commas."""

    suite: str | None = None
    """The folder of a suite with its sealed files."""
    seed: str | None = None
    """Instead of a suite: the seed of a stream of fresh worlds."""
    worlds: str = "*"
    families: str = ""
    levels: str = ""
    interfaces: str = ""
    split: str = "train"
    track: str = "bare"
    """What agents may use beside the tools: bare, code, solver, tables, facts, calls."""

    @field_validator("suite")
    @classmethod
    def resolve_suite(cls, suite: str | None) -> str | None:
        """The absolute path: the tool server of an environment runs in a folder of its own."""
        return None if suite is None else str(Path(suite).resolve())

    @property
    def source(self) -> WorldSource:
        """The worlds, opened once per process."""
        return _open_source(**self.selection)

    @property
    def selection(self) -> dict[str, str | None]:
        """The fields of the selection alone, for the tasks and for the tool server."""
        return {name: getattr(self, name) for name in WorldSelection.model_fields}


@cache
def _open_source(**selection: Any) -> WorldSource:
    return world_source(**selection)
