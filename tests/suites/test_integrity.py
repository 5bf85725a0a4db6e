"""Hostile directories and manifests: every damage is named by its path, and nothing outside the suite is read or written.

In the catalogue: C1, C3, C4.
"""

import json
import os
from pathlib import Path

import pytest

from algoworlds import disk
from algoworlds.errors import InputError
from algoworlds.suites.build import build_suite
from algoworlds.suites.bundle import PUBLIC_FILES, SEALED_FILES
from algoworlds.suites.manifest import MANIFEST_NAME, default_manifest, integrity_problems, load_manifest, parse_manifest
from algoworlds.suites.suite import SuiteSpec
from algoworlds.suites.validation import validate_suite
from tests.command import run_here
from tests.silence import silent
from tests.suites.suites import SEED, SMALL, contents, first_file, read_json, rewrite_manifest

FILES = (*(f"worlds/*/{name}" for name in (*PUBLIC_FILES, *SEALED_FILES)), "README.md", "sealed/suite.json")


def flip_bit(path):
    data = path.read_bytes()
    path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    return {path: "altered"}


def remove(path):
    path.unlink()
    return {path: "missing"}


def rename(path):
    other = path.with_name("other")
    path.rename(other)
    return {path: "missing", other: "not in the manifest"}


def add_file(path):
    other = path.with_name("notes.txt")
    other.write_text("x")
    return {other: "not in the manifest"}


def add_hidden_file(path):
    other = path.with_name(f".{path.name}")
    other.write_text("x")
    return {other: "not in the manifest"}


def add_case_twin(path):
    other = path.with_name(path.name.swapcase())
    other.write_bytes(path.read_bytes())
    return {other: "not in the manifest"}


def empty(path):
    path.write_text("")
    return {path: "empty"}


def link(path):
    target = path.with_name("target")
    path.rename(target)
    path.symlink_to(target)
    return {path: "not a plain file", target: "not in the manifest"}


def dangling_link(path):
    path.unlink()
    path.symlink_to("/nowhere")
    return {path: "not a plain file"}


def pipe(path):
    path.unlink()
    os.mkfifo(path)
    return {path: "not a plain file"}


def turn_into_folder(path):
    path.unlink()
    path.mkdir()
    (path / "x").write_text("x")
    return {path: "missing", path / "x": "not in the manifest"}


DAMAGES = (
    *(flip_bit, remove, rename, add_file, add_hidden_file, add_case_twin, empty),
    *(link, dangling_link, pipe, turn_into_folder),
)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_names_every_damage_by_its_path(small, name, damage):
    assert integrity_problems(small, None) == []
    problems = damage(sorted(small.glob(name))[0])
    expected = [f"{path.relative_to(small).as_posix()}: {problem}" for path, problem in problems.items()]
    assert sorted(integrity_problems(small, None)) == sorted(expected)


def test_names_files_swapped_between_worlds(small):
    one, other = sorted(small.glob("worlds/*/sealed/scoring.json"))
    texts = one.read_bytes(), other.read_bytes()
    one.write_bytes(texts[1])
    other.write_bytes(texts[0])
    assert [problem.split(": ")[1] for problem in integrity_problems(small, None)] == ["altered", "altered"]


def test_names_a_linked_folder_and_never_reads_it(small, tmp_path):
    home = first_file(small, "README.md").parent
    home.rename(tmp_path / "elsewhere")
    home.symlink_to(tmp_path / "elsewhere")
    assert f"worlds/{home.name}: not in the manifest" in integrity_problems(small, None)
    with pytest.raises(InputError, match="is not a regular file of the suite"):
        validate_suite(small, None, silent)


def test_validation_reads_every_file_once(small, monkeypatch):
    opened, open_file = [], disk.open_regular_file
    monkeypatch.setattr(disk, "open_regular_file", lambda path: opened.append(path) or open_file(path))
    validate_suite(small, None, silent)
    assert sorted(opened) == sorted(path for path in small.rglob("*") if path.is_file())


