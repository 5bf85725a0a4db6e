"""What a report costs: CPU seconds of its process and peak memory, never the time that passed; and how often it solves."""

import json

import pytest

from algoworlds.reports import decompose
from algoworlds.reports.decompose import Uninformed, unseen_gaps
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
    """Trajectories that saw the same facts, in whatever order or however often, share one solve."""
    suite = built(tmp_path / "suite")
    entry = suite.manifest.worlds[0]
    plan = [tuple(call) for call in min(suite.world(entry).plans.values(), key=len)]
    solved, gap = [], decompose.acquisition_gap
    monkeypatch.setattr(decompose, "acquisition_gap", lambda *given: solved.append(given) or gap(*given))
    part = plan[:-1]
    trajectories = (tuple(part), tuple(reversed(part)), (*part, *part), tuple(part[:1]))
    gaps = unseen_gaps(Uninformed(suite.directory, suite.manifest.root, entry.id, trajectories))
    assert len(solved) == 2
    assert gaps[0] == gaps[1] == gaps[2]
