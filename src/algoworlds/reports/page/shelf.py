"""What a page shows of single evaluations, packed world by world: in the page itself, or beside it where it is much.

A page that is opened from a disk may read no file, but it may run a script that lies beside it: each world is one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from algoworlds.reports.page import FOLDER, payload
from algoworlds.reports.page.scene import Staging
from algoworlds.reports.results import Results

MOST = 10_000_000
"""So many characters of packed worlds a page holds itself, which then stays below 12 MB; with more it holds none of them."""


@dataclass(frozen=True)
class Shelf:
    """The details of all evaluations and the scenes behind them, packed, by world."""

    worlds: Mapping[str, tuple[str, str]]

    @cached_property
    def beside(self) -> bool:
        """Whether the worlds lie in a folder beside the page."""
        return sum(len(text) for each in self.worlds.values() for text in each) > MOST

    @cached_property
    def stamp(self) -> str:
        """What page and folder know each other by: a folder of another report would tell of other evaluations."""
        return sha256("\n".join(text for each in self.worlds.values() for text in each).encode()).hexdigest()[:16]

    @property
    def files(self) -> dict[str, bytes]:
        """The files beside the page, by name."""
        return {f"{FOLDER}/{name}.js": self._script(name) for name in self.worlds} if self.beside else {}

    def _script(self, world: str) -> bytes:
        details, scene = self.worlds[world]
        return f'hand("{self.stamp}", "{world}", "{details}", "{scene}");\n'.encode()


def shelved(results: Results, staging: Staging) -> Shelf:
    """The shelf of some results."""
    scenes = {name: each.shown for name, each in staging.scenes.items()}
    return Shelf({name: (part, scenes.get(name, "")) for name, part in payload.parts(results, staging)})
