"""Where nothing can be written, compiled code is kept for one command, and that is said once."""

import os
from pathlib import Path

import pytest

from algoworlds import cache
from algoworlds.errors import AlgoWorldsError
from tests.command import run

WARNING = "cannot be written, so everything is compiled anew; set XDG_CACHE_HOME to a directory that can be\n"
VARIABLES = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "MPLCONFIGDIR")


@pytest.fixture
def nowhere(monkeypatch):
    """No variable set, and a home that holds no directory."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "")  # so that whatever is set meanwhile is undone
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/dev/null")
    return monkeypatch


def test_worker_processes_share_one_temporary_cache(tmp_path):
    small = (
        "--families",
        "machine_layout",
        "--levels",
        "0",
        "--instances",
        "2",
        "--seed",
        "a seed that nobody guesses, ever",
    )
    surroundings = dict.fromkeys(VARIABLES, "") | {"HOME": "/dev/null", "TMPDIR": str(tmp_path)}
    done = run("build", "--out", tmp_path / "suite", *small, "--jobs", "2", **surroundings)
    assert (done.returncode, done.stderr) == (0, f"algoworlds: ~/.cache {WARNING}")
    assert [path.name for path in tmp_path.iterdir()] == ["suite"]


@pytest.mark.parametrize("name", VARIABLES[:2])
def test_the_place_that_cannot_be_written_is_named(nowhere, name, capsys):
    nowhere.setenv(name, "/dev/null/cache")
    made = cache.cache_directory.__wrapped__()
    assert capsys.readouterr().err == f"algoworlds: /dev/null/cache {WARNING}"
    assert {os.environ["NUMBA_CACHE_DIR"], os.environ["MPLCONFIGDIR"]} == {str(made)}


def test_a_worker_process_does_not_say_it_again(nowhere, capsys):
    nowhere.setattr(cache, "parent_process", lambda: "a command that has said it")
    assert cache.cache_directory.__wrapped__().is_dir()
    assert capsys.readouterr().err == ""


def test_a_user_without_a_home_gets_a_temporary_cache(nowhere, capsys):
    nowhere.setattr(Path, "home", lambda: None)
    nowhere.setattr(os.path, "expanduser", lambda path: path)
    assert cache.cache_directory.__wrapped__().is_dir()
    assert capsys.readouterr().err.endswith(WARNING)


def test_a_cache_that_can_be_written_is_used(nowhere, tmp_path, capsys):
    nowhere.setenv("XDG_CACHE_HOME", str(tmp_path / "new"))
    assert cache.cache_directory.__wrapped__() == tmp_path / "new"
    assert capsys.readouterr().err == ""
    assert "MPLCONFIGDIR" not in os.environ


def test_without_any_place_the_error_says_what_to_set(nowhere):
    def nothing(prefix):
        raise FileNotFoundError

    nowhere.setattr(cache, "mkdtemp", nothing)
    with pytest.raises(AlgoWorldsError, match="set XDG_CACHE_HOME or TMPDIR"):
        cache.cache_directory.__wrapped__()
