"""Sizes and work bands between two levels are interpolated geometrically, in exact arithmetic."""

from fractions import Fraction

import pytest

from algoworlds.core.work import STEPS_PER_LEVEL, WARM_UP_BAND, WORK_BANDS, interpolate_geometric, level_fraction, work_band

PARTS = [Fraction(at, STEPS_PER_LEVEL) for at in range(STEPS_PER_LEVEL + 1)]


@pytest.mark.parametrize(("low", "high"), [(1, 1), (3, 4), (7, 31), (1, 2**15), (40_000, 175_000)])
def test_interpolation_is_the_nearest_integer_and_meets_both_ends(low, high):
    numbers = [interpolate_geometric(low, high, part) for part in PARTS]
    assert (numbers[0], numbers[-1]) == (low, high)
    assert numbers == sorted(numbers)
    for part, number in zip(PARTS, numbers, strict=True):
        p, q = part.as_integer_ratio()
        exact = low ** (q - p) * high**p  # to the power of q
        assert (2 * number - 1) ** q <= 2**q * exact < (2 * number + 1) ** q


def test_interpolation_is_symmetric():
    assert [interpolate_geometric(31, 7, part) for part in PARTS] == [interpolate_geometric(7, 31, 1 - part) for part in PARTS]


def test_work_bands_between_levels_are_interpolated():
    assert [work_band(level) for level in range(5)] == [WARM_UP_BAND, *WORK_BANDS.values()]
    bands = [work_band(at / STEPS_PER_LEVEL) for at in range(400) if at % STEPS_PER_LEVEL]
    assert bands == sorted(bands)
    assert work_band(1.5) == (2**16, 2**20)
    assert level_fraction(2.25, 2, 3) == Fraction(1, 4)
