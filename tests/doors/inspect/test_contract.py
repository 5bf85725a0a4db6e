"""What holds at every door, held by Inspect: its scores and its logs are one more way to play the same worlds."""

import pytest

from tests.doors.inspect import voices
from tests.doors.test_contract import *  # noqa: F403
from tests.doors.test_contract import optimal

pytestmark = pytest.mark.filterwarnings(*voices.THEIRS)


@pytest.fixture(params=voices.DOORS, ids=lambda door: door.name)
def door(request):
    return request.param


def test_after_the_end_nothing_is_executed(door, suite, world, tmp_path):
    """Nor asked for: the model's next turn stays unsaid."""
    calls = optimal(suite, world)
    with door.opened(suite, [world], tmp_path / "run") as party:
        guest = party.guests[world]
        guest.call(*calls[-1])
        guest.orders.put(voices.calling(voices.made(*calls[0], [])))
    assert guest.orders.qsize() == 2, "the order, and that to leave"
    assert (party.record(world)["attempted_calls"], party.record(world)["spend"]) == (1, 0)
