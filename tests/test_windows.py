"""What Windows lacks: everything is imported, and a suite is built, run, judged and reported without it.

The process blocks `fcntl`, `resource`, `termios` and `pwd`, and takes away the functions that only POSIX has, as far as the
interpreter itself runs without them. Folders cannot be opened, as on Windows.
"""

import json
import os
import sys

import pytest

from algoworlds.errors import InputError
from algoworlds.tracks.sandbox import sandbox_identity
from tests.command import PATIENCE, ROOT, python, start_process

REFUSAL = "need Linux or macOS: on Windows, use AlgoWorlds inside WSL for them"

WINDOWS = """
import asyncio.unix_events, concurrent.futures.process, multiprocessing.popen_spawn_posix, multiprocessing.synchronize
import os, select, shutil, signal, subprocess, sys, warnings
warnings.filterwarnings("ignore", "only soft file lock is available")  # filelock does not see Windows here
for name in ("fcntl", "resource", "termios", "pwd", "grp", "tty", "pty"):
    sys.modules[name] = None
for module, names in {
    os: "O_NONBLOCK O_CLOEXEC O_DIRECTORY O_NOFOLLOW fchmod fork forkpty getuid geteuid getpgrp killpg setsid",
    signal: "SIGHUP SIGKILL SIGQUIT pthread_sigmask sigwait",
    select: "poll epoll",
}.items():
    for name in names.split():
        delattr(module, name)
open_file, loop_type = os.open, asyncio.unix_events._UnixSelectorEventLoop

def open_no_folder(path, flags, mode=0o777, *, dir_fd=None):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", os.fspath(path))
    return open_file(path, flags, mode, dir_fd=dir_fd)

def refuse(*arguments, **options):
    raise NotImplementedError

os.open, shutil._use_fd_functions = open_no_folder, False
for name in ("add_signal_handler", "remove_signal_handler", "connect_read_pipe", "connect_write_pipe"):
    setattr(loop_type, name, refuse)
"""

IMPORT_ALL = """
import pkgutil, importlib, algoworlds
MISSING = {"anthropic", "gymnasium", "inspect_ai", "mcp", "mcp_types", "pyarrow", "starlette", "trl", "uvicorn", "wasmtime"}
count = 0
for module in pkgutil.walk_packages(algoworlds.__path__, "algoworlds."):
    if "skeleton_files" in module.name or module.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(module.name)
        count += 1
    except ModuleNotFoundError as problem:
        assert problem.name.partition(".")[0] in MISSING, (module.name, problem)
print(count)
"""

COMMANDS = """
import json
from algoworlds.cli import main

for arguments in json.loads(sys.argv[1]):
    sys.argv = ["algoworlds", *arguments]
    try:
        main()
    except SystemExit as end:
        print("EXIT", end.code)
"""

HOLD = """
from pathlib import Path
from algoworlds.disk import lock_file, lock_folder
with {lock}(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def exit_codes(*commands):
    """Run commands one after the other in one process without POSIX; return their exit codes and error output."""
    texts = json.dumps([list(map(str, command)) for command in commands])
    process = start_process(sys.executable, "-W", "error", "-c", WINDOWS + COMMANDS, texts)
    output, problems = process.communicate(timeout=PATIENCE)
    codes = [int(line.split()[1]) for line in output.splitlines() if line.startswith("EXIT ")]
    return codes, problems


def test_every_module_is_imported_without_posix():
    assert int(python(WINDOWS + IMPORT_ALL)) > 250


def test_a_suite_is_built_run_judged_and_reported_without_posix(tmp_path):
    suite, run, report, archive = (tmp_path / name for name in ("suite", "run", "report", "run.tar"))
    small = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1")
    possible = [
        ("build", "--out", suite, *small),
        ("verify", suite),
        ("run", suite, "--agent", "greedy", "--out", run, "--trials", "1"),
        ("verify-run", run),
        ("judge", run),
        ("report", run, "--out", report),
        ("pack", run, "--out", archive),
        ("unpack", archive, "--verify", "--suite", suite, "--out", tmp_path / "again"),
        ("status", run),
    ]
    impossible = [
        ("run", suite, "--agent", f"{ROOT}/examples/agents/plain.py:play", "--out", tmp_path / "out"),
        ("run", suite, "--command", "true", "--out", tmp_path / "out"),
    ]
    codes, problems = exit_codes(*possible, *impossible)
    assert codes == [0] * len(possible) + [2] * len(impossible), problems
    refusals = [line for line in problems.splitlines() if line.startswith("algoworlds: ")]
    assert refusals == ["algoworlds: agents in processes of their own " + REFUSAL] * len(impossible)
    assert not (tmp_path / "out").exists()
    assert (report / "report.html").is_file()
    assert b"\r\n" not in (suite / "manifest.json").read_bytes()


def test_programs_are_refused_before_a_worker_starts(monkeypatch):
    monkeypatch.delattr(os, "killpg")
    with pytest.raises(InputError, match="programs in the sandbox " + REFUSAL):
        sandbox_identity()


@pytest.mark.parametrize("lock", ["lock_folder", "lock_file"])
def test_locks_beside_a_path_exclude_each_other(lock, tmp_path):
    path = tmp_path / "locked"
    path.mkdir() if lock == "lock_folder" else path.touch()
    code = WINDOWS + HOLD.format(lock=lock)
    first = start_process(sys.executable, "-c", code, path, stdin=-1)
    assert first.stdout.readline() == "locked\n"
    second = start_process(sys.executable, "-c", code, path, stdin=-1)
    if lock == "lock_folder":
        assert "is being written by another process: wait for it" in second.communicate(timeout=PATIENCE)[1]
        first.communicate()
    else:
        assert [path.name for path in tmp_path.glob(".*")] == [".locked.lock"]
        assert second.poll() is None
        first.communicate()
        assert second.stdout.readline() == "locked\n"
        second.communicate()
    third = start_process(sys.executable, "-c", code, path, stdin=-1)
    assert third.communicate(timeout=PATIENCE)[0] == "locked\n"
