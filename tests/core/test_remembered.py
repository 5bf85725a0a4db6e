"""What ids say of a decision is read once for all instances that share them."""

from algoworlds.core.remembered import remembered

from tests.certified import certified


def test_readings_are_kept_while_ids_are_the_same():
    instance, asked = certified("migration_portfolio").instance, []

    def read(one, decision):
        asked.append(decision)
        return len(one.requirement) + decision

    assert remembered(instance, read, 1) == remembered(instance, read, 1) == len(instance.requirement) + 1
    assert asked == [1]
    other = instance.unchecked(charge=dict.fromkeys(instance.charge, 0))
    assert remembered(other, read, 1) == len(instance.requirement) + 1
    assert asked == [1]
    remembered(instance.unchecked(requirement=dict.fromkeys(instance.requirement, ())), read, 1)
    assert asked == [1, 1]


def test_a_reading_that_rests_on_numbers_is_made_anew_where_they_differ():
    instance, asked = certified("migration_portfolio").instance, []

    def read(one, decision):
        asked.append(decision)
        return sum(one.charge.values())

    other = instance.unchecked(charge=dict.fromkeys(instance.charge, 0))
    assert remembered(instance, read, 1, "charge") == sum(instance.charge.values())
    assert remembered(other, read, 1, "charge") == 0
    remembered(instance.unchecked(cost=dict.fromkeys(instance.cost, 0)), read, 1, "charge")
    assert asked == [1, 1]


def test_no_more_than_some_readings_are_kept():
    instance, asked = certified("migration_portfolio").instance, []

    def read(one, decision):
        asked.append(decision)
        return [decision]

    for decision in (*range(1000), 999, 0):
        assert remembered(instance, read, decision) == [decision]
    assert asked == [*range(1000), 0]
