"""Certificates in suites: sealed, bound by the root, proven, rebuilt; and absent from suites without them."""

import json
from dataclasses import replace

import pytest

from algoworlds.knowledge.certificate import find_certificate
from algoworlds.suites.build import build_suite
from algoworlds.suites.bundle import CERTIFICATE_FILE, PUBLIC_FILES, decode_bundle
from algoworlds.suites.claims.registry import InstanceCase, certification
from algoworlds.suites.commitment import commitment_problems, compute_commitment
from algoworlds.suites.manifest import integrity_problems
from algoworlds.suites.open import open_suite
from algoworlds.suites.validation import validate_suite
from algoworlds.worlds.world import World
from tests.command import run_here
from tests.silence import silent
from tests.suites.suites import SMALL, contents


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    out = tmp_path_factory.mktemp("certified") / "suite"
    build_suite(replace(SMALL, certificates=True), out, None, silent)
    return out


def test_a_certificate_is_sealed_with_every_world_and_read_back(certified):
    suite = open_suite(certified)
    certificates = [suite.certificate(entry) for entry in suite.manifest.worlds]
    assert certificates == [find_certificate(suite.world(suite.manifest.worlds[0]))] * 2
    assert [suite.key(entry).certificate for entry in suite.manifest.worlds] == certificates
    public = "".join(
        (certified / "worlds" / entry.id / name).read_text() for entry in suite.manifest.worlds for name in PUBLIC_FILES
    )
    assert "certificate" not in public


def test_certificates_change_no_other_world_file(certified, fresh):
    with_them, without = contents(certified), contents(fresh)
    added = {name for name in with_them if name.endswith(CERTIFICATE_FILE)}
    assert len(added) == 2
    assert with_them.keys() - added == without.keys()
    assert {name for name in without if with_them[name] != without[name]} == {"manifest.json", "sealed/suite.json"}
    assert "certificates" not in json.loads(without["sealed/suite.json"])
    suite = open_suite(fresh)
    assert [suite.certificate(entry) for entry in suite.manifest.worlds] == [None, None]
    assert [suite.key(entry).certificate for entry in suite.manifest.worlds] == [None, None]


def test_certificates_are_bound_proven_and_rebuilt(certified, fresh):
    assert integrity_problems(certified, None) == []
    report = validate_suite(certified, None, silent)
    assert report.failures == []
    assert {row["row"]: (row["count"], row["passed"]) for row in report.summary}["Certificate"] == (2, 2)
    assert "Certificate" not in {row["row"] for row in validate_suite(fresh, None, silent).summary}
    assert commitment_problems(certified, compute_commitment(certified), None, silent) == []


def test_a_wrong_certificate_fails_its_claim(certified):
    suite = open_suite(certified)
    entry = suite.manifest.worlds[0]
    folder = certified / "worlds" / entry.id
    files = {name: json.loads((folder / name).read_text()) for name in entry.files if name.endswith(".json")}
    bundle = decode_bundle(suite.coordinate(entry), suite.world(entry).interface, files)
    good = bundle.certificate
    fewer = replace(good, calls=good.calls[1:])
    wrong = {
        "the certificate does not make the optimum known": replace(fewer, cost=World.cost(bundle.world, fewer.calls), least=0),
        "the certificate states another cost than its calls have": fewer,
        "the certificate states other risks than its calls leave": replace(good, outlay=good.outlay[1:]),
        "the certificate holds a call twice, or one that reveals nothing": replace(good, calls=(*good.calls, good.calls[0])),
    }
    assert dict(certification(InstanceCase((bundle,)))) == {entry.id: None}
    for problem, certificate in wrong.items():
        assert dict(certification(InstanceCase((replace(bundle, certificate=certificate),)))) == {entry.id: problem}


def test_the_command_builds_certificates(tmp_path):
    options = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1", "--certificates")
    done = run_here("build", "--out", tmp_path / "suite", *options)
    assert done.returncode == 0, done.stderr
    suite = open_suite(tmp_path / "suite")
    assert all(suite.certificate(entry).is_exact for entry in suite.manifest.worlds)
