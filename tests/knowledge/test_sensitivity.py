"""What decisions pay for, read from few values, against one difference a number."""

import pytest

from algoworlds.core.completions import number_refs, with_numbers
from algoworlds.families import FAMILIES
from algoworlds.knowledge import sensitivity
from algoworlds.knowledge.sensitivity import ValueSensitivity
from tests.certified import certified


def one_at_a_time(family, instance, decision, place):
    value = family.check(instance, decision).value
    listed = number_refs(instance, place, instance.rows(place[0]))
    raised = {spot: family.check(with_numbers(instance, {spot: spot.value + 1}), decision).value for spot in listed}
    return {spot: other - value for spot, other in raised.items() if other != value}


@pytest.mark.parametrize("name", FAMILIES)
def test_many_effects_are_read_from_one_value(name, monkeypatch):
    """However many numbers are raised at once, and where a value is not linear, as with the smaller of two lots."""
    monkeypatch.setattr(sensitivity, "BATCH_SIZE", 50)
    admitted = certified(name, 0, 1)
    family, instance, paid = admitted.family, admitted.instance, 0
    for decision in (admitted.solution.decision, family.reference(instance)):
        for place in set(family.ranges_at(0).columns) - set(family.knowledge.unknowns.binding):
            found = ValueSensitivity(family, instance).column_effects(decision, place)
            assert found == one_at_a_time(family, instance, decision, place), place
            paid += len(found)
    assert paid
