"""The paper's tables of a suite: access scale, executed work by level, validation summary; `paper.json` holds its own."""

import json
from collections.abc import Callable, Mapping
from importlib.resources import files as package_files
from typing import Any, Protocol

from algoworlds.core.work import Work
from algoworlds.families import family
from algoworlds.grid import Grid
from algoworlds.suites.validation import Report
from algoworlds.worlds.admit import Coordinate

Figure = int | list[int]
"""A number, or a range as [least, largest]."""

EQUAL = "="
_MARK = "Paper: its 240 worlds of levels 1-4; = marks a figure equal to ours."

FIGURES = {
    "info_groups": "groups",
    "sufficient_set_size": "facts",
    "call_count": "calls",
    "call_cost": "call cost",
    "budget": "budget",
    "exhaustive": "exhaustive",
    "work": "work",
}
"""The figures of the access table, with their headings."""


class Figures(Protocol):
    """What the tables need to know of one instance's worlds."""

    @property
    def facts(self) -> list[int]:
        """Sizes of the sufficient sets."""

    @property
    def calls(self) -> list[int]:
        """Calls of each acquisition plan."""

    @property
    def costs(self) -> list[int]:
        """What each plan costs."""

    @property
    def budgets(self) -> list[int]:
        """The worlds' budgets."""

    @property
    def catalogs(self) -> list[int]:
        """What asking everything would cost."""

    @property
    def work(self) -> Work:
        """The work of the construction algorithm."""


def statistics(report: Report) -> dict[str, Any]:
    """The three tables as data; ranges are [least, largest]."""
    return scale(report.findings) | {"validation": report.summary}


def scale(found: Mapping[Coordinate, Figures]) -> dict[str, Any]:
    """The tables of access and work as data."""
    families = list(dict.fromkeys(place.family for place in found))
    return {
        "access": [_access(name, [each for place, each in found.items() if place.family == name]) for name in families],
        "work": [
            {"family": name, "level": level, "range": _range(group, lambda each: [each.work.total])}
            for name in families
            for level, group in sorted(_by_level(found, name).items())
        ],
    }


def _by_level(found: Mapping[Coordinate, Figures], name: str) -> dict[int, list[Figures]]:
    levels: dict[int, list[Figures]] = {}
    for place, each in found.items():
        if place.family == name:
            levels.setdefault(place.level, []).append(each)
    return levels


def _access(name: str, found: list[Figures]) -> dict[str, Any]:
    return {
        "family": name,
        "info_groups": len(family(name).channels),
        "sufficient_set_size": _range(found, lambda each: each.facts),
        "call_count": _range(found, lambda each: each.calls),
        "call_cost": _range(found, lambda each: each.costs),
        "budget": _range(found, lambda each: each.budgets),
        "exhaustive": _range(found, lambda each: each.catalogs),
        "work": _range(found, lambda each: [each.work.total]),
    }


def _range(found: list[Figures], values: Callable[[Figures], list[int]]) -> list[int]:
    everything = [value for each in found for value in values(each)]
    return [min(everything), max(everything)]


def tables(data: dict[str, Any]) -> dict[str, Grid]:
    """The three tables to be read, the paper's figures below or beside ours, with a mark where they are equal."""
    paper = _paper()
    access = [line for each in data["access"] for line in _access_lines(each, paper["access"].get(each["family"]))]
    work = [
        (each["family"], str(each["level"]), _spelled(each["range"]), _beside(each["range"], _paper_work(paper, each)))
        for each in data["work"]
    ]
    validation = [
        (each["row"], each["unit"], f"{each['count']:,}", f"{each['passed']:,}", _beside(each["count"], theirs))
        for each in data["validation"]
        for theirs in [paper["validation"].get(each["row"])]
    ]
    heads = ("family", "source", *FIGURES.values())
    return {
        "access": Grid("access", f"Information and access scale by task family. {_MARK}", heads, tuple(access)),
        "work": Grid("work", f"Executed work by level. {_MARK}", ("family", "level", "work", "paper"), tuple(work)),
        "validation": Grid(
            "validation",
            f"Offline validation: units and how many pass. {_MARK}",
            ("validated property", "unit", "count", "passed", "paper"),
            tuple(validation),
        ),
    }


def _access_lines(ours: dict[str, Any], theirs: dict[str, Any] | None) -> list[tuple[str, ...]]:
    """A line of our figures and one of the paper's, which has none for a family from outside."""
    own = [_spelled(ours[name]) for name in FIGURES]
    lines = [(ours["family"], "ours", *own)]
    if theirs is not None:
        lines.append((ours["family"], "paper", *(_beside(ours[name], theirs[name]) for name in FIGURES)))
    return lines


def _paper_work(paper: dict[str, Any], ours: dict[str, Any]) -> list[int] | None:
    """The paper's range of work for a family and level, where it has one."""
    known: dict[str, list[int]] = paper["work"].get(ours["family"], {})
    return known.get(str(ours["level"]))


def _spelled(figure: Figure) -> str:
    low, high = _bounds(figure)
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _beside(ours: Figure, theirs: Figure | None) -> str:
    """The paper's figure, marked if ours is the same; nothing where the paper has none."""
    if theirs is None:
        return ""
    return f"{EQUAL} {_spelled(theirs)}" if ours == theirs else _spelled(theirs)


def _bounds(figure: Figure) -> list[int]:
    return [figure, figure] if isinstance(figure, int) else figure


def single_figures(data: dict[str, Any]) -> dict[str, Grid]:
    """The three tables to be computed with: one plain number a cell, ranges as their two ends."""
    paper, ends = _paper(), ("ours_min", "ours_max", "paper_min", "paper_max", "equal")
    access = [
        (each["family"], name, *_cells(each[name], paper["access"].get(each["family"], {}).get(name)))
        for each in data["access"]
        for name in FIGURES
    ]
    work = [(each["family"], str(each["level"]), *_cells(each["range"], _paper_work(paper, each))) for each in data["work"]]
    validation = [_validation_cells(each, paper["validation"].get(each["row"])) for each in data["validation"]]
    heads = ("row", "unit", "count", "passed", "paper_count", "equal")
    return {
        "access": Grid("access", "", ("family", "figure", *ends), tuple(access)),
        "work": Grid("work", "", ("family", "level", *ends), tuple(work)),
        "validation": Grid("validation", "", heads, tuple(validation)),
    }


def _cells(ours: Figure, theirs: Figure | None) -> tuple[str, ...]:
    paper = ["", ""] if theirs is None else list(map(str, _bounds(theirs)))
    return (*map(str, _bounds(ours)), *paper, _equal(ours, theirs))


def _validation_cells(ours: dict[str, Any], theirs: int | None) -> tuple[str, ...]:
    paper = "" if theirs is None else str(theirs)
    return ours["row"], ours["unit"], str(ours["count"]), str(ours["passed"]), paper, _equal(ours["count"], theirs)


def _equal(ours: Figure, theirs: Figure | None) -> str:
    return "" if theirs is None else "yes" if ours == theirs else "no"


def _paper() -> dict[str, Any]:
    document: dict[str, Any] = json.loads((package_files("algoworlds.suites") / "paper.json").read_text(encoding="utf-8"))
    return document
