"""What judging and a report cost: CPU seconds of their processes and peak memory, never wall-clock time."""

import pytest

from algoworlds.knowledge import oracle
from algoworlds.measures import hindsight
from algoworlds.measures.hindsight import Hindsight, Judge
from algoworlds.suites.open import open_suite
from algoworlds.worlds.episode import Episode
from bench.report import create_runs, measure
from tests.command import run
from tests.runs.model_runs import build_small_suite


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """Seven configurations that played the development split three times, half of the time uninformed."""
    place = tmp_path_factory.mktemp("experiment")
    assert run("build", "--out", place / "suite", "--jobs", "2").returncode == 0
    return place, create_runs(open_suite(place / "suite"), place / "runs")


@pytest.mark.full
def test_cost_of_reporting_5040_records(experiment):
    place, runs = experiment
    cost = measure("report", runs, place / "suite", place / "alone")
    assert (cost.records, cost.uninformed) == (5040, 2520)
    assert cost.seconds <= 20
    assert cost.megabytes <= 600


@pytest.mark.full
def test_cost_of_judging_5040_records_and_reporting_them(experiment):
    place, runs = experiment
    judging = measure("judge", runs, place / "suite", place)
    reporting = measure("report", runs, place / "suite", place / "judged")
    assert (judging.records, reporting.records) == (5040, 5040)
    assert judging.seconds <= 600
    assert reporting.seconds <= 60
    assert reporting.megabytes <= 600


def test_equal_knowledge_is_solved_once(tmp_path, monkeypatch):
    """Trajectories that saw the same facts, in any world of the instance, share one computation of what they lack."""
    suite = build_small_suite(tmp_path / "suite")
    first = suite.manifest.worlds[0]
    pair = [world for world in suite.manifest.worlds if suite.coordinate(world) == suite.coordinate(first)]
    looked, gap = [], hindsight.acquisition_gap
    monkeypatch.setattr(hindsight, "acquisition_gap", lambda *given: looked.append(given) or gap(*given))
    searches, find_risk = [], oracle._find_risk
    monkeypatch.setattr(oracle, "_find_risk", lambda *given, **more: searches.append(given) or find_risk(*given, **more))
    worlds, key = [suite.world(entry) for entry in pair], suite.key(first)
    judge, plan = Judge.from_world(worlds[0], key), min(worlds[0].plans.values(), key=len)
    found, times = [], []
    for world in worlds:
        for calls in (plan[:1], plan[:-1], plan[:-1][::-1]):
            seen = Hindsight(Episode(world, calls), key, judge=judge)
            found.append((seen.determination, seen.regret_parts))
            times.append((len(looked), len(searches)))
    assert len(worlds) == 2
    assert len(looked) == 2
    assert found[:3] == found[3:]
    assert found[1] == found[2]
    assert times[1:] == [times[1]] * 5
