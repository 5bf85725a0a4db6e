"""Suites on disk: building, rebuilding, resuming, verifying, validating, and refusing forged ones.

In the catalogue: B1, B4, B6, C1, C2, D10, F10.
"""

import json
import re
import resource
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import comb
from pathlib import Path

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.core.interface import Interface
from algoworlds.disk import lock_folder
from algoworlds.errors import InputError
from algoworlds.suites.build import build_suite
from algoworlds.suites.bundle import CANARY, PUBLIC_FILES
from algoworlds.suites.claims.panels import max_likely_hits
from algoworlds.suites.manifest import default_manifest, integrity_problems, load_manifest
from algoworlds.suites.paper_tables import suite_statistics
from algoworlds.suites.suite import SuiteSpec
from algoworlds.suites.validation import validate_suite
from algoworlds.worlds.admission import DEFAULT_SEED
from tests.command import run, run_here
from tests.silence import silent
from tests.suites.suites import FAMILIES, SUITE, contents, first_file

OPTIONS = ("--families", ",".join(FAMILIES), "--levels", "0", "--instances", "2")


def test_a_suite_passes_every_claim_with_exact_counts(built):
    report = validate_suite(built, None, silent)
    assert report.failures == []
    counts = {row["row"]: row["count"] for row in report.summary}
    assert counts["Fixed construction membership"] == counts["Paired-interface equivalence"] == 4
    assert counts["Decision checking"] == counts["Release integrity"] == counts["Full-catalog budget"] == 8
    assert counts["Sufficient information acquisition"] == 16
    assert counts["Channel counterfactual"] == 2 * 2 * (2 + 3)
    assert counts["Response isolation"] == 2 * 2 * (5 + 6)
    data = suite_statistics(report)
    assert [row["family"] for row in data["access"]] == list(FAMILIES)
    assert all(set(row) == {"row", "unit", "count", "passed"} for row in data["validation"])


def test_rebuilding_gives_the_same_bytes_in_any_order_and_on_any_engine(built, tmp_path):
    with ThreadPoolExecutor(3) as pool:
        build_suite(SUITE, tmp_path / "again", pool, silent)
    assert contents(tmp_path / "again") == contents(built)


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """A part of the development split, as the command builds it without a seed."""
    out = tmp_path_factory.mktemp("part") / "suite"
    build_suite(replace(SUITE, seed=DEFAULT_SEED), out, None, silent)
    return contents(out)


@pytest.mark.parametrize(
    ("hash_seed", "jobs"),
    [("0", 2), *(pytest.param(*case, marks=pytest.mark.full) for case in (("0", 1), ("1", 1), ("random", 2)))],
)
def test_the_command_gives_the_same_root_under_any_hash_seed(part, tmp_path, hash_seed, jobs):
    done = run("build", "--out", tmp_path / "s", *OPTIONS, "--jobs", jobs, "--json", PYTHONHASHSEED=hash_seed)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["worlds"] == 8
    assert contents(tmp_path / "s") == part


