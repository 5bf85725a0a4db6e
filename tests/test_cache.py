"""If the cache directory cannot be written, a temporary one is used, with one warning."""

import os
from pathlib import Path

import pytest

from algoworlds import cache
from algoworlds.errors import AlgoWorldsError
from tests.command import run

WARNING = "cannot be written, so kernels are compiled again; set XDG_CACHE_HOME to a directory that can be\n"
VARIABLES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "MPLCONFIGDIR")


@pytest.fixture
def unwritable(monkeypatch):
    """No variable set, and a home that cannot hold a directory."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "")  # so that later changes are undone
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/dev/null")
    return monkeypatch


def test_worker_processes_share_one_temporary_cache(tmp_path):
    small = ("--families", "machine_layout", "--levels", "0", "--instances", "2", "--seed", "a seed that is hard to guess")
    environment = dict.fromkeys(VARIABLES, "") | {"HOME": "/dev/null", "TMPDIR": str(tmp_path)}
    result = run("build", "--out", tmp_path / "suite", *small, "--jobs", "2", **environment)
    assert (result.returncode, result.stderr) == (0, f"algoworlds: ~/.cache {WARNING}")
    assert [path.name for path in tmp_path.iterdir()] == ["suite"]


@pytest.mark.parametrize("name", VARIABLES[:2])
def test_warning_names_the_directory(unwritable, name, capsys):
    unwritable.setenv(name, "/dev/null/cache")
    directory = cache.cache_directory.__wrapped__()
    assert capsys.readouterr().err == f"algoworlds: /dev/null/cache {WARNING}"
    assert {os.environ["NUMBA_CACHE_DIR"], os.environ["MPLCONFIGDIR"]} == {str(directory)}


def test_worker_process_does_not_warn_again(unwritable, capsys):
    unwritable.setattr(cache, "parent_process", lambda: "a command that has warned")
    assert cache.cache_directory.__wrapped__().is_dir()
    assert capsys.readouterr().err == ""


def test_user_without_home_gets_a_temporary_cache(unwritable, capsys):
    unwritable.setattr(Path, "home", lambda: None)
    unwritable.setattr(os.path, "expanduser", lambda path: path)
    assert cache.cache_directory.__wrapped__().is_dir()
    assert capsys.readouterr().err.endswith(WARNING)


def test_writable_cache_is_used(unwritable, tmp_path, capsys):
    unwritable.setenv("XDG_CACHE_HOME", str(tmp_path / "new"))
    assert cache.cache_directory.__wrapped__() == tmp_path / "new"
    assert capsys.readouterr().err == ""
    assert "MPLCONFIGDIR" not in os.environ


def test_error_says_what_to_set_if_nothing_can_be_written(unwritable):
    def fail(prefix):
        raise FileNotFoundError

    unwritable.setattr(cache, "mkdtemp", fail)
    with pytest.raises(AlgoWorldsError, match="set XDG_CACHE_HOME or TMPDIR"):
        cache.cache_directory.__wrapped__()
