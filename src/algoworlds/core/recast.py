"""Tables with other cells in one column, or with more rows, put together only as far as somebody reads them.

A checker reads the few cells that a decision pays for; whoever asks for all of them has the whole table made, once; and whoever
wants the numbers of the column alone has no row made at all.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BOUND = 2**62
"""What sums of an array must not reach."""
Told = Mapping[str, "Callable[[], NDArray[np.int64]]"]
"""By column, what makes an array of all its numbers."""


class Recast(Mapping[Any, Any]):
    """A table with the keys of another one, each of whose values is made of the one that stood there."""

    def __init__(
        self,
        table: Mapping[Any, Any],
        value: Callable[[Any], Any],
        values: Callable[[], Iterable[Any]],
        told: Told = MappingProxyType({}),
    ) -> None:
        self._table, self._value, self._values, self._told = table, value, values, told
        self._known: dict[str, NDArray[np.int64] | None] = {}

    def __getitem__(self, key: Any) -> Any:
        return self._value(self._table[key])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, key: Any) -> bool:
        return key in self._table

    def numbers(self, column: str) -> "NDArray[np.int64] | None":
        """All numbers of a column, if they are told as an array; None if not."""
        if column not in self._known:
            self._known[column] = self._told[column]() if column in self._told else None
        return self._known[column]

    @cached_property
    def _made(self) -> list[Any]:
        made = self._values()
        return made if isinstance(made, list) else list(made)

    def values(self) -> Any:
        """All values, as a list."""
        return self._made

    def items(self) -> ItemsView[Any, Any]:
        return self._whole.items()

    def __or__(self, other: Mapping[Any, Any]) -> dict[Any, Any]:
        return self._whole | dict(other)

    @property
    def _whole(self) -> dict[Any, Any]:
        return dict(zip(self, self.values(), strict=True))


class Widened(Recast):
    """A table with all the keys of another one and more, whose numbers are an array; they are the same where both have one."""

    def __init__(
        self, table: Mapping[Any, Any], keys: Callable[[], Iterable[Any]], column: str, numbers: "NDArray[np.int64]"
    ) -> None:
        super().__init__(table, int, numbers.tolist, {column: lambda: numbers})
        self._keys, self._len = keys, len(numbers)

    def __getitem__(self, key: Any) -> Any:
        return self._table[key] if key in self._table else self._every[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys())

    def __len__(self) -> int:
        return self._len

    def __contains__(self, key: Any) -> bool:
        return key in self._table or key in self._every

    @cached_property
    def _every(self) -> dict[Any, Any]:
        return self._whole


def absolute(numbers: "NDArray[np.int64]") -> int:
    """The sum of the absolute values of some numbers, exactly."""
    most = max(-int(numbers.min(initial=0)), int(numbers.max(initial=0)))
    return int(abs(numbers).sum()) if most * len(numbers) < _BOUND else sum(map(abs, numbers.tolist()))
