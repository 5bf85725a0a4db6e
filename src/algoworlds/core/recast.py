"""Tables with other cells in one column, put together only as far as somebody reads them.

A checker reads the few cells that a decision pays for; whoever asks for all of them has the whole table made, once.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping
from typing import Any


class Recast(Mapping[Any, Any]):
    """A table with the keys of another one, each of whose values is made of the one that stood there."""

    __slots__ = ("_made", "_table", "_value", "_values")

    def __init__(self, table: Mapping[Any, Any], value: Callable[[Any], Any], values: Callable[[], Iterable[Any]]) -> None:
        self._table, self._value, self._values = table, value, values
        self._made: list[Any] | None = None

    def __getitem__(self, key: Any) -> Any:
        return self._value(self._table[key])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, key: Any) -> bool:
        return key in self._table

    def values(self) -> Any:
        """All values, as a list."""
        if self._made is None:
            self._made = list(self._values())
        return self._made

    def items(self) -> ItemsView[Any, Any]:
        return self._whole.items()

    def __or__(self, other: Mapping[Any, Any]) -> dict[Any, Any]:
        return self._whole | dict(other)

    @property
    def _whole(self) -> dict[Any, Any]:
        return dict(zip(self._table, self.values(), strict=True))
