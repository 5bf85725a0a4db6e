"""Synthetic finalized records: every field is present, outcomes come from a seeded generator."""

import random

from algoworlds.measures.judging import JUDGING_VERSION
from algoworlds.measures.scoring import SCORING_VERSION

FAMILIES = (
    "transit_routing",
    "basket_assembly",
    "station_siting",
    "authorization_planning",
    "series_portfolio",
    "machine_layout",
    "sequential_matching",
    "fleet_dispatch",
    "evidence_joined_routing",
    "migration_portfolio",
)
MODELS = ("Terra", "Sol", "Qwen", "DeepSeek", "Opus", "Sonnet", "GLM")
CATEGORIES = ("optimal", "suboptimal", "infeasible", "no_decision", "protocol_violation")


def world_ids(families=FAMILIES, levels=(1, 2, 3, 4), indices=(1, 2, 3), interfaces=("direct", "mediated")):
    return [(f, v, i, face) for f in families for v in levels for i in indices for face in interfaces]


def record(configuration, place, trial, category="optimal", *, gap=0, sufficient=True, seen=20, kind="model", **changes):
    """A record; dependent fields are derived here, so that a test states only the fields that it is about."""
    family, level, index, interface = place
    scale, optimum, budget = 40 + level, 1000 + 10 * level + index, 300 + 10 * level
    feasible = category in ("optimal", "suboptimal")
    regret = gap / scale if feasible else None
    fields = {
        "format": 1,
        "scoring": SCORING_VERSION,
        "configuration": configuration,
        "kind": kind,
        "world": f"{family}-{level}-{index}-{interface}",
        "family": family,
        "level": level,
        "index": index,
        "interface": interface,
        "trial": trial,
        "outcome": "feasible" if feasible else category,
        "exact": int(category == "optimal"),
        "feasible": int(feasible),
        "objective": optimum + gap if feasible else None,
        "optimum": optimum,
        "gap": gap if feasible else None,
        "reference_gap": scale,
        "regret": regret,
        "utility": max(0.0, 100.0 * (1.0 - regret)) if feasible else 0.0,
        "sufficiency": int(sufficient),
        "coverage": 1.0 if sufficient else seen / 40,
        "grounding": 0.0 if category in ("no_decision", "protocol_violation") else 1.0,
        "sufficient_at": 12 if sufficient else None,
        "redundant_calls": 3,
        "coverage_curve": [[0, 0.0], [seen, 1.0 if sufficient else seen / 40]],
        "executed_calls": seen,
        "attempted_calls": seen + 1,
        "spend": 5 * seen,
        "budget": budget,
        "call_cap": 0,
        "budget_cap": 0,
        "stop_reason": "submitted" if feasible or category == "infeasible" else "text_end",
        "turns": seen + 1,
        "model": "m-1" if kind == "model" else None,
        "tokens": {"input": 1000, "output": 100, "reasoning": 50, "cached": None} if kind == "model" else None,
        "cost": 0.25 if kind == "model" else None,
        "decision": {"route": ["a"]} if category not in ("no_decision", "protocol_violation") else None,
        "optimal_decision": {"route": ["b"]},
        "parts": {"time": optimum + gap} if feasible else None,
        "optimal_parts": {"time": optimum},
        "reason": None,
        "trajectory": [
            {"turn": 1, "tool": "read_zone_window", "arguments": "{}", "status": "executed", "charged": 5},
            {"turn": 2, "tool": "read_zone", "arguments": "{", "status": "bad_arguments", "charged": 0},
            {"turn": 3, "tool": "read_zone", "arguments": "{}", "status": "executed", "charged": 5},
            {"turn": 4, "tool": "read_zone_window", "arguments": "{}", "status": "executed", "charged": 5},
        ],
        "texts": [],
        "observed": "0" * 64,
    }
    return fields | changes


def judgement(scored, knowledge="determined", **changes):
    """The judgement of the record `scored`; dependent fields are derived here."""
    footings = {
        "determined": ("misread", "justified"),
        "not determined": ("premature", "lucky"),
        "undecided": ("undecided",) * 2,
    }
    footing = None if knowledge is None else footings[knowledge][scored["exact"]]
    known = knowledge == "determined"
    fields = {
        "format": 1,
        "judging": JUDGING_VERSION,
        "record": "0" * 64,
        **{name: scored[name] for name in ("configuration", "world", "trial")},
        "knowledge": knowledge,
        "footing": footing if scored["feasible"] else scored["outcome"],
        "determined_at": 10 if known else None,
        "determined_spend": min(40, scored["spend"]) if known else None,
        "wasted_spend": max(0, scored["spend"] - 40) if known else None,
        "query_ratio": None,
        "worst_regret": None if knowledge is None or not scored["feasible"] else 60 if not known else scored["gap"],
        "worst_regret_gaps": None if knowledge is None or not scored["feasible"] else 1.5 if not known else scored["regret"],
        "may_be_infeasible": None if knowledge is None or not scored["feasible"] else 0,
        "risk_curve": None if knowledge is None else [[20, 2.0], [scored["spend"], 0.0 if known else 1.5]],
        "hindsight_curve": None,
        "witness": None,
        "best_given": None,
        "averaging_regret": None,
        "last_answer_regret": None,
        "acquisition_regret": 0.0 if scored["sufficiency"] else 0.5,
        "reasoning_regret": None if scored["regret"] is None else scored["regret"] - (0.0 if scored["sufficiency"] else 0.5),
    }
    return fields | changes


def random_record(random_source, configuration, place, trial, kind="model"):
    """A record with a random outcome; families, levels and interfaces differ in difficulty."""
    family, level, _, interface = place
    ease = 0.9 - 0.08 * FAMILIES.index(family) - 0.05 * level - 0.04 * (interface == "mediated")
    optimal = random_source.random() < ease
    category = "optimal" if optimal else random_source.choice(("suboptimal",) * 4 + CATEGORIES[2:])
    sufficient = random_source.random() < 0.8
    return record(
        configuration,
        place,
        trial,
        category,
        gap=random_source.randint(1, 120) if category == "suboptimal" else 0,
        sufficient=sufficient,
        seen=random_source.randint(1, 39),
        kind=kind,
        call_cap=int(category == "no_decision"),
        redundant_calls=random_source.randint(0, 4),
    )


def experiment(configurations=MODELS, places=None, trials=3, seed=7, kind="model"):
    """A whole experiment: every configuration on every world in every trial."""
    source = random.Random(seed)
    places = world_ids() if places is None else places
    return [
        random_record(source, label, place, trial, kind)
        for label in configurations
        for trial in range(1, trials + 1)
        for place in places
    ]
