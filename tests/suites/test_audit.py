"""The leak audit of bytes on disk: every secret planted in every public file is reported, and only there (D1)."""

import json
from dataclasses import replace

import pytest

from algoworlds.core.canonical import canonical_text
from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES, family, read_instance
from algoworlds.suites.audit import SuiteAudit, bundle_leak
from algoworlds.suites.build import build_suite
from algoworlds.suites.bundle import bundles
from algoworlds.suites.claims.leaks import secrets
from algoworlds.suites.documents import CANARY, PUBLIC, SEALED, documents, public_documents
from algoworlds.suites.manifest import NAME, inspected, integrity, load
from algoworlds.suites.suite import Suite
from algoworlds.suites.validation import validate_suite
from algoworlds.worlds.admit import Coordinate, admit
from tests.silence import silent
from tests.suites.suites import PEPPER, SEED, SMALL, first, parsed, remade


@pytest.fixture(scope="module", params=["fleet_dispatch", "transit_routing", "migration_portfolio"])
def claim(request):
    return bundles(admit(Coordinate(request.param, 0, 1, SEED, PEPPER)), [Interface.DIRECT])[0]


def planted(found):
    """Every secret of a world, spelled in the ways that a careless hand would, with what the audit calls it."""
    instance, family = found.instance, FAMILIES[found.coordinate.family]
    decision = family.decision.arguments(found.decision)
    ids = next(list(each.values()) if isinstance(each, dict) else each for each in decision.values())
    stream = found.coordinate.stream
    telling = max(abs(cell) for name in instance.relations for row in instance.rows(name) for cell in row if type(cell) is int)
    return {
        f"best {found.optimum}": "the optimum",
        f"best={found.optimum:,}!": "the optimum",
        f"v{found.optimum}x": "the optimum",
        f'{{"reference":{found.reference_value}}}': "the reference value",
        f"gap {abs(found.reference_value - found.optimum)}": "the reference gap",
        f"{found.work.total} operations": "the work",
        canonical_text(decision): "the optimal decision",
        json.dumps(decision, indent=1): "the optimal decision",
        str(found.decision): "the optimal decision",
        ", ".join(ids): "the optimal decision",
        f"<{SEED}>": "the seed",
        f"<{PEPPER}>": "the pepper",
        f"{stream.word():016x}": "a key or digest",
        f"{stream.child('salt').word():016X}": "a key or digest",
        instance.digest: "a key or digest",
        json.loads(documents(found)["sealed/scoring.json"])["salt"]: "a key or digest",
        f"a cost of {telling}": "a hidden value" if telling >= 1_000 else None,
    }


@pytest.mark.parametrize("name", PUBLIC)
def test_every_secret_planted_in_a_public_file_is_reported(claim, name):
    world = claim.world
    files, secret = public_documents(world), secrets(claim, world)
    assert bundle_leak(files, secret, world) is None
    for text, called in planted(claim).items():
        reported = bundle_leak(files | {name: files[name] + text}, secret, world)
        assert reported is not None, text
        if called is not None:
            assert reported == f"{name} tells {called}", text


def test_a_hidden_id_is_reported():
    found = bundles(admit(Coordinate("transit_routing", 0, 1, SEED, PEPPER)), [Interface.DIRECT])[0]
    world = found.world
    files = public_documents(world)
    files["README.md"] += found.instance.leg[0]
    assert bundle_leak(files, secrets(found, world), world) == "README.md tells an id that only responses may show"


@pytest.mark.parametrize("name", PUBLIC)
def test_any_other_byte_is_reported_as_well(claim, name):
    world = claim.world
    files = public_documents(world)
    reported = bundle_leak(files | {name: files[name] + " "}, secrets(claim, world), world)
    assert reported == f"{name} is not what the public tables give"


def test_the_numbers_of_the_ranges_are_allowed_in_their_paragraph_alone():
    """A hidden number that happens to be the end of a range still tells something anywhere else."""
    found = bundles(admit(Coordinate("transit_routing", 0, 1, SEED, PEPPER)), [Interface.DIRECT])[0]
    highest = max(found.instance.time.values())
    pair = next(pair for pair, time in found.instance.time.items() if time == highest)
    instance = found.instance.replace(time={**found.instance.time, pair: 9_999})
    changed = replace(found, instance=instance)
    world = changed.world
    assert "9,999" in world.reliance
    files, secret = public_documents(world), secrets(changed, world)
    assert bundle_leak(files, secret, world) is None
    for name in PUBLIC:
        assert bundle_leak(files | {name: files[name] + "9,999"}, secret, world) == f"{name} tells a hidden value"
    twice = files["question.json"].replace(world.reliance, world.reliance + " " + world.reliance)
    assert bundle_leak(files | {"question.json": twice}, secret, world) == "question.json tells a hidden value"


def test_a_range_that_fits_one_instance_is_reported(tmp_path):
    """Both worlds of one instance state other ranges than those of another, as a generator does that looks at what it drew."""
    build_suite(Suite("fresh", SEED, ("transit_routing",), (0,), 2, pepper=PEPPER), tmp_path / "suite", None, silent)
    assert audit(tmp_path / "suite") == []
    ranges = family("transit_routing").ranges_at(0)
    for path in sorted(tmp_path.glob("suite/worlds/transit_routing-0-2*/question.json")):
        path.write_text(path.read_text().replace(f"to {ranges.columns['time', 'travel_time'].high:,}", "to 9,998"))
    remade(tmp_path / "suite")
    reported = audit(tmp_path / "suite")
    assert "ranges of transit_routing, level 0: the ranges differ between instances" in reported
    assert len(reported) == 3  # and each of the two texts is not what the family says


