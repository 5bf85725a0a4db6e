"""The shared depth-first search, on trees worked by hand."""

import pytest

from algoworlds.errors import InstanceError
from algoworlds.families.hardness import depth_first_search


def test_first_path_wins_and_dead_ends_are_expanded_once():
    tree = {"root": "ab", "a": "x", "b": "xc", "c": "yz", "x": ""}
    expanded = []

    def branches(state):
        expanded.append(state)
        yield from ((f"to {after}", after) for after in tree[state])

    assert depth_first_search("root", lambda state: state in "yz", branches, "none") == ["to b", "to c", "to y"]
    assert expanded == ["root", "a", "x", "b", "c"]


def test_complete_root_needs_no_choice_and_dead_root_is_an_error():
    assert depth_first_search(0, lambda state: True, lambda state: iter(()), "none") == []
    with pytest.raises(InstanceError, match="nothing fits"):
        depth_first_search(0, lambda state: False, lambda state: iter(()), "nothing fits")


def test_depth_is_not_bounded_by_the_call_stack():
    assert len(depth_first_search(0, lambda state: state == 5_000, lambda state: iter([("on", state + 1)]), "none")) == 5_000
