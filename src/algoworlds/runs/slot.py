"""The places of a run's schedule, and how what is final about one comes to disk."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algoworlds.disk import read_plain, sync_directory, write_once
from algoworlds.errors import InputError, shown
from algoworlds.suites.record import spelled


@dataclass(frozen=True)
class Slot:
    """One place of a run's schedule: a world and a trial, to be evaluated once."""

    world: str
    trial: int

    @property
    def name(self) -> str:
        """The stem of the slot's files."""
        return f"{self.world}--{self.trial}"


def finalize(folder: Path, slot: Slot, document: dict[str, Any]) -> None:
    """Create a record's file, whole and durable, exactly once; a second attempt must bring the same bytes."""
    final, content = folder / f"{slot.name}.json", spelled(document)
    try:
        write_once(final, content)
    except FileExistsError:
        if read_plain(final) != content:
            raise InputError(f"{shown(final)} exists with other content: it is final and was not touched") from None
        sync_directory(folder)
