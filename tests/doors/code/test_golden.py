"""Text and instruction count of programs are the same everywhere: pinned, under load, in threads, on another target."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from algoworlds.tracks.sandbox import Sandbox
from tests.command import ROOT
from tests.doors.code.programs import GOLDEN, PINS, run_golden

PINNED = json.loads(PINS.read_text())["golden"]


def test_all_golden_programs_are_pinned():
    assert PINNED.keys() == GOLDEN.keys()
    assert len({tuple(pin) for pin in PINNED.values()}) == len(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_program_gives_the_pinned_text_and_count(sandbox, name):
    assert run_golden(sandbox, name) == PINNED[name]


def test_eight_threads_give_the_pinned_results(sandbox):
    names = [name for name in GOLDEN if name != "memory"] * 2
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda name: run_golden(sandbox, name), names)) == [PINNED[name] for name in names]


def test_another_hash_seed_and_other_processes_give_the_pinned_results():
    code = "import json; from tests.doors.code.programs import *; from algoworlds.tracks.sandbox import load_sandbox as load; "
    code += "print(json.dumps([run_golden(load(), name) for name in ('sets', 'random', 'recursion', 'gc', 'time')]))"
    command = [sys.executable, "-c", code]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={"PYTHONHASHSEED": seed, "HOME": "/root"})
        for seed in ("1", "2", "3")
    ]
    results = [json.loads(process.communicate()[0]) for process in processes]
    assert results == [[PINNED[name] for name in ("sets", "random", "recursion", "gc", "time")]] * 3


@pytest.mark.full
@pytest.mark.parametrize("settings", [{"target": "pulley64"}, {"optimize": False}], ids=["pulley64", "unoptimized"])
def test_other_machine_code_gives_the_pinned_results(settings):
    sandbox = Sandbox.without_cache(**settings)
    names = ["sets", "random", "memory", "recursion", "decimal", "ask", "error", "time"]
    names += [] if "target" in settings else ["floats", "limit"]  # the interpreter takes minutes for these
    assert {name: run_golden(sandbox, name) for name in names} == {name: PINNED[name] for name in names}
