"""The written CSV files of 5,040 records against plain computations from the definitions; no analysis code is used here
but to write the files."""

import csv
import itertools
import random
import statistics
from math import comb

import numpy as np
import pytest

from algoworlds.reports.output_folder import write_files
from algoworlds.reports.report import fill_sheets, sheet_files
from algoworlds.reports.results import Results
from tests.reports.synthetic import CATEGORIES, FAMILIES, MODELS, experiment, world_ids

TITLES = dict(zip(FAMILIES, (name.replace("_", " ").title().replace("ce J", "ce-J") for name in FAMILIES), strict=True))


@pytest.fixture(scope="module")
def records():
    return experiment()


@pytest.fixture(scope="module")
def files(records, tmp_path_factory):
    """name -> {first cell: {head: cell}}."""
    folder = tmp_path_factory.mktemp("tables")
    planned = [(label, *slot) for label in MODELS for slot in schedule(label)]
    write_files(sheet_files(fill_sheets(Results.from_records(records, planned, order=MODELS))), folder)
    found = {}
    for path in folder.glob("*.csv"):
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        found[path.stem] = {next(iter(row.values())): row for row in rows}
    return found


def schedule(label):
    """A model's worlds and trials in an order of their own."""
    slots = [("-".join(map(str, place)), trial) for place in world_ids() for trial in (1, 2, 3)]
    return random.Random(label).sample(slots, len(slots))


def trials(records, label, **conditions):
    """Three lists of a model's records that meet the conditions."""
    return [
        [
            record
            for record in records
            if (record["configuration"], record["trial"]) == (label, trial)
            and all(record[name] == value for name, value in conditions.items())
        ]
        for trial in (1, 2, 3)
    ]


def category(row):
    return ("optimal" if row["exact"] else "suboptimal") if row["feasible"] else row["outcome"]


def same(cell, value):
    assert float(cell) == pytest.approx(value, rel=1e-8, abs=1e-12), (cell, value)


def mean_of(field, factor=1.0):
    return lambda part: factor * sum(row[field] for row in part) / len(part)


MEASURES = {
    "Exact optimality": mean_of("exact", 100),
    "Feasibility": mean_of("feasible", 100),
    "Reference utility": mean_of("utility"),
    "Information sufficiency": mean_of("sufficiency", 100),
    "Discovery coverage": mean_of("coverage", 100),
}


def compare(records, files, name, statistics_of_a_trial):
    """Mean and sample deviation of each column of a table with a row for each model."""
    assert list(files[name]) == list(MODELS)
    for label, row in files[name].items():
        parts = trials(records, label)
        for head, statistic in statistics_of_a_trial.items():
            values = [statistic(part) for part in parts]
            same(row[head], statistics.mean(values))
            same(row[f"{head} SD"], statistics.stdev(values))


def test_main_results(records, files):
    compare(records, files, "main_results", MEASURES)


def test_outcomes(records, files):
    heads = ("Globally optimal", "Feasible suboptimal", "Infeasible", "No decision", "Protocol violation")

    def counting(kind, condition):
        return lambda part: sum(category(row) == kind and condition(row) for row in part)

    every = {head: counting(kind, lambda row: True) for head, kind in zip(heads, CATEGORIES, strict=True)}
    compare(records, files, "outcomes", every)
    known = {head: counting(kind, lambda row: row["sufficiency"]) for head, kind in zip(heads, CATEGORIES, strict=True)}
    first = {"Information sufficiency": lambda part: sum(row["sufficiency"] for row in part)}
    compare(records, files, "conditional_outcome_counts", first | known)


def rows_with(part, field):
    return [row for row in part if row[field]]


def test_conditional_outcomes(records, files):
    def share(*kinds):
        return lambda part: mean_of_truth([category(row) in kinds for row in rows_with(part, "sufficiency")])

    def mean_of_truth(truths):
        return 100 * sum(truths) / len(truths)

    expected = {
        "Information sufficiency": MEASURES["Information sufficiency"],
        "Globally optimal": share("optimal"),
        "Feasible but suboptimal": share("suboptimal"),
        "Other failure": share("infeasible", "no_decision", "protocol_violation"),
    }
    compare(records, files, "conditional_outcomes", expected)


