"""What a report costs: CPU seconds of its process and peak memory, never the time that passed; and how often it solves."""

from dataclasses import replace

import pytest

from algoworlds.reports import decompose
from algoworlds.reports.decompose import Uninformed, known, unseen_gaps
from algoworlds.suites.opened import open_suite
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World
from bench.report import cost, make_runs
from tests.command import run
from tests.runs.play import built


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """Seven configurations that played the development split three times, half of the time uninformed."""
    place = tmp_path_factory.mktemp("experiment")
    assert run("build", "--out", place / "suite", "--jobs", "2").returncode == 0
    return place, make_runs(open_suite(place / "suite"), place / "runs")


@pytest.mark.full
@pytest.mark.parametrize(("decomposed", "seconds"), [(False, 20), (True, 60)], ids=["alone", "decomposed"])
def test_what_a_report_on_5040_records_takes(experiment, decomposed, seconds):
    place, runs = experiment
    took = cost(runs, place / "suite" if decomposed else None, place / str(decomposed))
    assert (took.records, took.uninformed) == (5040, 2520)
    assert took.seconds <= seconds
    assert took.megabytes <= 600


def test_what_is_known_alike_is_solved_once(tmp_path, monkeypatch):
    """Trajectories that saw the same facts, in whichever world of the instance, share one solve; equal calls one look."""
    suite = built(tmp_path / "suite")
    first = suite.manifest.worlds[0]
    pair = [each for each in suite.manifest.worlds if suite.coordinate(each) == suite.coordinate(first)]
    solved, gap = [], decompose.acquisition_gap
    monkeypatch.setattr(decompose, "acquisition_gap", lambda *given: solved.append(given) or gap(*given))
    looked, look = [], World.revealed
    monkeypatch.setattr(World, "revealed", lambda world, call: looked.append((world.id, call)) or look(world, call))
    plan = min(suite.world(first).plans.values(), key=len)
    sets = tuple(frozenset(plan[:end]) for end in (1, len(plan) - 1))
    gaps = unseen_gaps(Uninformed(suite.directory, suite.manifest.root, {each.id: sets for each in pair}))
    assert len(pair) == 2
    assert len(solved) == 2
    assert len(looked) == len(set(looked)) == 2 * (len(plan) - 1)
    assert all(gaps[pair[0].id, each] == gaps[pair[1].id, each] for each in sets)


def test_sets_of_calls_amount_to_the_facts_of_an_episode_that_makes_them(tmp_path):
    suite = built(tmp_path / "suite")
    for entry in suite.manifest.worlds:
        world = suite.world(entry)
        one, other = world.plans.values()
        sets = [frozenset(each) for each in (one, other, one[1:], one[:2], other[:-1], (*one[::2], *other[::3]), ())]
        for asked, facts in known(world, sets):
            episode = Episode(replace(world), sorted(asked))
            assert episode.stop is None
            if episode.executed == len(asked):
                assert facts == episode.facts
