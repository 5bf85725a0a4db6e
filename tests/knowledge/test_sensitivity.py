"""Effects of numbers on values: many read from one value, compared with one finite difference per number."""

import pytest

from algoworlds.core.completions import number_refs, with_numbers
from algoworlds.families import FAMILIES
from algoworlds.knowledge import sensitivity
from algoworlds.knowledge.sensitivity import ValueSensitivity
from tests.certified import certified_instance


def effects_one_by_one(family, instance, decision, column):
    value = family.check(instance, decision).value
    refs = number_refs(instance, column, instance.rows(column[0]))
    raised = {ref: family.check(with_numbers(instance, {ref: ref.value + 1}), decision).value for ref in refs}
    return {ref: other - value for ref, other in raised.items() if other != value}


@pytest.mark.parametrize("name", FAMILIES)
def test_many_effects_are_read_from_one_value(name, monkeypatch):
    """Also with several batches, and where a value is not linear, as with the smaller of two lots."""
    monkeypatch.setattr(sensitivity, "BATCH_SIZE", 50)
    admitted = certified_instance(name, 0, 1)
    family, instance, count = admitted.family, admitted.instance, 0
    for decision in (admitted.solution.decision, family.reference(instance)):
        for column in set(family.ranges_at(0).columns) - set(family.knowledge.unknowns.binding):
            effects = ValueSensitivity(family, instance).column_effects(decision, column)
            assert effects == effects_one_by_one(family, instance, decision, column), column
            count += len(effects)
    assert count
