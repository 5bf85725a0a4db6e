"""A short form of the learning example: a small policy learns from worlds of a stream."""

from examples.learn.learn import course


def test_policy_learns_on_train_split_and_improves_on_test_split(capsys):
    start, end = course(lessons=(0, 60), tests=24)
    assert end["utility"] >= start["utility"] + 20
    assert "after    60 worlds" in capsys.readouterr().out
