"""Opaque ids: random strings that say what kind of entity they name and nothing else."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster
from algoworlds.core.stream import Stream
from algoworlds.families.family import Family

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [one + other for other in _ALPHABET for one in _ALPHABET]
"""The two letters that ten bits spell."""
_PAIRED = np.array(_PAIRS)
"""The same, for many at once."""
_SPELT = np.arange(0, 50, 10, dtype=np.uint64)
"""Where the bits of each pair begin in a word."""
_MANY = 20
"""Words from which on it is sooner to spell them all at once."""


def label(prefix: str, word: int) -> str:
    """One opaque id of a kind, from 64 random bits.

    It spells 50 of them: enough that ids of different suites never meet by chance.
    """
    a, b, c, d, e = word & 1023, word >> 10 & 1023, word >> 20 & 1023, word >> 30 & 1023, word >> 40 & 1023
    return f"{prefix}-{_PAIRS[a]}{_PAIRS[b]}{_PAIRS[c]}{_PAIRS[d]}{_PAIRS[e]}"


def labels(prefix: str, count: int, stream: Stream) -> list[str]:
    """`count` distinct ids of one kind."""
    found: dict[str, None] = {}
    while missing := count - len(found):
        found |= dict.fromkeys(_labels(prefix, stream.words(missing)))
    return list(found)


def _labels(prefix: str, words: NDArray[np.uint64]) -> list[str]:
    """The `label` of every word."""
    if len(words) < _MANY:
        return [label(prefix, word) for word in words.tolist()]
    letters = _PAIRED[words[:, None] >> _SPELT & np.uint64(1023)].view(f"U{2 * len(_SPELT)}")
    return [f"{prefix}-{each}" for each in letters.ravel().tolist()]


def relabelled(family: Family[Any, Any], instance: Instance, stream: Stream) -> Any:
    """The instance with every entity renamed to an opaque id, unrelated to its index, order or role."""
    return instance.renamed(_renaming(family, instance, stream))


def _renaming(family: Family[Any, Any], instance: Instance, stream: Stream) -> Callable[[str], str]:
    names: dict[str, str] = {}
    prefixes = family.template.prefixes
    for name, each in instance.relations.items():
        if each.is_roster:
            entities: Roster = getattr(instance, name)
            names |= zip(entities, labels(prefixes.get(name, name), len(entities), stream.child(name)), strict=True)
    return names.__getitem__
