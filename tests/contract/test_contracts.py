"""The built-in families pass every contract of `algoworlds family check`."""

import pytest

from algoworlds.families import FAMILIES
from algoworlds.suites.contracts import family_check
from tests.silence import silent


@pytest.mark.parametrize("name", FAMILIES)
def test_built_in_families_pass_family_check(name, monkeypatch):
    monkeypatch.setattr(family_check, "LEVEL_0_INSTANCES", 2)
    result = family_check.check_family(name, "the contracts of our own", 1, None, silent, levels=(0,))
    assert not result.breaches
