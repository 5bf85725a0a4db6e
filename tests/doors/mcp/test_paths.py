"""Every path of the commands that need the extra: one short line that shows the path's end."""

import shutil

import pytest

from tests.cli.test_paths import SERVED, home, places, require_cut

__all__ = ["home"]


@pytest.fixture(scope="module")
def unfinished(home):
    """A run that lacks a record."""
    made = shutil.copytree(home / "run", home / "unfinished")
    next((made / "records").iterdir()).unlink()
    return home


@pytest.mark.parametrize("name", SERVED)
def test_a_long_path_is_cut_to_its_ends(unfinished, tmp_path, name):
    for path in places(unfinished):
        require_cut(SERVED[name], path, unfinished, tmp_path / "free")
