"""The shared depth-first search, on trees worked by hand."""

import pytest

from algoworlds.errors import InstanceError
from algoworlds.families.backtrack import first_leaf


def test_the_first_path_wins_and_dead_ends_are_asked_once():
    tree = {"root": "ab", "a": "x", "b": "xc", "c": "yz", "x": ""}
    asked = []

    def branches(state):
        asked.append(state)
        yield from ((f"to {after}", after) for after in tree[state])

    assert first_leaf("root", lambda state: state in "yz", branches, "none") == ["to b", "to c", "to y"]
    assert asked == ["root", "a", "x", "b", "c"]


def test_a_complete_root_needs_no_choice_and_a_barren_one_is_an_error():
    assert first_leaf(0, lambda state: True, lambda state: iter(()), "none") == []
    with pytest.raises(InstanceError, match="nothing fits"):
        first_leaf(0, lambda state: False, lambda state: iter(()), "nothing fits")


def test_depth_is_not_bounded_by_the_call_stack():
    assert len(first_leaf(0, lambda state: state == 5_000, lambda state: iter([("on", state + 1)]), "none")) == 5_000
