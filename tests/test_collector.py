"""The cyclic collector: set aside for a while, and never for good."""

import gc

import pytest

from algoworlds.collector import uncollected


def test_the_collector_goes_on_afterwards_whatever_happens():
    with pytest.raises(AssertionError), uncollected():
        assert gc.isenabled()
    assert gc.isenabled()


def test_who_works_without_it_is_left_alone():
    gc.disable()
    try:
        with uncollected(), uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
