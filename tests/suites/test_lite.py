"""The suite lite: 48 worlds over families and the continuous scale."""

from collections import Counter
from itertools import pairwise

import pytest

from algoworlds.families import FAMILIES
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import LITE_WORLDS, SuiteSpec, lite_suite
from tests.command import run_here


def test_lite_is_balanced():
    spec = lite_suite()
    assert len(set(spec.coordinates)) == len(spec.points) == LITE_WORLDS
    families = Counter(point.family for point in spec.points)
    assert set(families) == set(FAMILIES)
    assert set(families.values()) == {4, 5}
    assert set(Counter(point.interface for point in spec.points).values()) == {24}
    tenths = sorted(point.tenths for point in spec.points)
    assert tenths[0] < 90
    assert tenths[-1] > 230
    assert max(high - low for low, high in pairwise(tenths)) <= 10
    assert SuiteSpec.from_json(spec.json) == spec


@pytest.mark.full
def test_lite_is_built_played_and_reported(tmp_path):
    suite = tmp_path / "lite"
    assert run_here("build", "--preset", "lite", "--out", suite).returncode == 0
    assert run_here("verify", suite).returncode == 0
    assert len(open_suite(suite).entries) == LITE_WORLDS
    for agent in ("oracle", "greedy"):
        done = run_here("run", suite, "--agent", agent, "--trials", 1, "--out", tmp_path / agent)
        assert done.returncode == 0, done.stderr
    assert run_here("verify-run", tmp_path / "oracle").returncode == 0
    done = run_here("validate", suite)
    assert done.returncode == 2
    assert "on the continuous scale" in done.stderr


def test_options_that_would_change_lite_are_refused(tmp_path):
    done = run_here("build", "--preset", "lite", "--levels", "1", "--out", tmp_path / "x")
    assert done.returncode == 2
    assert "the suite lite is fixed" in done.stderr
