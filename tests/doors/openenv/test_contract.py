"""The contract tests for this adapter."""

import pytest

from tests.doors.openenv.door import DOORS
from tests.doors.test_contract import *  # noqa: F403


@pytest.fixture(params=DOORS, ids=lambda door: door.name)
def door(request):
    return request.param