def test_reference_quality(records, files):
    def regrets(part):
        return [row["gap"] / row["reference_gap"] for row in part if row["feasible"] and not row["exact"]]

    expected = {
        "Reference utility": MEASURES["Reference utility"],
        "Median regret": lambda part: statistics.median(regrets(part)),
        "90th percentile regret": lambda part: float(np.percentile(regrets(part), 90)),
        "Globally optimal": lambda part: sum(row["exact"] for row in part),
        "Better than reference": lambda part: sum(value < 1 for value in regrets(part)),
        "Reference or worse": lambda part: sum(value >= 1 for value in regrets(part)),
        "Infeasible, absent or protocol violation": lambda part: sum(not row["feasible"] for row in part),
    }
    compare(records, files, "reference_quality", expected)


def test_task_tables(records, files):
    assert list(files["task_results"]) == list(files["task_diagnostics"]) == list(TITLES.values())
    for (name, title), label in itertools.product(TITLES.items(), MODELS):
        parts = trials(records, label, family=name)
        assert [len(part) for part in parts] == [24, 24, 24]
        same(files["task_results"][title][label], statistics.mean(map(MEASURES["Exact optimality"], parts)))
        row = files["task_diagnostics"][title]
        same(row[f"{label} reference_utility"], statistics.mean(map(MEASURES["Reference utility"], parts)))
        same(row[f"{label} discovery_coverage"], statistics.mean(map(MEASURES["Discovery coverage"], parts)))


def test_workload_results(records, files):
    for label, level in itertools.product(MODELS, (1, 2, 3, 4)):
        parts = trials(records, label, level=level)
        assert [len(part) for part in parts] == [60, 60, 60]
        row = files["workload_results"][label]
        same(row[f"L{level} exact_optimality"], statistics.mean(map(MEASURES["Exact optimality"], parts)))
        same(row[f"L{level} reference_utility"], statistics.mean(map(MEASURES["Reference utility"], parts)))


def statuses(records, label):
    """world -> exact in trials 1, 2, 3."""
    found = {}
    for record in sorted(records, key=lambda row: row["trial"]):
        if record["configuration"] == label:
            found.setdefault(record["world"], []).append(record["exact"])
    return found


def test_stability_and_reliability(records, files):
    for label in MODELS:
        found = list(statuses(records, label).values())
        row = files["stability"][label]
        for trial in (0, 1, 2):
            same(row[f"T{trial + 1}"], 100 * sum(world[trial] for world in found) / 240)
        times = [sum(world) for world in found]
        assert [int(row[f"{count}/3"]) for count in range(4)] == [times.count(count) for count in range(4)]
        agreeing = [sum(world[a] == world[b] for world in found) / 2.4 for a, b in ((0, 1), (0, 2), (1, 2))]
        same(row["Pairwise agreement"], statistics.mean(agreeing))
        passed = files["reliability"][label]
        for drawn in (1, 2, 3):
            same(passed[f"pass^{drawn}"], 100 * statistics.mean(comb(sum(world), drawn) / comb(3, drawn) for world in found))
        same(passed["pass@2"], 100 * statistics.mean(1 - comb(3 - sum(world), 2) / 3 for world in found))
        same(passed["pass@3"], 100 * sum(any(world) for world in found) / 240)


def test_drift(records, files):
    """Early and late from positions in the schedule; p from all pairs of an early and a late trial of a world."""
    chances = {}
    for label in MODELS:
        early = set(schedule(label)[:360])
        mine = [record for record in records if record["configuration"] == label]
        halves = [[row["exact"] for row in mine if ((row["world"], row["trial"]) in early) == half] for half in (True, False)]
        row = files["drift"][label]
        same(row["Early half"], 100 * statistics.mean(halves[0]))
        same(row["Late half"], 100 * statistics.mean(halves[1]))
        surplus = variance = 0
        for world, outcomes in statuses(records, label).items():
            places = [(world, trial) in early for trial in (1, 2, 3)]
            arrangements = [sum(itertools.compress(order, places)) for order in itertools.permutations(outcomes)]
            surplus += sum(itertools.compress(outcomes, places)) - np.mean(arrangements)
            variance += np.var(arrangements)
        chances[label] = 2 * statistics.NormalDist().cdf(-abs(surplus) / variance**0.5)
        same(row["p (early = late)"], chances[label])
    least = min(chances, key=chances.__getitem__)
    same(files["drift"][least]["p (Holm)"], min(1.0, 7 * chances[least]))


