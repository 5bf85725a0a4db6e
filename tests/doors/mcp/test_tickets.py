"""Tickets: their owner's alone, only digests kept of them, valid after a restart; and the commands that make and list them."""

import json
import signal
import stat
import tarfile
from urllib.parse import urlsplit

from algoworlds.adapters.mcp.serving import Service
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.slot import Slot
from tests.command import COMMAND, PATIENCE, run, run_here, started
from tests.doors.mcp.served import begun, by_command, in_thread, url_of, urls
from tests.doors.mcp.wire import Wire, asked, request
from tests.doors.test_contract import optimal


def test_g8_tickets_are_their_owner_s_alone_and_only_digests_are_kept(suite, tmp_path):
    worlds = [entry.id for entry in suite.manifest.worlds[:3]]
    directory = begun(suite, worlds, tmp_path / "run", trials=2)
    with in_thread(Service(directory, suite)) as found:
        Wire.at(found[f"{worlds[0]}--2"]).call("fly")
    tickets = Tickets(directory)
    assert stat.S_IMODE(tickets.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in tickets.folder.iterdir()} == {0o600}
    tokens = {url.split("/")[-2] for url in found.values()}
    assert len(tokens) == 6
    kept = [path for path in directory.path.rglob("*") if path.is_file() and path.parent != tickets.folder]
    assert len(kept) == 3
    assert [path for path in kept for token in tokens if token in path.read_text()] == []
    assert [world for world in worlds for path in tickets.folder.iterdir() if world in path.read_text()] == []


def test_g2_tickets_survive_a_restart_at_another_port_and_their_files(suite, world, tmp_path):
    directory = begun(suite, [world], tmp_path / "run", trials=2)
    with in_thread(Service(directory, suite)) as before:
        Wire.at(before[f"{world}--1"]).call("fly")
    gone = Tickets(directory).path(Slot(world, 2))
    gone.unlink()
    with in_thread(Service(directory, suite)):
        now = url_of(Tickets(directory).path(Slot(world, 1)))
        assert now.split("/")[3:] == before[f"{world}--1"].split("/")[3:]
        assert now != before[f"{world}--1"]
        Wire.at(now).call("swim")
        Wire.at(now.rsplit("/e/")[0] + "/e/" + before[f"{world}--2"].split("/e/")[1]).call("fly")
        assert not gone.exists()
    assert [sum("tool" in line for line in directory.journaled(Slot(world, trial))) for trial in (1, 2)] == [2, 1]


def test_g8_the_command_says_no_token_and_lists_what_becomes_of_tickets(suite, tmp_path):
    out, family = tmp_path / "run", "fleet_dispatch"
    options = (suite.directory, "--out", out, "--port", "0", "--families", family, "--trials", "2")
    with by_command(*options) as process:
        found = urls(RunDirectory(out))
        first, second, *_ = sorted(found)
        world = first.split("--")[0]
        assert process.base.startswith("http://127.0.0.1:")
        for call in optimal(suite, world):
            Wire.at(found[first]).call(*call)
        Wire.at(found[second]).call("fly")
        for path in ("/e/x/mcp", urlsplit(found[first]).path + "/x"):
            asked(found[first], path)
        asked(found[first], host="evil.example")
        asked(found[first], body=b"{")
        held = run("tickets", out, "--close", "all")
        assert (held.returncode, "another process" in held.stderr) == (2, True)
        process.send_signal(signal.SIGINT)
        said = "".join(process.communicate(timeout=PATIENCE))
    assert "tickets" in said
    listed = json.loads(run_here("tickets", out, "--json").stdout)
    assert {each["name"]: each["status"] for each in listed} == dict.fromkeys(found, "waiting") | {
        first: "submitted",
        second: "playing",
    }
    said += json.dumps(listed) + run_here("tickets", out).stdout
    assert [name for name, url in found.items() if url.split("/")[-2] in said] == []
    assert run_here("tickets", out, "--close", "nobody").returncode == 2
    assert run_here("tickets", out, "--close", second).returncode == 0
    assert run_here("tickets", out, "--close", "all").returncode == 0
    assert sorted(each["status"] for each in json.loads(run_here("tickets", out, "--json").stdout)) == [
        "submitted",
        *["text_end"] * 3,
    ]
    assert run_here("verify-run", out).returncode == 0
    assert run_here("pack", out, "--out", tmp_path / "run.tar").returncode == 0
    with tarfile.open(tmp_path / "run.tar") as archive:
        assert [name for name in archive.getnames() if "ticket" in name] == []
    assert run_here("unpack", tmp_path / "run.tar", "--verify", "--suite", suite.directory).returncode == 0


def test_mistakes_are_one_line_each(suite, world, tmp_path):
    options = ("serve", suite.directory)
    wrong = [options, (*options, "--stdio"), (*options, "--world", world), (*options, "--out", suite.directory / "run")]
    wrong += [
        (*options, "--stdio", "--world", "nowhere"),
        (*options, "--out", tmp_path / "run", "--host", "no.such.host.invalid"),
    ]
    wrong += [(*options, "--stdio", "--world", world, "--json")]
    wrong += [("tickets", tmp_path), (*options, "--out", tmp_path / "run2", "--port", "99999")]
    wrong += [(*options, "--out", tmp_path / "run3", "--allow-host", name) for name in ("http://x", "x:1", "", "*")]
    for arguments in wrong:
        done = run_here(*arguments)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done


def test_a_program_is_told_in_json_where_the_server_is(suite, world, tmp_path):
    process = started(COMMAND, "serve", suite.directory, "--out", tmp_path / "run", "--port", 0, "--worlds", world, "--json")
    told = "".join(iter(process.stdout.readline, "}\n")) + "}"
    document = json.loads(told)
    url = url_of(tmp_path / "run" / "tickets" / f"{world}--1.json")
    assert url.startswith(document["address"] + "/e/")
    assert (document["evaluations"], document["pending"], document["tickets"]) == (1, 1, str(tmp_path / "run" / "tickets"))
    assert asked(url, body=json.dumps(request(1, "ping")).encode()) == 200
    process.send_signal(signal.SIGTERM)
    rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, rest) == (130, "")
    assert "interrupted: run the same command again to go on from here; algoworlds tickets " in errors.splitlines()[-1]
