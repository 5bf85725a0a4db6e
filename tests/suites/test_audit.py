"""The leak audit of files on disk: every secret planted in a public file is reported, and only there (D1)."""

import json
from dataclasses import replace

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES, load_family, read_instance
from algoworlds.suites.build import build_suite
from algoworlds.suites.bundle import CANARY, PUBLIC_FILES, SEALED_FILES, build_bundles, encode_bundle, encode_public_files
from algoworlds.suites.claims.leaks import world_secrets
from algoworlds.suites.manifest import MANIFEST_NAME, inspect_suite, integrity_problems, load_manifest
from algoworlds.suites.suite import SuiteSpec
from algoworlds.suites.validation import SuiteAudit, find_bundle_leak, validate_suite
from algoworlds.worlds.admission import Coordinate, admit
from tests.silence import silent
from tests.suites.suites import PEPPER, SEED, SMALL, first_file, read_json, rewrite_manifest


def build_direct(family, seed=SEED, pepper=PEPPER):
    return build_bundles(admit(Coordinate(family, 0, 1, seed, pepper)), [Interface.DIRECT])[0]


@pytest.fixture(scope="module", params=["fleet_dispatch", "transit_routing", "migration_portfolio"])
def bundle(request):
    return build_direct(request.param)


def secret_texts(bundle):
    """Every secret of a world in several spellings, with what the audit calls it."""
    instance, family = bundle.instance, FAMILIES[bundle.coordinate.family]
    decision = family.decision.arguments(bundle.decision)
    ids = next(list(value.values()) if isinstance(value, dict) else value for value in decision.values())
    stream = bundle.coordinate.stream
    telling = max(abs(cell) for name in instance.relations for row in instance.rows(name) for cell in row if type(cell) is int)
    return {
        f"best {bundle.optimum}": "the optimum",
        f"best={bundle.optimum:,}!": "the optimum",
        f"v{bundle.optimum}x": "the optimum",
        f'{{"reference":{bundle.reference_value}}}': "the reference value",
        f"gap {abs(bundle.reference_value - bundle.optimum)}": "the reference gap",
        f"{bundle.work.total} operations": "the work",
        canonical_json(decision): "the optimal decision",
        json.dumps(decision, indent=1): "the optimal decision",
        str(bundle.decision): "the optimal decision",
        ", ".join(ids): "the optimal decision",
        f"<{SEED}>": "the seed",
        f"<{PEPPER}>": "the pepper",
        f"{stream.word():016x}": "a key or digest",
        f"{stream.child('salt').word():016X}": "a key or digest",
        instance.digest: "a key or digest",
        json.loads(encode_bundle(bundle)["sealed/scoring.json"])["salt"]: "a key or digest",
        f"a cost of {telling}": "a hidden value" if telling >= 1_000 else None,
    }


@pytest.mark.parametrize("name", PUBLIC_FILES)
def test_reports_every_secret_in_a_public_file(bundle, name):
    world = bundle.world
    files, secrets = encode_public_files(world), world_secrets(bundle, world)
    assert find_bundle_leak(files, secrets, world) is None
    for text, secret in secret_texts(bundle).items():
        leak = find_bundle_leak(files | {name: files[name] + text}, secrets, world)
        assert leak is not None, text
        if secret is not None:
            assert leak == f"{name} reveals {secret}", text


def test_reports_a_hidden_id():
    bundle = build_direct("transit_routing")
    world = bundle.world
    files = encode_public_files(world)
    files["README.md"] += bundle.instance.leg[0]
    assert (
        find_bundle_leak(files, world_secrets(bundle, world), world) == "README.md reveals an id that only responses may show"
    )


@pytest.mark.parametrize("name", PUBLIC_FILES)
def test_reports_any_other_byte(bundle, name):
    world = bundle.world
    files = encode_public_files(world)
    leak = find_bundle_leak(files | {name: files[name] + " "}, world_secrets(bundle, world), world)
    assert leak == f"{name} is not what the public tables give"


def test_numbers_of_ranges_are_allowed_only_in_their_paragraph():
    """A hidden number that equals the end of a range is a leak anywhere else."""
    bundle = build_direct("transit_routing")
    highest = max(bundle.instance.time.values())
    pair = next(pair for pair, time in bundle.instance.time.items() if time == highest)
    instance = bundle.instance.replace(time={**bundle.instance.time, pair: 9_999})
    changed = replace(bundle, instance=instance)
    world = changed.world
    assert "9,999" in world.ranges_paragraph
    files, secrets = encode_public_files(world), world_secrets(changed, world)
    assert find_bundle_leak(files, secrets, world) is None
    for name in PUBLIC_FILES:
        assert find_bundle_leak(files | {name: files[name] + "9,999"}, secrets, world) == f"{name} reveals a hidden value"
    twice = files["question.json"].replace(world.ranges_paragraph, world.ranges_paragraph + " " + world.ranges_paragraph)
    assert find_bundle_leak(files | {"question.json": twice}, secrets, world) == "question.json reveals a hidden value"


def test_reports_a_range_that_fits_one_instance(tmp_path):
    """The worlds of one instance state other ranges than those of another, as if a generator adapted them to what it drew."""
    build_suite(SuiteSpec("fresh", SEED, ("transit_routing",), (0,), 2, pepper=PEPPER), tmp_path / "suite", None, silent)
    assert audit(tmp_path / "suite") == []
    ranges = load_family("transit_routing").ranges_at(0)
    for path in sorted(tmp_path.glob("suite/worlds/transit_routing-0-2*/question.json")):
        path.write_text(path.read_text().replace(f"to {ranges.columns['time', 'travel_time'].high:,}", "to 9,998"))
    rewrite_manifest(tmp_path / "suite")
    leaks = audit(tmp_path / "suite")
    assert "ranges of transit_routing, level 0: the ranges differ between instances" in leaks
    assert len(leaks) == 3  # the other two: each text differs from what the family gives


