"""Error messages of the commands that need the extra: one short line that shows the path's end."""

import shutil

import pytest

from tests.cli.test_paths import SERVED, home, places, require_cut

__all__ = ["home"]


@pytest.fixture(scope="module")
def unfinished_run(home):
    """A run that lacks a record."""
    copy = shutil.copytree(home / "run", home / "unfinished")
    next((copy / "records").iterdir()).unlink()
    return home


@pytest.mark.parametrize("name", SERVED)
def test_long_path_is_shortened_in_messages(unfinished_run, tmp_path, name):
    for path in places(unfinished_run):
        require_cut(SERVED[name], path, unfinished_run, tmp_path / "free")
