"""Private suites: secrets drawn by the program, sealed first, kept through every interruption; seeds that can be guessed."""

import json
import os
import re
import signal

import pytest

from algoworlds.errors import InputError
from algoworlds.reports.conclude import suite_name
from algoworlds.suites.build import build_suite
from algoworlds.suites.manifest import integrity
from algoworlds.suites.opened import open_suite
from algoworlds.suites.private import Unsealed, drawn, weakness
from algoworlds.suites.suite import Suite, default_suite
from algoworlds.suites.validation import validate_suite
from tests.command import run_here
from tests.silence import silent
from tests.suites.suites import SMALL, contents, remade
from tests.suites.test_crash import killed

FLEET = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1")
LONG = "a long private text of 32 letters"
HEX = re.compile(r"[0-9a-f]{32}")


def sealed(out):
    return json.loads((out / "sealed" / "suite.json").read_text())


def ok(*arguments):
    done = run_here(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_new_seed_is_drawn_printed_once_and_sealed(tmp_path):
    document = json.loads(ok("build", "--out", tmp_path / "a", "--seed", "new", *FLEET, "--json"))
    text = ok("build", "--out", tmp_path / "b", "--seed", "new", *FLEET)
    kept = [sealed(tmp_path / each) for each in "ab"]
    assert document["seed"] == kept[0]["seed"]
    assert text.count(kept[1]["seed"]) == 1
    secrets = [each[name] for each in kept for name in ("seed", "pepper")]
    assert len(set(secrets)) == 4
    assert all(HEX.fullmatch(each) for each in secrets)
    assert not any(kept[at]["pepper"] in told for at, told in enumerate((json.dumps(document), text)))


def test_a_typed_seed_gets_a_pepper_beside_it_and_is_not_repeated(tmp_path):
    texts = [ok("build", "--out", tmp_path / each, "--seed", LONG, *FLEET) for each in "ab"]
    first, second = (sealed(tmp_path / each) for each in "ab")
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
def test_a_seed_that_can_be_guessed_is_refused_unless_insisted_on(tmp_path, seed, why):
    done = run_here("build", "--out", tmp_path / "s", "--seed", seed, *FLEET)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"{why} can be guessed: let the program draw one with --seed new" in done.stderr
    assert not (tmp_path / "s").exists()
    done = run_here("build", "--out", tmp_path / "s", "--seed", seed, "--weak-seed", *FLEET)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert f"{why} can be guessed: not for a suite that is to stay private" in done.stderr
    assert sealed(tmp_path / "s")["seed"] == seed
    assert HEX.fullmatch(sealed(tmp_path / "s")["pepper"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--seed", ""), "--seed is empty"),
        (("--seed", "", "--weak-seed"), "--seed is empty"),
        (("--weak-seed",), "--weak-seed is for a seed that you type"),
        (("--seed", "new", "--weak-seed"), "--weak-seed is for a seed that you type"),
    ],
)
def test_options_that_contradict_each_other_are_one_line(tmp_path, options, message):
    done = run_here("build", "--out", tmp_path / "s", *options, *FLEET)
    assert (done.returncode, done.stderr.count("\n"), message in done.stderr) == (2, 1, True)


def test_the_public_suite_is_called_the_development_split():
    helped = " ".join(run_here("build", "--help").stdout.split())
    assert "development split or a part of it: anyone with the code can regenerate its answers" in helped
    assert suite_name("default") == "default, the development split: anyone with the code can regenerate its answers"
    assert suite_name("fresh") == "fresh"


def test_sixteen_varied_characters_are_taken():
    assert weakness("sixteen letters!") is None
    assert all(weakness(drawn()) is None for _ in range(100))


class Stop(Exception):
    pass


def interrupted(draft, out):
    """A build that ends after its first coordinate; what it has sealed."""

    def stop(done, total):
        if done:
            raise Stop

    with pytest.raises(Stop):
        build_suite(draft, out, None, stop)
    return json.loads((out / ".build" / "suite").read_text())


TWO = Suite("fresh", "", ("fleet_dispatch",), (0,), 2)


@pytest.mark.parametrize("typed", [None, LONG])
def test_an_interrupted_build_goes_on_with_its_own_secrets(tmp_path, typed):
    out = tmp_path / "s"
    mark = interrupted(Unsealed(TWO, typed), out)
    steps = []
    build_suite(Unsealed(TWO, typed), out, None, lambda done, total: steps.append(done))
    assert steps[0] == 1
    assert sealed(out) == mark
    assert integrity(out, None) == []


def test_secrets_are_on_the_disk_before_anything_depends_on_them(tmp_path, monkeypatch):
    """A lost power supply takes what was not synced: the mark, and the names that lead to it, are."""
    out, synced, sync, seen = tmp_path / "s", set(), os.fsync, []

    def noted(handle):
        sync(handle)
        synced.add(os.fstat(handle).st_ino)

    def begun(done, total):
        seen.append(all(path.stat().st_ino in synced for path in (out / ".build" / "suite", out / ".build", out)))

    monkeypatch.setattr(os, "fsync", noted)
    build_suite(Unsealed(SMALL, None), out, None, begun)
    assert seen[0]
    assert {path.stat().st_ino for path in (out / "sealed" / "suite.json", out / "sealed")} <= synced


@pytest.mark.parametrize(
    ("draft", "differing"),
    [
        (Unsealed(TWO, "another long text, as private"), "another seed"),
        (Unsealed(SMALL, None), "instances 2 instead of 1; another seed"),
    ],
    ids=["seed", "shape"],
)
def test_a_build_of_another_suite_is_not_taken_up(tmp_path, draft, differing):
    """It is told what differs; of seeds nothing is said but that they do."""
    out = tmp_path / "s"
    interrupted(Unsealed(TWO, LONG), out)
    before = contents(out)
    with pytest.raises(InputError, match=rf"s holds another suite \({differing}\): choose another --out"):
        build_suite(draft, out, None, silent)
    assert contents(out) == before


def test_an_old_build_without_a_pepper_does_not_become_a_private_suite(tmp_path):
    out = tmp_path / "s"
    interrupted(Suite("fresh", LONG, TWO.families, TWO.levels, TWO.instances), out)
    with pytest.raises(InputError, match="holds another suite"):
        build_suite(Unsealed(TWO, LONG), out, None, silent)


def test_a_private_build_killed_as_it_begins_midway_and_as_it_ends_keeps_its_secrets(tmp_path):
    operations, lines = killed(tmp_path, "new", *range(1, 16, 2), 40, *range(-8, 1, 2))
    assert operations > 60
    assert len(lines) == 8 + 1 + 5
    for line in lines:
        assert (line["died"], line["resumed"], line["same"]) == (signal.SIGKILL, 0, True), line
    assert {line["sealed"] for line in lines} == {True, False}


@pytest.mark.full
def test_a_private_build_killed_at_any_operation_on_files_keeps_its_secrets(tmp_path):
    operations, lines = killed(tmp_path, "new")
    assert [line["at"] for line in lines] == list(range(1, operations + 1))
    assert all((line["died"], line["resumed"], line["same"]) == (signal.SIGKILL, 0, True) for line in lines)


def test_a_suite_without_a_pepper_reads_and_writes_as_before(built):
    """Suites built before there was one have none; the development split never has."""
    suite = open_suite(built).suite
    assert suite.pepper == default_suite().pepper == ""
    assert "pepper" not in suite.json | default_suite().json
    assert Suite.from_json(suite.json) == suite
    assert Suite.from_json(SMALL.json) == SMALL


@pytest.mark.parametrize("pepper", ["short", "0" * 31, "G" * 32, 7, None, ["0" * 32]])
def test_a_pepper_that_no_build_draws_is_refused(small, pepper):
    (small / "sealed" / "suite.json").write_text(json.dumps(sealed(small) | {"pepper": pepper}))
    remade(small)
    for order in ("validate", "stats", "commit"):
        done = run_here(order, small)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


@pytest.mark.parametrize("pepper", ["", "f" * 32])
def test_another_pepper_than_the_worlds_were_drawn_from_is_found(small, pepper):
    (small / "sealed" / "suite.json").write_text(json.dumps(sealed(small) | {"pepper": pepper}))
    remade(small)
    with pytest.raises(InputError, match="the manifest lacks worlds"):
        validate_suite(small, None, silent)
    opened = open_suite(small)
    with pytest.raises(InputError, match="reads differently"):
        opened.world(opened.manifest.worlds[0])


def test_every_command_works_on_a_private_suite(tmp_path):
    suite, runs = tmp_path / "suite", tmp_path / "run"
    ok("build", "--out", suite, "--seed", "new", *FLEET)
    assert "2 worlds intact" in ok("verify", suite)
    rows = json.loads(ok("validate", suite, "--json"))["validation"]
    assert all(row["count"] == row["passed"] for row in rows)
    assert json.loads(ok("stats", suite, "--json"))["access"]
    assert run_here("run", "--suite", suite, "--agent", "oracle", "--out", runs).returncode == 0
    assert run_here("verify-run", runs).returncode == 0
    played = "".join(path.read_text() for path in runs.rglob("*") if path.is_file())
    assert not any(sealed(suite)[name] in played for name in ("seed", "pepper"))
