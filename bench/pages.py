"""`python -m bench.pages [DIRECTORY ...]`: write what `algoworlds attack` measured into pages.

The pages are those of the families and docs/hardness.md. Each DIRECTORY is the output of an attack. Its numbers are stored in
`bench/measured.json` by family and level; the pages are written from that file, between two marks. Without a DIRECTORY they are
written from the file as it is.
"""

import json
import sys
from pathlib import Path

from algoworlds.core.canonical import JsonObject
from algoworlds.families import FAMILIES
from algoworlds.families.family import AnyFamily
from algoworlds.grid import Grid, to_markdown
from algoworlds.suites.suite import EDITION

FIRST = "<!-- measured: python -m bench.pages writes from here -->"
LAST = "<!-- measured: to here -->"
MEASURED = Path(__file__).parent / "measured.json"
FAMILIES_FOLDER = Path(__file__).parents[1] / "src" / "algoworlds" / "families"
OVERVIEW = Path(__file__).parents[1] / "docs" / "hardness.md"


def page_numbers(standing: JsonObject) -> JsonObject:
    """What a page needs of a standing in hardness.json."""
    names = ("instances", "work", "attempts", "reference_gap", "descent", "best", "best_utility", "h50", "prior")
    imputed = max(standing["imputed"].items(), key=lambda item: item[1], default=("", 0.0))
    shortcuts = {name: standing[name] for name in names} | {"deepest": standing["curve"][-1][0], "guessed": list(imputed)}
    algorithms = {name: standing[name] for name in ("best_algorithm", "algorithm_h50")}
    algorithms["algorithm_instances"] = standing["instances"]
    if not standing["best"]["attacker"]:  # a panel of algorithms alone leaves the numbers of shortcuts as they are
        return algorithms
    shortcuts["edition"] = EDITION
    return shortcuts | algorithms if standing["best_algorithm"]["attacker"] else shortcuts


def add_panel(measured: JsonObject, panel: JsonObject) -> JsonObject:
    """The numbers by family and level, with those of `panel` in place of older ones."""
    updated = {name: dict(levels) for name, levels in measured.items()}
    for standing in panel["standings"]:
        family, level = standing["family"], standing["level"]
        misses = [miss for miss in panel["missed_goals"] if (miss["family"], miss["level"]) == (family, level)]
        figures = [{name: miss[name] for name in ("goal", "how", "sure", "conceded")} for miss in misses]
        numbers = page_numbers(standing) | ({"missed": figures} if standing["best"]["attacker"] else {})
        levels = updated.setdefault(family, {})
        levels[str(level)] = levels.get(str(level), {}) | numbers
    return updated


def family_part(family: AnyFamily, levels: JsonObject) -> str:
    """The measured part of a family's page."""
    counts = sorted({level["instances"] for level in levels.values()})
    instances = "-".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    drawn = f"Over {instances} fresh instances a level, as algoworlds attack draws them."
    attacked = (
        "The best shortcut and the best algorithm within 2,000 evaluations, each with its H50, the guessed column that helps "
        "most, and learned priors:"
    )
    tables = (
        Grid("drawn", drawn, _INSTANCE_HEADS, tuple(_instance_row(level, figures) for level, figures in levels.items())),
        Grid("attacked", attacked, _ATTACK_HEADS, tuple(_attack_row(level, figures) for level, figures in levels.items())),
    )
    return "\n\n".join([*_edition_note(levels), *map(to_markdown, tables), *_goal_paragraphs(family, levels)])


def _edition_note(levels: JsonObject) -> list[str]:
    """A warning if the numbers of some level are of worlds that earlier generators or rules of admission made."""
    if all(figures.get("edition") == EDITION for figures in levels.values()):
        return []
    return [
        f"The tables were measured before edition {EDITION} changed generators and admission, and not since. "
        "What is known of the present worlds stands in the text."
    ]


_INSTANCE_HEADS = ("level", "work", "attempts: median / 99 % / most", "reference gap (median)", "one descent, exact")
_ATTACK_HEADS = (
    "level",
    "best shortcut",
    "exact",
    "utility",
    "H50",
    "best algorithm",
    "exact",
    "H50",
    "guessed column, exact",
    "learned prior, exact",
    "public AUC",
)


