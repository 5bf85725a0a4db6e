"""Evidence-Joined Routing: hand-worked numbers, and how the optimum follows changes of the instance (F3, F4, F7, F12)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from tests.oracles.evidence_joined_routing import small

FAMILY = FAMILIES["evidence_joined_routing"]

# o -> (p | q) -> z, modulus 3, required residue 2. Rates: dear 10, fair 1.
# a: o-p 3 dear = 30, residue 1; b: o-q 9 fair = 9, residue 0; c: p-z 4 fair = 4, residue 1; d: q-z 1 dear = 10, residue 1;
# e: q-z 50 fair = 50, residue 2. a c = 34 meets 2; b d = 19 leaves 1; b e = 59 meets 2.
HAND = {
    "family": "evidence_joined_routing",
    "stage": ["first", "second"],
    "component": ["x"],
    "tariff_class": ["dear", "fair"],
    "node": ["z", "o", "q", "p"],
    "arc": ["a", "b", "c", "d", "e"],
    "ends": {
        "first": {"a": {"tail": "o", "head": "p"}, "b": {"tail": "o", "head": "q"}},
        "second": {
            "c": {"tail": "p", "head": "z"},
            "d": {"tail": "q", "head": "z"},
            "e": {"tail": "q", "head": "z"},
        },
    },
    "freight": {
        "first": {"a": {"quantity": 3, "residue": 1}, "b": {"quantity": 9, "residue": 0}},
        "second": {
            "c": {"quantity": 4, "residue": 1},
            "d": {"quantity": 1, "residue": 1},
            "e": {"quantity": 50, "residue": 2},
        },
    },
    "exception": {"first": {"a": "dear", "b": "fair"}, "second": {"c": "fair", "d": "dear", "e": "fair"}},
    "tariff": {"x": {"dear": 10, "fair": 1}},
    "required": {"x": 2},
    "source": "o",
    "target": "z",
    "modulus": 3,
}


def hand(**changes):
    return EvidenceJoinedRouting.from_json(HAND | changes)


def test_hand_worked_instance():
    for solution in (FAMILY.solve(hand()), FAMILY.verify(hand())):
        assert (solution.value, solution.decision, solution.optima) == (34, ("a", "c"), 1)


def test_work_of_hand_worked_instance():
    # States: o0, p1, q0, z2 (by c), z1 (by d); e reaches z2 again at 59, in vain when p is expanded first and first when
    # q is. Five arcs of three residues: 15 checks, and 5 transitions with one more check each. Two arcs of the path.
    work = FAMILY.solve(hand()).work
    assert work.state == 5
    assert (work.transition, work.check, work.reconstruct) == (5, 20, 2)
    assert work.update in (4, 5)


def test_required_residue_decides():
    assert FAMILY.solve(hand(required={"x": 1})).value == FAMILY.verify(hand(required={"x": 1})).value == 19
    for solution in (FAMILY.solve(hand(required={"x": 0})), FAMILY.verify(hand(required={"x": 0}))):
        assert (solution.value, solution.decision, solution.optima) == (None, None, 0)


def test_ties_are_counted():
    tied = hand(tariff={"x": {"dear": 10, "fair": 0}}, required={"x": 2})  # b e now costs 0
    assert [algorithm(tied).value for algorithm in (FAMILY.solve, FAMILY.verify)] == [0, 0]
    free = hand(tariff={"x": {"dear": 0, "fair": 0}})  # a c and b e cost nothing
    assert [algorithm(free).optima for algorithm in (FAMILY.solve, FAMILY.verify)] == [2, 2]


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ((), "the target is not reached"),
        (("a",), "the target is not reached"),
        (("b", "d"), "the residues miss the required one"),
        (("a", "d"), "arcs that do not join"),
        (("a", "c", "c"), "arcs that do not join"),
        (("a", "nonsense"), "an unknown arc"),
        (("o", "z"), "an unknown arc"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    assert FAMILY.check(hand(), decision).reason == reason


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"modulus": 2}, "residues must be below the modulus 2"),
        ({"component": ["x", "y"], "required": {"x": 1, "y": 1}}, "exactly one component"),
        ({"tariff": {"x": {"dear": 1}}}, "a rate for every tariff class"),
        ({"exception": {"first": {"a": "dear"}}}, "exception must have exactly the entries of ends"),
        ({"arc": [*"abcdef"]}, "every arc exactly once"),
        ({"ends": HAND["ends"] | {"second": HAND["ends"]["second"] | {"e": {"tail": "z", "head": "o"}}}}, "cycle"),
        (
            {"freight": HAND["freight"] | {"first": HAND["freight"]["first"] | {"a": {"quantity": -1, "residue": 0}}}},
            "at least 0",
        ),
    ],
)
def test_rejects_inconsistent_tables(changes, message):
    with pytest.raises(InstanceError, match=message):
        hand(**changes)


numbers = st.integers(0, 10**6)


@given(numbers, st.integers(1, 1000))
def test_scaling_tariffs_scales_the_value(number, alpha):
    instance = small(Stream("hypothesis", number))
    scaled = instance.replace(tariff={key: alpha * rate for key, rate in instance.tariff.items()})
    before, after = FAMILY.solve(instance), FAMILY.solve(scaled)
    assert (before.decision, before.optima) == (after.decision, after.optima)
    assert before.value is None or after.value == alpha * before.value


@given(numbers, st.integers(0, 30))
def test_shifting_residues_at_the_source_shifts_the_required_one(number, shift):
    """Every nonempty path leaves the source once, so adding a residue there shifts the required one."""
    instance = small(Stream("hypothesis", number))
    if instance.source == instance.target:
        return
    M, ends = instance.modulus, instance.ends
    freight = {
        key: (quantity, (rho + shift) % M if ends[key][0] == instance.source else rho)
        for key, (quantity, rho) in instance.freight.items()
    }
    shifted = instance.replace(freight=freight, required={"x": (instance.required_residue + shift) % M})
    assert FAMILY.solve(instance).agrees_with(FAMILY.solve(shifted))
    assert FAMILY.verify(instance).agrees_with(FAMILY.verify(shifted))


@given(numbers)
def test_removing_an_arc_never_helps(number):
    instance = small(Stream("hypothesis", number))
    before = FAMILY.solve(instance)
    for gone in (before.decision or ())[:1]:
        tables = {
            name: {key: cell for key, cell in instance.tables[name].items() if key[1] != gone}
            for name in ("ends", "freight", "exception")
        }
        after = FAMILY.solve(instance.replace(arc=[arc for arc in instance.arc if arc != gone], **tables))
        assert after.value is None or after.value > before.value or not before.unique
