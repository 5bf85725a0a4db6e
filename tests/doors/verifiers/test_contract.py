"""What holds at every door, held by this one."""

import pytest

from tests.doors.test_contract import *  # noqa: F403
from tests.doors.verifiers.door import DOORS, THEIRS

pytestmark = pytest.mark.filterwarnings(*THEIRS)


@pytest.fixture(params=DOORS, ids=lambda door: door.name)
def door(request):
    return request.param