def audit(directory):
    """What the leak audit reports of a suite on disk whose integrity is fine."""
    assert integrity_problems(directory, None) == []
    failures = validate_suite(directory, None, silent).failures
    return [failure.removeprefix("Leak audit: ") for failure in failures if failure.startswith("Leak audit: ")]


@pytest.mark.parametrize("secret", ["optimum", "reference_value", "decision"])
@pytest.mark.parametrize("name", [*PUBLIC_FILES, "suite"])
def test_reports_a_leak_although_the_manifest_agrees(small, name, secret):
    path = small / "README.md" if name == "suite" else first_file(small, name)
    text = canonical_json(read_json(small, "sealed/scoring.json")[secret])
    if name.endswith(".json"):
        document = json.loads(path.read_text())
        path.write_text(json.dumps(document | {"note": text}))
    else:
        path.write_text(path.read_text() + text)
    rewrite_manifest(small)
    secret_name = {"optimum": "optimum", "reference_value": "reference value", "decision": "optimal decision"}[secret]
    prefix = "README.md: reveals" if name == "suite" else f"{path.parent.name}: {name} reveals"
    leaks = audit(small)
    assert any(f"reveals the {secret_name}" in leak for leak in leaks)
    assert all(leak.startswith(prefix) for leak in leaks)


def test_reports_a_seed_in_the_question(small):
    for path in small.glob("worlds/*/question.json"):
        document = json.loads(path.read_text())
        path.write_text(canonical_json(document | {"question": document["question"] + f"seed {SEED}"}) + "\n")
    rewrite_manifest(small)
    assert len(audit(small)) == 2


@pytest.mark.parametrize("what", ["seed", "child", "optimum", "work"])
def test_reports_a_leak_in_the_manifest(small, what):
    """The audit also covers text that the root does not bind."""
    scoring = read_json(small, "sealed/scoring.json")
    child = f"{SMALL.coordinates[0].stream.child('ids').word():016x}"
    text = {"seed": SEED, "child": child, "optimum": scoring["optimum"], "work": sum(scoring["work"].values())}[what]
    document = json.loads((small / MANIFEST_NAME).read_text())
    (small / MANIFEST_NAME).write_text(json.dumps(document | {"note": text}, indent=1, sort_keys=True) + "\n")
    failures = validate_suite(small, None, silent).failures
    secret_name = {"seed": "the seed", "child": "a key or digest", "optimum": "the optimum", "work": "the work"}[what]
    assert any(failure.startswith(f"Leak audit: manifest.json: reveals {secret_name} of ") for failure in failures)
    assert any(failure.startswith("Release integrity: suite: manifest.json") for failure in failures)


@pytest.mark.parametrize("salt", ["", "0" * 32, "abc"])
def test_reports_a_sealed_file_without_its_own_salt(small, salt):
    for path in small.glob("worlds/*/sealed/scoring.json"):
        path.write_text(canonical_json(json.loads(path.read_text()) | {"salt": salt}))
    rewrite_manifest(small)
    assert audit(small) == ["salts: a sealed file has no salt of its own, so its digest can be guessed"]


def test_digests_in_the_manifest_are_salted(fresh):
    """Sealed files hold 128 bits that only the seed gives, so their digests cannot be computed from a guessed secret."""
    manifest, _ = load_manifest(fresh)
    salts = [json.loads(path.read_text())["salt"] for name in SEALED_FILES for path in fresh.glob(f"worlds/*/{name}")]
    assert len(set(salts)) == len(salts) == len(SEALED_FILES) * len(manifest.worlds)
    public = "".join(path.read_text() for name in (*PUBLIC_FILES, MANIFEST_NAME) for path in fresh.rglob(name))
    assert not any(salt in public for salt in salts)


def test_reports_a_forged_readme_of_the_suite(small):
    (small / "README.md").write_text((small / "README.md").read_text().replace(CANARY, ""))
    rewrite_manifest(small)
    assert audit(small) == ["README.md: holds more than it should"]


def test_equality_with_a_stated_number_is_not_a_leak(bundle):
    """An optimum that equals the budget is in the question by rule."""
    world = bundle.world
    secrets = world_secrets(replace(bundle, optimum=world.budget), world)
    assert find_bundle_leak(encode_public_files(world), secrets, world) is None


@pytest.mark.parametrize("seed", ["1", "world", "a"])
def test_a_seed_that_is_an_ordinary_word_is_not_a_leak(seed):
    bundle = build_direct("fleet_dispatch", seed, "")
    assert find_bundle_leak(encode_public_files(bundle.world), world_secrets(bundle, bundle.world), bundle.world) is None


def test_reports_a_seed_with_quotes_in_json():
    seed = 'a "quoted" seed\\of many letters'
    bundle = build_direct("fleet_dispatch", seed, "")
    world = bundle.world
    files = encode_public_files(world) | {"tools.json": json.dumps({"note": seed})}
    assert find_bundle_leak(files, world_secrets(bundle, world), world) == "tools.json reveals the seed"


def test_suite_audit_has_a_unit_per_file_and_one_for_salts(fresh):
    units = dict(SuiteAudit(inspect_suite(fresh, None), SMALL).units)
    assert units == {"README.md": None, MANIFEST_NAME: None, "salts": None}


def test_the_sealed_instance_is_the_admitted_one(fresh):
    instance = read_instance(canonical_json(read_json(fresh, "sealed/instance.json")["instance"]))
    assert instance == admit(SMALL.coordinates[0]).instance
