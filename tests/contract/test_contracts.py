"""Every contract that `algoworlds family check` holds a family from outside to, held by our own."""

import pytest

from algoworlds.families import FAMILIES
from algoworlds.suites.contracts import holding
from tests.silence import silent


@pytest.mark.parametrize("name", FAMILIES)
def test_our_families_keep_the_contracts_that_others_are_held_to(name, monkeypatch):
    monkeypatch.setattr(holding, "DRAWN", 2)
    held = holding.hold(name, "the contracts of our own", 1, None, silent, levels=(0,))
    assert not held.breaches
