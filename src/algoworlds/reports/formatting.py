"""Format the values of sheets for people; programs find them unrounded in CSV and JSON."""

from collections.abc import Callable, Mapping
from typing import Any

from algoworlds.reports.aggregate import Interval, Summary

NO_VALUE = "-"
"""The text of a cell without a value."""

Formatter = Callable[[Any], str]


def decimals(places: int) -> Formatter:
    """Format a number, or the mean of a summary, with `places` decimals; never a negative zero."""
    return lambda value: _round(value.mean if isinstance(value, Summary) else value, places)


def _round(value: float, places: int) -> str:
    return f"{round(value, places) + 0.0:,.{places}f}"


def format_mean_sd(value: Summary) -> str:
    """Mean and sample standard deviation; a single trial has no deviation."""
    return f"{_round(value.mean, 2)} ± {NO_VALUE if value.sd is None else _round(value.sd, 2)}"


def format_signed(value: float) -> str:
    """A difference with sign and one decimal."""
    return f"{round(value, 1) + 0.0:+.1f}"


def format_interval(value: Interval) -> str:
    """Both ends with one decimal."""
    return f"[{_round(value.low, 1)}, {_round(value.high, 1)}]"


def format_signed_interval(value: Interval) -> str:
    """Both ends with sign and one decimal, for the interval of a difference."""
    return f"[{format_signed(value.low)}, {format_signed(value.high)}]"


def format_estimate(value: Mapping[str, Any]) -> str:
    """A mean and its interval, or "(no interval)"."""
    interval = "(no interval)" if value["interval"] is None else format_interval(value["interval"])
    return f"{_round(value['mean'], 1)} {interval}"


def side_by_side(*formatters: Formatter) -> Callable[[Mapping[str, Any]], str]:
    """Format the parts of a mapping, one formatter per part, separated by slashes."""

    def format_parts(value: Mapping[str, Any]) -> str:
        pairs = zip(formatters, value.values(), strict=True)
        return " / ".join(NO_VALUE if part is None else formatter(part) for formatter, part in pairs)

    return format_parts


def format_count(value: int) -> str:
    """An integer with thousands separators."""
    return f"{value:,}"


def format_p_value(value: float) -> str:
    """A p-value with four decimals."""
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"
