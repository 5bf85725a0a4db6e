"""Commitments: what the published hash binds and hides, and how `reveal` checks it."""

import json
import re
import shutil
from dataclasses import replace
from hashlib import sha256

import pytest

from algoworlds.suites import commitment as commitments
from algoworlds.suites.build import build_suite
from algoworlds.suites.commitment import commitment_problems, compute_commitment
from algoworlds.suites.manifest import load_manifest
from algoworlds.worlds.admission import DEFAULT_SEED
from tests.command import run_here
from tests.silence import silent
from tests.suites.suites import PEPPER, SEED, SMALL, SUITE, first_file, rewrite_manifest


def test_the_hash_is_reproducible_and_follows_the_documented_format(fresh):
    bound = {"commitment": 1, "pepper": PEPPER, "root": load_manifest(fresh)[0].root, "seed": SEED}
    text = json.dumps(bound, sort_keys=True, separators=(",", ":"))
    assert compute_commitment(fresh) == compute_commitment(fresh) == sha256(text.encode()).hexdigest()


def test_commit_prints_the_hash_and_nothing_secret(fresh):
    plain, document = run_here("commit", fresh), run_here("commit", fresh, "--json")
    assert (plain.returncode, plain.stdout, plain.stderr) == (0, f"{compute_commitment(fresh)}\n", "")
    assert json.loads(document.stdout) == {"suite": str(fresh), "commitment": compute_commitment(fresh)}


def test_the_hash_hides_root_and_seed_behind_the_pepper(fresh):
    """A correct guess of root and seed cannot be confirmed without the pepper, which is in sealed files only."""
    root = load_manifest(fresh)[0].root
    public = "".join(path.read_text() for path in fresh.rglob("*") if path.is_file() and "sealed" not in path.parts)
    assert PEPPER not in public
    guess = json.dumps({"commitment": 1, "pepper": "", "root": root, "seed": SEED}, sort_keys=True, separators=(",", ":"))
    assert sha256(guess.encode()).hexdigest() != compute_commitment(fresh)


def test_reveal_checks_the_hash_and_rebuilds_every_byte(fresh):
    done = run_here("reveal", fresh, compute_commitment(fresh), "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["problems"], document["worlds"]) == (0, [], 2)
    steps = []
    assert commitment_problems(fresh, compute_commitment(fresh), None, lambda done, total: steps.append((done, total))) == []
    assert steps == [(0, 1), (1, 1)]
    assert "2 worlds rebuilt, byte for byte" in run_here("reveal", fresh, compute_commitment(fresh)).stdout


def reveal_error(directory, published):
    done = run_here("reveal", directory, published)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    return done.stderr


def test_reveal_rejects_another_suite(fresh, tmp_path):
    other = tmp_path / "other"
    build_suite(replace(SMALL, pepper="f" * 32), other, None, silent)
    assert compute_commitment(other) != compute_commitment(fresh)
    assert "is not this suite's" in reveal_error(other, compute_commitment(fresh))


@pytest.mark.parametrize("name", ["question.json", "sealed/scoring.json", "sealed/instance.json", "README.md"])
def test_reveal_rejects_a_change_after_publication(small, name):
    published, file = compute_commitment(small), first_file(small, name)
    file.write_text(file.read_text().replace("e", "E", 1))
    assert reveal_error(small, published).endswith(f"{name}: altered\n")
    rewrite_manifest(small)
    assert "is not this suite's" in reveal_error(small, published)


@pytest.mark.parametrize("name", ["sealed/scoring.json", "question.json"])
def test_reveal_rejects_a_suite_that_was_forged_before_the_commitment(small, name):
    """The hash binds the forgery, and rebuilding shows it."""
    file = first_file(small, name)
    file.write_text(file.read_text().replace("1", "2", 1))
    rewrite_manifest(small)
    error = reveal_error(small, compute_commitment(small))
    assert error == f"{file.relative_to(small).as_posix()}: not what the sealed secrets give in this version\n"


def test_reveal_rejects_a_manifest_that_the_secrets_do_not_give(small):
    manifest, _ = load_manifest(small)
    later = tuple(replace(entry, attempt=entry.attempt + 1) for entry in manifest.worlds)
    (small / "manifest.json").write_text(replace(manifest, worlds=later).text)
    assert reveal_error(small, compute_commitment(small)) == "manifest.json: not what the sealed secrets give in this version\n"


def test_reveal_compares_the_rebuilt_worlds(small, monkeypatch):
    """It does not compare the worlds on disk with themselves."""
    build_worlds = commitments.build_worlds

    def build_altered(task):
        return [(replace(entry, files=entry.files | {"README.md": "0" * 64}), {}) for entry, _ in build_worlds(task)]

    monkeypatch.setattr(commitments, "build_worlds", build_altered)
    problems = commitment_problems(small, compute_commitment(small), None, silent)
    assert len(problems) == 2
    assert all(re.fullmatch(r"worlds/.*/README.md: not what .*", problem) for problem in problems)


@pytest.mark.parametrize("text", ["", "abc", "g" * 64, "0" * 63, "0" * 65])
def test_rejects_a_malformed_hash_in_one_line(fresh, text):
    done = run_here("reveal", fresh, text)
    assert (done.returncode, done.stderr.count("\n"), "is not a commitment" in done.stderr) == (2, 1, True)


@pytest.mark.parametrize(
    ("seed", "why"),
    [(DEFAULT_SEED, "this is the development split"), ("test seed", "has no pepper, so its hash could be guessed")],
)
def test_rejects_a_suite_without_a_pepper(built, tmp_path, seed, why):
    out = tmp_path / "s"
    build_suite(replace(SUITE, seed=seed, families=("fleet_dispatch",), instances=1), out, None, silent)
    for arguments in (("commit", out), ("reveal", out, "0" * 64)):
        done = run_here(*arguments)
        assert (done.returncode, done.stderr.count("\n"), why in done.stderr) == (2, 1, True), done.stderr


def test_rejects_a_damaged_or_missing_suite_in_one_line(small, tmp_path):
    first_file(small, "question.json").unlink()
    done = run_here("commit", small)
    assert (done.returncode, done.stderr.count("\n"), "question.json: missing" in done.stderr) == (2, 1, True)
    shutil.rmtree(small / "sealed")
    for directory in (small, tmp_path / "nowhere"):
        for arguments in (("commit", directory), ("reveal", directory, "0" * 64)):
            done = run_here(*arguments)
            assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
