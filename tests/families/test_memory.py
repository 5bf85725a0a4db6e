"""Every table that an algorithm allocates is counted before it is, in bytes, against one limit that the refusal states."""

import json
import sys
import tracemalloc

import pytest

from algoworlds.core.kernel import MOST_BYTES, within_memory
from algoworlds.core.relation import Relation
from algoworlds.errors import TooLarge
from algoworlds.families import FAMILIES, read_instance
from tests.command import python
from tests.families.test_authorization_planning import hand as authorization
from tests.families.test_evidence_joined_routing import HAND as EVIDENCE


def test_the_limit_is_stated():
    within_memory(MOST_BYTES)
    with pytest.raises(TooLarge, match="would need 5 GiB of memory, more than the limit of 4 GiB"):
        within_memory(MOST_BYTES + 1)


@pytest.mark.parametrize("bits", [80, 50_000])
def test_a_need_of_thousands_of_digits_is_not_spelled_out(bits):
    with pytest.raises(TooLarge, match=r"2\^40 or more GiB"):
        within_memory(1 << bits)


def refused(algorithm, instance):
    """The refusal of an instance, which is said before anything large is allocated."""
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB") as caught:
            algorithm(instance)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()
    return str(caught.value)


@pytest.mark.parametrize("name", ["solve", "verify"])
def test_cells_of_several_bytes_are_reckoned_with(name):
    """A modulus of 2^30 with one package, of 2^29 with two nodes: once within 2^30 cells, and beyond any memory."""
    package = authorization(modulus=2**30)
    refused(getattr(FAMILIES["authorization_planning"], name), package)
    document = EVIDENCE | {"modulus": 2**29}
    instance = FAMILIES["evidence_joined_routing"].instance.from_json(document)
    refused(getattr(FAMILIES["evidence_joined_routing"], name), instance)


ALLOCATIONS = """
import os
import numpy as np
from importlib import import_module
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES

class Watched:
    def __getattr__(self, name):
        made = getattr(np, name)
        if name not in ("empty", "zeros", "full", "ones"):
            return made
        def allocate(*arguments, **options):
            array = made(*arguments, **options)
            taken.append(array.nbytes)
            return array
        return allocate

for name, family in FAMILIES.items():
    instance = family.generate(family.levels[int(os.environ["LEVEL"])], Stream("memory", name))
    for part in ("solve", "verify"):
        asked, taken = [], []
        module = import_module(f"algoworlds.families.{name}.{part}")
        module.np, module.within_memory = Watched(), asked.append
        getattr(module, part)(instance)
        print(name, part, max(asked), sum(taken), len(instance.facts))
"""


@pytest.mark.parametrize("level", ["0", pytest.param("1", marks=pytest.mark.full)])
def test_what_is_allocated_was_counted(level):
    """Kernels as plain Python, so that every allocation is seen; beside tables, a number a fact is let pass."""
    lines = [line.split() for line in python(ALLOCATIONS, NUMBA_DISABLE_JIT="1", LEVEL=level).splitlines()]
    assert [line[0] for line in lines[::2]] == list(FAMILIES)
    for name, part, asked, taken, facts in lines:
        assert int(taken) <= int(asked) + 8 * int(facts), (name, part)


def untouched(*arguments):
    raise AssertionError("this was to be left alone")


def test_too_many_ids_are_refused_before_anything_else_is_read(monkeypatch):
    """Matching 500 a side once took a minute to be refused: now no table is read, and no rule of the family applied."""
    monkeypatch.setattr(Relation, "from_json", untouched)
    people = [f"p{at}" for at in range(1_000)]
    for name, roster, most in (("sequential_matching", "participant", 120), ("machine_layout", "slot", 60)):
        monkeypatch.setattr(FAMILIES[name].instance, "problems", untouched)
        document = {"family": name, roster: people, "pair": [], "member": [["p0", "x"]] * 500_000}
        with pytest.raises(TooLarge, match=f"{roster}: 1,000 ids are more than the {most} that an exact algorithm can hold"):
            read_instance(json.dumps(document))


def test_what_a_default_takes_grows_with_its_cells_alone():
    """Compatible cells where none are given: one line of Python a cell and pair, not one for each pair in each cell."""
    family = FAMILIES["sequential_matching"]
    few, many = (lines_run(family.instance.relations["compatible"].default, matching(n)) for n in (10, 20))
    assert many < 5 * few


def matching(n):
    left, right = [f"l{at}" for at in range(n)], [f"r{at}" for at in range(n)]
    ends = {f"{i}-{j}": (i, j) for i in left for j in right}
    member = frozenset((person, pair) for pair, both in ends.items() for person in both)
    return {"participant": (*left, *right), "pair": tuple(ends), "member": member}


def lines_run(function, *arguments):
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
