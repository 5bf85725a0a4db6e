"""Packing and unpacking runs: deterministic bytes, and nothing but the archive of a run is unpacked (C5)."""

import io
import json
import os
import shutil
import tarfile
from hashlib import sha256

import pytest

from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.errors import InputError
from algoworlds.runs.archive import LABEL_FILE, Member, member_header, pack_run, unpack_run, write_archive
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import judge_runs
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Experiment, WorldFilter, build_schedule
from algoworlds.runs.scripted import run_scripted_agent
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.record import PlayerKind, encode_record
from tests.command import run_here
from tests.runs.model_runs import optimal_model, run_model
from tests.silence import silent
from tests.suites.suites import SMALL

KEY = "qk-0123456789-planted-key-of-a-user"


@pytest.fixture(scope="module")
def agent(suite, tmp_path_factory):
    """A judged run of a scripted agent."""
    run = RunDirectory(tmp_path_factory.mktemp("agent") / "greedy")
    with run.lock():
        worlds = WorldFilter("fleet*").select(suite)
        experiment = Experiment.from_suite("greedy", PlayerKind.AGENT, {"agent": "greedy"}, suite, worlds, 2)
        run.create_or_resume(experiment, suite.directory)
        run_scripted_agent(run, suite, "greedy", None, silent)
        run.write_manifest()
    judge_runs([run], suite, None, silent)
    return run


@pytest.fixture(scope="module")
def model(one_server, suite, tmp_path_factory):
    """A run of a model, with journals."""
    one_server.script, one_server.plan = optimal_model(suite), {}
    out = tmp_path_factory.mktemp("model") / "model"
    run_model(suite, out, one_server.configuration("responses"), one_server.environment, worlds="fleet*")
    return RunDirectory(out)


@pytest.fixture
def archive(agent, tmp_path):
    pack_run(agent, tmp_path / "greedy.tar", public=False, environment={})
    return tmp_path / "greedy.tar"


def members(path):
    with tarfile.open(path) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar.getmembers()}


def forge(path, files, **fields):
    """An archive of `files` with a fitting label, as an attacker who knows the format can make it."""
    label = json.loads(files[LABEL_FILE]) | fields
    label["files"] = {
        name: {"bytes": len(content), "sha256": sha256(content).hexdigest()}
        for name, content in files.items()
        if name != LABEL_FILE
    }
    others = [Member(name, files[name]) for name in sorted(label["files"])]
    with path.open("wb") as file:
        write_archive(file, [Member(LABEL_FILE, with_root(label)), *others])
    return path


def with_root(label):
    """The content of a label file with a fitting root."""
    body = {name: value for name, value in label.items() if name != "root"}
    return encode_record(body | {"root": sha256_hex(canonical_json(body))})


def assert_refused(path, words, **options):
    """An archive is refused in one line and leaves nothing behind."""
    before = sorted(path.parent.iterdir())
    with (
        pytest.raises(InputError, match=words) as problem,
        unpack_run(path, path.parent / "unpacked", **({"root": None} | options)),
    ):
        raise AssertionError("it was unpacked")
    assert "\n" not in str(problem.value)
    assert sorted(path.parent.iterdir()) == before


def edit(document, **fields):
    """The file content of `document` with some fields replaced."""
    return (json.dumps(document | fields, indent=1, sort_keys=True) + "\n").encode()


# -- packing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("which", ["agent", "model"])
def test_same_run_gives_same_bytes_in_any_folder(which, public, suite, request, tmp_path):
    run = request.getfixturevalue(which)
    pack_run(run, tmp_path / "one.tar", public, {})
    shutil.copytree(run.path, tmp_path / "elsewhere")
    for name in ("quarantine", "output"):
        (tmp_path / "elsewhere" / name).mkdir()
        (tmp_path / "elsewhere" / name / "kept.txt").write_text("not packed")
    pack_run(RunDirectory(tmp_path / "elsewhere"), tmp_path / "two.tar", public, {})
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    with unpack_run(tmp_path / "one.tar", tmp_path / "back", None) as back:
        assert verify_run(back, suite, None, silent) == []
    pack_run(RunDirectory(tmp_path / "back"), tmp_path / "three.tar", False, {})
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "three.tar").read_bytes()


