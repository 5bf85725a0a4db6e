"""Whole numbers between two levels grow by equal factors, in exact arithmetic."""

from fractions import Fraction

import pytest

from algoworlds.core.scale import STEPS, between, share
from algoworlds.core.work import BANDS, WARM_UP, band

PARTS = [Fraction(at, STEPS) for at in range(STEPS + 1)]


@pytest.mark.parametrize(("low", "high"), [(1, 1), (3, 4), (7, 31), (1, 2**15), (40_000, 175_000)])
def test_between_is_the_nearest_whole_number_and_meets_both_ends(low, high):
    found = [between(low, high, part) for part in PARTS]
    assert (found[0], found[-1]) == (low, high)
    assert found == sorted(found)
    for part, number in zip(PARTS, found, strict=True):
        p, q = part.as_integer_ratio()
        exact = low ** (q - p) * high**p  # to the power of q
        assert (2 * number - 1) ** q <= 2**q * exact < (2 * number + 1) ** q


def test_between_is_the_same_from_either_end():
    assert [between(31, 7, part) for part in PARTS] == [between(7, 31, 1 - part) for part in PARTS]


def test_bands_of_levels_are_theirs_and_others_lie_between():
    assert [band(level) for level in range(5)] == [WARM_UP, *BANDS.values()]
    bands = [band(at / STEPS) for at in range(400) if at % STEPS]
    assert bands == sorted(bands)
    assert band(1.5) == (2**16, 2**20)
    assert share(2.25, 2, 3) == Fraction(1, 4)
