"""The contract tests for this adapter."""

import pytest

from tests.doors.openenv.adapter import ADAPTERS
from tests.doors.program_contract import *  # noqa: F403
from tests.doors.test_contract import *  # noqa: F403


@pytest.fixture(params=ADAPTERS, ids=lambda adapter: adapter.name)
def adapter(request):
    return request.param