def test_archive_is_a_tar_of_plain_files_without_owner(archive, agent):
    with tarfile.open(archive) as tar:
        entries = tar.getmembers()
    assert [entry.name for entry in entries] == [LABEL_FILE, *sorted(entry.name for entry in entries[1:])]
    headers = {(entry.isreg(), entry.mode, entry.mtime, entry.uid, entry.gid, entry.uname) for entry in entries}
    assert headers == {(1, 0o644, 0, 0, 0, "")}
    files = members(archive)
    for folder in ("records", "judgements"):
        originals = {f"{folder}/{path.name}": path.read_bytes() for path in (agent.path / folder).iterdir()}
        assert originals.items() <= files.items()
        assert len(originals) == 4


def test_archive_holds_no_path_of_the_machine(archive, suite, agent):
    content = archive.read_bytes()
    paths = (suite.directory, *suite.directory.parents[:-2], agent.path)
    assert not [path for path in paths if str(path).encode() in content]
    assert json.loads(members(archive)["run.json"])["suite"] is None


def test_public_archive_omits_texts_and_is_bound_to_the_whole_run(model, suite, tmp_path):
    pack_run(model, tmp_path / "public.tar", True, {})
    pack_run(model, tmp_path / "whole.tar", False, {})
    assert b"step 1" in (tmp_path / "whole.tar").read_bytes()
    assert b"step 1" not in (tmp_path / "public.tar").read_bytes()
    files, whole = members(tmp_path / "public.tar"), members(tmp_path / "whole.tar")
    assert {name.split("/")[0] for name in whole.keys() - files.keys()} == {"journal"}
    assert json.loads(files["run.json"])["abridged"] == json.loads(whole["manifest.json"])["root"]
    for name in (name for name in files if name.startswith("records/")):
        assert json.loads(files[name]) == json.loads(whole[name]) | {"texts": []}


def test_refuses_to_pack_incomplete_run(agent, tmp_path):
    shutil.copytree(agent.path, tmp_path / "part")
    next((tmp_path / "part" / "records").iterdir()).unlink()
    with pytest.raises(InputError, match=r"is not whole .*complete it"):
        pack_run(RunDirectory(tmp_path / "part"), tmp_path / "part.tar", False, {})
    assert not (tmp_path / "part.tar").exists()


def test_packing_does_not_overwrite(archive, agent):
    """The same archive again is accepted, as after a kill; another file is not touched."""
    before = archive.read_bytes()
    pack_run(agent, archive, False, {})
    assert archive.read_bytes() == before
    archive.write_bytes(before := before + b"x")
    with pytest.raises(InputError, match="exists: choose another --out"):
        pack_run(agent, archive, False, {})
    assert archive.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "environment", "words"),
    [
        (KEY, {"SOME_API_KEY": KEY}, "holds a key"),
        ("key " + json.dumps(KEY), {"SOME_TOKEN": KEY}, "holds a key"),
        ("sk-" + "a1B2" * 8, {}, "holds a key"),
        ("see /home/a-user/notes", {"HOME": "/home/a-user"}, "holds a path of this machine"),
    ],
)
def test_refuses_to_pack_a_key_or_a_path(text, environment, words, one_server, suite, tmp_path):
    model = optimal_model(suite)

    def script(conversation):
        reply = model(conversation)
        return type(reply)(reply.calls, text=text)

    one_server.script, one_server.plan = script, {}
    configuration = one_server.configuration("chat")
    run_model(suite, tmp_path / "run", configuration, one_server.environment, worlds="fleet*-direct")
    with pytest.raises(InputError, match=words) as problem:
        pack_run(RunDirectory(tmp_path / "run"), tmp_path / "run.tar", False, environment)
    assert text not in str(problem.value)
    assert not list(tmp_path.glob("*.tar"))
    pack_run(RunDirectory(tmp_path / "run"), tmp_path / "public.tar", True, environment)


def test_encrypted_text_is_not_taken_for_a_key(model, tmp_path):
    """Encrypted text can contain any short prefix by chance; a key must be at the start of a word."""
    from algoworlds.runs.archive import LeakCheck

    text = '"encrypted_content":"gAAAAB-x-sk-' + "aB3_" * 20 + '"'
    LeakCheck.from_run(model, {}).check_member(Member("journal/x.jsonl", text.encode()))
    with pytest.raises(InputError):
        LeakCheck.from_run(model, {}).check_member(Member("journal/x.jsonl", text.replace("gAAAAB-x-", "").encode()))


