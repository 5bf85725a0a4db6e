"""The sheet of rejected calls and reasons for ending."""

import pytest

from algoworlds.reports.results import Results
from algoworlds.reports.sheets.stops_and_retries import PROTOCOL, REJECTION_HEADS
from algoworlds.suites.record import NOT_FIRST
from algoworlds.worlds.observation import Status
from tests.reports.synthetic import record, world_ids

PLACES = world_ids(("fleet_dispatch",), (1,), (1,))


def step(status):
    return {"turn": 1, "tool": "read_job", "arguments": "{}", "status": status, "charged": 0}


def rows(records):
    sheet = PROTOCOL.fill(Results.from_records(records))
    return {row[0]: dict(zip(sheet.head, row, strict=True)) for row in sheet.rows}


def test_calls_and_endings_are_counted_by_kind():
    trajectory = [step("executed"), step("bad_arguments"), step("bad_arguments"), step("not_first"), step("submitted")]
    table = rows(
        [
            record("A", PLACES[0], 1) | {"trajectory": trajectory},
            record("A", PLACES[1], 1, "no_decision") | {"trajectory": [step("over_budget")], "stop_reason": "context_overflow"},
            record("B", PLACES[0], 1) | {"trajectory": []},
            record("B", PLACES[1], 1, "protocol_violation") | {"trajectory": [step("executed")], "stop_reason": "text_end"},
        ]
    )
    assert table["A"] == {
        "Configuration": "A",
        "Calls tried": "6",
        "Rejected calls": "4",
        "Rejected: bad arguments": "2",
        "Rejected: over budget": "1",
        "Rejected: not first of its turn": "1",
        "No decision": "1",
        "Ended: submitted": "1",
        "Ended: text end": "0",
        "Ended: context overflow": "1",
    }
    assert table["B"] == dict.fromkeys(table["A"], "0") | {
        "Configuration": "B",
        "Calls tried": "1",
        "No decision": "1",
        "Ended: submitted": "1",
        "Ended: text end": "1",
    }


@pytest.mark.parametrize("status", [status.value for status in Status] + [NOT_FIRST])
def test_every_status_is_accepted_or_has_a_column(status):
    assert (status in REJECTION_HEADS) != (status in ("executed", "computed", "submitted"))
