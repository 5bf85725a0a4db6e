"""Opaque ids: random strings that reveal the kind of an entity and nothing else."""

from typing import Any

import numpy as np

from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster
from algoworlds.core.stream import Stream
from algoworlds.families.family import AnyFamily

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_SHIFTS = np.arange(0, 50, 5, dtype=np.uint64)


def opaque_id(prefix: str, word: int) -> str:
    """One opaque id, from 50 of the 64 random bits of `word`."""
    return f"{prefix}-{''.join([_ALPHABET[word >> shift & 31] for shift in range(0, 50, 5)])}"


def draw_opaque_ids(prefix: str, count: int, stream: Stream) -> list[str]:
    """`count` distinct ids, each the `opaque_id` of the next word."""
    ids: dict[str, None] = {}
    while missing := count - len(ids):
        digits = stream.words(missing)[:, None] >> _SHIFTS & np.uint64(31)
        text = np.frombuffer(_ALPHABET.encode(), np.uint8)[digits].tobytes().decode()
        ids |= dict.fromkeys([f"{prefix}-{text[at : at + 10]}" for at in range(0, len(text), 10)])
    return list(ids)


def with_opaque_ids(family: AnyFamily, instance: Instance, stream: Stream) -> Any:
    """Rename every entity of `instance` to an opaque id, unrelated to its index, order or role."""
    names: dict[str, str] = {}
    prefixes = family.template.prefixes
    for name, relation in instance.relations.items():
        if relation.is_roster:
            entities: Roster = getattr(instance, name)
            names |= zip(entities, draw_opaque_ids(prefixes.get(name, name), len(entities), stream.child(name)), strict=True)
    return instance.rename_ids(names.__getitem__)
