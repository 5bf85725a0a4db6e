"""The authors' release becomes a suite and decisions become its submissions, on files made from our own instances."""

import json
from hashlib import sha256

import pytest

from algoworlds.families import FAMILIES
from algoworlds.suites.manifest import load_manifest
from algoworlds.suites.open import open_suite
from tests.command import run_here
from tests.json_schema import require_schema
from tests.suites.release_files import published_instance, write_release


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """A release of ten instances, imported."""
    folder = tmp_path_factory.mktemp("release")
    write_release(folder / "release", FAMILIES)
    done = run_here("import", "release", folder / "release", "--out", folder / "suite", "--json")
    assert done.returncode == 0, done.stderr
    require_schema("import release", json.loads(done.stdout))
    return folder, json.loads(done.stdout)


def test_every_family_is_imported_in_both_interfaces(imported):
    folder, document = imported
    assert (document["worlds"], document["left_out"]) == (20, [])
    assert run_here("verify", folder / "suite").returncode == 0
    suite = open_suite(folder / "suite")
    source = json.loads(suite.spec.source)
    assert set(source["ids"]) == set(suite.entries)
    for family in FAMILIES:
        instance, world = published_instance(family)
        for interface in ("direct", "mediated"):
            published = f"algoworlds/{family}/L1/instance-1/{interface}"
            entry = suite.entry(next(name for name, other in source["ids"].items() if other == published))
            play = suite.play(entry.id)
            assert (entry.family, entry.level, entry.index, entry.interface) == (family, 1, 1, interface)
            assert (dict(play.episode.world.prices), play.budget) == (dict(world.prices), world.budget)
            ids = {name for name, relation in type(instance).relations.items() if relation.is_roster}
            rosters = {name: set(play.episode.world.instance.json[name]) for name in ids}
            if family not in ("series_portfolio",):  # whose lots are named anew in the file, to be in order
                assert rosters == {name: set(instance.json[name]) for name in ids}


def test_an_imported_suite_is_played_scored_and_reported(imported, tmp_path, undrawn, no_figures):
    folder, _ = imported
    run, submissions = tmp_path / "run", tmp_path / "submissions.json"
    assert run_here("run", folder / "suite", "--agent", "oracle", "--trials", "1", "--out", run).returncode == 0
    assert run_here("verify-run", run).returncode == 0
    assert run_here("judge", run).returncode == 0
    assert run_here("report", run, "--out", tmp_path / "report").returncode == 0
    records = json.loads(run_here("records", run, "--json").stdout)
    assert {record["exact"] for record in records} == {1}
    done = run_here("export", "release", run, "--out", submissions, "--json")
    require_schema("export release", json.loads(done.stdout))
    document = json.loads(submissions.read_text())
    manifest = (folder / "release/benchmark/MANIFEST.json").read_bytes()
    assert document["schema_version"] == "algoworlds_submissions/1"
    assert document["benchmark_manifest_sha256"] == sha256(manifest).hexdigest()
    decisions = {entry["algorithmic_world_id"]: entry["final_decision"] for entry in document["entries"]}
    assert len(decisions) == len(document["entries"]) == 20
    for family in FAMILIES:
        instance, _ = published_instance(family)
        direct, mediated = (decisions[f"algoworlds/{family}/L1/instance-1/{name}"] for name in ("direct", "mediated"))
        assert len(direct) == 1
        if family == "series_portfolio":
            continue  # its lots are named anew in the file
        optimal = FAMILIES[family].decision.arguments(FAMILIES[family].solve(instance).decision)
        assert all(_as_set(direct[name]) == _as_set(optimal[name]) for name in direct)
        if family == "evidence_joined_routing":
            optimal = {"edges": [f"{arc}-{piece}" for arc in optimal["edges"] for piece in (1, 2)]}
        assert all(_as_set(mediated[name]) == _as_set(optimal[name]) for name in mediated)


def _as_set(value):
    return value if isinstance(value, dict) else sorted(value)


