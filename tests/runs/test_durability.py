"""Runs that are killed, interrupted, out of disk, started twice or changed midway (B1, B3, B4, B5, B6, B7, B8, B9)."""

import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import asdict
from datetime import datetime
from itertools import count, pairwise

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import verify_run
from tests.command import COMMAND, PATIENCE, run_here, start_process, until, waiting_signals
from tests.runs.model_runs import BlockedModel, optimal_model, record_bytes, run_model, solution_calls
from tests.runs.server import KEY, always, answer_with
from tests.runs.wire import Reply
from tests.silence import silent

ENVIRONMENT = os.environ | {"LOOPBACK_KEY": KEY}
OTHERS = (signal.SIGINT, signal.SIGHUP)


@pytest.fixture
def command(server, suite, tmp_path):
    """The command line of a run against the server."""
    model = tmp_path / "model.toml"
    model.write_text(server.toml("chat"))

    def build_command(out, *options):
        paths = ("--suite", suite.directory, "--out", out)
        return [COMMAND, "run", "--model", str(model), *map(str, paths), "--trials", "1", *map(str, options)]

    return build_command


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.full)])
def test_b1_killed_at_any_durable_operation_resumes_to_same_record(server, suite, tmp_path, step):
    """At every fourth operation; in the full tests at every one."""
    calls = few_calls(suite)
    server.script = lambda conversation: Reply((calls[len(conversation.call_turns)],))
    configuration = server.configuration("chat")
    run_model(suite, tmp_path / "undisturbed", configuration, server.environment, worlds="fleet*-direct")
    assert_kills_change_nothing(suite, tmp_path, configuration, step)


def assert_kills_change_nothing(suite, folder, configuration, step):
    """Runs that are killed at every `step`-th operation and resumed leave the bytes of `folder`/undisturbed."""
    arguments = (str(suite.directory), str(folder), json.dumps(asdict(configuration)), str(step), suite.track.name)
    command = [sys.executable, "-m", "tests.runs.crash", *arguments]
    result = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=PATIENCE, check=False)
    kills = [json.loads(text) for text in result.stdout.splitlines()]
    assert result.returncode == 0, result.stderr + result.stdout
    assert all("problem" not in kill and kill["resumed"] == 0 for kill in kills), kills
    assert [kill["died"] for kill in kills] == [signal.SIGKILL] * (len(kills) - 1) + [0]
    assert len(kills) * step > 20
    folders = [folder / str(kill["at"]) for kill in kills]
    assert all(record_bytes(resumed) == record_bytes(folder / "undisturbed") for resumed in folders)
    assert all(verify_run(RunDirectory(resumed), suite, None, silent) == [] for resumed in folders)


def few_calls(suite):
    """Two information calls and the optimal decision: enough to be killed in between."""
    entry = next(entry for entry in suite.manifest.worlds if entry.id.startswith("fleet") and entry.interface == "direct")
    calls = solution_calls(suite)[suite.world(entry).question]
    return [*calls[:2], calls[-1]]


def test_b1_resume_repeats_no_journaled_request(server, suite, tmp_path):
    """A run that is killed again and again sends the requests of one undisturbed run."""
    from algoworlds.runs.journal import Journal

    class Killed(BaseException):
        pass

    append, remaining = Journal.append, 0

    def append_and_die(self, value):
        nonlocal remaining
        append(self, value)
        if "turn" in value and "response" in value:
            remaining -= 1
            if remaining == 0:
                raise Killed

    out, configuration = tmp_path / "run", server.configuration("chat")
    Journal.append = append_and_die
    try:
        for _ in range(3):
            remaining = 2
            with pytest.raises(Killed):
                run_model(suite, out, configuration, server.environment, worlds="fleet*-direct")
    finally:
        Journal.append = append
    run_model(suite, out, configuration, server.environment, worlds="fleet*-direct")
    assert max(Counter(request.body for request in server.requests).values()) == 1
    assert next(iter(RunDirectory(out).read_records()))["turns"] == len(server.requests)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.full)])
