"""The cyclic garbage collector is paused, and always resumed."""

import gc

import pytest

from algoworlds.batch import pause_gc


def test_gc_resumes_after_an_exception():
    with pytest.raises(AssertionError), pause_gc():
        assert gc.isenabled()
    assert gc.isenabled()


def test_disabled_gc_stays_disabled():
    gc.disable()
    try:
        with pause_gc(), pause_gc():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
