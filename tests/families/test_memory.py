"""Algorithms count the bytes of their tables before they allocate them; too large a need is refused with the limit."""

import json
import sys
import tracemalloc

import pytest

from algoworlds.core.kernel import MAX_TABLE_BYTES, require_memory
from algoworlds.core.relation import Relation
from algoworlds.errors import TooLarge
from algoworlds.families import FAMILIES, read_instance
from tests.command import python
from tests.families.test_authorization_planning import hand as authorization
from tests.families.test_evidence_joined_routing import HAND as EVIDENCE


def test_refusal_states_the_limit():
    require_memory(MAX_TABLE_BYTES)
    with pytest.raises(TooLarge, match="would need 5 GiB of memory, more than the limit of 4 GiB"):
        require_memory(MAX_TABLE_BYTES + 1)


@pytest.mark.parametrize("bits", [80, 50_000])
def test_huge_need_is_abbreviated(bits):
    with pytest.raises(TooLarge, match=r"2\^40 or more GiB"):
        require_memory(1 << bits)


def assert_refused(algorithm, instance):
    """The algorithm refuses the instance before it allocates anything large."""
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB"):
            algorithm(instance)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["solve", "verify"])
def test_bytes_per_cell_are_counted(name):
    """A modulus of 2^30 with one package, or of 2^29 with two nodes, is 2^30 cells: too much memory at several bytes each."""
    package = authorization(modulus=2**30)
    assert_refused(getattr(FAMILIES["authorization_planning"], name), package)
    document = EVIDENCE | {"modulus": 2**29}
    instance = FAMILIES["evidence_joined_routing"].instance.from_json(document)
    assert_refused(getattr(FAMILIES["evidence_joined_routing"], name), instance)


ALLOCATIONS = """
import os
import numpy as np
from importlib import import_module
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES

class Watched:
    def __getattr__(self, name):
        function = getattr(np, name)
        if name not in ("empty", "zeros", "full", "ones"):
            return function
        def allocate(*arguments, **options):
            array = function(*arguments, **options)
            allocated.append(array.nbytes)
            return array
        return allocate

for name, family in FAMILIES.items():
    instance = family.generate(family.levels[int(os.environ["LEVEL"])], Stream("memory", name))
    for part in ("solve", "verify"):
        counted, allocated = [], []
        module = import_module(f"algoworlds.families.{name}.{part}")
        module.np, module.require_memory = Watched(), counted.append
        getattr(module, part)(instance)
        print(name, part, max(counted), sum(allocated), len(instance.facts))
"""


@pytest.mark.parametrize("level", ["0", pytest.param("1", marks=pytest.mark.full)])
def test_allocations_are_counted_before_they_are_made(level):
    """Kernels run as plain Python, so that every allocation is seen; 8 bytes per fact are allowed beside the tables."""
    lines = [line.split() for line in python(ALLOCATIONS, NUMBA_DISABLE_JIT="1", LEVEL=level).splitlines()]
    assert [line[0] for line in lines[::2]] == list(FAMILIES)
    for name, part, counted, allocated, facts in lines:
        assert int(allocated) <= int(counted) + 8 * int(facts), (name, part)


def fail_if_called(*arguments):
    raise AssertionError("must not be called")


def test_too_many_ids_are_rejected_before_anything_else_is_read(monkeypatch):
    """No table is read and no rule of the family is applied: refusing 500 pairs a side once took a minute."""
    monkeypatch.setattr(Relation, "from_json", fail_if_called)
    people = [f"p{at}" for at in range(1_000)]
    for name, roster, most in (("sequential_matching", "participant", 120), ("machine_layout", "slot", 60)):
        monkeypatch.setattr(FAMILIES[name].instance, "problems", fail_if_called)
        document = {"family": name, roster: people, "pair": [], "member": [["p0", "x"]] * 500_000}
        with pytest.raises(TooLarge, match=f"{roster}: 1,000 ids are more than the {most} that an exact algorithm can hold"):
            read_instance(json.dumps(document))


def test_cost_of_a_default_grows_with_its_cells_only():
    """The default of `compatible` runs one line of Python per cell and pair, not one per pair in every cell."""
    family = FAMILIES["sequential_matching"]
    small, large = (count_lines(family.instance.relations["compatible"].default, matching(n)) for n in (10, 20))
    assert large < 5 * small


def matching(n):
    left, right = [f"l{at}" for at in range(n)], [f"r{at}" for at in range(n)]
    ends = {f"{i}-{j}": (i, j) for i in left for j in right}
    member = frozenset((person, pair) for pair, both in ends.items() for person in both)
    return {"participant": (*left, *right), "pair": tuple(ends), "member": member}


def count_lines(function, *arguments):
    """How many lines of Python a call executes."""
    count = 0

    def step(frame, event, argument):
        nonlocal count
        count += event == "line"
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return count