def _instance_row(level: str, figures: JsonObject) -> tuple[str, ...]:
    attempts = " / ".join(f"{figures['attempts'][name]:g}" for name in ("median", "late", "most"))
    work = "-".join(f"{end:,}" for end in dict.fromkeys(figures["work"]))
    return level, work, attempts, f"{figures['reference_gap']:.0f} %", f"{figures['descent']:.0f} %"


def _attack_row(level: str, figures: JsonObject) -> tuple[str, ...]:
    best, prior, (column, share) = figures["best"], figures["prior"], figures["guessed"]
    half = f"above {figures['deepest']:,}" if figures["h50"] is None else f"{figures['h50']:,.0f}"
    guessed = f"{share:.0f} % ({column})" if share else "0 %"
    learned = (f"{prior['exact']:.0f} %", f"{prior['public_auc']:.3f} ± {prior['public_error']:.3f}") if prior else ("-", "-")
    algorithm, known = figures.get("best_algorithm"), figures.get("algorithm_h50")
    by_algorithm = ("-", "-", "-")
    if algorithm:
        half_by_algorithm = f"above {figures['deepest']:,}" if known is None else f"{known:,.0f}"
        by_algorithm = (algorithm["attacker"], f"{algorithm['exact']:.0f} %", half_by_algorithm)
    shortcut = (best["attacker"], f"{best['exact']:.0f} %", f"{figures['best_utility']:.1f}", half)
    return level, *shortcut, *by_algorithm, guessed, *learned


def _missed_goals(levels: JsonObject) -> list[str]:
    """A line for every goal that is missed at one of these levels."""
    return [
        f"{miss['goal']}, level {level}: {miss['how']}; {'beyond' if miss['sure'] else 'within'} chance"
        + (", conceded by the family" if miss["conceded"] else "")
        for level, figures in levels.items()
        for miss in figures["missed"]
    ]


def overview(measured: JsonObject) -> str:
    """The measured part of docs/hardness.md: all families and levels, and every goal that is missed."""
    by_title = [(family.title, measured[name]) for name, family in FAMILIES.items() if name in measured]
    rows = tuple((title, *_attack_row(level, figures)) for title, levels in by_title for level, figures in levels.items())
    missed = [f"- {title}, {line}" for title, levels in by_title for line in _missed_goals(levels)]
    table = to_markdown(Grid("worlds", "Fresh instances of all families and levels:", ("family", *_ATTACK_HEADS), rows))
    note = _edition_note({f"{title} {level}": figures for title, levels in by_title for level, figures in levels.items()})
    return "\n\n".join([*note, table, "Goals that are missed:\n" + "\n".join(missed or ["- none"])])


def _goal_paragraphs(family: AnyFamily, levels: JsonObject) -> list[str]:
    """The goals that are missed, and what the family concedes."""
    missed = "\n".join(f"- {line}" for line in _missed_goals(levels))
    paragraphs = [
        f"Goals of docs/hardness.md that are missed:\n{missed}" if missed else "No goal of docs/hardness.md is missed."
    ]
    if concessions := family.hardness.concessions:
        lines = [
            f"- {concession.goal}, level {concession.level}, held to {concession.limit:g} instead: {concession.why}"
            for concession in concessions
        ]
        paragraphs.append("Conceded by the family:\n" + "\n".join(lines))
    return paragraphs


def replace_part(page: str, text: str) -> str:
    """`page` with `text` between its marks."""
    before, rest = page.split(FIRST)
    return f"{before}{FIRST}\n{text}\n{LAST}{rest.split(LAST)[1]}"


def main() -> None:
    """Take in the panels named on the command line and write the pages."""
    measured: JsonObject = json.loads(MEASURED.read_text(encoding="utf-8"))
    for directory in sys.argv[1:]:
        measured = add_panel(measured, json.loads((Path(directory) / "hardness.json").read_text(encoding="utf-8")))
    MEASURED.write_text(json.dumps(measured, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for name, levels in measured.items():
        page = FAMILIES_FOLDER / name / "README.md"
        page.write_text(replace_part(page.read_text(encoding="utf-8"), family_part(FAMILIES[name], levels)), encoding="utf-8")
    OVERVIEW.write_text(replace_part(OVERVIEW.read_text(encoding="utf-8"), overview(measured)), encoding="utf-8")


if __name__ == "__main__":
    main()
