"""For all tests: cycles are looked for rarely, since references alone free nearly all that a test leaves."""

import gc


def pytest_collection_finish():
    """Once the tests are known, what was imported for them is looked through no more: it took a seventh of their time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)
