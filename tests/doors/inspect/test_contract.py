"""The contract tests for this adapter."""

import pytest

from tests.doors.inspect import voices
from tests.doors.test_contract import *  # noqa: F403
from tests.doors.test_contract import optimal

pytestmark = pytest.mark.filterwarnings(*voices.FOREIGN_WARNINGS)


@pytest.fixture(params=voices.DOORS, ids=lambda door: door.name)
def door(request):
    return request.param


def test_nothing_is_executed_after_the_end(door, suite, world, tmp_path):
    """The model is not called again either."""
    calls = optimal(suite, world)
    with door.open(suite, [world], tmp_path / "run") as party:
        guest = party.guests[world]
        guest.call(*calls[-1])
        guest.orders.put(voices.call_turn(voices.parse_call(*calls[0], [])))
    assert guest.orders.qsize() == 2, "the order, and the order to leave"
    assert (party.record(world)["attempted_calls"], party.record(world)["spend"]) == (1, 0)
