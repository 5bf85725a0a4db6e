"""The stream gives the same integers everywhere, without bias (F10)."""

import subprocess
import sys
from collections import Counter

import pytest

from algoworlds.core.stream import Stream


def test_golden_draws():
    stream = Stream("golden", 1)
    assert [stream.below(1000) for _ in range(6)] == [819, 493, 569, 404, 721, 510]
    assert Stream("golden", 1).shuffled(range(8)) == [7, 2, 0, 1, 4, 6, 5, 3]
    assert Stream("golden", "1").below(10**18) != Stream("golden", 1).below(10**18)


def test_children_do_not_depend_on_draws():
    one, other = Stream("a"), Stream("a")
    one.integers(10, 0, 9)
    assert one.child("b").word() == other.child("b").word() == Stream("a", "b").word()


@pytest.mark.parametrize(("low", "high"), [(0, 9), (-5, 5), (7, 7), (-(2**62), 2**62)], ids=str)
def test_integers_equal_single_draws(low, high):
    """With a bound just above half of the word range, nearly half of the words are rejected."""
    alone, together, table = (Stream("many", high) for _ in range(3))
    assert alone.word() == together.word() == table.word()
    numbers = [alone.integer(low, high) for _ in range(60)]
    assert together.integers(60, low, high) == numbers
    assert table.integer_table(12, 5, low, high).tolist() == [numbers[at : at + 5] for at in range(0, 60, 5)]
    assert alone.word() == together.word() == table.word()


@pytest.mark.parametrize("counts", [(1, 1, 1), (3, 0, 2), (5, 64, 7), (2000, 3)], ids=str)
def test_words_equal_single_words(counts):
    alone, together = Stream("words"), Stream("words")
    for count in counts:
        assert together.words(count).tolist() == [alone.word() for _ in range(count)]
        assert together.word() == alone.word()


@pytest.mark.parametrize("biased", [[], [3], [0, 13, 14, 40]], ids=str)
@pytest.mark.parametrize("size", [1, 2, 7])
def test_bounded_rows_equal_single_draws(size, biased):
    """Words that would be biased are rejected; they are very rare, so some are put in."""
    alone, together = Stream("rows"), Stream("rows")
    for stream in (alone, together):
        words = stream.words(60)
        words[biased] = 2**64 - 1
        stream.push_back(words)
    assert together.bounded_rows(4, (6, size, 601)).tolist() == [
        [alone.below(bound) for bound in (6, size, 601)] for _ in range(4)
    ]
    assert together.word() == alone.word()


def test_pushed_back_words_come_next():
    stream = Stream("back")
    words = stream.words(7)
    stream.push_back(words[2:])
    assert [stream.word() for _ in range(5)] == words[2:].tolist()


def test_zero_draws_are_empty():
    assert Stream("none").integers(0, 0, -1) == Stream("none").integer_table(0, 3, 0, 1).tolist() == []


def test_draws_are_uniform():
    counts = Counter(Stream("uniform").integers(60_000, 1, 6))
    assert set(counts) == set(range(1, 7))
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts.values()) < 20.5  # chi-square, 5 degrees, p = 0.001


def test_sample_is_distinct_and_bounds_are_checked():
    assert sorted(Stream("s").sample("abcdef", 6)) == list("abcdef")
    with pytest.raises(ValueError, match="cannot draw"):
        Stream("s").sample("abc", 4)
    with pytest.raises(ValueError, match="bound"):
        Stream("s").below(0)


@pytest.mark.parametrize("hash_seed", ["0", "1", "random"])
def test_same_draws_in_another_process(hash_seed):
    code = "from algoworlds.core.stream import Stream; print(Stream('x', 3).integers(20, 0, 10**15))"
    run = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == str(Stream("x", 3).integers(20, 0, 10**15))


def test_biased_words_are_rejected():
    """2^64 is 1 modulo 3, so for a bound of 3 the last word is rejected."""
    stream, last = Stream("even"), 2**64 - 1
    stream._words[:] = [4, last]
    assert stream.below(3) == 1
    stream._words[:] = [3, last - 1]
    assert stream.below(3) == 2
    stream._words[:] = [1, 3, last]
    assert stream.shuffled("abc") == list("cba")
    assert stream._words == []


@pytest.mark.parametrize("size", [0, 1, 2, 400])
def test_shuffled_uses_the_same_draws_at_any_length(size):
    deck, one, other = list(range(size)), Stream("deck", size), Stream("deck", size)
    for last in range(size - 1, 0, -1):
        pick = one.below(last + 1)
        deck[last], deck[pick] = deck[pick], deck[last]
    assert other.shuffled(range(size)) == deck
    assert other.word() == one.word()
