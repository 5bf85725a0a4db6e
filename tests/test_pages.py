"""Family pages are generated from the committed numbers of the attack panel."""

import json

import pytest

from algoworlds.families import FAMILIES
from bench.pages import FAMILIES_FOLDER, FIRST, LAST, MEASURED, OVERVIEW, add_panel, family_part, overview, replace_part

PANEL = {
    "standings": [
        {
            "family": "fleet_dispatch",
            "level": level,
            "instances": 30,
            "work": [1_000, 2_500],
            "attempts": {"median": 1.5, "late": 4, "most": 4},
            "reference_gap": 28.4,
            "descent": 3.333,
            "best": {"attacker": "beam 10", "exact": 40.0},
            "best_utility": 91.25,
            "h50": 1_414.2,
            "best_algorithm": {"attacker": "best first", "exact": 66.667},
            "algorithm_h50": None,
            "curve": [[10, 0.0], [10_000, 60.0]],
            "imputed": {"load: in two classes": 3.333, "load: this world's mean": 0.0},
            "prior": {"exact": 0.0, "public_auc": 0.512, "public_error": 0.011},
        }
        for level in (1, 2)
    ],
    "missed_goals": [
        {"family": "fleet_dispatch", "level": 2, "goal": "H50", "how": "1,414, asked for 2,828", "sure": False, "conceded": ""}
    ],
}
LINE = (
    "| 2 | beam 10 | 40 % | 91.2 | 1,414 | best first | 67 % | above 10,000 "
    "| 3 % (load: in two classes) | 0 % | 0.512 ± 0.011 |"
)


def test_a_panel_of_one_kind_leaves_the_numbers_of_the_other():
    algorithms_only = [
        standing | {"best": {"attacker": "", "exact": 0.0}, "instances": 10, "algorithm_h50": 900.0}
        for standing in PANEL["standings"]
    ]
    before = add_panel({}, PANEL)
    after = add_panel(before, {"standings": algorithms_only, "missed_goals": []})
    for level in ("1", "2"):
        old, new = before["fleet_dispatch"][level], after["fleet_dispatch"][level]
        assert new == old | {"algorithm_h50": 900.0, "algorithm_instances": 10}
    shortcuts_only = [standing | {"best_algorithm": {"attacker": "", "exact": 0.0}} for standing in PANEL["standings"]]
    assert "best_algorithm" not in add_panel({}, {"standings": shortcuts_only, "missed_goals": []})["fleet_dispatch"]["1"]
    assert add_panel(after, {"standings": shortcuts_only, "missed_goals": PANEL["missed_goals"]}) == after


@pytest.mark.parametrize("name", FAMILIES)
def test_family_page_matches_the_committed_numbers(name):
    page = (FAMILIES_FOLDER / name / "README.md").read_text(encoding="utf-8")
    assert (page.count(FIRST), page.count(LAST)) == (1, 1)
    measured = json.loads(MEASURED.read_text(encoding="utf-8"))
    if name in measured:
        assert replace_part(page, family_part(FAMILIES[name], measured[name])) == page, "run python -m bench.pages"


def test_overview_matches_the_committed_numbers():
    page = OVERVIEW.read_text(encoding="utf-8")
    assert replace_part(page, overview(json.loads(MEASURED.read_text(encoding="utf-8")))) == page, "run python -m bench.pages"


def test_attack_panel_becomes_part_of_a_page():
    numbers = add_panel({}, PANEL)
    text = family_part(FAMILIES["fleet_dispatch"], numbers["fleet_dispatch"])
    assert LINE in text
    assert "| 1 | 1,000-2,500 | 1.5 / 4 / 4 | 28 % | 3 % |" in text
    assert "- H50, level 2: 1,414, asked for 2,828; within chance" in text
    page = replace_part(f"before\n{FIRST}\nold\n{LAST}\nafter\n", text)
    assert page.startswith(f"before\n{FIRST}\nOver 30 fresh instances")
    assert page.endswith(f"\n{LAST}\nafter\n")
    assert replace_part(page, text) == page
    assert f"| Fleet Dispatch {LINE}" in overview(numbers)
    assert "- Fleet Dispatch, H50, level 2: 1,414, asked for 2,828; within chance" in overview(numbers)


def test_newer_panel_replaces_only_its_levels():
    newer = {"standings": [PANEL["standings"][1] | {"instances": 60}], "missed_goals": []}
    numbers = add_panel(add_panel({}, PANEL), newer)["fleet_dispatch"]
    assert [numbers[level]["instances"] for level in ("1", "2")] == [30, 60]
    assert numbers["2"]["missed"] == []
