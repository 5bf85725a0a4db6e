"""Topological order, as `graphlib` has it."""

from graphlib import TopologicalSorter

import numpy as np
import pytest

from algoworlds.core.stream import Stream
from algoworlds.core.topological import topological


def ends(arcs):
    return (np.array([arc[at] for arc in arcs], np.int64) for at in (0, 1))


@pytest.mark.parametrize("number", range(60))
def test_the_order_is_that_of_graphlib(number):
    stream = Stream("topological", number)
    count = stream.integer(1, 9)
    onward = stream.shuffled(range(count))
    pairs = [(onward[low], onward[high]) for high in range(count) for low in range(high)]
    arcs = [stream.choice(pairs) for _ in range(stream.below(15))] if pairs else []
    before = {node: [tail for tail, head in arcs if head == node] for node in range(count)}
    assert topological(count, *ends(arcs)) == list(TopologicalSorter(before).static_order())


def test_what_a_cycle_holds_back_is_missing():
    assert topological(4, *ends([(0, 1), (1, 2), (2, 1), (2, 3)])) == [0]
