"""K(w): what a certificate must stand, and that bounds hold."""

import pytest

from algoworlds.core.interface import Interface
from algoworlds.measures.certificate import certificate
from algoworlds.measures.sufficiency.observed import Observed
from algoworlds.measures.sufficiency.oracle import Knowledge, Oracle
from algoworlds.worlds.world import world


def known(oracle, calls):
    return oracle.known(Observed(tuple(calls))).knowledge


@pytest.mark.parametrize("name", ["fleet_dispatch-0-1", "sequential_matching-0-1"])
def test_a_certificate_makes_the_optimum_known_and_lacks_nothing(name):
    place = world(name)
    found, oracle = certificate(place), Oracle.of(place)
    assert found.exact
    assert found.cost == place.cost(found.calls) <= min(map(place.cost, place.plans.values()))
    assert known(oracle, found.calls) is Knowledge.DETERMINED
    for call in found.calls:
        assert known(oracle, set(found.calls) - {call}) is Knowledge.NOT_DETERMINED, call


def test_few_questions_leave_bounds_that_hold():
    place = world("fleet_dispatch-0-1")
    exact, rough = certificate(place), certificate(place, questions=60)
    assert rough.least < exact.cost <= rough.cost
    assert known(Oracle.of(place), rough.calls) is Knowledge.DETERMINED


def test_interfaces_that_show_rows_whole_have_one_certificate():
    found = [certificate(world("fleet_dispatch-0-2", interface)) for interface in (Interface.DIRECT, Interface.MEDIATED)]
    assert found[0] == found[1]
