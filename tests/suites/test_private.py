"""Private suites: secrets are drawn by the program, sealed first and kept through interruptions; weak seeds are refused."""

import json
import os
import re
import signal
import stat
from importlib import import_module

import pytest

from algoworlds.cli.skeleton import write_skeleton
from algoworlds.errors import InputError
from algoworlds.families import FAMILIES, FAMILY_NAME_PATTERN
from algoworlds.reports.report import suite_title
from algoworlds.suites.build import build_suite
from algoworlds.suites.commitment import compute_commitment
from algoworlds.suites.manifest import integrity_problems
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import PrivateSuiteDraft, SuiteSpec, default_suite, draw_secret, seed_weakness
from algoworlds.suites.validation import validate_suite
from tests.command import run_here
from tests.silence import silent
from tests.suites.suites import SMALL, contents, rewrite_manifest
from tests.suites.test_crash import kill_builds

FLEET = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1")
LONG = "a long private text of 32 letters"
HEX = re.compile(r"[0-9a-f]{32}")


def read_sealed(out):
    return json.loads((out / "sealed" / "suite.json").read_text())


def run_ok(*arguments):
    done = run_here(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_new_seed_is_printed_once_and_sealed(tmp_path):
    document = json.loads(run_ok("build", "--out", tmp_path / "a", "--seed", "new", *FLEET, "--json"))
    text = run_ok("build", "--out", tmp_path / "b", "--seed", "new", *FLEET)
    first, second = (read_sealed(tmp_path / name) for name in "ab")
    assert document["seed"] == first["seed"]
    assert text.count(second["seed"]) == 1
    secrets = [sealed[name] for sealed in (first, second) for name in ("seed", "pepper")]
    assert len(set(secrets)) == 4
    assert all(HEX.fullmatch(secret) for secret in secrets)
    assert first["pepper"] not in json.dumps(document)
    assert second["pepper"] not in text


def test_a_typed_seed_gets_a_pepper_and_is_not_printed(tmp_path):
    texts = [run_ok("build", "--out", tmp_path / name, "--seed", LONG, *FLEET) for name in "ab"]
    first, second = (read_sealed(tmp_path / name) for name in "ab")
    assert first["seed"] == second["seed"] == LONG
    assert first["pepper"] != second["pepper"]
    assert not any(LONG in text for text in texts)
    assert not set(contents(tmp_path / "a" / "worlds")) & set(contents(tmp_path / "b" / "worlds"))


@pytest.mark.parametrize(
    ("seed", "why"),
    [
        ("short", "fewer than 16 characters"),
        ("fifteen letters", "fewer than 16 characters"),
        ("algoworlds-1", "fewer than 16 characters"),
        ("aaaaaaaaaaaaaaaaaaaaaaaa", "fewer than 6 different characters"),
        ("abcdeabcdeabcdeabcde", "fewer than 6 different characters"),
    ],
)
def test_rejects_a_weak_seed_unless_weak_seed_is_given(tmp_path, seed, why):
    done = run_here("build", "--out", tmp_path / "s", "--seed", seed, *FLEET)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{why} can be guessed: let the program draw one with --seed new" in done.stderr
    assert not (tmp_path / "s").exists()
    done = run_here("build", "--out", tmp_path / "s", "--seed", seed, "--weak-seed", *FLEET)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert f"{why} can be guessed: do not use it for a suite that must stay private" in done.stderr
    assert read_sealed(tmp_path / "s")["seed"] == seed
    assert HEX.fullmatch(read_sealed(tmp_path / "s")["pepper"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--seed", ""), "--seed is empty"),
        (("--seed", "", "--weak-seed"), "--seed is empty"),
        (("--weak-seed",), "--weak-seed is for a seed that you type"),
        (("--seed", "new", "--weak-seed"), "--weak-seed is for a seed that you type"),
    ],
)
def test_rejects_contradicting_options_in_one_line(tmp_path, options, message):
    done = run_here("build", "--out", tmp_path / "s", *options, *FLEET)
    assert (done.returncode, done.stderr.count("\n"), message in done.stderr) == (2, 1, True)


def test_the_public_suite_is_called_the_development_split():
    help_text = " ".join(run_here("build", "--help").stdout.split())
    assert "development split or a part of it, whose answers anyone with the code can regenerate" in help_text
    assert suite_title("default") == "default, the development split: anyone with the code can regenerate its answers"
    assert suite_title("fresh") == "fresh"


def test_accepts_sixteen_varied_characters():
    assert seed_weakness("sixteen letters!") is None
    assert all(seed_weakness(draw_secret()) is None for _ in range(100))


class Stop(Exception):
    pass


def interrupt_build(draft, out):
    """Stop a build after its first coordinate; returns the specification that it has sealed."""

    def stop(done, total):
        if done:
            raise Stop

    with pytest.raises(Stop):
        build_suite(draft, out, None, stop)
    return json.loads((out / ".build" / "suite").read_text())


TWO = SuiteSpec("fresh", "", ("fleet_dispatch",), (0,), 2)


@pytest.mark.parametrize("typed", [None, LONG])
def test_resume_keeps_the_sealed_secrets(tmp_path, typed):
    out = tmp_path / "s"
    sealed = interrupt_build(PrivateSuiteDraft(TWO, typed), out)
    steps = []
    build_suite(PrivateSuiteDraft(TWO, typed), out, None, lambda done, total: steps.append(done))
    assert steps[0] == 1
    assert read_sealed(out) == sealed
    assert integrity_problems(out, None) == []


def test_secrets_are_synced_before_anything_depends_on_them(tmp_path, monkeypatch):
    """A power failure loses what was not synced, so the sealed file and its directories are."""
    out, synced, fsync, durable = tmp_path / "s", set(), os.fsync, []

    def record_fsync(handle):
        fsync(handle)
        synced.add(os.fstat(handle).st_ino)

    def check_synced(done, total):
        durable.append(all(path.stat().st_ino in synced for path in (out / ".build" / "suite", out / ".build", out)))

    monkeypatch.setattr(os, "fsync", record_fsync)
    build_suite(PrivateSuiteDraft(SMALL, None), out, None, check_synced)
    assert durable[0]
    assert {path.stat().st_ino for path in (out / "sealed" / "suite.json", out / "sealed")} <= synced


@pytest.mark.parametrize(
    ("draft", "difference"),
    [
        (PrivateSuiteDraft(TWO, "another long text, as private"), "another seed"),
        (PrivateSuiteDraft(SMALL, None), "instances 2 instead of 1; another seed"),
    ],
    ids=["seed", "shape"],
)
def test_does_not_resume_a_build_of_another_suite(tmp_path, draft, difference):
    """The error says what differs; of seeds only that they do."""
    out = tmp_path / "s"
    interrupt_build(PrivateSuiteDraft(TWO, LONG), out)
    before = contents(out)
    with pytest.raises(InputError, match=rf"s holds another suite \({difference}\): choose another --out"):
        build_suite(draft, out, None, silent)
    assert contents(out) == before


def test_does_not_resume_an_old_build_without_a_pepper_as_private(tmp_path):
    out = tmp_path / "s"
    interrupt_build(SuiteSpec("fresh", LONG, TWO.families, TWO.levels, TWO.instances), out)
    with pytest.raises(InputError, match="holds another suite"):
        build_suite(PrivateSuiteDraft(TWO, LONG), out, None, silent)


def test_resume_keeps_secrets_after_a_kill_at_the_start_midway_and_at_the_end(tmp_path):
    operations, lines = kill_builds(tmp_path, "new", *range(1, 16, 2), 40, *range(-8, 1, 2))
    assert operations > 60
    assert len(lines) == 8 + 1 + 5
    for line in lines:
        assert (line["died"], line["resumed"], line["same"]) == (signal.SIGKILL, 0, True), line
    assert {line["sealed"] for line in lines} == {True, False}


@pytest.mark.full
def test_resume_keeps_secrets_after_a_kill_at_any_file_operation(tmp_path):
    operations, lines = kill_builds(tmp_path, "new")
    assert [line["at"] for line in lines] == list(range(1, operations + 1))
    assert all((line["died"], line["resumed"], line["same"]) == (signal.SIGKILL, 0, True) for line in lines)


def test_a_suite_without_a_pepper_has_no_pepper_in_its_json(built):
    """Suites built before peppers existed have none, and neither has the development split."""
    spec = open_suite(built).spec
    assert spec.pepper == default_suite().pepper == ""
    assert "pepper" not in spec.json | default_suite().json
    assert SuiteSpec.from_json(spec.json) == spec
    assert SuiteSpec.from_json(SMALL.json) == SMALL


@pytest.mark.parametrize("pepper", ["short", "0" * 31, "G" * 32, 7, None, ["0" * 32]])
def test_rejects_a_malformed_pepper(small, pepper):
    (small / "sealed" / "suite.json").write_text(json.dumps(read_sealed(small) | {"pepper": pepper}))
    rewrite_manifest(small)
    for command in ("validate", "stats", "commit"):
        done = run_here(command, small)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


@pytest.mark.parametrize("pepper", ["", "f" * 32])
def test_rejects_a_pepper_that_does_not_give_the_worlds(small, pepper):
    (small / "sealed" / "suite.json").write_text(json.dumps(read_sealed(small) | {"pepper": pepper}))
    rewrite_manifest(small)
    with pytest.raises(InputError, match="the manifest lacks worlds"):
        validate_suite(small, None, silent)
    opened = open_suite(small)
    with pytest.raises(InputError, match="reads differently"):
        opened.world(opened.manifest.worlds[0])


def test_the_longest_family_name_works_with_many_instances(tmp_path, monkeypatch):
    """The tenth instance of a family with a name of 40 characters has the longest ids that are usual."""
    name = "a_family_with_a_name_as_long_as_possible"
    assert FAMILY_NAME_PATTERN.fullmatch(name)
    assert not FAMILY_NAME_PATTERN.fullmatch(name + "x")
    write_skeleton(name, tmp_path / "family")
    monkeypatch.syspath_prepend(tmp_path / "family" / "src")
    monkeypatch.setitem(FAMILIES, name, getattr(import_module(f"algoworlds_{name}"), name.upper()))
    suite, run = tmp_path / "suite", tmp_path / "run"
    run_ok("build", "--out", suite, "--seed", "new", "--families", name, "--levels", "0", "--instances", "10")
    assert "20 worlds intact" in run_ok("verify", suite)
    assert compute_commitment(suite)
    assert run_here("run", suite, "--agent", "oracle", "--out", run, "--trials", "1").returncode == 0
    assert run_here("verify-run", run).returncode == 0


def test_every_command_works_on_a_private_suite(tmp_path):
    suite, runs = tmp_path / "suite", tmp_path / "run"
    run_ok("build", "--out", suite, "--seed", "new", *FLEET)
    assert "2 worlds intact" in run_ok("verify", suite)
    rows = json.loads(run_ok("validate", suite, "--json"))["validation"]
    assert all(row["count"] == row["passed"] for row in rows)
    assert json.loads(run_ok("stats", suite, "--json"))["access"]
    assert run_here("run", suite, "--agent", "oracle", "--out", runs).returncode == 0
    assert run_here("verify-run", runs).returncode == 0
    played = "".join(path.read_text() for path in runs.rglob("*") if path.is_file())
    assert not any(read_sealed(suite)[name] in played for name in ("seed", "pepper"))


def modes(folder):
    """The permissions of every file and folder in `folder`, by path."""
    return {path.relative_to(folder).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in [folder, *folder.rglob("*")]}


@pytest.fixture
def common_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_other_users_read_only_the_public_half(tmp_path, common_umask):
    """Sealed halves are for their owner only, while a suite is built, if it is interrupted, and afterwards."""
    suite = tmp_path / "suite"
    interrupt_build(PrivateSuiteDraft(TWO, None), suite)
    unfinished = modes(suite)
    assert unfinished[".build"] == 0o700
    assert all(mode == 0o600 for path, mode in unfinished.items() if path.startswith(".build/"))
    (suite / ".build" / "partial").write_text("left by a killed build, readable by all")
    build_suite(PrivateSuiteDraft(TWO, None), suite, None, silent)
    for path, mode in modes(suite).items():
        sealed = "sealed" in path.split("/")
        is_folder = (suite / path).is_dir()
        expected = (0o700 if is_folder else 0o600) if sealed else (0o755 if is_folder else 0o644)
        assert mode == expected, path


def test_other_users_read_nothing_of_a_run(tmp_path, common_umask):
    suite, run, copy = tmp_path / "suite", tmp_path / "run", tmp_path / "copy"
    run_ok("build", "--out", suite, "--seed", "new", *FLEET)
    assert run_here("run", suite, "--agent", "oracle", "--out", run).returncode == 0
    assert run_here("judge", run).returncode == 0
    assert run_here("rescore", run, "--out", tmp_path / "rescored").returncode == 0
    run_ok("pack", run, "--out", tmp_path / "run.tar")
    run_ok("unpack", tmp_path / "run.tar", "--out", copy)
    assert stat.S_IMODE((tmp_path / "run.tar").stat().st_mode) == 0o644  # made to be shared
    for folder in (run, copy, tmp_path / "rescored"):
        assert {path for path in modes(folder) if path.startswith(("records/", "journal/"))}
        for path, mode in modes(folder).items():
            assert mode == (0o700 if (folder / path).is_dir() else 0o600), (folder, path)


def test_other_users_read_nothing_of_a_register(tmp_path, common_umask):
    run_ok("stream", "--count", 4, "--families", "fleet_dispatch", "--out", tmp_path / "register.jsonl")
    assert modes(tmp_path / "register.jsonl") == {".": 0o600}