# -- archives that are refused ----------------------------------------------------------------------------------------


def test_one_changed_byte_is_refused(archive, tmp_path):
    content, damaged = archive.read_bytes(), tmp_path / "damaged.tar"
    ends = {0, 1, 100, 123, 124, 135, 148, 156, 157, 257, 265, 300, 345, 500, 511, 512, len(content) - 1025, len(content) - 1}
    for at in sorted({*ends, *range(7, len(content), 397)}):
        for bit in (0x01, 0x80):
            damaged.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            assert_refused(damaged, "is damaged or not an archive of a run")


@pytest.mark.parametrize(
    "damage",
    [lambda content: content[:-1], lambda content: content + b"\0", lambda content: content[:700], lambda content: b""],
)
def test_refuses_wrong_length(archive, damage):
    archive.write_bytes(damage(archive.read_bytes()))
    assert_refused(archive, "is damaged or not an archive of a run")


@pytest.mark.parametrize(
    "name",
    [
        "../outside.json",
        "/tmp/outside.json",
        "records/../../outside.json",
        "records/..",
        "records/fleet_dispatch-0-1-direct--1.json/x",
        "records/fleet_dispatch-0-1-direct--0.json",
        "records/Fleet--1.json",
        "journal/fleet_dispatch-0-1-direct--1.json",
        "quarantine/fleet_dispatch-0-1-direct--1.txt",
        "README.md",
        "",
        "records/a\n--1.json",
    ],
)
def test_refuses_other_file_names(archive, name):
    assert_refused(forge(archive, members(archive) | {name: b"{}\n"}), "which is not a file of a run")


def test_refuses_file_of_unscheduled_evaluation(archive):
    for name in ("records/fleet_dispatch-9-9-direct--1.json", "journal/fleet_dispatch-9-9-direct--1.jsonl", "attempts.jsonl"):
        assert_refused(forge(archive, members(archive) | {name: b"{}\n"}), "is not one of its files")


def test_refuses_missing_file(archive):
    files = members(archive)
    for name in ("run.json", "manifest.json", min(name for name in files if name.startswith("records/"))):
        assert_refused(forge(archive, {file: files[file] for file in files if file != name}), "does not hold a whole run")


KINDS = {
    "symlink": (tarfile.SYMTYPE, "../../outside"),
    "hard link": (tarfile.LNKTYPE, "run.json"),
    "device": (tarfile.CHRTYPE, ""),
    "block device": (tarfile.BLKTYPE, ""),
    "pipe": (tarfile.FIFOTYPE, ""),
    "folder": (tarfile.DIRTYPE, ""),
    "sparse": (tarfile.GNUTYPE_SPARSE, ""),
    "long name": (tarfile.GNUTYPE_LONGNAME, ""),
    "pax": (tarfile.XHDTYPE, ""),
}


