"""A run as one archive: the same bytes whenever it is packed, and on the other side nothing but what was packed."""

import io
import json
import os
import shutil
import tarfile
from hashlib import sha256

import pytest

from algoworlds.core.canonical import canonical_text, digest
from algoworlds.errors import InputError
from algoworlds.runs.archive import Member, header, write
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import judge_runs
from algoworlds.runs.receipt import received
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Experiment, Wanted, scheduled
from algoworlds.runs.scripted import run_agent
from algoworlds.runs.submission import LABEL, pack
from algoworlds.suites.build import build_suite
from algoworlds.suites.opened import open_suite
from algoworlds.suites.record import Kind, spelled
from tests.command import run_here
from tests.runs.play import model_run, optimal
from tests.silence import silent
from tests.suites.suites import SMALL

KEY = "qk-0123456789-planted-key-of-somebody"


@pytest.fixture(scope="module")
def agent(suite, tmp_path_factory):
    """A judged run of a scripted agent."""
    made = RunDirectory(tmp_path_factory.mktemp("agent") / "greedy")
    with made.locked():
        plan = Experiment.of("greedy", Kind.AGENT, {"agent": "greedy"}, suite, Wanted("fleet*").of(suite), 2)
        made.begin(plan, suite.directory)
        run_agent(made, suite, "greedy", None, silent)
        made.seal()
    judge_runs([made], suite, None, silent)
    return made


@pytest.fixture(scope="module")
def model(one_server, suite, tmp_path_factory):
    """A run of a model, with journals."""
    one_server.script, one_server.plan = optimal(suite), {}
    out = tmp_path_factory.mktemp("model") / "model"
    model_run(suite, out, one_server.configuration("responses"), one_server.environment, worlds="fleet*")
    return RunDirectory(out)


@pytest.fixture
def archive(agent, tmp_path):
    pack(agent, tmp_path / "greedy.tar", public=False, environment={})
    return tmp_path / "greedy.tar"


def members(path):
    with tarfile.open(path) as read:
        return {each.name: read.extractfile(each).read() for each in read.getmembers()}


def forged(path, files, **label):
    """An archive of these files whose label agrees with them: what somebody can make who knows all the rules."""
    told = json.loads(files[LABEL]) | label
    told["files"] = {
        name: {"bytes": len(content), "sha256": sha256(content).hexdigest()} for name, content in files.items() if name != LABEL
    }
    body = {name: value for name, value in told.items() if name != "root"}
    first = spelled(body | {"root": digest(canonical_text(body))})
    with path.open("wb") as file:
        write(file, [Member(LABEL, first), *(Member(name, files[name]) for name in sorted(told["files"]))])
    return path


def refused(path, words, **options):
    """That an archive is refused in one line, and leaves nothing behind."""
    before = sorted(path.parent.iterdir())
    with (
        pytest.raises(InputError, match=words) as problem,
        received(path, path.parent / "received", **({"root": None} | options)),
    ):
        raise AssertionError("it was received")
    assert "\n" not in str(problem.value)
    assert sorted(path.parent.iterdir()) == before


def altered(document, **fields):
    return (json.dumps(document | fields, indent=1, sort_keys=True) + "\n").encode()


# -- what is packed -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("which", ["agent", "model"])
def test_the_same_run_gives_the_same_bytes_wherever_it_lies(which, public, suite, request, tmp_path):
    run = request.getfixturevalue(which)
    pack(run, tmp_path / "one.tar", public, {})
    shutil.copytree(run.path, tmp_path / "elsewhere")
    for name in ("quarantine", "output"):
        (tmp_path / "elsewhere" / name).mkdir()
        (tmp_path / "elsewhere" / name / "kept.txt").write_text("for whoever made the run")
    pack(RunDirectory(tmp_path / "elsewhere"), tmp_path / "two.tar", public, {})
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
    with received(tmp_path / "one.tar", tmp_path / "back", None) as back:
        assert verify_run(back, suite, None, silent) == []
    pack(RunDirectory(tmp_path / "back"), tmp_path / "three.tar", False, {})
    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "three.tar").read_bytes()


def test_any_tar_reads_it_and_finds_plain_files_of_nobody(archive, agent):
    with tarfile.open(archive) as read:
        found = read.getmembers()
    assert [each.name for each in found] == [LABEL, *sorted(each.name for each in found[1:])]
    assert {(each.isreg(), each.mode, each.mtime, each.uid, each.gid, each.uname) for each in found} == {
        (1, 0o644, 0, 0, 0, "")
    }
    files = members(archive)
    for folder in ("records", "judgements"):
        kept = {f"{folder}/{path.name}": path.read_bytes() for path in (agent.path / folder).iterdir()}
        assert kept.items() <= files.items()
        assert len(kept) == 4