def test_b3_one_signal_drains_and_next_run_resumes(server, suite, command, tmp_path, number):
    server.script = held = BlockedModel(optimal_model(suite), at=8)
    process = start_process(*command(tmp_path / "run"), env=ENVIRONMENT)
    until(held.reached.is_set, process)
    process.send_signal(number)
    held.released.set()
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "run the same command again" in errors
    journaled = sum(len(path.read_bytes().splitlines()) - 1 for path in (tmp_path / "run" / "journal").iterdir())
    assert journaled == len(server.requests) == 8, "the request under way is finished and kept"
    result = run_here(*command(tmp_path / "run")[1:], LOOPBACK_KEY=KEY)
    assert result.returncode == 0, result.stderr
    turns = sum(record["turns"] for record in RunDirectory(tmp_path / "run").read_records())
    assert len(server.requests) == turns, "none was repeated"
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, *(pytest.param(other, marks=pytest.mark.full) for other in OTHERS)])
def test_b3_one_signal_ends_waits_between_attempts(server, command, tmp_path, number):
    seconds, attempts = 120, tmp_path / "run" / "attempts.jsonl"
    server.plan = always(answer_with(429, str(seconds)))
    process = start_process(*command(tmp_path / "run", "--concurrency", 3), env=ENVIRONMENT)
    until(lambda: attempts.exists() and len(attempts.read_bytes().splitlines()) >= 6, process)  # sent, and refused
    process.send_signal(number)
    _, errors = process.communicate(timeout=seconds)  # less than the wait
    assert (process.returncode, len(server.requests)) == (130, 3)
    assert "stopped: interrupted" in errors


def test_b3_ignored_signal_stays_ignored(server, suite, command, tmp_path):
    """As under nohup: a closed terminal does not end the run."""
    server.script = held = BlockedModel(optimal_model(suite), at=8)
    process = start_process("nohup", *command(tmp_path / "run"), env=ENVIRONMENT)
    until(held.reached.is_set, process)
    process.send_signal(signal.SIGHUP)
    held.released.set()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 0


def test_b3_two_signals_stop_at_once(server, suite, command, tmp_path, undisturbed):
    """While the first request of the run waits for its answer."""
    server.script = held = BlockedModel(optimal_model(suite), at=1)
    process = start_process(*command(tmp_path / "run"), env=ENVIRONMENT)
    until(held.reached.is_set, process)
    process.send_signal(signal.SIGINT)
    until(lambda: not waiting_signals(process), process)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE / 2)  # the request itself would be given up after PATIENCE
    held.released.set()
    assert (process.returncode, len(server.requests)) == (130, 1)
    server.script = optimal_model(suite)
    assert run_here(*command(tmp_path / "run")[1:], LOOPBACK_KEY=KEY).returncode == 0
    assert {name: without_identity(text) for name, text in record_bytes(tmp_path / "run").items()} == {
        name: without_identity(text) for name, text in undisturbed["chat"].items()
    }


def without_identity(text):
    return {**json.loads(text), "identity": ""}


OWN_MOUNTS = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]), "sh", "-c"]
"""A shell with its own mounts, as root."""

ON_A_SMALL_DISK = """
out="$1"; shift
mkdir disk && mount -t tmpfs -o size=64k tmpfs disk || exit 99
for size in $SIZES; do
    mount -o remount,size=$size disk
    "$@" 2>"$out/errors-$size"
    echo $? >"$out/exit-$size"
    cp -r disk/run "$out/run-$size"
done
"""


@pytest.mark.parametrize("sizes", [("64k", "4m"), pytest.param(("64k", "96k", "128k", "4m"), marks=pytest.mark.full)], ids=len)
def test_b4_full_disk_stops_the_run_and_loses_nothing(server, suite, command, tmp_path, sizes):
    script = [*OWN_MOUNTS, ON_A_SMALL_DISK, "sh", str(tmp_path), *command("disk/run")]
    subprocess.run(script, cwd=tmp_path, env=ENVIRONMENT | {"SIZES": " ".join(sizes)}, capture_output=True, check=True)
    assert (tmp_path / "exit-64k").read_text() == "1\n"
    errors = (tmp_path / "errors-64k").read_text()
    assert "make room" in errors
    assert "Traceback" not in errors
    by_size = [record_bytes(tmp_path / f"run-{size}") for size in sizes]
    assert all(before.items() <= after.items() for before, after in pairwise(by_size))
    assert len(by_size[0]) < len(by_size[-1]) == 4
    assert (tmp_path / "exit-4m").read_text() == "0\n"
    assert verify_run(RunDirectory(tmp_path / "run-4m"), suite, None, silent) == []
    turns = sum(json.loads(text)["turns"] for text in by_size[-1].values())
    assert len(server.requests) == turns, "no request without room for its answer"


