"""A suite as a dataset, read back by the libraries of its users."""

import json
import shutil
import signal
import subprocess
import sys
import warnings

import pytest

from algoworlds.suites.build import build_suite
from algoworlds.suites.bundle import CANARY
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import SuiteSpec, default_suite
from tests.command import run_here
from tests.json_schema import require_schema
from tests.silence import silent


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    """A part of the public suite: its answers can be regenerated from the code."""
    out = tmp_path_factory.mktemp("hf") / "suite"
    build_suite(SuiteSpec("part", default_suite().seed, ("fleet_dispatch", "basket_assembly"), (0,), 1), out, None, silent)
    return open_suite(out)


@pytest.fixture(scope="module")
def exported(public, tmp_path_factory):
    out = tmp_path_factory.mktemp("hf")
    done = run_here("export", "hf", public.directory, "--out", out / "worlds", "--answers", out / "answers", "--json")
    assert done.returncode == 0, done.stderr
    require_schema("export hf", json.loads(done.stdout))
    assert all(str(out) in path for path in json.loads(done.stdout)["files"])
    return out


def rows(folder, tmp_path, config):
    from datasets import load_dataset

    return list(load_dataset(str(folder), config, split="test", cache_dir=str(tmp_path / "cache")))


def test_datasets_reads_the_public_half(public, exported, tmp_path):
    dataset_rows = rows(exported / "worlds", tmp_path, "worlds")
    assert [row["id"] for row in dataset_rows] == list(public.entries)
    for row in dataset_rows:
        seen = public.public_world(row["id"])
        assert (row["question"], json.loads(row["tools"]), json.loads(row["prices"])) == (
            seen.question,
            seen.tools,
            seen.prices,
        )
        assert (row["budget"], row["call_cap"], row["attempt_cap"]) == (seen.budget, seen.call_cap, seen.attempt_cap)
        assert (row["canary"], row["suite"]) == (CANARY, public.manifest.root)


def test_answers_are_a_separate_gated_dataset(public, exported, tmp_path):
    dataset_rows = rows(exported / "answers", tmp_path, "answers")
    keys = [public.key(entry) for entry in public.manifest.worlds]
    assert [(row["optimum"], row["reference_value"]) for row in dataset_rows] == [
        (key.optimum, key.reference_value) for key in keys
    ]
    assert {row["canary"] for row in dataset_rows} == {CANARY}
    gated = {name: "extra_gated_prompt" in (exported / name / "README.md").read_text() for name in ("worlds", "answers")}
    assert gated == {"worlds": False, "answers": True}


RESPONSIBLE_AI = (
    "data_collection",
    "data_collection_type",
    "data_use_cases",
    "data_limitations",
    "data_biases",
    "data_social_impact",
    "personal_sensitive_information",
    "data_release_maintenance_plan",
)


def test_croissant_reader_finds_no_fault_and_the_same_rows(exported, tmp_path):
    import mlcroissant

    for name in ("worlds", "answers"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its dependencies'
            dataset = mlcroissant.Dataset(jsonld=str(exported / name / "croissant.json"))
            assert not dataset.metadata.ctx.issues.errors
            # The export holds no date: the same suite gives the same bytes on every day.
            assert [text for text in dataset.metadata.ctx.issues.warnings if "datePublished" not in str(text)] == []
            for field in RESPONSIBLE_AI:
                assert getattr(dataset.metadata, field), field
            records = list(dataset.records(name))
        plain = rows(exported / name, tmp_path, name)
        decoded = [
            {key.split("/")[-1]: value.decode() if isinstance(value, bytes) else value for key, value in record.items()}
            for record in records
        ]
        assert decoded == plain


def test_public_export_needs_and_holds_nothing_sealed(public, exported, tmp_path):
    shutil.copytree(public.directory, tmp_path / "public", ignore=shutil.ignore_patterns("sealed"))
    assert run_here("export", "hf", tmp_path / "public", "--out", tmp_path / "out").returncode == 0
    for path in (path for path in (tmp_path / "out").rglob("*") if path.is_file()):
        assert path.read_bytes() == (exported / "worlds" / path.relative_to(tmp_path / "out")).read_bytes()
    for row in rows(exported / "worlds", tmp_path, "worlds"):
        key = public.key(public.entries[row["id"]])
        assert not {"optimum", "decision", "seed", "instance"} & row.keys()
        assert json.dumps(key.decision, default=str) not in json.dumps(row)


@pytest.mark.parametrize("operation", ["replace", "rename"])
def test_killed_export_is_completed_by_the_same_command(public, exported, tmp_path, operation):
    """Killed before any such operation on files: neither finished output nor what is left over stops the next start."""
    deaths = 0
    while True:
        folder = tmp_path / str(deaths)
        folder.mkdir()
        command = ("export", "hf", public.directory, "--out", folder / "worlds", "--answers", folder / "answers")
        killed = kill_at(operation, deaths, command)
        done = run_here(*command)
        assert (done.returncode, {path.name for path in folder.iterdir()}) == (0, {"worlds", "answers"}), done.stderr
        for path in (path for path in exported.rglob("*") if path.is_file()):
            assert (folder / path.relative_to(exported)).read_bytes() == path.read_bytes()
        if killed.returncode == 0:
            break
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        deaths += 1
    assert deaths >= 2


def kill_at(operation, count, command):
    """Run `command` in a process that ends itself by SIGKILL before operation number `count` of this kind on files."""
    script = (
        "import os, signal, sys\nfrom itertools import count\n"
        "numbers, last, operation = count(), int(sys.argv[2]), getattr(os, sys.argv[1])\n"
        "def kill_or_do(*arguments, **named):\n"
        "    if next(numbers) == last:\n        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return operation(*arguments, **named)\n"
        "setattr(os, sys.argv[1], kill_or_do)\nfrom algoworlds.cli import main\nsys.argv[1:] = sys.argv[3:]\nmain()\n"
    )
    words = [sys.executable, "-c", script, operation, str(count), *map(str, command)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_finished_export_is_accepted_and_foreign_files_are_kept(public, exported, tmp_path):
    out = shutil.copytree(exported, tmp_path / "out")
    command = ("export", "hf", public.directory, "--out", out / "worlds", "--answers", out / "answers")
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    assert run_here(*command).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path != out} == before
    (out / "answers" / "answers" / "mine").write_text("mine")
    shutil.rmtree(out / "worlds")
    done = run_here(*command)
    assert (done.returncode, done.stderr.count("\n"), "not empty" in done.stderr) == (2, 1, True)
    assert {path.name for path in out.iterdir()} == {"answers"}  # refused before anything was written


def test_answers_of_a_private_suite_are_never_written(tmp_path):
    private = SuiteSpec("fresh", default_suite().seed, ("fleet_dispatch",), (0,), 1, pepper="0" * 32)
    build_suite(private, tmp_path / "suite", None, silent)
    done = run_here("export", "hf", tmp_path / "suite", "--out", tmp_path / "worlds", "--answers", tmp_path / "answers")
    assert (done.returncode, done.stderr.count("\n"), "never exported" in done.stderr) == (2, 1, True)
    assert not (tmp_path / "worlds").exists()
    assert run_here("export", "hf", tmp_path / "suite", "--out", tmp_path / "worlds").returncode == 0