@pytest.mark.parametrize("damage", [remove, link, pipe, turn_into_folder], ids=lambda damage: damage.__name__)
def test_validating_a_bundle_without_a_file_fails_in_one_line(small, damage):
    damage(first_file(small, "sealed/scoring.json"))
    done = run_here("validate", small)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "algoworlds verify names it" in done.stderr


@pytest.mark.parametrize(
    "text", ["[]", "{}", "[" * 100_000, '{"instance": 7}', "null", '{"salt": "x"}'], ids=lambda text: text[:9]
)
@pytest.mark.parametrize("name", ["question.json", *SEALED_FILES])
def test_validating_a_bundle_with_other_json_fails_in_one_line(small, name, text):
    first_file(small, name).write_text(text)
    with pytest.raises(Exception, match="the bundle cannot be validated"):
        validate_suite(small, None, silent)


def test_names_a_manifest_that_is_a_link(small, tmp_path):
    (small / MANIFEST_NAME).rename(tmp_path / "kept.json")
    (small / MANIFEST_NAME).symlink_to(tmp_path / "kept.json")
    assert integrity_problems(small, None) == ["manifest.json: not a plain file"]


def test_names_a_manifest_with_further_fields(small):
    """The root does not bind further fields, so they could hold anything."""
    document = json.loads((small / MANIFEST_NAME).read_text())
    (small / MANIFEST_NAME).write_text(json.dumps(document | {"note": "x"}, indent=1, sort_keys=True) + "\n")
    assert integrity_problems(small, None) == ["manifest.json: it is not written as a build writes it"]


TRICKS = [
    *("../x", "/etc", "a/../../b", "x\0y", "x" * 300, "CON", "a\u2215b", "a\u2044b", "", ".", "..", "~", "a b", "A", "%2e%2e"),
    *("fleet_dispatch-0-1/../../x-direct", "fleet_dispatch-0-1-direct\n", "..\\x", "fleet_dispatch-0-1-..-direct"),
]


@pytest.mark.parametrize("name", TRICKS, ids=ascii)
def test_rejects_a_manifest_with_a_tricky_world_id(small, name):
    document = json.loads((small / MANIFEST_NAME).read_text())
    document["worlds"][0]["id"] = name
    with pytest.raises(InputError, match="an id that no build gives"):
        parse_manifest(json.dumps(document))


@pytest.mark.parametrize("field", ["family", "interface"])
@pytest.mark.parametrize("name", ["../x", ".*", "fleet_dispatch-0-1/.."])
def test_rejects_a_tricky_family_or_interface(small, field, name):
    document = json.loads((small / MANIFEST_NAME).read_text())
    entry = document["worlds"][0]
    entry[field] = name
    entry["id"] = f"{entry['family']}-0-1-{entry['interface']}"
    with pytest.raises(InputError):
        parse_manifest(json.dumps(document))


@pytest.mark.parametrize("path", ["../../outside", "/etc/passwd", "sealed/../../../x", "a\0b", "Question.json", "sealed\\x"])
@pytest.mark.parametrize("of", ["world", "suite"])
def test_rejects_a_manifest_with_a_tricky_path(small, path, of):
    document = json.loads((small / MANIFEST_NAME).read_text())
    files = document["worlds"][0]["files"] if of == "world" else document["files"]
    files[path] = "0" * 64
    with pytest.raises(InputError, match="is wrong about the file"):
        parse_manifest(json.dumps(document))


