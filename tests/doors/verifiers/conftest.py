import pytest

from tests.doors.verifiers.door import PREMISES


@pytest.fixture(scope="session", autouse=True)
def _closed():
    yield
    while PREMISES:
        PREMISES.popitem()[1].close()
