"""Tables with other cells in one column, or with more rows, put together only as far as somebody reads them.

A checker reads the few cells that a decision pays for; whoever asks for all of them has the whole table made, once. Numbers may
be made as an array, for those who want no more than that.
"""

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BOUND = 2**62
"""What sums of an array must not reach."""


class Recast(Mapping[Any, Any]):
    """A table with the keys of another one, each of whose values is made of the one that stood there."""

    def __init__(self, table: Mapping[Any, Any], value: Callable[[Any], Any], values: Callable[[], Any]) -> None:
        """What `values` makes, all at once, is a list or an array of numbers."""
        self._table, self._value, self._values = table, value, values

    def __getitem__(self, key: Any) -> Any:
        return self._value(self._table[key])

    def __iter__(self) -> Iterator[Any]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, key: Any) -> bool:
        return key in self._table

    @cached_property
    def _made(self) -> Any:
        return self._values()

    @property
    def numbers(self) -> "NDArray[np.int64] | None":
        """All values, if they are made as an array."""
        return None if isinstance(self._made, list) else self._made

    def values(self) -> Any:
        """All values, as a list."""
        return self._made if isinstance(self._made, list) else self._made.tolist()

    def items(self) -> ItemsView[Any, Any]:
        return self._whole.items()

    def __or__(self, other: Mapping[Any, Any]) -> dict[Any, Any]:
        return self._whole | dict(other)

    @property
    def _whole(self) -> dict[Any, Any]:
        return dict(zip(self, self.values(), strict=True))


class Widened(Recast):
    """A table with all the keys of another one and more, whose numbers are an array; they are the same where both have one."""

    def __init__(self, table: Mapping[Any, Any], keys: Callable[[], Iterable[Any]], numbers: "NDArray[np.int64]") -> None:
        super().__init__(table, int, lambda: numbers)
        self._keys = keys

    def __getitem__(self, key: Any) -> Any:
        return self._table[key] if key in self._table else self._every[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._keys())

    def __len__(self) -> int:
        return len(self._made)

    def __contains__(self, key: Any) -> bool:
        return key in self._table or key in self._every

    @cached_property
    def _every(self) -> dict[Any, Any]:
        return self._whole


def absolute(numbers: "NDArray[np.int64]") -> int:
    """The sum of the absolute values of some numbers, exactly."""
    most = max(-int(numbers.min(initial=0)), int(numbers.max(initial=0)))
    return int(abs(numbers).sum()) if most * len(numbers) < _BOUND else sum(map(abs, numbers.tolist()))