def test_nothing_of_the_machine_is_in_it(archive, suite, agent):
    content = archive.read_bytes()
    assert not [
        place for place in (suite.directory, *suite.directory.parents[:-2], agent.path) if str(place).encode() in content
    ]
    assert json.loads(members(archive)["run.json"])["suite"] is None


def test_in_public_the_model_s_texts_are_left_out_and_all_else_is_bound_to_the_whole(model, suite, tmp_path):
    pack(model, tmp_path / "public.tar", True, {})
    pack(model, tmp_path / "whole.tar", False, {})
    assert b"step 1" in (tmp_path / "whole.tar").read_bytes()
    assert b"step 1" not in (tmp_path / "public.tar").read_bytes()
    files, whole = members(tmp_path / "public.tar"), members(tmp_path / "whole.tar")
    assert {name.split("/")[0] for name in whole.keys() - files.keys()} == {"journal"}
    assert json.loads(files["run.json"])["abridged"] == json.loads(whole["manifest.json"])["root"]
    for name in (name for name in files if name.startswith("records/")):
        assert json.loads(files[name]) == json.loads(whole[name]) | {"texts": []}


def test_an_incomplete_run_is_not_packed(agent, tmp_path):
    shutil.copytree(agent.path, tmp_path / "part")
    next((tmp_path / "part" / "records").iterdir()).unlink()
    with pytest.raises(InputError, match=r"is not whole .*complete it"):
        pack(RunDirectory(tmp_path / "part"), tmp_path / "part.tar", False, {})
    assert not (tmp_path / "part.tar").exists()


def test_what_is_there_is_not_written_over(archive, agent):
    before = archive.read_bytes()
    with pytest.raises(InputError, match="exists: choose another --out"):
        pack(agent, archive, False, {})
    assert archive.read_bytes() == before


@pytest.mark.parametrize(
    ("told", "environment", "words"),
    [
        (KEY, {"SOME_API_KEY": KEY}, "holds a key"),
        ("key " + json.dumps(KEY), {"SOME_TOKEN": KEY}, "holds a key"),
        ("sk-" + "a1B2" * 8, {}, "holds a key"),
        ("see /home/somebody/notes", {"HOME": "/home/somebody"}, "holds a path of this machine"),
    ],
)
def test_an_archive_that_would_tell_a_key_or_a_path_is_not_written(told, environment, words, one_server, suite, tmp_path):
    played = optimal(suite)

    def script(conversation):
        reply = played(conversation)
        return type(reply)(reply.calls, text=told)

    one_server.script, one_server.plan = script, {}
    configuration = one_server.configuration("chat")
    model_run(suite, tmp_path / "run", configuration, one_server.environment, worlds="fleet*-direct")
    with pytest.raises(InputError, match=words) as problem:
        pack(RunDirectory(tmp_path / "run"), tmp_path / "run.tar", False, environment)
    assert told not in str(problem.value)
    assert not list(tmp_path.glob("*.tar"))
    pack(RunDirectory(tmp_path / "run"), tmp_path / "public.tar", True, environment)


def test_random_letters_of_a_provider_are_no_key(model, tmp_path):
    """What a provider encrypts holds any short word by chance; only the beginning of a word can be a key."""
    from algoworlds.runs.discretion import Discretion

    inside = '"encrypted_content":"gAAAAB-x-sk-' + "aB3_" * 20 + '"'
    Discretion.of(model, {}).require(Member("journal/x.jsonl", inside.encode()))
    with pytest.raises(InputError):
        Discretion.of(model, {}).require(Member("journal/x.jsonl", inside.replace("gAAAAB-x-", "").encode()))


# -- what is refused ------------------------------------------------------------------------------------------------------


def test_one_changed_byte_is_refused(archive, tmp_path):
    content, spoiled = archive.read_bytes(), tmp_path / "spoiled.tar"
    ends = {0, 1, 100, 123, 124, 135, 148, 156, 157, 257, 265, 300, 345, 500, 511, 512, len(content) - 1025, len(content) - 1}
    for at in sorted({*ends, *range(7, len(content), 397)}):
        for bit in (0x01, 0x80):
            spoiled.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            refused(spoiled, "is damaged or no archive of a run")


