"""What the read part of a table says about the rest, and whether that gives the optimum away."""

from dataclasses import replace

import numpy as np
import pytest

from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.families.low_rank import complete
from algoworlds.hardness.completion import completed_instances, read_cells

LAYOUT, STATION = FAMILIES["machine_layout"], FAMILIES["station_siting"]


@pytest.mark.parametrize("factors", [0, 1, 2])
def test_tables_of_low_rank_are_recovered_from_half_of_their_rows(factors):
    """A symmetric table, whose unread cells lie in read columns, with effects of both ends."""
    stream = Stream("low rank", factors)
    vectors = np.array([stream.integers(15, -40, 40) for _ in range(factors)]).reshape(factors, 15)
    effect = np.array(stream.integers(15, 0, 100))
    whole = effect[:, None] + effect + vectors.T @ vectors
    known = read_cells(15, 15, symmetric=True) & ~np.eye(15, dtype=bool)
    assert known.sum() == 15 * 14 - 7 * 6
    fitted = complete(whole, known, factors, effects=True)
    unread = ~known & ~np.eye(15, dtype=bool)
    assert abs(fitted - whole)[unread].max() <= 0.03 * max(100, abs(whole).max())


def test_a_completion_keeps_what_is_read():
    instance = LAYOUT.generate(LAYOUT.config(1), Stream("completion"))
    altered = dict(completed_instances(LAYOUT, instance))
    for name, other in altered.items():
        column = name.partition(":")[0]
        if column == "distance":
            continue  # the slots of a distance are not machines
        pairs, changed = instance.tables[column], other.tables[column]
        unread = set(instance.machine[1::2])
        kept = [pair for pair in pairs if pair[0] not in unread or (column == "flow" and pair[1] not in unread)]
        assert [pairs[pair] for pair in kept] == [changed[pair] for pair in kept]
        assert pairs != changed


def solved_by_completion(family, config, count):
    """In how many instances some completion has the optimum."""
    instances = [family.generate(config, Stream("solved by completion", at)) for at in range(count)]
    return sum(
        any(
            family.solve(altered).decision == family.solve(instance).decision
            for _, altered in (
                *completed_instances(family, instance),
                *((name, fit(instance)) for name, fit in family.hardness.fits.items()),
            )
            if altered.valid
        )
        for instance in instances
    )


def test_own_parts_of_flows_keep_unread_flows_from_being_inferred():
    config = LAYOUT.config(1)
    assert solved_by_completion(LAYOUT, replace(config, noise=0), 16) >= 8 > 5 >= solved_by_completion(LAYOUT, config, 16)


def test_own_losses_of_zones_make_their_costs_needed():
    config = STATION.config(1)
    assert solved_by_completion(STATION, replace(config, noise=50, own=0), 8) == 8 > solved_by_completion(STATION, config, 8)


def test_completed_demands_leave_what_zones_earn_alone():
    """Layouts of one zone of option 0 are worth the same as before, up to a constant."""
    instance = STATION.generate(STATION.config(2), Stream("alone"))
    option = {(zone, a): site for (zone, site), a in instance.option.items()}
    layouts = [tuple(sorted(option[zone, int(zone != plain)] for zone in instance.zone)) for plain in (None, *instance.zone)]
    free = instance.unchecked(limit=len(instance.zone))
    for name, fit in STATION.hardness.completions.items():
        if name.startswith("reward"):
            other = fit(free)
            assert other.need != free.need
            changes = {STATION.check(other, y).value - STATION.check(free, y).value for y in layouts}
            assert len(changes) == 1
