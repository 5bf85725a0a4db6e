"""The contract tests for this adapter."""

import pytest

from tests.doors.test_contract import *  # noqa: F403
from tests.doors.verifiers.door import DOORS, FOREIGN_WARNINGS

pytestmark = pytest.mark.filterwarnings(*FOREIGN_WARNINGS)


@pytest.fixture(params=DOORS, ids=lambda door: door.name)
def door(request):
    return request.param