def audit(directory):
    """What the leak audit of a suite on disk reports, while its integrity is beyond doubt."""
    assert integrity(directory, None) == []
    failures = validate_suite(directory, None, silent).failures
    return [failure.removeprefix("Leak audit: ") for failure in failures if failure.startswith("Leak audit: ")]


@pytest.mark.parametrize("secret", ["optimum", "reference_value", "decision"])
@pytest.mark.parametrize("name", [*PUBLIC, "suite"])
def test_a_leak_on_disk_is_reported_though_the_manifest_agrees(small, name, secret):
    path = small / "README.md" if name == "suite" else first(small, name)
    text = canonical_text(parsed(small, "sealed/scoring.json")[secret])
    if name.endswith(".json"):
        document = json.loads(path.read_text())
        path.write_text(json.dumps(document | {"note": text}))
    else:
        path.write_text(path.read_text() + text)
    remade(small)
    called = {"optimum": "optimum", "reference_value": "reference value", "decision": "optimal decision"}[secret]
    world = path.parent.name
    reported = audit(small)
    assert any(f"tells the {called}" in each for each in reported)
    assert all(each.startswith(f"{world}: {name} tells" if name != "suite" else "README.md: tells") for each in reported)


def test_a_seed_in_the_question_is_reported(small):
    for path in small.glob("worlds/*/question.json"):
        document = json.loads(path.read_text())
        path.write_text(canonical_text(document | {"question": document["question"] + f"seed {SEED}"}) + "\n")
    remade(small)
    assert len(audit(small)) == 2


@pytest.mark.parametrize("what", ["seed", "child", "optimum", "work"])
def test_a_leak_in_the_manifest_is_reported(small, what):
    """What the root does not bind is looked at all the same."""
    scoring = parsed(small, "sealed/scoring.json")
    child = f"{SMALL.coordinates[0].stream.child('ids').word():016x}"
    text = {"seed": SEED, "child": child, "optimum": scoring["optimum"], "work": sum(scoring["work"].values())}[what]
    document = json.loads((small / NAME).read_text())
    (small / NAME).write_text(json.dumps(document | {"note": text}, indent=1, sort_keys=True) + "\n")
    failures = validate_suite(small, None, silent).failures
    called = {"seed": "the seed", "child": "a key or digest", "optimum": "the optimum", "work": "the work"}[what]
    assert any(each.startswith(f"Leak audit: manifest.json: tells {called} of ") for each in failures)
    assert any(each.startswith("Release integrity: suite: manifest.json") for each in failures)


@pytest.mark.parametrize("salt", ["", "0" * 32, "abc"])
def test_a_sealed_file_without_a_salt_of_its_own_is_reported(small, salt):
    for path in small.glob("worlds/*/sealed/scoring.json"):
        path.write_text(canonical_text(json.loads(path.read_text()) | {"salt": salt}))
    remade(small)
    assert audit(small) == ["salts: a sealed file has no salt of its own, so its digest can be guessed"]


def test_no_digest_in_the_manifest_can_be_had_from_a_small_secret(fresh):
    """Sealed files carry 128 bits that only the seed gives; without them the digest of every secret would be another."""
    manifest, _ = load(fresh)
    salts = [json.loads(path.read_text())["salt"] for name in SEALED for path in fresh.glob(f"worlds/*/{name}")]
    assert len(set(salts)) == len(salts) == len(SEALED) * len(manifest.worlds)
    public = "".join(path.read_text() for name in (*PUBLIC, NAME) for path in fresh.rglob(name))
    assert not any(salt in public for salt in salts)


def test_a_forged_readme_of_the_suite_is_reported(small):
    (small / "README.md").write_text((small / "README.md").read_text().replace(CANARY, ""))
    remade(small)
    assert audit(small) == ["README.md: holds more than it should"]


def test_chance_agreement_with_a_stated_number_is_no_leak(claim):
    """An optimum that happens to equal the budget is in the question by rule."""
    from dataclasses import replace

    world = claim.world
    lucky = secrets(replace(claim, optimum=world.budget), world)
    assert bundle_leak(public_documents(world), lucky, world) is None


@pytest.mark.parametrize("seed", ["1", "world", "a"])
def test_a_seed_that_is_an_ordinary_word_is_no_finding(seed):
    found = bundles(admit(Coordinate("fleet_dispatch", 0, 1, seed)), [Interface.DIRECT])[0]
    assert bundle_leak(public_documents(found.world), secrets(found, found.world), found.world) is None


def test_a_seed_with_quotes_is_found_in_json_too():
    seed = 'a "quoted" seed\\of many letters'
    found = bundles(admit(Coordinate("fleet_dispatch", 0, 1, seed)), [Interface.DIRECT])[0]
    world = found.world
    files = public_documents(world) | {"tools.json": json.dumps({"note": seed})}
    assert bundle_leak(files, secrets(found, world), world) == "tools.json tells the seed"


def test_suite_files_are_told_apart(fresh):
    units = dict(SuiteAudit(inspected(fresh, None), SMALL).units)
    assert units == {"README.md": None, NAME: None, "salts": None}


def test_the_instance_on_disk_is_the_one_in_the_secrets(fresh):
    instance = read_instance(canonical_text(parsed(fresh, "sealed/instance.json")["instance"]))
    assert instance == admit(SMALL.coordinates[0]).instance
