"""The edition of the development split: in its manifest, in runs and records, and nowhere else."""

import json
from dataclasses import replace

import pytest

from algoworlds.errors import InputError
from algoworlds.suites import suite as suites
from algoworlds.suites.build import build_suite
from algoworlds.suites.manifest import load_manifest, parse_manifest
from algoworlds.suites.suite import SuiteSpec, default_suite
from tests.command import run_here


@pytest.fixture
def development_split(monkeypatch, tmp_path):
    """A development split of one world, in the edition 2099.1."""
    small = SuiteSpec("default", "algoworlds-1", ("fleet_dispatch",), (0,), 1)
    monkeypatch.setattr(suites, "EDITION", "2099.1")
    monkeypatch.setattr(suites, "default_suite", lambda: small)
    built = build_suite(small, tmp_path / "suite", None, lambda done, total: None)
    monkeypatch.setattr("algoworlds.suites.manifest.default_manifest", lambda: built)
    return tmp_path / "suite"


def test_manifest_runs_records_and_reports_name_the_edition(development_split, tmp_path, undrawn, no_figures):
    run = tmp_path / "run"
    assert run_here("run", development_split, "--agent", "null", "--out", run, "--trials", "1").returncode == 0
    assert "of the edition 2099.1 intact" in run_here("verify", development_split).stdout
    assert json.loads((development_split / "manifest.json").read_text())["edition"] == "2099.1"
    assert json.loads((run / "run.json").read_text())["plan"]["suite"]["edition"] == "2099.1"
    records = json.loads(run_here("records", run, "--json").stdout)
    assert [record["edition"] for record in records] == ["2099.1"] * 2
    assert run_here("verify-run", run).returncode == 0
    archive = tmp_path / "run.tar"
    assert run_here("pack", run, "--out", archive).returncode == 0
    assert run_here("unpack", archive, "--verify", "--suite", development_split).returncode == 0
    assert run_here("report", run, "--out", tmp_path / "report").returncode == 0


def test_the_root_binds_the_edition(development_split):
    manifest, root = load_manifest(development_split)
    assert manifest.root == root
    assert len({root, replace(manifest, edition=None).root, replace(manifest, edition="2099.2").root}) == 3
    assert parse_manifest(manifest.text) == (manifest, root)


def test_only_the_development_split_has_an_edition(development_split, tmp_path):
    spec = SuiteSpec("custom", "algoworlds-1", ("fleet_dispatch",), (0,), 1)
    assert build_suite(spec, tmp_path / "custom", None, lambda done, total: None).edition is None
    forged = replace(load_manifest(tmp_path / "custom")[0], edition="2099.1")
    with pytest.raises(InputError, match="names an edition, which only the development split has"):
        parse_manifest(forged.text)


def test_an_edition_is_one_printable_line(development_split):
    forged = replace(load_manifest(development_split)[0], edition="2099.1\nfaked")
    with pytest.raises(InputError, match="the edition in"):
        parse_manifest(forged.text)


def test_the_shipped_manifest_has_the_edition_of_the_code():
    from algoworlds.suites.manifest import default_manifest

    assert default_manifest().edition == default_suite().edition
