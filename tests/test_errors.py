"""What a message repeats of what was given: one short line, in JSON's words."""

import pytest

from algoworlds.errors import quoted, shown


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("job-1", "job-1"),
        (7, "7"),
        (1.5, "1.5"),
        (None, "null"),
        (True, "true"),
        ([1], "a list"),
        ({"a": 1}, "an object"),
        (-(2**70_000), "an integer of more than 256 bits"),
        ("x" * 80, "x" * 80),
        ("a" * 10**6 + "z", "a" * 40 + "..." + "a" * 36 + "z"),
    ],
    ids=lambda value: str(type(value)),
)
def test_what_was_given_is_shown_in_80_characters(given, words):
    assert shown(given) == words
    assert len(shown(given)) <= 80


def test_only_texts_are_quoted():
    assert (quoted("a b"), quoted(3), quoted(None)) == ("'a b'", "3", "null")
