"""Strict reading of a record's fields: a fault names the field and the record."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from algoworlds.core.canonical import LIMIT
from algoworlds.errors import InputError

T = TypeVar("T")


class Fields:
    """The fields of one record, read by type; booleans are no numbers here."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = record

    def text(self, name: str) -> str:
        """A text that is not empty."""
        return self.prose(name) or self._fault(name, "is no text")

    def prose(self, name: str) -> str:
        """Any text, be it empty."""
        value = self._value(name)
        return value if isinstance(value, str) else self._fault(name, "is no text")

    def choice(self, name: str, known: Sequence[str]) -> str:
        """One of the known texts."""
        value = self.text(name)
        return value if value in known else self._fault(name, f"is none of {', '.join(known)}")

    def whole(self, name: str, least: int = 0, largest: int = LIMIT - 1) -> int:
        """An integer within bounds."""
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int):
            return self._fault(name, "is no integer")
        return value if least <= value <= largest else self._fault(name, f"is not in {least}..{largest}")

    def signed(self, name: str) -> int:
        """An integer of either sign."""
        return self.whole(name, -LIMIT + 1)

    def number(self, name: str, largest: float = math.inf) -> float:
        """A finite number from 0 to the largest."""
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return self._fault(name, "is no finite number")
        return float(value) if 0 <= value <= largest else self._fault(name, f"is not in 0..{largest:g}")

    def optional(self, name: str, read: Callable[[str], T]) -> T | None:
        """What `read` makes of the field, or None where the record says null."""
        return None if self._value(name) is None else read(name)

    def rows(self, name: str, **kinds: type) -> None:
        """A list of objects with fields of these types."""
        rows = self._value(name)
        if not isinstance(rows, list) or not all(_fits(row, kinds) for row in rows):
            self._fault(name, f"is no list of objects with {', '.join(kinds)}")

    def mapping(self, name: str, *kinds: type) -> Mapping[str, Any]:
        """An object whose values have one of these types."""
        value = self._value(name)
        if not isinstance(value, dict) or not all(type(each) in kinds for each in value.values()):
            return self._fault(name, f"is no object of {' or '.join(kind.__name__ for kind in kinds)}")
        return value

    def points(self, name: str) -> None:
        """A list of pairs of an integer and a number."""
        rows = self._value(name)
        if not isinstance(rows, list) or not all(_is_point(row) for row in rows):
            self._fault(name, "is no list of points")

    def agree(self, name: str, truth: bool) -> None:
        """A condition on the field that the record's other fields imply."""
        if not truth:
            self._fault(name, "contradicts the rest of the record")

    def _value(self, name: str) -> Any:
        return self._record[name] if name in self._record else self._fault(name, "is missing")

    def _fault(self, name: str, what: str) -> NoReturn:
        record = self._record
        place = f"{record.get('configuration')!r} {record.get('world')!r} trial {record.get('trial')!r}"
        shown = f": {str(record[name])[:60]!r}" if name in record else ""
        raise InputError(f"the record of {place} cannot be used: {name} {what}{shown}")


def _fits(row: Any, kinds: Mapping[str, type]) -> bool:
    return isinstance(row, dict) and all(type(row.get(name)) is kind for name, kind in kinds.items())


def _is_point(row: Any) -> bool:
    return isinstance(row, list) and [type(each) for each in row] in ([int, float], [int, int])
