"""The contract tests for this adapter."""

import pytest

from tests.doors.inspect import adapter as inspect_adapter
from tests.doors.program_contract import *  # noqa: F403
from tests.doors.test_contract import *  # noqa: F403
from tests.doors.test_contract import optimal

pytestmark = pytest.mark.filterwarnings(*inspect_adapter.FOREIGN_WARNINGS)


@pytest.fixture(params=inspect_adapter.ADAPTERS, ids=lambda adapter: adapter.name)
def adapter(request):
    return request.param


def test_nothing_is_executed_after_the_end(adapter, suite, world, tmp_path):
    """The model is not called again either."""
    calls = optimal(suite, world)
    with adapter.connect(suite, [world], tmp_path / "run") as group:
        agent = group.agents[world]
        agent.call(*calls[-1])
        agent.commands.put(inspect_adapter.call_turn(inspect_adapter.parse_call(*calls[0], [])))
    assert agent.commands.qsize() == 2, "the call, and the command to leave"
    assert (group.record(world)["attempted_calls"], group.record(world)["spend"]) == (1, 0)
