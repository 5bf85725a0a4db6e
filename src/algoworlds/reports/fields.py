"""Strict reading of a record's fields: a fault names the field and the record."""

from collections.abc import Mapping
from typing import Any, NoReturn

from algoworlds.errors import InputError, quoted, shown
from algoworlds.measures.domain import Domain
from algoworlds.measures.measure import Measure


class Fields:
    """The fields of one record, each held to what it may be."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = record

    def of(self, name: str, domain: Domain) -> Any:
        """A value of a domain."""
        return self._faultless(name, domain.fault(self._value(name)))

    def optional(self, name: str, domain: Domain) -> Any:
        """A value of a domain, or None where the record says null."""
        return None if self._value(name) is None else self.of(name, domain)

    def given(self, name: str, domain: Domain) -> Any:
        """A value of a domain, or None where the record has no such field."""
        return self.of(name, domain) if name in self._record else None

    def measured(self, measure: Measure[Any]) -> Any:
        """The value of a measure."""
        return self._faultless(measure.name, measure.fault(self._value(measure.name)))

    def text(self, name: str) -> str:
        """A text that is not empty."""
        value = self._value(name)
        return value if isinstance(value, str) and value else self._fault(name, "is no text")

    def rows(self, name: str, **kinds: type) -> None:
        """A list of objects with fields of these types."""
        rows = self._value(name)
        fits = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
        if not fits or any({type(row.get(field)) for row in rows} - {kind} for field, kind in kinds.items()):
            self._fault(name, f"is no list of objects with {', '.join(kinds)}")

    def agree(self, name: str, truth: bool) -> None:
        """A condition on the field that the record's other fields imply."""
        if not truth:
            self._fault(name, "contradicts the rest of the record")

    def _value(self, name: str) -> Any:
        return self._record[name] if name in self._record else self._fault(name, "is missing")

    def _faultless(self, name: str, what: str | None) -> Any:
        return self._record[name] if what is None else self._fault(name, what)

    def _fault(self, name: str, what: str) -> NoReturn:
        record = self._record
        configuration, world, trial = (quoted(record.get(each)) for each in ("configuration", "world", "trial"))
        found = f": {quoted(record[name])}" if name in record else ""
        raise InputError(f"the record of {configuration} {world} trial {trial} cannot be used: {shown(name)} {what}{found}")
