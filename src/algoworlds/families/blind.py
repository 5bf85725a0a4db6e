"""Blindness, written once: an instance in which some tables no longer tell anything."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from algoworlds.core.instance import Instance

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter


def erased(**values: Any) -> Callable[[I], I]:
    """The instance in which every entry of a named table reads as the value given here."""

    def blinded(instance: I) -> I:
        tables = {name: instance.tables[name] for name in values}
        flat = {name: dict.fromkeys(each, values[name]) for name, each in tables.items() if isinstance(each, Mapping)}
        return instance.unchecked(**(values | flat))

    return blinded
