"""Blindness, written once: an instance in which some tables no longer tell anything."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from algoworlds.core.instance import Instance
from algoworlds.core.recast import Recast

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter


def erased(**values: Any) -> Callable[[I], I]:
    """The instance in which every entry of a named table reads as the value given here."""

    def blinded(instance: I) -> I:
        tables = {name: instance.tables[name] for name in values}
        flat = {name: _flat(each, values[name]) for name, each in tables.items() if isinstance(each, Mapping)}
        return instance.exchanged(**(values | flat))

    return blinded


def _flat(table: Mapping[Any, Any], value: Any) -> Recast:
    return Recast(table, lambda _: value, lambda: [value] * len(table))
