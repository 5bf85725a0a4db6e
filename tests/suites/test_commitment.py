"""Commitments: what the published hash binds and hides, and how `reveal` checks it."""

import json
import re
import shutil
from dataclasses import replace
from hashlib import sha256

import pytest

from algoworlds.errors import InputError
from algoworlds.suites import commitment as commitments
from algoworlds.suites.build import build_suite
from algoworlds.suites.commitment import commitment_problems, compute_commitment
from algoworlds.suites.manifest import load_manifest
from algoworlds.suites.suite import PrivateSuiteDraft, SuiteSpec
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


# -- suites with a nonce --------------------------------------------------------------------------------------------------

NONCE = "b2a9e4c1"
OPTIONS = ("--seed", "new", "--families", "fleet_dispatch", "--levels", "0", "--instances", "1")


def build_with_nonce(out, nonce, *options):
    return run_here("build", "--out", out, *(options or OPTIONS), "--nonce", nonce)


@pytest.fixture(scope="module")
def waiting(tmp_path_factory):
    """A suite whose secrets are sealed and which waits for its nonce, with its hash."""
    out = tmp_path_factory.mktemp("nonce") / "suite"
    done = build_with_nonce(out, "later")
    assert done.returncode == 0
    assert done.stderr == "publish this hash; then get the nonce, and run the same command with --nonce TEXT\n"
    return out, done.stdout.strip()


@pytest.fixture
def begun(waiting, tmp_path):
    return shutil.copytree(waiting[0], tmp_path / "begun"), waiting[1]


def test_the_hash_is_published_before_there_are_worlds(begun):
    out, published = begun
    sealed = json.loads((out / ".build" / "suite").read_text())
    assert sealed["nonce"] == "later"
    text = json.dumps({"commitment": 2, "suite": sealed | {"nonce": ""}}, sort_keys=True, separators=(",", ":"))
    assert sha256(text.replace('"nonce":"",', "").encode()).hexdigest() == published
    assert not (out / "worlds").exists()
    assert build_with_nonce(out, "later").stdout.strip() == published, "a second time it has the same secrets"


def test_the_worlds_follow_from_the_secrets_and_the_nonce(begun, tmp_path):
    out, published = begun
    other = shutil.copytree(out, tmp_path / "other")
    again = shutil.copytree(out, tmp_path / "again")
    for folder, nonce in ((out, NONCE), (other, NONCE + " "), (again, NONCE)):
        assert build_with_nonce(folder, nonce).returncode == 0
    roots = [load_manifest(folder)[0].root for folder in (out, other, again)]
    assert roots[0] == roots[2] != roots[1]
    names = [{path.name for path in (folder / "worlds").iterdir()} for folder in (out, other)]
    assert not names[0] & names[1]
    assert compute_commitment(out) == compute_commitment(other) == published
    assert not [path for path in out.rglob("*") if "sealed" not in path.parts and path.is_file() and NONCE in path.read_text()]


def test_reveal_checks_the_hash_and_the_nonce(begun):
    out, published = begun
    assert build_with_nonce(out, NONCE).returncode == 0
    done = run_here("reveal", out, published, "--nonce", NONCE, "--json")
    assert (done.returncode, json.loads(done.stdout)["nonce"]) == (0, NONCE)
    assert f"the hash holds with the nonce '{NONCE}': 2 worlds" in run_here("reveal", out, published).stdout
    wrong = run_here("reveal", out, published, "--nonce", "another")
    assert (wrong.returncode, f"was built with the nonce '{NONCE}', not with 'another'" in wrong.stderr) == (1, True)


def test_reveal_rejects_worlds_of_another_nonce(begun):
    """An author who builds with several nonces and claims another one is caught, because the worlds are rebuilt."""
    out, published = begun
    assert build_with_nonce(out, NONCE).returncode == 0
    sealed = out / "sealed" / "suite.json"
    sealed.write_text(sealed.read_text().replace(NONCE, "kinder"))
    rewrite_manifest(out)
    assert "not what the sealed secrets give" in run_here("reveal", out, published).stderr


@pytest.mark.parametrize(
    ("nonce", "options", "message"),
    [
        (NONCE, OPTIONS, "a nonce must come after the secrets"),
        ("", OPTIONS, "--nonce is empty"),
        ("later", OPTIONS[2:], "--nonce is for a private suite"),
        ("two\nlines", OPTIONS, "must be printable"),
        ("x" * 1_001, OPTIONS, "a nonce has at most 1000 characters"),
    ],
)
def test_rejects_a_nonce_in_one_line(tmp_path, begun, nonce, options, message):
    out = begun[0] if "x" in nonce or "\n" in nonce else tmp_path / "suite"
    done = build_with_nonce(out, nonce, *options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert message in done.stderr


def test_a_nonce_cannot_be_changed_added_or_left_out(begun, tmp_path):
    out, plain = begun[0], tmp_path / "plain"
    assert "waits for its nonce" in run_here("build", "--out", out, *OPTIONS).stderr
    assert build_with_nonce(out, NONCE).returncode == 0
    assert f"was begun with the nonce '{NONCE}'" in build_with_nonce(out, "another").stderr
    assert f"was begun with the nonce '{NONCE}'" in build_with_nonce(out, "later").stderr
    assert run_here("build", "--out", plain, *OPTIONS).returncode == 0
    assert "was begun without a nonce" in build_with_nonce(plain, NONCE).stderr


def test_a_suite_without_a_nonce_has_none_in_its_json(fresh):
    assert "nonce" not in json.loads((fresh / "sealed" / "suite.json").read_text())


def test_an_interrupted_build_keeps_its_nonce(begun):
    out, published = begun

    def stop(done, total):
        raise KeyboardInterrupt

    spec = SuiteSpec("fresh", "", ("fleet_dispatch",), (0,), 1)
    with pytest.raises(KeyboardInterrupt):
        build_suite(PrivateSuiteDraft(spec, None, NONCE), out, None, stop)
    with pytest.raises(InputError, match="was begun with the nonce"):
        build_suite(PrivateSuiteDraft(spec, None, "kinder"), out, None, silent)
    build_suite(PrivateSuiteDraft(spec, None, NONCE), out, None, silent)
    assert commitment_problems(out, published, None, silent, NONCE) == []
