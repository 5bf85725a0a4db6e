"""The paper's tables of a suite: access scale, executed work by level, validation summary. `paper.json` has its figures."""

import json
from collections.abc import Callable, Mapping
from importlib.resources import files as package_files

from algoworlds.core.canonical import JsonObject
from algoworlds.families import load_family
from algoworlds.grid import Grid
from algoworlds.suites.open import InstanceFigures
from algoworlds.suites.validation import ValidationReport
from algoworlds.worlds.admission import Coordinate

Figure = int | list[int]
"""A number, or a range as [min, max]."""

EQUAL_MARK = "="
_CAPTION = "Paper: its 240 worlds of levels 1-4; = marks a figure equal to ours."

ACCESS_COLUMNS = {
    "info_groups": "groups",
    "sufficient_set_size": "facts",
    "call_count": "calls",
    "call_cost": "call cost",
    "budget": "budget",
    "exhaustive": "exhaustive",
    "work": "work",
}
"""The figures of the access table, with their headings."""


def suite_statistics(report: ValidationReport) -> JsonObject:
    """The three tables as data; ranges are [min, max]."""
    figures = {coordinate: findings.figures for coordinate, findings in report.findings.items()}
    return scale_statistics(figures) | {"validation": report.summary}


def scale_statistics(figures: Mapping[Coordinate, InstanceFigures]) -> JsonObject:
    """The tables of access and work as data."""
    by_family: dict[str, list[InstanceFigures]] = {}
    by_level: dict[str, dict[int, list[InstanceFigures]]] = {}
    for coordinate, instance in figures.items():
        by_family.setdefault(coordinate.family, []).append(instance)
        by_level.setdefault(coordinate.family, {}).setdefault(coordinate.level, []).append(instance)
    return {
        "access": [
            {
                "family": name,
                "info_groups": len(load_family(name).channels),
                "sufficient_set_size": _range(instances, lambda instance: instance.facts),
                "call_count": _range(instances, lambda instance: instance.calls),
                "call_cost": _range(instances, lambda instance: instance.costs),
                "budget": _range(instances, lambda instance: instance.budgets),
                "exhaustive": _range(instances, lambda instance: instance.catalogs),
                "work": _range(instances, lambda instance: [instance.work.total]),
            }
            for name, instances in by_family.items()
        ],
        "work": [
            {"family": name, "level": level, "range": _range(instances, lambda instance: [instance.work.total])}
            for name, levels in by_level.items()
            for level, instances in sorted(levels.items())
        ],
    }


def _range(instances: list[InstanceFigures], values: Callable[[InstanceFigures], list[int]]) -> list[int]:
    pooled = [value for instance in instances for value in values(instance)]
    return [min(pooled), max(pooled)]


def text_tables(data: JsonObject) -> dict[str, Grid]:
    """The three tables for readers, with the paper's figures below or beside ours and a mark where they are equal."""
    paper = _load_paper()
    access: list[tuple[str, ...]] = []
    for ours in data["access"]:
        access.append((ours["family"], "ours", *(_format(ours[name]) for name in ACCESS_COLUMNS)))
        theirs = paper["access"].get(ours["family"])
        if theirs is not None:  # a family from outside is not in the paper
            access.append((ours["family"], "paper", *(_format_paper(ours[name], theirs[name]) for name in ACCESS_COLUMNS)))
    work = [
        (row["family"], str(row["level"]), _format(row["range"]), _format_paper(row["range"], _paper_work(paper, row)))
        for row in data["work"]
    ]
    validation = [
        (row["row"], row["unit"], f"{row['count']:,}", f"{row['passed']:,}", _format_paper(row["count"], theirs))
        for row in data["validation"]
        for theirs in [paper["validation"].get(row["row"])]
    ]
    heads = ("validated property", "unit", "count", "passed", "paper")
    columns = ("family", "source", *ACCESS_COLUMNS.values())
    return {
        "access": Grid("access", f"Information and access scale by task family. {_CAPTION}", columns, tuple(access)),
        "work": Grid("work", f"Executed work by level. {_CAPTION}", ("family", "level", "work", "paper"), tuple(work)),
        "validation": Grid("validation", f"Offline validation: units and how many pass. {_CAPTION}", heads, tuple(validation)),
    }


def _paper_work(paper: JsonObject, row: JsonObject) -> list[int] | None:
    """The paper's range of work for the family and level of `row`, if it has one."""
    by_level: dict[str, list[int]] = paper["work"].get(row["family"], {})
    return by_level.get(str(row["level"]))


def _format(figure: Figure) -> str:
    low, high = _bounds(figure)
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def _format_paper(ours: Figure, theirs: Figure | None) -> str:
    """The paper's figure, marked if ours is equal; empty if the paper has none."""
    if theirs is None:
        return ""
    return f"{EQUAL_MARK} {_format(theirs)}" if ours == theirs else _format(theirs)


def _bounds(figure: Figure) -> list[int]:
    return [figure, figure] if isinstance(figure, int) else figure


def numeric_tables(data: JsonObject) -> dict[str, Grid]:
    """The three tables for programs: one plain number per cell, ranges as two columns."""
    paper, ends = _load_paper(), ("ours_min", "ours_max", "paper_min", "paper_max", "equal")

    def equal(ours: Figure, theirs: Figure | None) -> str:
        return "" if theirs is None else "yes" if ours == theirs else "no"

    def range_cells(ours: Figure, theirs: Figure | None) -> tuple[str, ...]:
        paper_ends = ["", ""] if theirs is None else map(str, _bounds(theirs))
        return (*map(str, _bounds(ours)), *paper_ends, equal(ours, theirs))

    access = [
        (row["family"], name, *range_cells(row[name], paper["access"].get(row["family"], {}).get(name)))
        for row in data["access"]
        for name in ACCESS_COLUMNS
    ]
    work = [(row["family"], str(row["level"]), *range_cells(row["range"], _paper_work(paper, row))) for row in data["work"]]
    validation = []
    for row in data["validation"]:
        theirs = paper["validation"].get(row["row"])
        ours = (row["row"], row["unit"], str(row["count"]), str(row["passed"]))
        validation.append((*ours, "" if theirs is None else str(theirs), equal(row["count"], theirs)))
    heads = ("row", "unit", "count", "passed", "paper_count", "equal")
    return {
        "access": Grid("access", "", ("family", "figure", *ends), tuple(access)),
        "work": Grid("work", "", ("family", "level", *ends), tuple(work)),
        "validation": Grid("validation", "", heads, tuple(validation)),
    }


def _load_paper() -> JsonObject:
    document: JsonObject = json.loads((package_files("algoworlds.suites") / "paper.json").read_text(encoding="utf-8"))
    return document
