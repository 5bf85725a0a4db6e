"""The paper's tables of a suite: access scale, executed work by level, validation summary; beside the paper's own."""

import csv
import io
from collections.abc import Callable
from typing import Any

from algoworlds.families import family
from algoworlds.release.validation import Findings, Report

PAPER_ACCESS = {
    "transit_routing": ("3", "1,755-6,963", "59-147", "226-634", "524-884 / 637-1,558", "50,737-47,619,285"),
    "basket_assembly": ("2", "262-640", "38-180", "172-764", "260-780 / 1,020-2,554", "35,646-39,098,995"),
    "station_siting": ("2", "284-326", "172-234", "558-774", "577-779 / 915-1,293", "55,391-34,318,974"),
    "authorization_planning": ("3", "2,633-7,781", "17-73", "99-291", "120-296 / 729-1,257", "43,747-35,313,268"),
    "series_portfolio": ("2", "381-1,458", "24-141", "196-924", "1,228-1,924 / 1,491-5,658", "54,587-34,402,415"),
    "machine_layout": ("3", "444-1,300", "10-42", "93-370", "129-377 / 963-3,166", "111,668-46,226,237"),
    "sequential_matching": ("3", "511-1,463", "22-52", "122-308", "175-313 / 582-1,447", "107,654-39,865,720"),
    "fleet_dispatch": ("3", "183-405", "11-39", "51-175", "97-180 / 288-705", "42,042-53,964,927"),
    "evidence_joined_routing": ("3", "2,166-18,150", "11-51", "72-202", "343-452 / 428-1,092", "88,935-52,827,071"),
    "migration_portfolio": ("3", "707-1,829", "11-151", "252-1,542", "277-1,547 / 2,142-11,344", "61,393-46,070,264"),
}
"""Table tab:benchmark-statistics of the paper: groups, facts, calls, cost, budget / exhaustive, work."""

PAPER_WORK = {
    "transit_routing": ("50,737-54,053", "1,132,766-1,201,734", "8,922,755-9,191,138", "45,715,806-47,619,285"),
    "basket_assembly": ("35,646-56,392", "773,416-1,558,838", "6,430,549-7,063,570", "32,683,874-39,098,995"),
    "station_siting": ("55,391-55,424", "1,196,297-1,214,030", "5,829,214-6,245,492", "34,289,268-34,318,974"),
    "authorization_planning": ("43,747-44,176", "994,240-999,048", "7,036,179-7,045,627", "35,238,569-35,313,268"),
    "series_portfolio": ("54,587", "973,647", "6,698,087", "34,402,415"),
    "machine_layout": ("111,668-113,178", "1,093,813-1,107,918", "10,405,214-10,470,928", "46,053,123-46,226,237"),
    "sequential_matching": ("107,654-108,839", "1,446,260-1,463,310", "7,787,593-7,824,252", "39,493,414-39,865,720"),
    "fleet_dispatch": ("42,042-47,089", "629,346-656,846", "4,416,131-6,235,068", "42,862,082-53,964,927"),
    "evidence_joined_routing": ("88,935-88,999", "1,472,138-1,472,331", "10,616,092-10,621,525", "52,824,682-52,827,071"),
    "migration_portfolio": ("61,393-64,262", "945,495-1,095,815", "8,509,678-9,384,131", "40,832,977-46,070,264"),
}
"""Table tab:work-ranges of the paper, levels 1-4."""

Table = list[list[str]]
"""A header and rows of text."""


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
    access = [["family", "groups", "facts", "calls", "call cost", "budget / exhaustive", "work", "paper: facts", "paper: work"]]
    for each in data["access"]:
        paper = PAPER_ACCESS[each["family"]]
        reach = f"{_spelled(each['budget'])} / {_spelled(each['exhaustive'])}"
        own = [_spelled(each[name]) for name in ("sufficient_set_size", "call_count", "call_cost")]
        access.append([each["family"], str(each["info_groups"]), *own, reach, _spelled(each["work"]), paper[1], paper[5]])
    work = [["family", "level", "work", "paper"]]
    for each in data["work"]:
        paper_range = PAPER_WORK[each["family"]][each["level"] - 1] if each["level"] else ""
        work.append([each["family"], str(each["level"]), _spelled(each["range"]), paper_range])
    validation = [["validated property", "unit", "count", "passed"]]
    validation += [[each["row"], each["unit"], f"{each['count']:,}", f"{each['passed']:,}"] for each in data["validation"]]
    return {"access": access, "work": work, "validation": validation}


def _spelled(bounds: list[int]) -> str:
    low, high = bounds
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def markdown(table: Table) -> str:
    """A table in Markdown."""
    head, *rows = table
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def comma_separated(table: Table) -> str:
    """A table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue().rstrip("\n")


def latex(table: Table) -> str:
    """A table as a LaTeX tabular."""
    lines = [" & ".join(cell.replace("_", r"\_").replace("-", "--") for cell in row) + r" \\" for row in table]
    return "\n".join([rf"\begin{{tabular}}{{l{'r' * (len(table[0]) - 1)}}}", *lines, r"\end{tabular}"])
