"""The paper's tables of a suite: access scale, executed work by level, validation summary; `paper.json` holds its own."""

import json
from collections.abc import Callable
from importlib.resources import files as package_files
from typing import Any

from algoworlds.families import family
from algoworlds.release.validation import Findings, Report
from algoworlds.tables import Table

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


def statistics(report: Report) -> dict[str, Any]:
    """The three tables as data; ranges are [least, largest]."""
    families = list(dict.fromkeys(place.family for place in report.findings))
    return {
        "access": [_access(name, _of(report, name)) for name in families],
        "work": [
            {"family": name, "level": level, "range": _range(found, lambda each: [each.work.total])}
            for name in families
            for level, found in sorted(_by_level(report, name).items())
        ],
        "validation": report.rows,
    }


def _of(report: Report, name: str) -> list[Findings]:
    return [found for place, found in report.findings.items() if place.family == name]


def _by_level(report: Report, name: str) -> dict[int, list[Findings]]:
    levels: dict[int, list[Findings]] = {}
    for place, found in report.findings.items():
        if place.family == name:
            levels.setdefault(place.level, []).append(found)
    return levels


def _access(name: str, found: list[Findings]) -> dict[str, Any]:
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


def _range(found: list[Findings], values: Callable[[Findings], list[int]]) -> list[int]:
    everything = [value for each in found for value in values(each)]
    return [min(everything), max(everything)]


def tables(data: dict[str, Any]) -> dict[str, Table]:
    """The three tables to be read, the paper's figures below or beside ours, with a mark where they are equal."""
    paper = _paper()
    access = [line for each in data["access"] for line in _access_lines(each, paper["access"][each["family"]])]
    work = [_work_line(each, paper["work"][each["family"]].get(str(each["level"]))) for each in data["work"]]
    validation = [_validation_line(each, paper["validation"].get(each["row"])) for each in data["validation"]]
    heads = ("family", "source", *FIGURES.values())
    return {
        "access": Table("access", f"Information and access scale by task family. {_MARK}", heads, tuple(access)),
        "work": Table("work", f"Executed work by level. {_MARK}", ("family", "level", "work", "paper"), tuple(work)),
        "validation": Table(
            "validation",
            f"Offline validation: units and how many pass. {_MARK}",
            ("validated property", "unit", "count", "passed", "paper"),
            tuple(validation),
        ),
    }


def _access_lines(ours: dict[str, Any], theirs: dict[str, Any]) -> list[tuple[str, ...]]:
    own = [_spelled(ours[name]) for name in FIGURES]
    paper = [_beside(ours[name], theirs[name]) for name in FIGURES]
    return [(ours["family"], "ours", *own), (ours["family"], "paper", *paper)]


def _work_line(ours: dict[str, Any], theirs: list[int] | None) -> tuple[str, ...]:
    return ours["family"], str(ours["level"]), _spelled(ours["range"]), _beside(ours["range"], theirs)


def _validation_line(ours: dict[str, Any], theirs: int | None) -> tuple[str, ...]:
    return ours["row"], ours["unit"], f"{ours['count']:,}", f"{ours['passed']:,}", _beside(ours["count"], theirs)


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


def single_figures(data: dict[str, Any]) -> dict[str, Table]:
    """The three tables to be computed with: one plain number a cell, ranges as their two ends."""
    paper, ends = _paper(), ("ours_min", "ours_max", "paper_min", "paper_max", "equal")
    access = [
        (each["family"], name, *_cells(each[name], paper["access"][each["family"]][name]))
        for each in data["access"]
        for name in FIGURES
    ]
    work = [
        (each["family"], str(each["level"]), *_cells(each["range"], paper["work"][each["family"]].get(str(each["level"]))))
        for each in data["work"]
    ]
    validation = [_validation_cells(each, paper["validation"].get(each["row"])) for each in data["validation"]]
    heads = ("row", "unit", "count", "passed", "paper_count", "equal")
    return {
        "access": Table("access", "", ("family", "figure", *ends), tuple(access)),
        "work": Table("work", "", ("family", "level", *ends), tuple(work)),
        "validation": Table("validation", "", heads, tuple(validation)),
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
    document: dict[str, Any] = json.loads((package_files("algoworlds.release") / "paper.json").read_text(encoding="utf-8"))
    return document