@pytest.mark.parametrize("kind", KINDS)
def test_refuses_irregular_members(archive, kind):
    """A header of another type with a correct checksum over the same content."""
    content, files = archive.read_bytes(), members(archive)
    plain = member_header("run.json", len(files["run.json"]))
    info = tarfile.TarInfo("run.json")
    info.size, info.mode, (info.type, info.linkname) = len(files["run.json"]), 0o644, KINDS[kind]
    archive.write_bytes(content.replace(plain, info.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")[:512]))
    assert archive.read_bytes() != content
    assert_refused(archive, "where run.json should begin there is something else")


def test_refuses_duplicate_names(archive):
    """Twice in the archive, and twice in the label, where a lenient JSON reader takes the last."""
    files, content = members(archive), archive.read_bytes()
    again = io.BytesIO()
    write_archive(again, [Member("run.json", files["run.json"])])
    archive.write_bytes(content[:-1024] + again.getvalue())
    assert_refused(archive, "not as long as its label says")
    twice = files[LABEL_FILE].replace(b'"files":{', b'"files":{"run.json":{"bytes":0,"sha256":"' + b"0" * 64 + b'"},', 1)
    others = [Member(name, files[name]) for name in sorted(files.keys() - {LABEL_FILE})]
    with archive.open("wb") as file:
        write_archive(file, [Member(LABEL_FILE, twice), *others])
    assert_refused(archive, "has not the form of one")


@pytest.mark.parametrize("size", [2**62, 2**30 + 1, -1, 1.5, True, "9", None, [9]])
def test_refuses_impossible_size_before_reading(archive, size):
    files = members(archive)
    label = json.loads(files[LABEL_FILE])
    label["files"]["run.json"]["bytes"] = size
    with archive.open("wb") as file:
        write_archive(file, [Member(LABEL_FILE, with_root(label))])
    assert_refused(archive, f"{LABEL_FILE} (lists|has not)")


def test_refuses_sizes_that_exceed_the_archive(archive):
    """Nothing is written before the sizes of the label fit the length of the file."""
    files = members(archive)
    label = json.loads(files[LABEL_FILE])
    for entry in label["files"].values():
        entry["bytes"] = 2**30
    with archive.open("wb") as file:
        write_archive(file, [Member(LABEL_FILE, with_root(label))])
    assert_refused(archive, "is not as long as its label says")


@pytest.mark.parametrize(
    "content", [b"[]", b"null", b"{}", b'{"format":1}', b'{"format":2}', b"[" * 100_000, b"\xff", b'{"files":[]}', b"9" * 9999]
)
def test_refuses_label_of_another_form(archive, content):
    with archive.open("wb") as file:
        write_archive(file, [Member(LABEL_FILE, content)])
    assert_refused(archive, "pack.json|has format")


@pytest.mark.parametrize(
    "make",
    [lambda path: path.mkdir(), lambda path: os.mkfifo(path), lambda path: path.symlink_to("/dev/zero"), lambda path: None],
)
def test_refuses_archive_that_is_not_a_plain_file(tmp_path, make):
    make(tmp_path / "odd.tar")
    assert_refused(tmp_path / "odd.tar", "odd.tar")


@pytest.mark.parametrize(
    "make", [lambda path: path.mkdir(), lambda path: path.write_text("mine"), lambda path: path.symlink_to("nowhere")]
)
def test_unpacking_does_not_overwrite(archive, make):
    make(archive.parent / "unpacked")
    assert_refused(archive, "exists: choose another --out")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("suite", "/etc"),
        ("more", "field"),
        ("abridged", True),
        ("schedule", []),
        ("schedule", [["../../../etc/passwd", 1]]),
        ("schedule", [[["list"], 1]]),
        ("schedule", 7),
        ("plan", None),
        ("identity", "0" * 64),
    ],
)
def test_refuses_run_of_another_form(archive, field, value):
    files = members(archive)
    run = edit(json.loads(files["run.json"]), **{field: value})
    assert_refused(forge(archive, files | {"run.json": run}), "does not hold a whole run")


def test_refuses_path_as_world_name_despite_fitting_identity(archive):
    """No file outside the archive is written or read."""
    files = members(archive)
    run = json.loads(files["run.json"])
    plan = run["plan"] | {"prompts": {"../../../../etc/passwd": "0" * 64}, "trials": 1}
    run = run | {"plan": plan, "identity": sha256_hex(canonical_json(plan)), "schedule": [["../../../../etc/passwd", 1]]}
    assert_refused(forge(archive, files | {"run.json": edit(run)}), "does not hold a whole run")


def test_refuses_root_that_differs_from_the_published_one(archive):
    root = json.loads(members(archive)[LABEL_FILE])["root"]
    assert_refused(archive, "its root is", root="0" * 64)
    with unpack_run(archive, None, root) as run:
        assert len(run.schedule) == 4


@pytest.mark.parametrize("field", ["public", "identity", "configuration", "kind", "suite", "evaluations", "judging"])
def test_refuses_label_of_another_run(archive, field):
    assert_refused(forge(archive, members(archive), **{field: "other"}), "of another run")


# -- problems that only a replay finds --------------------------------------------------------------------------------


def reseal(files):
    """The files with a manifest and judgements that fit their records."""
    manifest = json.loads(files["manifest.json"])
    digests = {name: sha256(files[name]).hexdigest() for name in manifest["files"]}
    body = {"identity": manifest["identity"], "files": digests}
    sealed = files | {"manifest.json": edit(body, root=sha256_hex(canonical_json(body)))}
    for name in (name for name in files if name.startswith("judgements/")):
        sealed[name] = encode_record(json.loads(files[name]) | {"record": digests[name.replace("judgements", "records")]})
    return sealed