@pytest.mark.parametrize("at", [2, 4, 11, 40])
def test_b4_failed_write_stops_the_run_and_loses_nothing(server, suite, undisturbed, tmp_path, monkeypatch, at):
    """There was room when the request was sent, and none when the answer came."""
    write, number = os.write, count(1)

    def fail_once(handle, data):
        if next(number) == at:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data)

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", fail_once)
        totals = run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment)
    assert "No space left on device" in totals.halted
    assert run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment).finished == 4
    assert record_bytes(tmp_path / "run") == undisturbed["chat"]
    turns = sum(json.loads(text)["turns"] for text in record_bytes(tmp_path / "run").values())
    assert turns <= len(server.requests) <= turns + 1, "only the request whose answer could not be written is repeated"


@pytest.mark.parametrize("folder", ["file", "file/run", "foreign"])
def test_b5_unusable_folder_is_refused_before_any_request(server, command, tmp_path, folder):
    (tmp_path / "file").write_text("x")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "thesis.tex").write_text("x")
    result = run_here(*command(tmp_path / folder)[1:], LOOPBACK_KEY=KEY)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert server.requests == []


def test_b5_read_only_disk_is_refused_before_any_request(server, command, tmp_path):
    (tmp_path / "ro").mkdir()
    script = [*OWN_MOUNTS, 'mount -t tmpfs -o ro tmpfs ro && exec "$@"', "sh", *command("ro/run")]
    result = subprocess.run(script, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert server.requests == []


def test_b6_second_runner_of_a_folder_exits(server, suite, command, tmp_path):
    """The first request is answered once one of them has exited."""
    server.script = held = BlockedModel(optimal_model(suite), at=1)
    processes = [start_process(*command(tmp_path / "run"), env=ENVIRONMENT) for _ in range(2)]
    until(lambda: any(process.poll() is not None for process in processes))
    held.released.set()
    errors = [process.communicate(timeout=PATIENCE)[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 2], errors
    assert sum("being written by another process" in text for text in errors) == 1
    assert len(record_bytes(tmp_path / "run")) == 4


def test_b6_network_disk_is_refused(suite, server, tmp_path, monkeypatch):
    monkeypatch.setattr("algoworlds.runs.directory.file_system_type", lambda path: "nfs4")
    with pytest.raises(InputError, match="nfs4"):
        run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment)
    assert server.requests == []


@pytest.mark.parametrize("year", [1970, 2025, 9998])
def test_b7_wall_clock_does_not_change_records(server, suite, undisturbed, tmp_path, monkeypatch, year):
    class Clock(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime(year, 3, 30, 2, 30, tzinfo=zone)

    monkeypatch.setattr("algoworlds.runs.providers.provider.datetime", Clock)
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, concurrency=4)
    assert record_bytes(tmp_path / "run") == undisturbed["chat"]


def test_b8_open_file_limit_bounds_the_workers(server, command, tmp_path):
    def limit_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    arguments = command(tmp_path / "run", "--concurrency", 1000)
    result = subprocess.run(arguments, env=ENVIRONMENT, capture_output=True, text=True, check=False, preexec_fn=limit_files)
    assert result.returncode == 0, result.stderr
    assert len(record_bytes(tmp_path / "run")) == 4


def test_b9_changed_configuration_is_refused_with_the_change(server, suite, tmp_path):
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds="fleet*-direct")
    changed = server.configuration("chat", output_cap=4097)
    with pytest.raises(InputError, match=r"settings.output_cap: 4096 -> 4097"):
        run_model(suite, tmp_path / "run", changed, server.environment, worlds="fleet*-direct")
    with pytest.raises(InputError, match=r"trials: 1 -> 2"):
        run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds="fleet*-direct", trials=2)


