"""Opaque ids: random strings that say what kind of entity they name and nothing else."""

from collections.abc import Callable
from typing import Any

import numpy as np

from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster
from algoworlds.core.stream import Stream
from algoworlds.families.family import Family

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_SHIFTS = np.arange(0, 50, 5, dtype=np.uint64)


def label(prefix: str, word: int) -> str:
    """One opaque id of a kind, from 50 of 64 random bits."""
    return f"{prefix}-{''.join([_ALPHABET[word >> shift & 31] for shift in range(0, 50, 5)])}"


def labels(prefix: str, count: int, stream: Stream) -> list[str]:
    """`count` distinct ids of one kind, each the `label` of the next word."""
    ids: dict[str, None] = {}
    while missing := count - len(ids):
        digits = stream.words(missing)[:, None] >> _SHIFTS & np.uint64(31)
        text = np.frombuffer(_ALPHABET.encode(), np.uint8)[digits].tobytes().decode()
        ids |= dict.fromkeys([f"{prefix}-{text[at : at + 10]}" for at in range(0, len(text), 10)])
    return list(ids)


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