def test_diagnostics_and_spend(records, files):
    expected = {
        "Discovery": MEASURES["Discovery coverage"],
        "Grounding": mean_of("grounding", 100),
        "Sufficiency": MEASURES["Information sufficiency"],
        "Calls": mean_of("executed_calls"),
        "Exact given sufficiency": lambda part: mean_of("exact", 100)(rows_with(part, "sufficiency")),
        "Information-call cap": lambda part: sum(row["call_cap"] for row in part),
        "Budget cap": lambda part: sum(row["budget_cap"] for row in part),
    }
    compare(records, files, "diagnostics", expected)
    spend = {
        "Calls": mean_of("executed_calls"),
        "Spend": mean_of("spend"),
        "Spend / budget (%)": lambda part: 100 * statistics.mean(row["spend"] / row["budget"] for row in part),
        "Spend given information sufficiency": lambda part: mean_of("spend")(rows_with(part, "sufficiency")),
        "Spend given exact optimality": lambda part: mean_of("spend")(rows_with(part, "exact")),
    }
    compare(records, files, "acquisition_spend", spend)


def test_information_use(records, files):
    def lost_utility(part, sufficient):
        return statistics.mean(100 - row["utility"] if row["sufficiency"] == sufficient else 0 for row in part)

    expected = {
        "Calls to sufficiency": lambda part: mean_of("sufficient_at")(rows_with(part, "sufficiency")),
        "Redundant calls": mean_of("redundant_calls"),
        "Utility lost without sufficiency": lambda part: lost_utility(part, 0),
        "Utility lost with sufficiency": lambda part: lost_utility(part, 1),
    }
    compare(records, files, "information_use", expected)


def test_paired_interfaces(records, files):
    for label in MODELS:
        found = statuses(records, label)
        names = [world.removesuffix("-direct") for world in found if world.endswith("-direct")]
        both = [zip(found[f"{name}-direct"], found[f"{name}-mediated"], strict=True) for name in names]
        differences = [[direct - mediated for direct, mediated in pairs] for pairs in both]
        signs = [value for values in differences for value in values]
        assert len(signs) == 360
        row = files["representation_results"][label]
        wins = [int(row[head]) for head in ("Direct wins", "Mediated wins", "Ties")]
        assert wins == [signs.count(1), signs.count(-1), signs.count(0)]
        same(row["Direct - Mediated"], 100 * sum(signs) / 360)
        for face in ("direct", "mediated"):
            same(row[face.title()], 100 * sum(sum(found[f"{name}-{face}"]) for name in names) / 360)
        means = np.array([statistics.mean(values) for values in differences])
        draws = np.random.default_rng(1).choice(means, (4000, 120)).mean(axis=1) * 100
        ends = [float(row[f"95% paired bootstrap interval {end}"]) for end in ("low", "high")]
        assert ends == pytest.approx(np.quantile(draws, (0.025, 0.975)).tolist(), abs=0.7)


def cluster_means(records, label, field):
    """family -> mean of a field for each of its instances."""
    sums = {}
    for record in records:
        if record["configuration"] == label:
            sums.setdefault(record["family"], {}).setdefault((record["level"], record["index"]), []).append(record[field])
    return {family: np.array([statistics.mean(values) for values in found.values()]) for family, found in sums.items()}


def standard_error(clusters):
    return sum(statistics.variance(cluster) / len(cluster) for cluster in clusters.values()) ** 0.5 / len(clusters)