def test_b9_changed_protocol_is_refused(server, suite, tmp_path, monkeypatch):
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds="fleet*-direct")
    monkeypatch.setattr("algoworlds.runs.schedule.PROTOCOL", 3)
    with pytest.raises(InputError, match=r"protocol: 2 -> 3"):
        run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds="fleet*-direct")


def test_b9_changed_bundle_is_refused(server, suite, tmp_path):
    from algoworlds.suites.open import open_suite

    copy = tmp_path / "suite"
    shutil.copytree(suite.directory, copy)
    (path,) = copy.glob("worlds/fleet*-direct/question.json")
    path.write_text(path.read_text().replace("vehicle", "vehicIe", 1))
    with pytest.raises(InputError, match="altered"):
        open_suite(copy).world(next(entry for entry in suite.manifest.worlds if entry.id == path.parent.name))
    totals = run_model(
        open_suite(copy), tmp_path / "run", server.configuration("chat"), server.environment, worlds="fleet*-direct"
    )
    assert totals.finished == 0
    assert server.requests == []


def test_damaged_journal_is_named_and_nothing_is_requested(server, suite, tmp_path):
    """Corruption is not an incomplete last line: what follows cannot be trusted, and the evaluation stays pending."""
    out, configuration = tmp_path / "run", server.configuration("chat")
    server.plan = {4: answer_with(401)}
    run_model(suite, out, configuration, server.environment, worlds="fleet*-direct")
    (path,) = (out / "journal").iterdir()
    sound = path.read_bytes()
    path.write_bytes(sound.replace(b"scripted-1", b"scripted-2", 1))
    sent = len(server.requests)
    totals = run_model(suite, out, configuration, server.environment, worlds="fleet*-direct")
    assert (totals.pending, len(server.requests)) == ({"harness": 1}, sent)
    assert "line 2 does not fit its digest" in next((out / "quarantine").iterdir()).read_text()
    path.write_bytes(sound)
    assert run_model(suite, out, configuration, server.environment, worlds="fleet*-direct").finished == 1


@pytest.fixture(scope="module")
def finished_run(one_server, suite, tmp_path_factory):
    """A run in which nothing went wrong."""
    one_server.script, one_server.plan = optimal_model(suite), {}
    out = tmp_path_factory.mktemp("finished") / "run"
    run_model(suite, out, one_server.configuration("chat"), one_server.environment, concurrency=4)
    return out


@pytest.mark.parametrize(
    "damage",
    ["edit a measure", "edit a call", "drop a record", "add a record", "cut the journal", "swap records", "edit the manifest"],
)
def test_verify_run_names_what_is_wrong(finished_run, suite, tmp_path, damage):
    out = shutil.copytree(finished_run, tmp_path / "run")
    one, other = sorted((out / "records").iterdir())[:2]
    expected = one.name
    document = json.loads(one.read_text())
    if damage == "edit a measure":
        one.write_text(one.read_text().replace('"utility":100.0', '"utility":99.0'))
    elif damage == "edit a call":
        document["trajectory"][0]["arguments"] = "{ }"
        one.write_text(json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n")
    elif damage == "drop a record":
        one.unlink()
    elif damage == "add a record":
        expected = "foreign--1.json"
        shutil.copy(one, out / "records" / expected)
    elif damage == "cut the journal":
        path = out / "journal" / f"{one.stem}.jsonl"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    elif damage == "swap records":
        (text, two) = one.read_bytes(), other.read_bytes()
        one.write_bytes(two)
        other.write_bytes(text)
    else:
        expected = "manifest.json"
        path = out / "manifest.json"
        path.write_text(path.read_text().replace("0", "1", 1))
    problems = verify_run(RunDirectory(out), suite, None, silent)
    assert any(expected in problem for problem in problems), problems


def test_altered_plan_is_refused(server, suite, tmp_path):
    out = tmp_path / "run"
    run_model(suite, out, server.configuration("chat"), server.environment, worlds="fleet*-direct")
    path = out / "run.json"
    path.write_text(path.read_text().replace('"output_cap": 4096', '"output_cap": 9'))
    with pytest.raises(InputError, match="does not fit its identity"):
        _ = RunDirectory(out).document
