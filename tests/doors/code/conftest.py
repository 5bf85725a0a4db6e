import pytest

from algoworlds.tracks.sandbox import load_sandbox


@pytest.fixture(scope="session")
def sandbox():
    """The sandbox of this process."""
    return load_sandbox()
