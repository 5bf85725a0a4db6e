"""Tables at rest: of all instances behind worlds, the last few that were opened have their tables at hand.

Who trains agents holds a thousand episodes, most of which wait for a model. Packed, hidden tables take less than a
tenth of the room, and are at hand again in a fraction of a millisecond when somebody looks at one.
"""

from collections import deque
from collections.abc import Hashable, Mapping
from json import loads
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import ref
from zlib import Z_BEST_SPEED, compress, decompress

from algoworlds.core.canonical import compact_text

if TYPE_CHECKING:
    from algoworlds.core.relation import Relation

AT_HAND = 32
"""Instances whose tables are at hand at the same time; those behind no world are not counted."""

_opened: "deque[ref[Resting]]" = deque()
"""Those, the one first that goes to rest next. Nobody is kept alive by standing here."""

_SMALL = ("digest", "problem")
"""What is made of tables and takes no room."""


class Resting:
    """What has tables, hidden ones and public ones, of which the hidden ones can be packed until somebody looks at them.

    Packed tables are never thrown away. So whatever several threads do at the same time, a table that one of them misses
    can be unpacked.
    """

    relations: "ClassVar[Mapping[str, Relation]]"

    def opened(self) -> None:
        """Be one of those behind worlds: at hand now, and at rest when enough others have been opened."""
        if not self.__dict__.get("_opened"):
            self.__dict__["_opened"] = True
            _opened.append(ref(self))
            while len(_opened) > AT_HAND:
                oldest = _opened.popleft()()
                if oldest is not None:
                    oldest.rest()

    def rest(self) -> None:
        """Pack the hidden tables. What was made of them goes, what the question states stays."""
        known = self.__dict__
        if "_bytes" not in known:
            known["_bytes"] = compress(compact_text(self._packed()).encode(), Z_BEST_SPEED)
        for name in list(known):
            if name not in ("_bytes", *_SMALL) and not (name in self.relations and self.relations[name].public):
                known.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        """A table that is at rest, and all others with it; what is at hand is found without asking here."""
        if name not in self.relations or "_bytes" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        tables = self._unpacked(loads(decompress(self.__dict__["_bytes"])))
        self.__dict__.update(tables)
        self.opened()
        return tables[name]

    def _packed(self) -> dict[str, Any]:
        """The hidden tables by columns; rosters as they are."""
        rosters = {name: getattr(self, name) for name, each in self.relations.items() if each.is_roster}
        places = {name: dict(zip(roster, range(len(roster)), strict=True)) for name, roster in rosters.items()}
        hidden = {name: each for name, each in self.relations.items() if not each.public}
        return {name: rosters.get(name) or each.packed(getattr(self, name), places) for name, each in hidden.items()}

    def _unpacked(self, hidden: Mapping[str, Any]) -> dict[str, Any]:
        """The hidden tables as they were."""
        listed = (name for name, each in self.relations.items() if each.is_roster)
        rosters = {name: tuple(hidden[name]) if name in hidden else self.__dict__[name] for name in listed}
        others = {name: each for name, each in hidden.items() if name not in rosters}
        return rosters | {name: frozen(self.relations[name].unpacked(each, rosters)) for name, each in others.items()}

    def kept(self, owner: Hashable) -> dict[Any, Any]:
        """Room for what somebody makes of the tables, for as long as they are at hand."""
        return self.__dict__.setdefault("_kept", {}).setdefault(owner, {})  # type: ignore[no-any-return]


def frozen(table: Any) -> Any:
    """A table that nobody can change: keyed ones are dictionaries, the others are tuples and frozen sets already."""
    return MappingProxyType(table) if isinstance(table, dict) else table
