"""A hash published before an evaluation: what it binds, what it hides, and what reveals it."""

import json
import re
import shutil
from dataclasses import replace
from hashlib import sha256

import pytest

from algoworlds.suites import commitment as commitments
from algoworlds.suites.build import build_suite
from algoworlds.suites.commitment import commitment, revealed
from algoworlds.suites.manifest import load
from algoworlds.worlds.admit import DEFAULT_SEED
from tests.command import run_here
from tests.silence import silent
from tests.suites.suites import PEPPER, SEED, SMALL, SUITE, first, remade


def test_the_hash_is_what_the_formats_say_and_can_be_had_again(fresh):
    bound = {"commitment": 1, "pepper": PEPPER, "root": load(fresh)[0].root, "seed": SEED}
    text = json.dumps(bound, sort_keys=True, separators=(",", ":"))
    assert commitment(fresh) == commitment(fresh) == sha256(text.encode()).hexdigest()


def test_commit_prints_the_hash_and_nothing_secret(fresh):
    plain, document = run_here("commit", fresh), run_here("commit", fresh, "--json")
    assert (plain.returncode, plain.stdout, plain.stderr) == (0, f"{commitment(fresh)}\n", "")
    assert json.loads(document.stdout) == {"suite": str(fresh), "commitment": commitment(fresh)}


def test_the_hash_hides_root_and_seed_behind_the_pepper(fresh):
    """Whoever guesses both cannot see it: only the pepper, which stands nowhere else, makes the guess a proof."""
    root = load(fresh)[0].root
    public = "".join(path.read_text() for path in fresh.rglob("*") if path.is_file() and "sealed" not in path.parts)
    assert PEPPER not in public
    guess = json.dumps({"commitment": 1, "pepper": "", "root": root, "seed": SEED}, sort_keys=True, separators=(",", ":"))
    assert sha256(guess.encode()).hexdigest() != commitment(fresh)


def test_reveal_checks_the_hash_and_rebuilds_every_byte(fresh):
    done = run_here("reveal", fresh, commitment(fresh), "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["problems"], document["worlds"]) == (0, [], 2)
    steps = []
    assert revealed(fresh, commitment(fresh), None, lambda done, total: steps.append((done, total))) == []
    assert steps == [(0, 1), (1, 1)]
    assert "2 worlds rebuilt, byte for byte" in run_here("reveal", fresh, commitment(fresh)).stdout


def refused(directory, published):
    done = run_here("reveal", directory, published)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    return done.stderr


def test_another_suite_than_the_published_one_is_refused(fresh, tmp_path):
    other = tmp_path / "other"
    build_suite(replace(SMALL, pepper="f" * 32), other, None, silent)
    assert commitment(other) != commitment(fresh)
    assert "is not this suite's" in refused(other, commitment(fresh))


@pytest.mark.parametrize("name", ["question.json", "sealed/scoring.json", "sealed/instance.json", "README.md"])
def test_no_byte_can_be_changed_after_the_hash_was_published(small, name):
    published, file = commitment(small), first(small, name)
    file.write_text(file.read_text().replace("e", "E", 1))
    assert refused(small, published).endswith(f"{name}: altered\n")
    remade(small)
    assert "is not this suite's" in refused(small, published)


@pytest.mark.parametrize("name", ["sealed/scoring.json", "question.json"])
def test_a_suite_that_its_secrets_do_not_give_is_found_even_if_it_was_committed_to(small, name):
    """Forged before the hash was published: it binds the forgery, and rebuilding shows it."""
    file = first(small, name)
    file.write_text(file.read_text().replace("1", "2", 1))
    remade(small)
    told = refused(small, commitment(small))
    assert told == f"{file.relative_to(small).as_posix()}: not what the sealed secrets give in this version\n"


def test_a_manifest_that_its_secrets_do_not_give_is_found(small):
    manifest, _ = load(small)
    later = tuple(replace(entry, attempt=entry.attempt + 1) for entry in manifest.worlds)
    (small / "manifest.json").write_text(replace(manifest, worlds=later).text)
    assert refused(small, commitment(small)) == "manifest.json: not what the sealed secrets give in this version\n"


def test_a_reveal_that_rebuilds_nothing_would_be_seen(small, monkeypatch):
    """The rebuilt worlds are compared, not the ones on disk with themselves."""
    made = commitments.make
    monkeypatch.setattr(
        commitments,
        "make",
        lambda order: [(replace(entry, files=entry.files | {"README.md": "0" * 64}), {}) for entry, _ in made(order)],
    )
    problems = revealed(small, commitment(small), None, silent)
    assert len(problems) == 2
    assert all(re.fullmatch(r"worlds/.*/README.md: not what .*", each) for each in problems)


@pytest.mark.parametrize("text", ["", "abc", "g" * 64, "0" * 63, "0" * 65])
def test_what_is_no_hash_is_one_line(fresh, text):
    done = run_here("reveal", fresh, text)
    assert (done.returncode, done.stderr.count("\n"), "is no commitment" in done.stderr) == (2, 1, True)


@pytest.mark.parametrize(
    ("seed", "why"),
    [(DEFAULT_SEED, "this is the development split"), ("test seed", "has no pepper, so a hash of it could be guessed")],
)
def test_a_suite_without_a_pepper_cannot_be_committed_to(built, tmp_path, seed, why):
    out = tmp_path / "s"
    build_suite(replace(SUITE, seed=seed, families=("fleet_dispatch",), instances=1), out, None, silent)
    for order in (("commit", out), ("reveal", out, "0" * 64)):
        done = run_here(*order)
        assert (done.returncode, done.stderr.count("\n"), why in done.stderr) == (2, 1, True), done.stderr


def test_a_damaged_suite_or_none_is_one_line(small, tmp_path):
    first(small, "question.json").unlink()
    done = run_here("commit", small)
    assert (done.returncode, done.stderr.count("\n"), "question.json: missing" in done.stderr) == (2, 1, True)
    shutil.rmtree(small / "sealed")
    for place in (small, tmp_path / "nowhere"):
        for order in (("commit", place), ("reveal", place, "0" * 64)):
            done = run_here(*order)
            assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
