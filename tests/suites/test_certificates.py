"""Certificates in suites: sealed, bound, proven, rebuilt; and nothing of the kind in a suite without."""

import json
from dataclasses import replace

import pytest

from algoworlds.knowledge.certificate import certificate
from algoworlds.suites.build import build_suite
from algoworlds.suites.claims.certification import certification
from algoworlds.suites.claims.claim import Case
from algoworlds.suites.commitment import commitment, revealed
from algoworlds.suites.documents import CERTIFICATE, PUBLIC, read
from algoworlds.suites.manifest import integrity
from algoworlds.suites.opened import open_suite
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
    found = [suite.certificate(entry) for entry in suite.manifest.worlds]
    assert found == [certificate(suite.world(suite.manifest.worlds[0]))] * 2
    assert [suite.key(entry).certificate for entry in suite.manifest.worlds] == found
    public = "".join((certified / "worlds" / entry.id / name).read_text() for entry in suite.manifest.worlds for name in PUBLIC)
    assert "certificate" not in public


def test_a_suite_with_certificates_is_the_same_but_for_them(certified, fresh):
    mine, theirs = contents(certified), contents(fresh)
    added = {name for name in mine if name.endswith(CERTIFICATE)}
    assert len(added) == 2
    assert mine.keys() - added == theirs.keys()
    assert {name for name in theirs if mine[name] != theirs[name]} == {"manifest.json", "sealed/suite.json"}
    assert "certificates" not in json.loads(theirs["sealed/suite.json"])
    suite = open_suite(fresh)
    assert [suite.certificate(entry) for entry in suite.manifest.worlds] == [None, None]
    assert [suite.key(entry).certificate for entry in suite.manifest.worlds] == [None, None]


def test_it_is_bound_proven_and_rebuilt(certified, fresh):
    assert integrity(certified, None) == []
    report = validate_suite(certified, None, silent)
    assert report.failures == []
    assert {row["row"]: (row["count"], row["passed"]) for row in report.summary}["Certificate"] == (2, 2)
    assert "Certificate" not in {row["row"] for row in validate_suite(fresh, None, silent).summary}
    assert revealed(certified, commitment(certified), None, silent) == []


def test_a_wrong_certificate_fails_its_claim(certified):
    suite = open_suite(certified)
    entry = suite.manifest.worlds[0]
    place = certified / "worlds" / entry.id
    files = {name: json.loads((place / name).read_text()) for name in entry.files if name.endswith(".json")}
    bundle = read(suite.coordinate(entry), suite.world(entry).interface, files)
    good = bundle.certificate
    fewer = replace(good, calls=good.calls[1:])
    wrong = {
        "the certificate does not make the optimum known": replace(fewer, cost=World.cost(bundle.world, fewer.calls), least=0),
        "the certificate states another cost than its calls have": fewer,
        "the certificate states other risks than its calls leave": replace(good, outlay=good.outlay[1:]),
        "the certificate holds a call twice, or one that tells nothing": replace(good, calls=(*good.calls, good.calls[0])),
    }
    assert dict(certification(Case((bundle,)))) == {entry.id: None}
    for problem, each in wrong.items():
        assert dict(certification(Case((replace(bundle, certificate=each),)))) == {entry.id: problem}


def test_the_command_builds_them(tmp_path):
    options = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1", "--certificates")
    done = run_here("build", "--out", tmp_path / "suite", *options)
    assert done.returncode == 0, done.stderr
    suite = open_suite(tmp_path / "suite")
    assert all(suite.certificate(entry).exact for entry in suite.manifest.worlds)
