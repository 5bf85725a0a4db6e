"""`python -m bench.pages [DIRECTORY ...]`: what `algoworlds attack` found, on every family's page and in docs/hardness.md.

The numbers of the panels in the directories come into `bench/measured.json`, by family and level; from there the pages are
written between two marks. Without a directory the pages are written from the numbers as they are.
"""

import json
import sys
from pathlib import Path
from typing import Any

from algoworlds.families import FAMILIES
from algoworlds.families.family import Family
from algoworlds.grid import Grid, to_markdown

FIRST = "<!-- measured: python -m bench.pages writes from here -->"
LAST = "<!-- measured: to here -->"
MEASURED = Path(__file__).parent / "measured.json"
HOME = Path(__file__).parents[1] / "src" / "algoworlds" / "families"
OVERVIEW = Path(__file__).parents[1] / "docs" / "hardness.md"

Numbers = dict[str, Any]


def numbers(standing: Numbers) -> Numbers:
    """What a page needs of a standing in hardness.json."""
    kept = ("instances", "work", "attempts", "reference_gap", "descent", "best", "best_utility", "h50", "prior")
    guessed = max(standing["imputed"].items(), key=lambda each: each[1], default=("", 0.0))
    return {name: standing[name] for name in kept} | {"deepest": standing["curve"][-1][0], "guessed": list(guessed)}


def gathered(measured: Numbers, panel: Numbers) -> Numbers:
    """The numbers by family and level, with those of a panel in place of older ones."""
    found = {name: dict(levels) for name, levels in measured.items()}
    for each in panel["standings"]:
        place = each["family"], each["level"]
        missed = [miss for miss in panel["missed_goals"] if (miss["family"], miss["level"]) == place]
        figures = [{name: miss[name] for name in ("goal", "how", "sure", "conceded")} for miss in missed]
        found.setdefault(place[0], {})[str(place[1])] = numbers(each) | {"missed": figures}
    return found


def part(family: Family[Any, Any], levels: Numbers) -> str:
    """The measured part of a family's page."""
    counts = sorted({level["instances"] for level in levels.values()})
    instances = "-".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    drawn = f"Over {instances} fresh instances a level, as algoworlds attack draws them."
    attacked = "The best attacker within 2,000 evaluations, H50, the guessed column that helps most, and learned priors:"
    tables = (
        Grid("drawn", drawn, _DRAWN, tuple(_drawn(level, each) for level, each in levels.items())),
        Grid("attacked", attacked, _ATTACKED, tuple(_attacked(level, each) for level, each in levels.items())),
    )
    return "\n\n".join([*map(to_markdown, tables), *_shortcomings(family, levels)])


_DRAWN = ("level", "work", "attempts: median / 99 % / most", "reference gap (median)", "one descent, exact")
_ATTACKED = ("level", "best attacker", "exact", "utility", "H50", "guessed column, exact", "learned prior, exact", "public AUC")


def _drawn(level: str, each: Numbers) -> tuple[str, ...]:
    taken = " / ".join(f"{each['attempts'][name]:g}" for name in ("median", "late", "most"))
    work = "-".join(f"{end:,}" for end in dict.fromkeys(each["work"]))
    return level, work, taken, f"{each['reference_gap']:.0f} %", f"{each['descent']:.0f} %"


def _attacked(level: str, each: Numbers) -> tuple[str, ...]:
    best, prior, (column, share) = each["best"], each["prior"], each["guessed"]
    half = f"above {each['deepest']:,}" if each["h50"] is None else f"{each['h50']:,.0f}"
    guessed = f"{share:.0f} % ({column})" if share else "0 %"
    learned = (f"{prior['exact']:.0f} %", f"{prior['public_auc']:.3f} ± {prior['public_error']:.3f}") if prior else ("-", "-")
    return level, best["attacker"], f"{best['exact']:.0f} %", f"{each['best_utility']:.1f}", half, guessed, *learned


def _missed(levels: Numbers) -> list[str]:
    """A line for every goal that is missed at one of these levels."""
    return [
        f"{miss['goal']}, level {level}: {miss['how']}; {'beyond' if miss['sure'] else 'within'} chance"
        + (", conceded by the family" if miss["conceded"] else "")
        for level, each in levels.items()
        for miss in each["missed"]
    ]


def overview(measured: Numbers) -> str:
    """The measured part of docs/hardness.md: all families and levels, and every goal that is missed."""
    found = [(family.title, measured[name]) for name, family in FAMILIES.items() if name in measured]
    rows = tuple((title, *_attacked(level, each)) for title, levels in found for level, each in levels.items())
    missed = [f"- {title}, {line}" for title, levels in found for line in _missed(levels)]
    table = to_markdown(Grid("worlds", "Fresh instances of all families and levels:", ("family", *_ATTACKED), rows))
    return "\n\n".join([table, "Goals that are missed:\n" + "\n".join(missed or ["- none"])])


def _shortcomings(family: Family[Any, Any], levels: Numbers) -> list[str]:
    """The goals that are missed, and what the family concedes."""
    lines = [f"- {line}" for line in _missed(levels)]
    conceded = family.hardness.concessions
    said = [f"- {each.goal}, level {each.level}, held to {each.limit:g} instead: {each.why}" for each in conceded]
    told = [
        "Goals of docs/hardness.md that are missed:\n" + "\n".join(lines) if lines else "No goal of docs/hardness.md is missed."
    ]
    return told + (["Conceded by the family:\n" + "\n".join(said)] if said else [])


def with_part(page: str, text: str) -> str:
    """A page with another text between its marks."""
    before, rest = page.split(FIRST)
    return f"{before}{FIRST}\n{text}\n{LAST}{rest.split(LAST)[1]}"


def main() -> None:
    """Take in the panels named on the command line and write the pages."""
    measured: Numbers = json.loads(MEASURED.read_text(encoding="utf-8"))
    for directory in sys.argv[1:]:
        measured = gathered(measured, json.loads((Path(directory) / "hardness.json").read_text(encoding="utf-8")))
    MEASURED.write_text(json.dumps(measured, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for name, levels in measured.items():
        page = HOME / name / "README.md"
        page.write_text(with_part(page.read_text(encoding="utf-8"), part(FAMILIES[name], levels)), encoding="utf-8")
    OVERVIEW.write_text(with_part(OVERVIEW.read_text(encoding="utf-8"), overview(measured)), encoding="utf-8")


if __name__ == "__main__":
    main()
