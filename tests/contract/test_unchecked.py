"""No instance put together without checks ends a process or is solved wrongly."""

import subprocess
import sys

import pytest

from algoworlds.families import FAMILIES
from tests.command import ROOT


@pytest.mark.parametrize("tiny", ["1", pytest.param("3", marks=pytest.mark.full)])
@pytest.mark.parametrize("name", [*FAMILIES, "knapsack"])
def test_an_invalid_unchecked_instance_is_refused_and_a_valid_one_solved_like_new(name, tiny):
    """Every column of every table takes bad cells, and every table bad rows; see the module that runs in the process."""
    command = [sys.executable, "-m", "tests.contract.unchecked_fuzz", name, tiny]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.returncode == 0, (process.stdout + process.stderr)[-3_000:]
    valid, invalid = map(int, process.stdout.split())
    assert valid > 20
    assert invalid > 100