def test_the_attribution_is_in_manifest_and_readme(imported):
    suite = imported[0] / "suite"
    manifest, root = load_manifest(suite)
    assert manifest.root == root
    assert (manifest.suite, manifest.attribution["license"]) == ("release", "CC BY 4.0")
    assert "Zixiang Xu, Jiaan Wang, Fandong Meng" in (suite / "README.md").read_text()


def test_questions_state_no_ranges_of_ours(imported):
    suite = open_suite(imported[0] / "suite")
    assert all(suite.world(entry).ranges is None for entry in suite.manifest.worlds)
    assert all(not suite.world(entry).ranges_paragraph for entry in suite.manifest.worlds)


def test_claims_of_a_build_are_not_validated(imported):
    done = run_here("validate", imported[0] / "suite")
    assert (done.returncode, "was imported" in done.stderr) == (2, True)


def test_an_export_needs_an_imported_suite_and_a_played_trial(imported, tmp_path):
    folder, _ = imported
    small = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1")
    assert run_here("build", "--out", tmp_path / "own", *small).returncode == 0
    assert run_here("run", tmp_path / "own", "--agent", "null", "--trials", "1", "--out", tmp_path / "run").returncode == 0
    done = run_here("export", "release", tmp_path / "run", "--out", tmp_path / "file")
    assert (done.returncode, "is not an imported release" in done.stderr) == (2, True)
    worlds = next(iter(open_suite(folder / "suite").entries))
    assert (
        run_here(
            "run", folder / "suite", "--agent", "null", "--trials", "1", "--worlds", worlds, "--out", tmp_path / "r"
        ).returncode
        == 0
    )
    done = run_here("export", "release", tmp_path / "r", "--trial", "2", "--out", tmp_path / "file")
    assert (done.returncode, "no evaluation of trial 2" in done.stderr) == (2, True)
    assert not (tmp_path / "file").exists()


INSTANCE, CERTIFICATE = "arm_1/r1_w0.json", "arm_1_r1_w0.json"


def set_value(place, *keys, value):
    """Change one value in the document whose path ends with `place`."""

    def change(path, document):
        if path.endswith(place):
            *parents, last = keys
            for key in parents:
                document = document[key]
            document[last] = value

    return change


def remove(place, *keys):
    def change(path, document):
        if path.endswith(place):
            *parents, last = keys
            for key in parents:
                document = document[key]
            del document[last]

    return change


DOCUMENTS = ("payload", "source_documents")
DAMAGE = [
    (set_value(CERTIFICATE, "certified_optimum", value=5), "different optima"),
    (set_value("MANIFEST.json", "schema_version", value="other/1"), "MANIFEST.json: its schema is 'other/1'"),
    (set_value("MANIFEST.json", "artifact_integrity", "instances", "count", value=3), "it counts 3 instances and lists 2"),
    (set_value(CERTIFICATE, "certified_optimum", value=1.5), "is not JSON"),
    (set_value(CERTIFICATE, "certified_optimum", value="1"), "its optimum is not an integer"),
    (set_value(CERTIFICATE, "objective_sense", value="max"), "its sense is 'max', not min"),
    (set_value(CERTIFICATE, "schema_version", value="x"), "its schema is 'x'"),
    (set_value(CERTIFICATE, "instance_sha256", value="0" * 64), "no instance file has the digest"),
    (
        set_value(CERTIFICATE, "algorithmic_world_id", value="algoworlds/x/L1/instance-1/direct"),
        "is not a world of the release",
    ),
    (remove(CERTIFICATE, "latent_instance_sha256"), "the field 'latent_instance_sha256' is missing"),
    (set_value(INSTANCE, "arm_index", value=0), "its arm_index is 0, not 1"),
    (set_value(INSTANCE, "schema_version", value="x"), "its schema is 'x'"),
    (set_value(INSTANCE, "payload", "cost_budget", value=1), "different optima, latent digests, prices or budgets"),
    (set_value(INSTANCE, *DOCUMENTS, "job_rows", 0, "load", value=9), "are different instances"),
    (remove(INSTANCE, *DOCUMENTS, "contract_rows", 0, "capacity"), "no table with the fields vehicle_id, capacity"),
    (remove(INSTANCE, *DOCUMENTS, "contract_rows", 1, "capacity"), "row 1 of the table of vehicle_id, capacity lacks a field"),
    (remove(INSTANCE, *DOCUMENTS, "eligibility_catalog"), "eligibility_catalog"),
    (set_value(INSTANCE, *DOCUMENTS, "job_order", value=[1]), "is not a list of ids"),
]


