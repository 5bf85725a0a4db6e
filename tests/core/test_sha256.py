"""Hashes that are made side by side are those of `hashlib`."""

import hashlib

import pytest

from algoworlds.core.sha256 import hashed


@pytest.mark.parametrize(("first", "many"), [(0, 1), (7, 256), (255, 257), (2**32 - 5, 10), (2**40, 3)])
def test_hashes_are_those_of_hashlib(first, many):
    root = hashlib.sha256(f"{first} {many}".encode()).digest()
    alone = [hashlib.sha256(root + number.to_bytes(8, "big")).digest() for number in range(first, first + many)]
    assert hashed(root, first, many).astype(">u8").tobytes() == b"".join(alone)
