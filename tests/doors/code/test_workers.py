"""Workers: no key and no suite, one line for every fault of the infrastructure, nothing left behind."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.tracks import sandbox as sandbox_module
from algoworlds.tracks import workers
from algoworlds.tracks.sandbox import HostReply, Question
from algoworlds.tracks.workers import ProgramRequest, SandboxFault, SandboxWorkers, run_in_worker
from tests.command import ROOT, until

LOOP = "while True: pass"


def program(text, functions=(), limit=10**13):
    return ProgramRequest(text, {"answers": []}, functions, limit, 10**6)


@pytest.fixture
def pool(monkeypatch):
    """A pool of two workers, used by `run_in_worker`."""
    pool = SandboxWorkers(2)
    monkeypatch.setattr(workers, "_pool", lambda process_id: pool)
    yield pool
    pool.close()


def children():
    """Worker processes of this process."""
    return [int(child) for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def test_a_worker_has_no_keys_no_files_and_an_empty_folder(pool, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_KEY", "sk-1")
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "open").open("w"):
        run_in_worker(program("pass"), {})
        process = Path(f"/proc/{pool._idle[0]._process.pid}")
        environment = process.joinpath("environ").read_bytes().split(b"\0")
        names = {entry.partition(b"=")[0].decode() for entry in environment if entry}
        assert names <= {"PATH", "HOME", "NUMBA_CACHE_DIR", "LC_CTYPE"}
        folder = str((process / "cwd").readlink())
        assert folder.endswith(" (deleted)")
        assert not Path(folder.removesuffix(" (deleted)")).exists()
        files = [str(file.readlink()) for file in process.joinpath("fd").iterdir()]
        assert not [file for file in files if str(tmp_path) in file]


def test_an_idle_worker_takes_at_most_100_megabytes(pool):
    run_in_worker(program("x = [0] * 10**7"), {})
    lines = Path(f"/proc/{pool._idle[0]._process.pid}/status").read_text().splitlines()
    assert int(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) <= 100_000


def test_h2_killed_worker_is_replaced_and_the_program_runs_again(pool):
    threading.Timer(1.5, lambda: os.kill(children()[0], signal.SIGKILL)).start()
    result = run_in_worker(program(LOOP, limit=3 * 10**10), {})
    assert [result.end, result.instructions] == ["limit", 3 * 10**10]


def test_h2_second_killed_worker_is_a_fault_of_the_sandbox(pool):
    stop = threading.Event()

    def kill():
        while not stop.wait(0.3):
            for child in children():
                os.kill(child, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        with pytest.raises(
            SandboxFault, match=r"^a program could not be run, twice: its worker process ended with exit code -9$"
        ):
            run_in_worker(program(LOOP), {})
    finally:
        stop.set()
        thread.join()
    assert pool._idle == []


def test_h2_hanging_worker_is_a_fault_of_the_sandbox(pool, monkeypatch):
    run_in_worker(program("pass"), {})
    monkeypatch.setattr(workers, "MAX_PROGRAM_SECONDS", 1.0)
    with pytest.raises(SandboxFault, match="ended after 1 seconds"):
        run_in_worker(program(LOOP), {})


def test_a_repeated_program_gets_the_answers_of_its_first_run(pool):
    asked = []

    def count(name, text):
        asked.append(text)
        if len(asked) == 2:
            os.kill(children()[0], signal.SIGKILL)
        return HostReply({"answer": len(asked)})

    result = run_in_worker(
        program("print(call('a')['x'] if 0 else optimum(1), optimum(2), optimum(3))", ("optimum",)), {"optimum": count}
    )
    assert result.output == "1 2 3\n"
    assert len(asked) == 3


def test_recorded_answers_are_given_while_the_questions_are_the_same(pool):
    first = run_in_worker(
        program("print(optimum(1))", ("optimum",)), {"optimum": lambda name, text: HostReply({"answer": 5}, 7)}
    )

    def refuse(name, text):
        raise AssertionError

    again = run_in_worker(program("print(optimum(1))", ("optimum",)), {"optimum": refuse}, first.questions)
    assert again == first
    other = [Question("optimum", "0" * 64, {"answer": 5}, 7)]
    answered = run_in_worker(
        program("print(optimum(1))", ("optimum",)), {"optimum": lambda *asked: HostReply({"answer": 6})}, other
    )
    assert answered.output == "6\n"


def test_many_threads_share_few_workers(pool):
    with ThreadPoolExecutor(8) as threads:
        outputs = [result.output for result in threads.map(lambda n: run_in_worker(program(f"print({n})"), {}), range(16))]
    assert outputs == [f"{n}\n" for n in range(16)]
    assert 1 <= len(pool._idle) <= 2


def test_an_interrupted_wait_ends_its_worker(pool):
    def interrupt(name, text):
        raise KeyboardInterrupt

    before = set(children())
    with pytest.raises(KeyboardInterrupt):
        run_in_worker(program("optimum()", ("optimum",)), {"optimum": interrupt})
    assert pool._idle == []
    until(lambda: set(children()) <= before)


def test_workers_end_with_their_parent():
    code = """
