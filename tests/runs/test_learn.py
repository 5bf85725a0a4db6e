"""The example that learns: worlds of the stream teach a small policy, in a short form."""

from examples.learn.learn import course


def test_a_small_policy_learns_on_the_stream_and_is_tested_on_the_other_split(capsys):
    start, end = course(lessons=(0, 60), tests=24)
    assert end["utility"] >= start["utility"] + 20
    assert "after    60 worlds" in capsys.readouterr().out
