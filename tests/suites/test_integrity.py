"""Hostile directories and manifests: every damage is named by its path, and nothing outside of a suite is touched.

In the catalogue: C1, C3, C4.
"""

import json
import os
from pathlib import Path

import pytest

from algoworlds import disk
from algoworlds.errors import InputError
from algoworlds.suites.build import build_suite
from algoworlds.suites.documents import PUBLIC, SEALED
from algoworlds.suites.manifest import NAME, integrity, load, parse, pinned
from algoworlds.suites.suite import Suite
from algoworlds.suites.validation import validate_suite
from tests.command import run_here
from tests.silence import silent
from tests.suites.suites import SEED, SMALL, contents, first, parsed, remade

FILES = (*(f"worlds/*/{name}" for name in (*PUBLIC, *SEALED)), "README.md", "sealed/suite.json")


def flipped(path):
    data = path.read_bytes()
    path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    return {path: "altered"}


def removed(path):
    path.unlink()
    return {path: "missing"}


def renamed(path):
    other = path.with_name("other")
    path.rename(other)
    return {path: "missing", other: "not in the manifest"}


def extra(path):
    other = path.with_name("notes.txt")
    other.write_text("x")
    return {other: "not in the manifest"}


def hidden_extra(path):
    other = path.with_name(f".{path.name}")
    other.write_text("x")
    return {other: "not in the manifest"}


def case_twin(path):
    other = path.with_name(path.name.swapcase())
    other.write_bytes(path.read_bytes())
    return {other: "not in the manifest"}


def emptied(path):
    path.write_text("")
    return {path: "empty"}


def linked(path):
    target = path.with_name("target")
    path.rename(target)
    path.symlink_to(target)
    return {path: "not a plain file", target: "not in the manifest"}


def dangling(path):
    path.unlink()
    path.symlink_to("/nowhere")
    return {path: "not a plain file"}


def piped(path):
    path.unlink()
    os.mkfifo(path)
    return {path: "not a plain file"}


def folded(path):
    path.unlink()
    path.mkdir()
    (path / "x").write_text("x")
    return {path: "missing", path / "x": "not in the manifest"}


DAMAGES = (flipped, removed, renamed, extra, hidden_extra, case_twin, emptied, linked, dangling, piped, folded)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_every_damage_to_every_file_is_named_by_its_path(small, name, damage):
    assert integrity(small, None) == []
    problems = damage(sorted(small.glob(name))[0])
    expected = [f"{path.relative_to(small).as_posix()}: {problem}" for path, problem in problems.items()]
    assert sorted(integrity(small, None)) == sorted(expected)


def test_files_swapped_between_worlds_are_named(small):
    one, other = sorted(small.glob("worlds/*/sealed/scoring.json"))
    texts = one.read_bytes(), other.read_bytes()
    one.write_bytes(texts[1])
    other.write_bytes(texts[0])
    assert [problem.split(": ")[1] for problem in integrity(small, None)] == ["altered", "altered"]


def test_a_linked_folder_is_named_and_never_read(small, tmp_path):
    home = first(small, "README.md").parent
    home.rename(tmp_path / "elsewhere")
    home.symlink_to(tmp_path / "elsewhere")
    assert f"worlds/{home.name}: not in the manifest" in integrity(small, None)
    with pytest.raises(InputError, match="is no plain file of the suite"):
        validate_suite(small, None, silent)


def test_validation_reads_every_file_once(small, monkeypatch):
    opened, plainly = [], disk.open_plain
    monkeypatch.setattr(disk, "open_plain", lambda path: opened.append(path) or plainly(path))
    validate_suite(small, None, silent)
    assert sorted(opened) == sorted(path for path in small.rglob("*") if path.is_file())


@pytest.mark.parametrize("damage", [removed, linked, piped, folded], ids=lambda each: each.__name__)
def test_validation_of_a_bundle_without_a_file_is_one_clear_line(small, damage):
    damage(first(small, "sealed/scoring.json"))
    done = run_here("validate", small)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "algoworlds verify names it" in done.stderr


@pytest.mark.parametrize(
    "text", ["[]", "{}", "[" * 100_000, '{"instance": 7}', "null", '{"salt": "x"}'], ids=lambda text: text[:9]
)
@pytest.mark.parametrize("name", ["question.json", *SEALED])
def test_a_bundle_with_other_json_is_one_clear_line(small, name, text):
    first(small, name).write_text(text)
    with pytest.raises(Exception, match="the bundle cannot be validated"):
        validate_suite(small, None, silent)


def test_a_manifest_that_is_a_link_is_named(small, tmp_path):
    (small / NAME).rename(tmp_path / "kept.json")
    (small / NAME).symlink_to(tmp_path / "kept.json")
    assert integrity(small, None) == ["manifest.json: not a plain file"]


def test_a_manifest_that_holds_more_than_its_entries_is_named(small):
    """What the root does not bind could carry anything."""
    document = json.loads((small / NAME).read_text())
    (small / NAME).write_text(json.dumps(document | {"note": "x"}, indent=1, sort_keys=True) + "\n")
    assert integrity(small, None) == ["manifest.json: it is not written as a build writes it"]