def test_resume_finishes_a_killed_build(built, tmp_path):
    """The build runs in a process of its own, killed as soon as the first coordinate is recorded."""
    out = tmp_path / "killed"
    code = f"""
import signal
from pathlib import Path
from algoworlds.suites.build import build_suite
from algoworlds.suites.suite import SuiteSpec
def slow(done, total):
    print(done, flush=True)
    if done: signal.pause()
build_suite(SuiteSpec("part", "test seed", {FAMILIES!r}, (0,), 2), Path({str(out)!r}), None, slow)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert "1\n" in process.stdout
        process.send_signal(signal.SIGKILL)
    assert not (out / "manifest.json").exists()
    steps = []
    build_suite(SUITE, out, None, lambda done, total: steps.append(done))
    assert steps[0] == 1
    assert contents(out) == contents(built)


def test_a_full_disk_fails_in_one_line_and_loses_nothing(part, tmp_path):
    """A limit on file sizes stands for a full disk: the write fails, the build says so, and a later one continues."""

    def limit_file_size():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))

    out = tmp_path / "full"
    done = run("build", "--out", out, *OPTIONS, preexec_fn=limit_file_size, PYTHONDONTWRITEBYTECODE="1")  # no truncated .pyc
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (out / "manifest.json").exists()
    assert run_here("build", "--out", out, *OPTIONS).returncode == 0
    assert contents(out) == part


@pytest.mark.parametrize("damage", ["delete", "alter"])
def test_resume_repairs_damaged_files(built, tmp_path, damage):
    out = tmp_path / "damaged"

    class Stop(Exception):
        pass

    def stop(done, total):
        if done == 2:
            raise Stop

    with pytest.raises(Stop):
        build_suite(SUITE, out, None, stop)
    victim = next((out / "worlds").rglob("scoring.json"))
    victim.unlink() if damage == "delete" else victim.write_text("{}")
    build_suite(SUITE, out, None, silent)
    assert contents(out) == contents(built)


def test_public_files_hold_the_canary_and_never_the_seed(built):
    for path, data in contents(built).items():
        public = "sealed/" not in path
        assert (CANARY.encode() in data) is public, path
        if public:
            assert b"test seed" not in data, path
    agent_sees = json.loads(next(built.glob("worlds/*/question.json")).read_text())["question"]
    assert CANARY not in agent_sees
    assert all((world / name).is_file() for world in (built / "worlds").iterdir() for name in PUBLIC_FILES)


def test_fresh_suites_share_no_id_and_no_instance(built, tmp_path):
    build_suite(SuiteSpec("part", "another seed", FAMILIES, (0,), 2), tmp_path / "other", None, silent)
    one, other = load_manifest(built)[0], load_manifest(tmp_path / "other")[0]
    assert not {entry.id for entry in one.worlds} & {entry.id for entry in other.worlds}
    own = [  # tools and prices belong to the family, everything else to the suite
        {value for entry in manifest.worlds for path, value in entry.files.items() if path != "tools.json"}
        for manifest in (one, other)
    ]
    assert not own[0] & own[1]
    texts = ["".join(path.read_text() for path in out.rglob("instance.json")) for out in (built, tmp_path / "other")]
    ids = [set(re.findall(r"[a-z]+-[0-9a-z]{10}", text)) for text in texts]
    assert len(ids[0]) > 50
    assert not ids[0] & ids[1]


def test_verify_notices_every_flipped_byte(copy):
    path = first_file(copy, "tools.json")
    data = path.read_bytes()
    for at in range(0, len(data), 37):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert integrity_problems(copy, None) == [f"{path.relative_to(copy).as_posix()}: altered"]
    path.write_bytes(data)


def test_an_edited_manifest_fails_against_the_pinned_root(copy):
    _manifest, root = load_manifest(copy)
    document = json.loads((copy / "manifest.json").read_text())
    document["worlds"][0]["attempt"] += 1
    (copy / "manifest.json").write_text(json.dumps(document))
    assert any("another root" in problem for problem in integrity_problems(copy, None))
    forged = load_manifest(copy)[0]
    (copy / "manifest.json").write_text(forged.text)
    assert integrity_problems(copy, None) == []  # digests agree again, so only the pinned root differs
    assert any("its root is" in problem for problem in integrity_problems(copy, root))
    assert run_here("verify", copy, "--root", root).returncode == 1


def test_validation_names_the_failing_unit(copy):
    path = first_file(copy, "sealed/scoring.json")
    document = json.loads(path.read_text())
    document["optimum"] += 1
    path.write_text(json.dumps(document))
    done = run_here("validate", copy, "--json")
    assert done.returncode == 1
    failures = json.loads(done.stdout)["failures"]
    assert any(failure.startswith("Decision checking: ") for failure in failures)
    assert any(failure.startswith("Release integrity: ") for failure in failures)


def test_stats_prints_every_format(built, monkeypatch):
    report = validate_suite(built, None, silent)
    monkeypatch.setattr("algoworlds.suites.validation.validate_suite", lambda *arguments: report)  # the same report five times
    data = json.loads(run_here("stats", built, "--json").stdout)
    assert set(data) == {"access", "work", "validation"}
    assert set(data["access"][0]) == {
        *("family", "info_groups", "sufficient_set_size", "call_count", "call_cost", "budget", "exhaustive", "work"),
    }
    for form, fragment in (
        ("text", "validated property"),
        ("markdown", "| --- |"),
        ("csv", "family,level,ours_min,ours_max,paper_min,paper_max,equal"),
        ("latex", r"\begin{tabular}"),
    ):
        assert fragment in run_here("stats", built, "--format", form).stdout


def test_the_committed_manifest_is_the_default_suite():
    manifest = default_manifest()
    assert (manifest.suite, len(manifest.worlds)) == ("default", 240)
    assert len({entry.id for entry in manifest.worlds}) == 240
    document = json.loads((Path(build_suite.__code__.co_filename).parent / "default.json").read_text())
    assert document["root"] == manifest.root


@pytest.mark.full
def test_the_default_suite_rebuilds_to_the_committed_root(tmp_path):
    done = run("build", "--out", tmp_path / "suite", "--jobs", "2", "--json")
    assert json.loads(done.stdout)["equals_pinned"] is True
    assert run("verify", tmp_path / "suite").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("build", "--out", "{tmp}/x", "--preset", "nonsense"), "there is no suite 'nonsense'"),
        (("build", "--out", "{tmp}/x", "--families", "nonsense"), "there is no family 'nonsense'"),
        (("build", "--out", "{tmp}/x", "--levels", "9", "--jobs", "1"), "there is no level 9"),
        (("build", "--out", "{tmp}/x", "--levels", "one"), "--levels takes numbers"),
        (("build", "--out", "{tmp}/x", "--interfaces", "sideways"), "there is no interface 'sideways'"),
        (("build", "--out", "{tmp}/x", "--instances", "0"), "at least one"),
        (("build", "--out", "{tmp}/x", "--jobs", "0"), "--jobs must be at least 1"),
        (("build", "--out", "{tmp}/x", "--executor", "dusk://a:1"), "is not an executor"),
        (("build", "--out", "{tmp}/file"), "is not a directory"),
        (("build", "--out", "{tmp}/full"), "is not empty"),
        (("build", "--out", "/proc/nowhere/x"), "cannot write"),
        (("validate", "{tmp}"), "is not a suite"),
        (("verify", "{tmp}/nowhere"), "is not a suite"),
        (("stats", "{tmp}"), "is not a suite"),
        (("verify", "{tmp}/newer"), "this version reads 1: update algoworlds"),
        (("verify", "{tmp}/damaged"), "manifest.json is damaged"),
    ],
)
def test_bad_input_fails_in_one_line_with_exit_code_2(tmp_path, arguments, message):
    (tmp_path / "file").write_text("x")
    for name, text in (("full", "x"), ("newer", '{"format": 2}'), ("damaged", "{")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(text)
    done = run_here(*(argument.format(tmp=tmp_path) for argument in arguments))
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "x").exists()


def test_a_suite_may_have_the_split_interface_alone():
    assert replace(SUITE, interfaces=(Interface.SPLIT,)).json["interfaces"] == ["split"]


@pytest.mark.parametrize(("instances", "limit"), [(1, 1), (2, 2), (3, 2), (12, 5), (30, 9)])
def test_local_search_fails_a_fresh_suite_only_beyond_what_ten_percent_explains(instances, limit):
    def chance(hits):
        return sum(comb(instances, k) * 0.1**k * 0.9 ** (instances - k) for k in range(hits, instances + 1))

    assert max_likely_hits([0.1] * instances) == limit
    assert chance(limit) > 0.001
    assert chance(limit + 1) < 0.001001


def test_two_builds_into_one_directory_exclude_each_other(tmp_path):
    out = tmp_path / "suite"
    (out / ".build").mkdir(parents=True)
    (out / ".build" / "suite").write_text(canonical_json(SUITE.json))
    with lock_folder(out), pytest.raises(InputError, match="being written by another process"):
        build_suite(SUITE, out, None, silent)
    build_suite(SUITE, out, None, silent)
    assert integrity_problems(out, None) == []