def replay_problems(path, suite):
    with unpack_run(path, None, None) as run:
        return verify_run(run, suite, None, silent)


def test_detects_changed_measure_although_everything_fits(archive, suite):
    files = members(archive)
    name = min(name for name in files if name.startswith("records/"))
    better = encode_record(json.loads(files[name]) | {"exact": True, "regret": 0})
    problems = replay_problems(forge(archive, reseal(files | {name: better})), suite)
    assert {problem.split(": ")[0] for problem in problems} == {name}
    assert any("exact" in problem for problem in problems)


def test_refuses_record_of_another_run(archive, suite, model, tmp_path):
    """As it is, and under this run's name: greedy makes other calls than the model."""
    pack_run(model, tmp_path / "model.tar", False, {})
    files, others = members(archive), members(tmp_path / "model.tar")
    name = next(name for name in files if name.startswith("records/") and name in others)
    assert_refused(forge(archive, reseal(files | {name: others[name]})), "belongs to another run")
    fields, record = ("identity", "configuration", "kind", "model", "tokens", "cost"), json.loads(files[name])
    disguised = json.loads(others[name]) | {field: record[field] for field in fields} | {"texts": []}
    problems = replay_problems(forge(archive, reseal(files | {name: encode_record(disguised)})), suite)
    assert any("its calls are not those that greedy makes" in problem for problem in problems)


def test_detects_altered_judgement(archive, suite):
    files = members(archive)
    name = min(name for name in files if name.startswith("judgements/"))
    better = encode_record(json.loads(files[name]) | {"footing": "justified"})
    problems = replay_problems(forge(archive, files | {name: better}), suite)
    assert problems == [f"{name}: is not what judging gives"]


def test_public_record_is_replayed_from_its_calls(model, suite, tmp_path):
    pack_run(model, tmp_path / "public.tar", True, {})
    files = members(tmp_path / "public.tar")
    name = min(name for name in files if name.startswith("records/"))
    record = json.loads(files[name])
    lies = {
        "spend": record["spend"] - 1,
        "stop_reason": "text_end",
        "observed": "0" * 64,
        "trajectory": [step | {"turn": 1} for step in record["trajectory"]],
    }
    for field, lie in lies.items():
        changed = reseal(files | {name: encode_record(record | {field: lie})})
        assert replay_problems(forge(tmp_path / f"{field}.tar", changed), suite), field
    smuggled = reseal(files | {name: encode_record(record | {"texts": [{"turn": 1, "text": "smuggled"}]})})
    assert_refused(forge(tmp_path / "texts.tar", smuggled), "not written as packing writes it")
    cheaper = reseal(files | {name: encode_record(record | {"tokens": record["tokens"] | {"output": 1}})})
    assert_refused(forge(tmp_path / "cheaper.tar", cheaper), "does not fit the turns and tokens")


def test_agent_name_is_not_followed_as_a_path(archive, suite, agent):
    """Verification plays an agent by its name, which could be a replay: no local run is opened for an archive."""
    files = members(archive)
    run = json.loads(files["run.json"])
    plan = run["plan"] | {"settings": {"agent": f"replay:{agent.path}"}}
    run = run | {"plan": plan, "identity": sha256_hex(canonical_json(plan))}
    run["schedule"] = [[slot.world, slot.trial] for slot in build_schedule(run["identity"], plan["prompts"], plan["trials"])]
    own = {name: encode_record(json.loads(files[name]) | {"identity": run["identity"]}) for name in files if "--" in name}
    manifest = edit(json.loads(files["manifest.json"]), identity=run["identity"])
    sealed = reseal(files | own | {"run.json": edit(run), "manifest.json": manifest})
    problems = replay_problems(forge(archive, sealed, identity=run["identity"]), suite)
    assert any("which is not an agent of this version" in problem for problem in problems)