TRICKS = [
    *("../x", "/etc", "a/../../b", "x\0y", "x" * 300, "CON", "a\u2215b", "a\u2044b", "", ".", "..", "~", "a b", "A", "%2e%2e"),
    *("fleet_dispatch-0-1/../../x-direct", "fleet_dispatch-0-1-direct\n", "..\\x", "fleet_dispatch-0-1-..-direct"),
]


@pytest.mark.parametrize("name", TRICKS, ids=ascii)
def test_a_manifest_with_a_tricky_world_id_is_refused(small, name):
    document = json.loads((small / NAME).read_text())
    document["worlds"][0]["id"] = name
    with pytest.raises(InputError, match="which no build makes"):
        parse(json.dumps(document))


@pytest.mark.parametrize("field", ["family", "interface"])
@pytest.mark.parametrize("name", ["../x", ".*", "fleet_dispatch-0-1/.."])
def test_a_tricky_family_or_interface_is_refused(small, field, name):
    document = json.loads((small / NAME).read_text())
    entry = document["worlds"][0]
    entry[field] = name
    entry["id"] = f"{entry['family']}-0-1-{entry['interface']}"
    with pytest.raises(InputError):
        parse(json.dumps(document))


@pytest.mark.parametrize("path", ["../../outside", "/etc/passwd", "sealed/../../../x", "a\0b", "Question.json", "sealed\\x"])
@pytest.mark.parametrize("of", ["world", "suite"])
def test_a_manifest_with_a_tricky_path_is_refused(small, path, of):
    document = json.loads((small / NAME).read_text())
    files = document["worlds"][0]["files"] if of == "world" else document["files"]
    files[path] = "0" * 64
    with pytest.raises(InputError, match="is wrong about the file"):
        parse(json.dumps(document))


@pytest.mark.parametrize("command", ["verify", "validate", "stats"])
def test_no_command_reads_or_writes_outside_of_the_suite(small, tmp_path, command):
    """The manifest names a bundle above the suite; its files are there and would even have the right digests."""
    home = first(small, "README.md").parent
    home.rename(tmp_path / "outside")
    document = json.loads((small / NAME).read_text())
    document["worlds"][0]["id"] = "../../outside"
    (small / NAME).write_text(json.dumps(document))
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
def test_a_manifest_of_another_shape_is_refused(small, change):
    document = json.loads((small / NAME).read_text())
    change(document)
    with pytest.raises(InputError):
        parse(json.dumps(document))


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[" * 200_000, b'{"format": 1, "format": 1}', b"", b"7", b"1e999", b"9" * 5000])
def test_a_manifest_that_is_no_json_object_is_refused(small, data):
    (small / NAME).write_bytes(data)
    with pytest.raises(InputError, match="manifest"):
        load(small)


def test_a_tricky_record_of_an_interrupted_build_is_not_believed(tmp_path, fresh):
    """The build starts that coordinate again and touches nothing outside."""
    out = tmp_path / "suite"

    class Stop(Exception):
        pass

    def stop(done, total):
        raise Stop

    with pytest.raises(Stop):
        build_suite(SMALL, out, None, stop)
    entry = json.loads((fresh / NAME).read_text())["worlds"][0] | {"id": "../../outside"}
    (out / ".build" / f"{SMALL.coordinates[0].name}.json").write_text(json.dumps([entry]))
    build_suite(SMALL, out, None, silent)
    assert contents(out) == contents(fresh)
    assert not (tmp_path / "outside").exists()


def failing(directory):
    return {failure.split(": ")[0] for failure in validate_suite(directory, None, silent).failures}


def test_another_valid_instance_fails_membership_though_every_digest_agrees(small, tmp_path):
    """The bundles of another seed's suite in place of ours: valid in themselves, but not this coordinate's."""
    other = Suite(SMALL.name, "another seed", SMALL.families, SMALL.levels, SMALL.instances)
    build_suite(other, tmp_path / "other", None, silent)
    assert failing(tmp_path / "other") == set()
    for ours, theirs in zip(sorted(small.glob("worlds/*")), sorted((tmp_path / "other").glob("worlds/*")), strict=True):
        for name in (*PUBLIC, *SEALED):
            (ours / name).write_bytes((theirs / name).read_bytes())
    remade(small)
    assert integrity(small, None) == []
    report = validate_suite(small, None, silent)
    assert (
        f"Fixed construction membership: {SMALL.coordinates[0].name}: the coordinate yields another instance" in report.failures
    )


def test_a_world_that_the_suite_does_not_hold_fails_integrity(small):
    """A suite that says it has one interface, with a manifest of two."""
    document = json.loads((small / "sealed/suite.json").read_text())
    (small / "sealed/suite.json").write_text(json.dumps(document | {"interfaces": ["direct"]}))
    remade(small)
    assert "Release integrity" in failing(small)


def test_a_suite_that_lacks_a_world_is_refused(small):
    document = json.loads((small / "sealed/suite.json").read_text())
    (small / "sealed/suite.json").write_text(json.dumps(document | {"instances": 2}))
    remade(small)
    with pytest.raises(InputError, match="lacks worlds of fleet_dispatch-0-2"):
        validate_suite(small, None, silent)


def test_the_pinned_manifest_is_written_as_a_build_writes_it():
    text = (Path(build_suite.__code__.co_filename).parent / "default.json").read_text()
    assert pinned().text == text


def test_the_small_suite_is_fresh(fresh):
    assert SEED not in json.dumps(parsed(fresh, "question.json"))
    assert failing(fresh) == set()