@pytest.mark.parametrize(("change", "message"), DAMAGE)
def test_damaged_files_are_refused_by_name(change, message, tmp_path):
    write_release(tmp_path / "release", ["fleet_dispatch"], change)
    done = run_here("import", "release", tmp_path / "release", "--out", tmp_path / "suite")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr
    assert any(name in done.stderr for name in ("r1_w0", "MANIFEST.json", "algoworlds/fleet_dispatch/L1"))
    assert not (tmp_path / "suite").exists()


def both(*changes):
    return lambda path, document: [change(path, document) for change in changes] and None


WRONG_PAIRS = [
    (
        both(*(set_value(f"arm_{arm}_r1_w0.json", "certified_optimum", value=5) for arm in (0, 1))),
        "away from the certified one",
    ),
    (both(*(set_value(f"arm_{arm}/r1_w0.json", "payload", "cost_budget", value=5) for arm in (0, 1))), "its budget is 5, but"),
    (
        both(*(set_value(f"arm_{arm}/r1_w0.json", "payload", "cost_vector", "read_job", value=99) for arm in (0, 1))),
        "the price of read_job",
    ),
]


@pytest.mark.parametrize(("change", "message"), WRONG_PAIRS)
def test_optima_prices_and_budgets_must_be_ours_too(change, message, tmp_path):
    write_release(tmp_path / "release", ["fleet_dispatch"], change)
    done = run_here("import", "release", tmp_path / "release", "--out", tmp_path / "suite")
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert "algoworlds/fleet_dispatch/L1/instance-1" in done.stderr


def test_altered_missing_and_outside_files_are_named(tmp_path):
    release = write_release(tmp_path / "release", ["fleet_dispatch"])
    file = next(release.rglob(INSTANCE))
    intact = file.read_bytes()
    file.write_bytes(intact + b" ")
    done = run_here("import", "release", release, "--out", tmp_path / "suite")
    assert (done.returncode, "r1_w0.json is altered" in done.stderr) == (2, True)
    file.unlink()
    assert "r1_w0.json is missing" in run_here("import", "release", release, "--out", tmp_path / "suite").stderr
    (tmp_path / "elsewhere.json").write_bytes(intact)
    file.symlink_to(tmp_path / "elsewhere.json")
    assert "r1_w0.json is missing" in run_here("import", "release", release, "--out", tmp_path / "suite").stderr
    assert "is not a release" in run_here("import", "release", tmp_path / "none", "--out", tmp_path / "suite").stderr


def test_worlds_with_large_values_are_left_out_by_name(tmp_path):
    large = both(
        *(
            set_value(f"{arm}/r1_w0.json", *DOCUMENTS, "contract_rows", 0, "fixed_contract_cost", value=2**60)
            for arm in ("arm_0", "arm_1")
        )
    )
    release = write_release(tmp_path / "release", ["fleet_dispatch", "station_siting"], large_only_for("fleet", large))
    done = run_here("import", "release", release, "--out", tmp_path / "suite", "--json")
    document = json.loads(done.stdout)
    assert document["worlds"] == 2
    names = [f"algoworlds/fleet_dispatch/L1/instance-1/{name}" for name in ("direct", "mediated")]
    assert document["left_out"] == [{"world": name, "reason": "it holds a value of 2^53 or more"} for name in names]


def large_only_for(name, change):
    return lambda path, document: change(path, document) if name in path else None
