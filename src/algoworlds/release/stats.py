"""The paper's tables of a suite: access scale, executed work by level, validation summary; `paper.json` holds its own."""

import json
from collections.abc import Callable
from importlib.resources import files as package_files
from typing import Any

from algoworlds.families import family
from algoworlds.release.validation import Findings, Report
from algoworlds.tables import Table


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
    """The three tables as text, each figure beside the paper's."""
    paper = json.loads((package_files("algoworlds.release") / "paper.json").read_text(encoding="utf-8"))
    access = []
    for each in data["access"]:
        theirs = paper["access"][each["family"]]
        reach = f"{_spelled(each['budget'])} / {_spelled(each['exhaustive'])}"
        own = [_spelled(each[name]) for name in ("sufficient_set_size", "call_count", "call_cost")]
        access.append(
            (
                each["family"],
                str(each["info_groups"]),
                *own,
                reach,
                _spelled(each["work"]),
                theirs["sufficient_set_size"],
                theirs["work"],
            )
        )
    work = []
    for each in data["work"]:
        level = str(each["level"])
        work.append((each["family"], level, _spelled(each["range"]), paper["work"][each["family"]].get(level, "")))
    validation = tuple((each["row"], each["unit"], f"{each['count']:,}", f"{each['passed']:,}") for each in data["validation"])
    heads = {
        "access": (
            "family",
            "groups",
            "facts",
            "calls",
            "call cost",
            "budget / exhaustive",
            "work",
            "paper: facts",
            "paper: work",
        ),
        "work": ("family", "level", "work", "paper"),
        "validation": ("validated property", "unit", "count", "passed"),
    }
    return {
        "access": Table("access", "Information and access scale by task family.", heads["access"], tuple(access)),
        "work": Table("work", "Executed work by level.", heads["work"], tuple(work)),
        "validation": Table("validation", "Offline validation.", heads["validation"], validation),
    }


def _spelled(bounds: list[int]) -> str:
    low, high = bounds
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"