import sys, time
from algoworlds.tracks.workers import *
import algoworlds.tracks.workers as workers, os
run_in_worker(ProgramRequest("pass", {}, (), 10**9, 0), {})
print(workers._pool(os.getpid())._idle[0]._process.pid, flush=True)
run_in_worker(ProgramRequest("while True: pass", {}, (), 10**15, 0), {})
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    worker = int(process.stdout.readline())
    time.sleep(0.5)
    process.kill()
    process.communicate()
    until(lambda: not Path(f"/proc/{worker}").exists() or "Z" in Path(f"/proc/{worker}/stat").read_text().split()[2])


# -- set-up faults: one line each, before anything is scored ---------------------------------------------------------------


def test_h3_missing_wasmtime_is_named_in_one_line(monkeypatch):
    monkeypatch.setattr(sandbox_module, "installed_version", lambda package: None)
    with pytest.raises(InputError, match=r"^programs need wasmtime: install it with: pip install 'algoworlds\[code\]'$"):
        run_in_worker(program("pass"), {})


def test_h3_other_version_of_wasmtime_is_refused(monkeypatch):
    monkeypatch.setattr(sandbox_module, "installed_version", lambda package: "49.0.0")
    with pytest.raises(InputError, match=r"^programs need wasmtime 50, not 49\.0\.0"):
        run_in_worker(program("pass"), {})


def test_h3_failed_self_test_is_refused(sandbox, monkeypatch):
    pins = sandbox_module.pins()
    altered = [pin | {"instructions": pin["instructions"] + 1} for pin in pins["self_test"]]
    monkeypatch.setattr(sandbox_module, "pins", lambda: pins | {"self_test": altered})
    with pytest.raises(InputError, match=r"^the sandbox computes differently here than it should"):
        sandbox.run_self_test()


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("self-test", "the sandbox computes differently here than it should"),
        ("cache", "cannot be used for compiled code"),
    ],
)
def test_h3_a_run_ends_in_one_line_and_scores_nothing(suite, tmp_path, fault, message):
    """A copy of the package with another pinned result, or a cache directory that cannot be used."""
    variables = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    if fault == "self-test":
        shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
        pins = tmp_path / "src" / "algoworlds" / "tracks" / "sandbox.json"
        document = json.loads(pins.read_text())
        document["self_test"][0]["instructions"] += 1
        pins.write_text(json.dumps(document))
        variables["PYTHONPATH"] = str(tmp_path / "src")
    else:
        (tmp_path / "cache" / "algoworlds").mkdir(parents=True)
        (tmp_path / "cache" / "algoworlds" / "sandbox").symlink_to("/dev/full")
        variables["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")
    words = (
        "run",
        suite.directory,
        "--agent",
        "coder",
        "--track",
        "code",
        "--worlds",
        "fleet*-direct",
        "--out",
        tmp_path / "run",
    )
    command = [sys.executable, "-m", "algoworlds", *map(str, words), "--trials", "1"]
    result = subprocess.run(command, capture_output=True, text=True, env=variables)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1), result.stderr
    assert message in result.stderr
    assert RunDirectory(tmp_path / "run").finished_slots == set()


def test_h3_altered_component_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(sandbox_module, "COMPONENT_FILE", tmp_path / "python.wasm.xz")
    for content in (None, b"", sandbox_module.PINS_FILE.read_bytes()):
        if content is not None:
            (tmp_path / "python.wasm.xz").write_bytes(content)
        with pytest.raises(InputError, match=r"is missing or altered: install algoworlds again"):
            sandbox_module.read_component()


def compiled_files(folder):
    return sorted(path.suffix for path in (folder / "algoworlds" / "sandbox").iterdir())


@pytest.fixture
def own_cache(tmp_path):
    """A function that runs a program in a fresh process with a cache directory of its own; its output and CPU seconds."""

    def run(**variables):
        code = "print(run_in_worker(ProgramRequest('print(1)', {}, (), 10**9, 0), {}).output)"
        code = f"from algoworlds.tracks.workers import *; {code}"
        code = f"import sys\ntry:\n  {code}\nexcept Exception as problem: print(type(problem).__name__, problem)"
        variables = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)} | variables
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=variables
        ).stdout.strip()

    run.folder = tmp_path
    return run


def test_h3_compiled_component_is_cached_for_this_user_only_and_damage_is_repaired(own_cache):
    before = os.times()
    assert own_cache() == "1"
    after = os.times()
    assert after.children_user + after.children_system - before.children_user - before.children_system <= 15 + 5
    folder = own_cache.folder / "algoworlds" / "sandbox"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert compiled_files(own_cache.folder) == [".compiled", ".lock", ".sha256"]
    (compiled,) = folder.glob("*.compiled")
    whole = compiled.read_bytes()
    for damaged in (whole[:-1000], b"x" + whole[1:]):
        compiled.write_bytes(damaged)
        assert own_cache() == "1"
        assert compiled.read_bytes() == whole


def test_h3_cache_without_room_is_named_in_one_line(own_cache):
    folder = own_cache.folder / "algoworlds" / "sandbox"
    folder.parent.mkdir(exist_ok=True)
    folder.symlink_to("/dev/full")
    output = own_cache()
    assert output.startswith("InputError ")
    assert "set XDG_CACHE_HOME to" in output
    assert "\n" not in output