@pytest.mark.parametrize(
    "spoil", [lambda content: content[:-1], lambda content: content + b"\0", lambda content: content[:700], lambda content: b""]
)
def test_no_other_length_is_read(archive, spoil):
    archive.write_bytes(spoil(archive.read_bytes()))
    refused(archive, "is damaged or no archive of a run")


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
def test_no_other_name_is_read(archive, name):
    refused(forged(archive, members(archive) | {name: b"{}\n"}), "which no archive of a run holds")


def test_a_file_of_the_right_form_that_belongs_to_no_evaluation_is_refused(archive):
    for name in ("records/fleet_dispatch-9-9-direct--1.json", "journal/fleet_dispatch-9-9-direct--1.jsonl", "attempts.jsonl"):
        refused(forged(archive, members(archive) | {name: b"{}\n"}), "is none of its files")


def test_a_missing_file_is_refused(archive):
    files = members(archive)
    for name in ("run.json", "manifest.json", min(name for name in files if name.startswith("records/"))):
        refused(forged(archive, {each: files[each] for each in files if each != name}), "holds no whole run")


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
def test_nothing_but_plain_files_is_read(archive, kind):
    """A header of another type over the very same content, its checksum right."""
    content, files = archive.read_bytes(), members(archive)
    plain = header("run.json", len(files["run.json"]))
    info = tarfile.TarInfo("run.json")
    info.size, info.mode, (info.type, info.linkname) = len(files["run.json"]), 0o644, KINDS[kind]
    archive.write_bytes(content.replace(plain, info.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")[:512]))
    assert archive.read_bytes() != content
    refused(archive, "where run.json should begin there is something else")


def test_a_name_that_occurs_twice_is_refused(archive):
    """Twice in the archive, and twice in the label, of which a lenient reader takes the last."""
    files, content = members(archive), archive.read_bytes()
    again = io.BytesIO()
    write(again, [Member("run.json", files["run.json"])])
    archive.write_bytes(content[:-1024] + again.getvalue())
    refused(archive, "not as long as its label says")
    twice = files[LABEL].replace(b'"files":{', b'"files":{"run.json":{"bytes":0,"sha256":"' + b"0" * 64 + b'"},', 1)
    with archive.open("wb") as file:
        write(file, [Member(LABEL, twice), *(Member(name, files[name]) for name in sorted(files.keys() - {LABEL}))])
    refused(archive, "has not the form of one")


@pytest.mark.parametrize("size", [2**62, 2**30 + 1, -1, 1.5, True, "9", None, [9]])
def test_a_size_that_no_file_has_is_refused_before_anything_is_read(archive, size):
    files = members(archive)
    label = json.loads(files[LABEL])
    label["files"]["run.json"]["bytes"] = size
    body = {name: value for name, value in label.items() if name != "root"}
    with archive.open("wb") as file:
        write(file, [Member(LABEL, spelled(body | {"root": digest(canonical_text(body))}))])
    refused(archive, f"{LABEL} (lists|has not)")


def test_a_great_many_bytes_in_a_short_archive_are_none(archive):
    """Sizes are the label's, the length is the file's: nothing is written before both agree."""
    files = members(archive)
    label = json.loads(files[LABEL])
    for each in label["files"].values():
        each["bytes"] = 2**30
    body = {name: value for name, value in label.items() if name != "root"}
    with archive.open("wb") as file:
        write(file, [Member(LABEL, spelled(body | {"root": digest(canonical_text(body))}))])
    refused(archive, "is not as long as its label says")


@pytest.mark.parametrize(
    "content", [b"[]", b"null", b"{}", b'{"format":1}', b'{"format":2}', b"[" * 100_000, b"\xff", b'{"files":[]}', b"9" * 9999]
)
def test_a_label_of_another_form_is_refused(archive, content):
    with archive.open("wb") as file:
        write(file, [Member(LABEL, content)])
    refused(archive, "pack.json|has format")


@pytest.mark.parametrize(
    "make",
    [lambda path: path.mkdir(), lambda path: os.mkfifo(path), lambda path: path.symlink_to("/dev/zero"), lambda path: None],
)
def test_what_is_no_plain_file_is_not_read(tmp_path, make):
    make(tmp_path / "odd.tar")
    refused(tmp_path / "odd.tar", "odd.tar")


@pytest.mark.parametrize(
    "make", [lambda path: path.mkdir(), lambda path: path.write_text("mine"), lambda path: path.symlink_to("nowhere")]
)
def test_what_is_there_is_not_unpacked_over(archive, make):
    make(archive.parent / "received")
    refused(archive, "exists: choose another --out")


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
def test_a_run_of_another_form_is_refused(archive, field, value):
    files = members(archive)
    run = altered(json.loads(files["run.json"]), **{field: value})
    refused(forged(archive, files | {"run.json": run}), "holds no whole run")


def test_a_plan_that_leads_elsewhere_is_refused_although_its_identity_fits(archive):
    """Worlds named by a path: no such file is written, read or asked for."""
    files = members(archive)
    run = json.loads(files["run.json"])
    plan = run["plan"] | {"prompts": {"../../../../etc/passwd": "0" * 64}, "trials": 1}
    run = run | {"plan": plan, "identity": digest(canonical_text(plan)), "schedule": [["../../../../etc/passwd", 1]]}
    refused(forged(archive, files | {"run.json": altered(run)}), "holds no whole run")


def test_another_root_than_the_published_one_is_refused(archive):
    stated = json.loads(members(archive)[LABEL])["root"]
    refused(archive, "its root is", root="0" * 64)
    with received(archive, None, stated) as run:
        assert len(run.schedule) == 4


@pytest.mark.parametrize("field", ["public", "identity", "configuration", "kind", "suite", "evaluations", "judging"])
def test_a_label_of_another_run_is_refused(archive, field):
    refused(forged(archive, members(archive), **{field: "other"}), "of another run")


# -- what only a replay tells ----------------------------------------------------------------------------------------------


def resealed(files):
    """Records as they are now, with a manifest and judgements that fit."""
    manifest = json.loads(files["manifest.json"])
    digests = {name: sha256(files[name]).hexdigest() for name in manifest["files"]}
    body = {"identity": manifest["identity"], "files": digests}
    made = files | {"manifest.json": altered(body, root=digest(canonical_text(body)))}
    for name in (name for name in files if name.startswith("judgements/")):
        made[name] = spelled(json.loads(files[name]) | {"record": digests[name.replace("judgements", "records")]})
    return made


def findings(path, suite):
    with received(path, None, None) as run:
        return verify_run(run, suite, None, silent)


def test_a_better_measure_is_found_out_although_everything_fits(archive, suite):
    files = members(archive)
    name = min(name for name in files if name.startswith("records/"))
    better = spelled(json.loads(files[name]) | {"exact": True, "regret": 0})
    problems = findings(forged(archive, resealed(files | {name: better})), suite)
    assert {problem.split(": ")[0] for problem in problems} == {name}
    assert any("exact" in problem for problem in problems)


def test_a_record_of_another_run_is_refused(archive, suite, model, tmp_path):
    """As it is, and under this run's name: the oracle's way is none that greedy goes."""
    pack(model, tmp_path / "model.tar", False, {})
    files, others = members(archive), members(tmp_path / "model.tar")
    name = next(name for name in files if name.startswith("records/") and name in others)
    refused(forged(archive, resealed(files | {name: others[name]})), "belongs to another run")
    own = {each: json.loads(files[name])[each] for each in ("identity", "configuration", "kind", "model", "tokens", "cost")}
    passed = spelled(json.loads(others[name]) | own | {"texts": []})
    problems = findings(forged(archive, resealed(files | {name: passed})), suite)
    assert any("its calls are not those that greedy makes" in problem for problem in problems)


def test_an_altered_judgement_is_found_out(archive, suite):
    files = members(archive)
    name = min(name for name in files if name.startswith("judgements/"))
    problems = findings(forged(archive, files | {name: spelled(json.loads(files[name]) | {"footing": "justified"})}), suite)
    assert problems == [f"{name}: is not what judging gives"]


def test_a_public_record_is_replayed_from_its_calls(model, suite, tmp_path):
    pack(model, tmp_path / "public.tar", True, {})
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
        changed = resealed(files | {name: spelled(record | {field: lie})})
        assert findings(forged(tmp_path / f"{field}.tar", changed), suite), field
    smuggled = resealed(files | {name: spelled(record | {"texts": [{"turn": 1, "text": "smuggled"}]})})
    refused(forged(tmp_path / "texts.tar", smuggled), "not written as packing writes it")
    cheaper = resealed(files | {name: spelled(record | {"tokens": record["tokens"] | {"output": 1}})})
    refused(forged(tmp_path / "cheaper.tar", cheaper), "does not fit the turns and tokens")


def test_an_agent_s_name_leads_nowhere(archive, suite, agent):
    """A scripted agent plays again by its name, and a name can be a path: no run of ours is opened for a stranger."""
    files = members(archive)
    run = json.loads(files["run.json"])
    plan = run["plan"] | {"settings": {"agent": f"replay:{agent.path}"}}
    run = run | {"plan": plan, "identity": digest(canonical_text(plan))}
    run["schedule"] = [[slot.world, slot.trial] for slot in scheduled(run["identity"], plan["prompts"], plan["trials"])]
    own = {name: spelled(json.loads(files[name]) | {"identity": run["identity"]}) for name in files if "--" in name}
    manifest = altered(json.loads(files["manifest.json"]), identity=run["identity"])
    made = resealed(files | own | {"run.json": altered(run), "manifest.json": manifest})
    problems = findings(forged(archive, made, identity=run["identity"]), suite)
    assert any("which is no agent of this version" in problem for problem in problems)


def test_journals_of_strangers_are_read_with_care(model, suite, tmp_path):
    from algoworlds.runs.journal import line

    pack(model, tmp_path / "whole.tar", False, {})
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
        spoiled = forged(tmp_path / "spoiled.tar", files | {journal: first + line(odd)})
        assert any("cannot be replayed" in problem for problem in findings(spoiled, suite)), odd
    for odd in (
        {},
        [],
        7,
        {"world": [], "trial": 1, "turn": 1, "tokens": {}},
        {"world": "x", "trial": {}, "turn": 1, "tokens": 1},
    ):
        refused(forged(tmp_path / "attempts.tar", files | {"attempts.jsonl": line(odd)}), "attempts.jsonl")


# -- the commands ---------------------------------------------------------------------------------------------------------


def test_the_commands_pack_check_and_unpack(agent, suite, tmp_path):
    archive = tmp_path / "greedy.tar"
    packed = json.loads(run_here("pack", agent.path, "--out", archive, "--json").stdout)
    assert (packed["evaluations"], packed["bytes"]) == (4, archive.stat().st_size)
    told = run_here("unpack", archive, "--verify", "--suite", suite.directory, "--root", packed["root"])
    assert (told.returncode, told.stdout) == (0, "4 records verified: each trajectory replayed, each measure recomputed\n")
    assert sorted(tmp_path.iterdir()) == [archive]
    assert run_here("unpack", archive, "--out", tmp_path / "run", "--suite", suite.directory).returncode == 0
    assert run_here("verify-run", tmp_path / "run").returncode == 0
    assert run_here("unpack", archive, "--out", tmp_path / "placeless").returncode == 0
    done = run_here("verify-run", tmp_path / "placeless")
    assert (done.returncode, done.stderr) == (2, "algoworlds: the suite of this run is not there: name it with --suite\n")


def test_records_that_do_not_replay_are_exit_code_1_and_nothing_is_kept(archive, suite, tmp_path):
    files = members(archive)
    name = min(name for name in files if name.startswith("records/"))
    forged(archive, resealed(files | {name: spelled(json.loads(files[name]) | {"spend": 0})}))
    done = run_here("unpack", archive, "--verify", "--suite", suite.directory, "--out", tmp_path / "run", "--json")
    assert (done.returncode, json.loads(done.stdout)["out"]) == (1, None)
    assert not (tmp_path / "run").exists()


def test_another_suite_is_refused(archive, tmp_path):
    build_suite(SMALL, tmp_path / "other", None, silent)
    done = run_here("unpack", archive, "--verify", "--suite", tmp_path / "other", "--out", tmp_path / "run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is not the suite of these runs" in done.stderr
    assert not (tmp_path / "run").exists()


def test_the_optima_of_a_private_suite_are_published_only_once_it_is_public(tmp_path):
    suite = build_suite(SMALL, tmp_path / "suite", None, silent) and open_suite(tmp_path / "suite")
    made = RunDirectory(tmp_path / "run")
    with made.locked():
        made.begin(Experiment.of("null", Kind.AGENT, {"agent": "null"}, suite, Wanted().of(suite), 1), suite.directory)
        run_agent(made, suite, "null", None, silent)
        made.seal()
    done = run_here("pack", made.path, "--public", "--out", tmp_path / "run.tar")
    assert (done.returncode, done.stderr.count("\n"), "private suite" in done.stderr) == (2, 1, True)
    assert run_here("pack", made.path, "--public", "--revealed", "--out", tmp_path / "run.tar").returncode == 0


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (("unpack", "{archive}"), "say what to do with it"),
        (("unpack", "{archive}", "--verify"), "name the suite with --suite"),
        (("unpack", "{archive}", "--out", "{archive}/x"), "is no directory"),
        (("pack", "{archive}"), "is no run"),
    ],
)
def test_mistakes_are_one_line(archive, order, words):
    done = run_here(*(word.format(archive=archive) for word in order))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