def t_percentile(clusters):
    """The 97.5th percentile of Student's t with Satterthwaite's degrees of freedom, by the expansion of Cornish and Fisher."""
    variances = [statistics.variance(cluster) for cluster in clusters.values()]
    freedom = min(110, sum(variances) ** 2 / sum(variance**2 / (11 + 2) for variance in variances))
    z = statistics.NormalDist().inv_cdf(0.975)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + (z**3 + z) / 4 / freedom + second / freedom**2 + third / freedom**3


@pytest.mark.parametrize(("head", "field", "whole"), [("Exact optimality", "exact", 1), ("Reference utility", "utility", 100)])
def test_intervals(records, files, head, field, whole):
    """Both ends are t standard errors away from the mean; errors scale as the root of rate * (1 - rate)."""
    for label in MODELS:
        row = files["intervals"][label]
        rate = statistics.mean(record[field] for record in records if record["configuration"] == label) / whole
        clusters = cluster_means(records, label, field)
        reach = t_percentile(clusters) * standard_error(clusters) / whole
        same(row[f"{head} mean"], 100 * rate)
        low, high = (float(row[f"{head} interval {end}"]) / 100 for end in ("low", "high"))
        assert low < rate < high
        for end in (low, high):
            assert abs(end - rate) == pytest.approx(reach * (end * (1 - end) / rate / (1 - rate)) ** 0.5, rel=1e-4)


def test_comparisons(records, files, tmp_path):
    write_files(sheet_files(fill_sheets(Results.from_records(records, order=MODELS))), tmp_path)
    with (tmp_path / "comparisons.csv").open(newline="", encoding="utf-8") as file:
        rows = {(row["First"], row["Second"]): row for row in csv.DictReader(file)}
    assert list(rows) == list(itertools.combinations(MODELS, 2))
    rates = {
        label: 100 * sum(record["exact"] for record in records if record["configuration"] == label) / 720 for label in MODELS
    }
    source, chances = np.random.default_rng(3), []
    for (first, second), row in rows.items():
        same(row["First - second"], rates[first] - rates[second])
        ours, theirs = (cluster_means(records, label, "exact") for label in (first, second))
        difference = {family: 100 * (ours[family] - theirs[family]) for family in ours}
        ends = [float(row[f"95% interval {end}"]) for end in ("low", "high")]
        half = t_percentile(difference) * standard_error(difference)
        assert ends == pytest.approx([rates[first] - rates[second] - half, rates[first] - rates[second] + half], abs=1e-3)
        flat = np.concatenate(list(difference.values()))
        flips = source.choice((-1, 1), (4000, 120)) @ flat
        assert float(row["p (sign flip)"]) == pytest.approx((np.abs(flips) >= abs(flat.sum()) - 1e-6).mean(), abs=0.03)
        chances.append(float(row["p (sign flip)"]))
    least = min(range(21), key=chances.__getitem__)
    same(list(rows.values())[least]["p (Holm)"], min(1.0, 21 * chances[least]))


def test_small_cells(records, files):
    for (name, title), label in itertools.product(TITLES.items(), MODELS):
        rate = statistics.mean(row["exact"] for part in trials(records, label, family=name) for row in part)
        row = files["small_cells"][title]
        same(row[f"{label} mean"], 100 * rate)
        for end in ("low", "high"):
            value = float(row[f"{label} interval {end}"]) / 100
            assert abs(value - rate) == pytest.approx(1.96 * (value * (1 - value) / 12) ** 0.5, abs=1e-4)


def test_stops_and_usage(records, files):
    for label in MODELS:
        reasons = [record["stop_reason"] for record in records if record["configuration"] == label]
        row = files["stops"][label]
        assert [int(row[head]) for head in ("Evaluations", "Submitted", "Text end")] == [
            720,
            reasons.count("submitted"),
            reasons.count("text_end"),
        ]
        tokens = files["usage"][label]
        reported = [tokens[f"{kind} tokens"] for kind in ("Input", "Output", "Reasoning", "Cached")]
        assert reported == ["1000.0", "100.0", "50.0", ""]
