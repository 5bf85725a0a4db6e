"""SHA-256 of many short messages that differ in a counter alone, as `hashlib` gives them one by one, in a fraction of its time.

A message is a root of 32 bytes and a counter of 8, so it fills one block; all of them take every step side by side. The letters
are those of FIPS 180-4.
"""

from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import kernel

_LANES = 128
"""How many messages take a step together: what they need stays near the processor."""


def _fractions(power: int, many: int) -> NDArray[np.uint32]:
    """The first 32 bits behind the point of the square or cube roots of the first primes."""
    primes = islice((n for n in count(2) if all(n % p for p in range(2, n))), many)
    return np.array([_root(prime << 32 * power, power) % 2**32 for prime in primes], np.uint32)


def _root(number: int, power: int) -> int:
    """The largest whole number whose power does not exceed a number."""
    root = 0
    for bit in range(number.bit_length() // power, -1, -1):
        root += ((root + (1 << bit)) ** power <= number) << bit
    return root


H = _fractions(2, 8)
K = _fractions(3, 64)
U = np.uint32


def hashed(root: bytes, first: int, many: int) -> NDArray[np.uint64]:
    """The hashes of a root followed by each of `many` counters, one after the other, as words of 64 bits."""
    return _hashed(np.frombuffer(root, ">u4").astype(np.uint32), first, many).ravel()  # type: ignore[no-any-return]


@kernel
def _hashed(root, first, many):  # type: ignore[no-untyped-def]
    """w[t] = s1(w[t-2]) + w[t-7] + s0(w[t-15]) + w[t-16]; then 64 turns of the working variables a .. h."""
    made, w, lane = np.empty((many, 4), np.uint64), np.zeros((64, _LANES), np.uint32), np.arange(_LANES)
    for low in range(0, many, _LANES):
        for t in range(8):
            w[t] = root[t]
        w[8], w[9] = (first + low + lane >> 32).astype(np.uint32), (first + low + lane).astype(np.uint32)
        w[10], w[15] = U(1 << 31), U(320)  # the end of the message, and its length in bits
        for t in range(16, 64):
            x, y = w[t - 15], w[t - 2]
            small_0 = (x >> U(7) | x << U(25)) ^ (x >> U(18) | x << U(14)) ^ x >> U(3)
            small_1 = (y >> U(17) | y << U(15)) ^ (y >> U(19) | y << U(13)) ^ y >> U(10)
            w[t] = small_1 + w[t - 7] + small_0 + w[t - 16]
        v = np.empty((8, _LANES), np.uint32)
        for t in range(8):
            v[t] = H[t]
        for t in range(64):  # in place of moving all variables on by one, their names move
            a, b, c, d = v[-t & 7], v[1 - t & 7], v[2 - t & 7], v[3 - t & 7]
            e, f, g, h = v[4 - t & 7], v[5 - t & 7], v[6 - t & 7], v[7 - t & 7]
            big_1 = (e >> U(6) | e << U(26)) ^ (e >> U(11) | e << U(21)) ^ (e >> U(25) | e << U(7))
            h += big_1 + (e & f ^ ~e & g) + K[t] + w[t]
            d += h
            big_0 = (a >> U(2) | a << U(30)) ^ (a >> U(13) | a << U(19)) ^ (a >> U(22) | a << U(10))
            h += big_0 + (a & b ^ a & c ^ b & c)
        high = min(low + _LANES, many)
        for t in range(8):
            v[t] += H[t]
        for t in range(4):
            made[low:high, t] = (v[2 * t].astype(np.uint64) << np.uint64(32) | v[2 * t + 1])[: high - low]
    return made