@pytest.mark.parametrize("command", ["verify", "validate", "stats"])
def test_no_command_reads_or_writes_outside_the_suite(small, tmp_path, command):
    """The manifest names a bundle above the suite; its files exist and have the right digests."""
    home = first_file(small, "README.md").parent
    home.rename(tmp_path / "outside")
    document = json.loads((small / MANIFEST_NAME).read_text())
    document["worlds"][0]["id"] = "../../outside"
    (small / MANIFEST_NAME).write_text(json.dumps(document))
    before = contents(tmp_path)
    done = run_here(command, small)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "../../outside" in done.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["worlds"][0].update(level="0"),
        lambda document: document["worlds"][0].update(attempt=-1),
        lambda document: document["worlds"][0].update(attempt=True),
        lambda document: document["worlds"][0].update(extra=1),
        lambda document: document["worlds"][0].update(id=7),
        lambda document: document["worlds"][0].update(files=[]),
        lambda document: document["worlds"][0]["files"].update({"README.md": "short"}),
        lambda document: document["worlds"][0]["files"].update({"README.md": 7}),
        lambda document: document["worlds"][0].pop("files"),
        lambda document: document["worlds"].append(document["worlds"][0]),
        lambda document: document.update(worlds=7),
        lambda document: document.update(files={}),
        lambda document: document.update(format=[1]),
        lambda document: document.pop("root"),
    ],
)
def test_rejects_a_manifest_of_another_shape(small, change):
    document = json.loads((small / MANIFEST_NAME).read_text())
    change(document)
    with pytest.raises(InputError):
        parse_manifest(json.dumps(document))


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[" * 200_000, b'{"format": 1, "format": 1}', b"", b"7", b"1e999", b"9" * 5000])
def test_rejects_a_manifest_that_is_not_a_json_object(small, data):
    (small / MANIFEST_NAME).write_bytes(data)
    with pytest.raises(InputError, match="manifest"):
        load_manifest(small)


def test_resume_does_not_trust_the_record_of_a_coordinate(tmp_path, fresh):
    """The build starts that coordinate again and touches nothing outside the suite."""
    out = tmp_path / "suite"

    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    with pytest.raises(Stop):
        build_suite(SMALL, out, None, stop)
    entry = json.loads((fresh / MANIFEST_NAME).read_text())["worlds"][0] | {"id": "../../outside"}
    (out / ".build" / f"{SMALL.coordinates[0].name}.json").write_text(json.dumps([entry]))
    build_suite(SMALL, out, None, silent)
    assert contents(out) == contents(fresh)
    assert not (tmp_path / "outside").exists()


def failing_claims(directory):
    return {failure.split(": ")[0] for failure in validate_suite(directory, None, silent).failures}


def test_another_valid_instance_fails_membership(small, tmp_path):
    """The bundles of a suite with another seed: valid, with matching digests, but not of this coordinate."""
    other = SuiteSpec(SMALL.name, "another seed", SMALL.families, SMALL.levels, SMALL.instances)
    build_suite(other, tmp_path / "other", None, silent)
    assert failing_claims(tmp_path / "other") == set()
    for ours, theirs in zip(sorted(small.glob("worlds/*")), sorted((tmp_path / "other").glob("worlds/*")), strict=True):
        for name in (*PUBLIC_FILES, *SEALED_FILES):
            (ours / name).write_bytes((theirs / name).read_bytes())
    rewrite_manifest(small)
    assert integrity_problems(small, None) == []
    report = validate_suite(small, None, silent)
    assert (
        f"Fixed construction membership: {SMALL.coordinates[0].name}: the coordinate yields another instance" in report.failures
    )


def test_a_world_outside_the_inventory_fails_integrity(small):
    """The suite specification has one interface, the manifest two."""
    document = json.loads((small / "sealed/suite.json").read_text())
    (small / "sealed/suite.json").write_text(json.dumps(document | {"interfaces": ["direct"]}))
    rewrite_manifest(small)
    assert "Release integrity" in failing_claims(small)


def test_rejects_a_suite_that_lacks_a_world(small):
    document = json.loads((small / "sealed/suite.json").read_text())
    (small / "sealed/suite.json").write_text(json.dumps(document | {"instances": 2}))
    rewrite_manifest(small)
    with pytest.raises(InputError, match="lacks worlds of fleet_dispatch-0-2"):
        validate_suite(small, None, silent)


def test_the_pinned_manifest_has_the_bytes_of_a_build():
    text = (Path(build_suite.__code__.co_filename).parent / "default.json").read_text()
    assert default_manifest().text == text


def test_the_small_suite_is_valid_and_does_not_show_its_seed(fresh):
    assert SEED not in json.dumps(read_json(fresh, "question.json"))
    assert failing_claims(fresh) == set()