def test_malformed_journals_are_refused_or_not_replayed(model, suite, tmp_path):
    from algoworlds.runs.journal import encode_line

    pack_run(model, tmp_path / "whole.tar", False, {})
    files = members(tmp_path / "whole.tar")
    journal = min(name for name in files if name.startswith("journal/"))
    first = files[journal].splitlines(keepends=True)[0]
    for odd in (
        {},
        {"response": None},
        {"response": {"output": 7}},
        {"event": "harness"},
        {"event": []},
        [],
        7,
        {"response": {"output": [{"type": "function_call"}]}},
    ):
        damaged = forge(tmp_path / "damaged.tar", files | {journal: first + encode_line(odd)})
        assert any("cannot be replayed" in problem for problem in replay_problems(damaged, suite)), odd
    for odd in (
        {},
        [],
        7,
        {"world": [], "trial": 1, "turn": 1, "tokens": {}},
        {"world": "x", "trial": {}, "turn": 1, "tokens": 1},
    ):
        assert_refused(forge(tmp_path / "attempts.tar", files | {"attempts.jsonl": encode_line(odd)}), "attempts.jsonl")


# -- the commands -----------------------------------------------------------------------------------------------------


def test_commands_pack_verify_and_unpack(agent, suite, tmp_path):
    archive = tmp_path / "greedy.tar"
    packed = json.loads(run_here("pack", agent.path, "--out", archive, "--json").stdout)
    assert (packed["evaluations"], packed["bytes"]) == (4, archive.stat().st_size)
    verified = run_here("unpack", archive, "--verify", "--suite", suite.directory, "--root", packed["root"])
    assert (verified.returncode, verified.stdout) == (
        0,
        "4 records verified: each trajectory replayed, each measure recomputed\n",
    )
    assert sorted(tmp_path.iterdir()) == [archive]
    assert run_here("unpack", archive, "--out", tmp_path / "run", "--suite", suite.directory).returncode == 0
    assert run_here("verify-run", tmp_path / "run").returncode == 0
    assert run_here("unpack", archive, "--out", tmp_path / "without-suite").returncode == 0
    result = run_here("verify-run", tmp_path / "without-suite")
    assert (result.returncode, result.stderr) == (2, "algoworlds: the suite of this run is not there: name it with --suite\n")


def test_failed_replay_exits_with_1_and_keeps_nothing(archive, suite, tmp_path):
    files = members(archive)
    name = min(name for name in files if name.startswith("records/"))
    forge(archive, reseal(files | {name: encode_record(json.loads(files[name]) | {"spend": 0})}))
    result = run_here("unpack", archive, "--verify", "--suite", suite.directory, "--out", tmp_path / "run", "--json")
    assert (result.returncode, json.loads(result.stdout)["out"]) == (1, None)
    assert not (tmp_path / "run").exists()


def test_refuses_another_suite(archive, tmp_path):
    build_suite(SMALL, tmp_path / "other", None, silent)
    result = run_here("unpack", archive, "--verify", "--suite", tmp_path / "other", "--out", tmp_path / "run")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "is not the suite of these runs" in result.stderr
    assert not (tmp_path / "run").exists()


def test_private_suite_is_published_only_with_revealed(tmp_path):
    suite = build_suite(SMALL, tmp_path / "suite", None, silent) and open_suite(tmp_path / "suite")
    run = RunDirectory(tmp_path / "run")
    with run.lock():
        run.create_or_resume(
            Experiment.from_suite("null", PlayerKind.AGENT, {"agent": "null"}, suite, WorldFilter().select(suite), 1),
            suite.directory,
        )
        run_scripted_agent(run, suite, "null", None, silent)
        run.write_manifest()
    result = run_here("pack", run.path, "--public", "--out", tmp_path / "run.tar")
    assert (result.returncode, result.stderr.count("\n"), "private suite" in result.stderr) == (2, 1, True)
    assert run_here("pack", run.path, "--public", "--revealed", "--out", tmp_path / "run.tar").returncode == 0


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("unpack", "{archive}"), "say what to do with the archive"),
        (("unpack", "{archive}", "--verify"), "name the suite with --suite"),
        (("unpack", "{archive}", "--out", "{archive}/x"), "is not a directory"),
        (("pack", "{archive}"), "is not a run"),
    ],
)
def test_errors_are_one_line(archive, command, words):
    result = run_here(*(word.format(archive=archive) for word in command))
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert words in result.stderr
