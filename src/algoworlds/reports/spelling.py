"""How a sheet's values are spelled for people; a program finds them unrounded beside the text."""

from collections.abc import Callable, Mapping
from typing import Any

from algoworlds.reports.aggregate import Interval, Summary

NOTHING = "-"
"""How a cell without a value is shown."""

Spelling = Callable[[Any], str]


def decimals(places: int) -> Spelling:
    """A number or a summary's mean with so many decimals; never a negative zero."""

    def spell(value: Any) -> str:
        return _rounded(value.mean if isinstance(value, Summary) else value, places)

    return spell


def _rounded(value: float, places: int) -> str:
    return f"{round(value, places) + 0.0:,.{places}f}"


def with_sd(value: Summary) -> str:
    """Mean and sample standard deviation; a single trial has none."""
    return f"{_rounded(value.mean, 2)} ± {NOTHING if value.sd is None else _rounded(value.sd, 2)}"


def signed(value: float) -> str:
    """A difference with its sign and one decimal."""
    return f"{round(value, 1) + 0.0:+.1f}"


def interval(value: Interval) -> str:
    """Both ends with one decimal."""
    return f"[{_rounded(value.low, 1)}, {_rounded(value.high, 1)}]"


def signed_interval(value: Interval) -> str:
    """Both ends of a difference's interval, with their signs."""
    return f"[{signed(value.low)}, {signed(value.high)}]"


def estimate(value: Mapping[str, Any]) -> str:
    """A mean and its interval, or that it has none."""
    return f"{_rounded(value['mean'], 1)} {'(no interval)' if value['interval'] is None else interval(value['interval'])}"


def beside(*spells: Spelling) -> Callable[[Mapping[str, Any]], str]:
    """The parts of a mapping beside each other, each spelled in its own way."""

    def spell(value: Mapping[str, Any]) -> str:
        texts = [NOTHING if part is None else how(part) for how, part in zip(spells, value.values(), strict=True)]
        return " / ".join(texts)

    return spell


def counted(value: int) -> str:
    """A whole number with its thousands set apart."""
    return f"{value:,}"


def probability(value: float) -> str:
    """A p-value with four decimals."""
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
