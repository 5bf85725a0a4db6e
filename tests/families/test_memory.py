"""Every table that an algorithm allocates is counted before it is, in bytes, against one limit that the refusal states."""

import tracemalloc

import pytest

from algoworlds.core.kernel import MOST_BYTES, within_memory
from algoworlds.errors import TooLarge
from algoworlds.families import FAMILIES
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
    instance = family.generate(family.levels[1], Stream("memory", name))
    for part in ("solve", "verify"):
        asked, taken = [], []
        module = import_module(f"algoworlds.families.{name}.{part}")
        module.np, module.within_memory = Watched(), asked.append
        getattr(module, part)(instance)
        print(name, part, max(asked), sum(taken), len(instance.facts))
"""


def test_what_is_allocated_was_counted():
    """Kernels as plain Python, so that every allocation is seen; beside tables, a number a fact is let pass."""
    lines = [line.split() for line in python(ALLOCATIONS, NUMBA_DISABLE_JIT="1").splitlines()]
    assert [line[0] for line in lines[::2]] == list(FAMILIES)
    for name, part, asked, taken, facts in lines:
        assert int(taken) <= int(asked) + 8 * int(facts), (name, part)
