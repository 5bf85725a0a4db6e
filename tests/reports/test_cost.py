"""What a report costs: CPU seconds of its process and peak memory, never the time that passed; and how often it solves."""

import json
from dataclasses import replace

import pytest

from algoworlds.reports import decompose
from algoworlds.reports.decompose import Uninformed, known, unseen_gaps
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World
from tests.command import python
from tests.runs.play import built

WHOLE = """
import json, random, resource, time
from algoworlds.reports.page import report_files
from algoworlds.reports.results import Results
from algoworlds.reports.write import filled_sheets, sheet_files
from tests.reports.synthetic import experiment
from tests.reports.test_report import lengthened

source = random.Random(5)
records = [lengthened(each, source) for each in experiment()]
begin = time.process_time()
results = Results.of(records)
sheets = filled_sheets(results)
files = sheet_files(sheets) | report_files(results, sheets, {})
seconds = time.process_time() - begin
print(json.dumps([len(records), seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024]))
"""


@pytest.mark.full
def test_a_report_on_5040_records_takes_20_seconds_and_600_megabytes():
    records, seconds, megabytes = json.loads(python(WHOLE))
    assert records == 5040
    assert seconds < 20
    assert megabytes < 600


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
