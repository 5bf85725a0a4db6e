"""Tickets are private, stored as digests, and valid after a restart; and the commands that create and list them."""

import json
import shutil
import signal
import stat
import tarfile
from urllib.parse import urlsplit

import pytest

from algoworlds.adapters.mcp.service import Service
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Slot
from tests.command import COMMAND, PATIENCE, run, run_here, start_process
from tests.doors.mcp.client import McpClient, request, request_status
from tests.doors.mcp.serving import begin_run, serve_by_command, serve_in_thread, url_of, urls
from tests.doors.test_contract import optimal
from tests.json_schema import require_schema


def test_g8_tickets_are_private_and_the_run_keeps_only_digests(suite, tmp_path):
    worlds = [entry.id for entry in suite.manifest.worlds[:3]]
    directory = begin_run(suite, worlds, tmp_path / "run", trials=2)
    with serve_in_thread(Service(directory, suite)) as url_by_name:
        McpClient.connect(url_by_name[f"{worlds[0]}--2"]).call("fly")
    tickets = Tickets(directory)
    assert stat.S_IMODE(tickets.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in tickets.folder.iterdir()} == {0o600}
    tokens = {url.split("/")[-2] for url in url_by_name.values()}
    assert len(tokens) == 6
    other_files = [path for path in directory.path.rglob("*") if path.is_file() and path.parent != tickets.folder]
    assert len(other_files) == 3
    assert [path for path in other_files for token in tokens if token in path.read_text()] == []
    assert [world for world in worlds for path in tickets.folder.iterdir() if world in path.read_text()] == []


def flip_bit(path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)


def test_g8_damaged_ticket_is_written_again_and_named(suite, world, tmp_path):
    out = tmp_path / "run"
    options = (suite.directory, "--out", out, "--port", "0", "--worlds", world, "--trials", 2)
    with serve_by_command(*options):
        before = urls(RunDirectory(out))
    damaged = Tickets(RunDirectory(out)).path(Slot(world, 2))
    flip_bit(damaged, damaged.read_text().index("/e/") + 9)
    with serve_by_command(*options) as process:
        after = urls(RunDirectory(out))
        unchanged = {name: url.split("/")[-2] == before[name].split("/")[-2] for name, url in after.items()}
        assert unchanged == {f"{world}--1": True, f"{world}--2": False}
        assert "budget_left" in McpClient.connect(after[f"{world}--2"]).call(*optimal(suite, world)[0]).text
        process.send_signal(signal.SIGINT)
        assert "--2.json was damaged" in process.communicate(timeout=PATIENCE)[1]


@pytest.mark.parametrize("damage", ["bit of a digest", "bit of a name", "cut", "missing evaluation"])
def test_g8_damaged_list_of_tickets_is_refused(suite, world, tmp_path, damage):
    out = tmp_path / "run"
    with serve_in_thread(Service(begin_run(suite, [world], out, trials=2), suite)):
        path = out / "tickets.json"
    text = path.read_text()
    if damage.startswith("bit"):
        flip_bit(path, text.index('": "') + 9 if damage == "bit of a digest" else text.index("sha256"))
    elif damage == "cut":
        path.write_text(text[:100])
    else:
        path.write_text(json.dumps(dict(list(json.loads(text).items())[1:])))
    done = run_here("tickets", out)
    assert (done.returncode, done.stderr.count("\n"), "tickets.json: restore it" in done.stderr) == (2, 1, True)
    begun = run_here("serve", suite.directory, "--out", out, "--port", "0", "--worlds", world, "--trials", 2)
    assert (begun.returncode, begun.stderr.count("\n")) == (2, 1)


def test_tickets_of_earlier_versions_stay_valid(suite, world, tmp_path):
    """Without a checksum, and with the name that fewer clients know for the same transport."""
    directory = begin_run(suite, [world], tmp_path / "run")
    with serve_in_thread(Service(directory, suite)) as before:
        path, digests = Tickets(directory).path(Slot(world, 1)), directory.path / "tickets.json"
    digests.write_text(json.dumps({name: value for name, value in json.loads(digests.read_text()).items() if "--" in name}))
    path.write_text(path.read_text().replace("streamable-http", "http"))
    with serve_in_thread(Service(directory, suite)) as after:
        assert [url.split("/")[-2] for url in after.values()] == [url.split("/")[-2] for url in before.values()]
        McpClient.connect(after[f"{world}--1"]).call("fly")
    assert "streamable-http" in path.read_text()


def test_unreadable_sealed_file_is_refused_at_the_start(suite, world, tmp_path):
    copy = shutil.copytree(suite.directory, tmp_path / "suite")
    for path in (copy / "worlds" / world / "sealed").iterdir():
        content = path.read_bytes()
        path.write_bytes(b"")
        done = run_here("serve", copy, "--out", tmp_path / "run", "--port", "0", "--worlds", world)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), path
        assert not (tmp_path / "run").exists()
        path.write_bytes(content)


def test_g2_tickets_stay_valid_after_a_restart_at_another_port(suite, world, tmp_path):
    directory = begin_run(suite, [world], tmp_path / "run", trials=2)
    with serve_in_thread(Service(directory, suite)) as before:
        McpClient.connect(before[f"{world}--1"]).call("fly")
    gone = Tickets(directory).path(Slot(world, 2))
    gone.unlink()
    with serve_in_thread(Service(directory, suite)):
        now = url_of(Tickets(directory).path(Slot(world, 1)))
        assert now.split("/")[3:] == before[f"{world}--1"].split("/")[3:]
        assert now != before[f"{world}--1"]
        McpClient.connect(now).call("swim")
        McpClient.connect(now.rsplit("/e/")[0] + "/e/" + before[f"{world}--2"].split("/e/")[1]).call("fly")
        assert not gone.exists()
    assert [sum("tool" in line for line in directory.read_journal(Slot(world, trial))) for trial in (1, 2)] == [2, 1]


def test_g8_commands_print_no_token_and_list_ticket_states(suite, tmp_path):
    out, family = tmp_path / "run", "fleet_dispatch"
    options = (suite.directory, "--out", out, "--port", "0", "--families", family, "--trials", "2")
    with serve_by_command(*options) as process:
        url_by_name = urls(RunDirectory(out))
        first, second, *_ = sorted(url_by_name)
        world = first.split("--")[0]
        assert process.base.startswith("http://127.0.0.1:")
        for call in optimal(suite, world):
            McpClient.connect(url_by_name[first]).call(*call)
        McpClient.connect(url_by_name[second]).call("fly")
        for path in ("/e/x/mcp", urlsplit(url_by_name[first]).path + "/x"):
            request_status(url_by_name[first], path)
        request_status(url_by_name[first], host="evil.example")
        request_status(url_by_name[first], body=b"{")
        held = run("tickets", out, "--close", "all")
        assert (held.returncode, "another process" in held.stderr) == (2, True)
        process.send_signal(signal.SIGINT)
        printed = "".join(process.communicate(timeout=PATIENCE))
    assert "tickets" in printed
    rows = json.loads(run_here("tickets", out, "--json").stdout)
    require_schema("tickets", rows)
    assert {row["name"]: row["status"] for row in rows} == dict.fromkeys(url_by_name, "waiting") | {
        first: "submitted",
        second: "playing",
    }
    printed += json.dumps(rows) + run_here("tickets", out).stdout
    assert [name for name, url in url_by_name.items() if url.split("/")[-2] in printed] == []
    assert run_here("tickets", out, "--close", "nobody").returncode == 2
    assert run_here("tickets", out, "--close", second).returncode == 0
    assert run_here("tickets", out, "--close", "all").returncode == 0
    assert sorted(row["status"] for row in json.loads(run_here("tickets", out, "--json").stdout)) == [
        "submitted",
        *["text_end"] * 3,
    ]
    assert run_here("verify-run", out).returncode == 0
    assert run_here("pack", out, "--out", tmp_path / "run.tar").returncode == 0
    with tarfile.open(tmp_path / "run.tar") as archive:
        assert [name for name in archive.getnames() if "ticket" in name] == []
    assert run_here("unpack", tmp_path / "run.tar", "--verify", "--suite", suite.directory).returncode == 0


def test_rejects_wrong_options_in_one_line(suite, world, tmp_path):
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


def test_json_output_names_the_server_address(suite, world, tmp_path):
    options = ("--out", tmp_path / "run", "--port", 0, "--worlds", world, "--trials", 1, "--json")
    process = start_process(COMMAND, "serve", suite.directory, *options)
    text = "".join(iter(process.stdout.readline, "}\n")) + "}"
    document = json.loads(text)
    require_schema("serve", document)
    url = url_of(tmp_path / "run" / "tickets" / f"{world}--1.json")
    assert url.startswith(document["address"] + "/e/")
    assert (document["evaluations"], document["pending"], document["tickets"]) == (1, 1, str(tmp_path / "run" / "tickets"))
    assert request_status(url, body=json.dumps(request(1, "ping")).encode()) == 200
    process.send_signal(signal.SIGTERM)
    rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, rest) == (130, "")
    assert "interrupted: run the same command again to go on from here; algoworlds tickets " in errors.splitlines()[-1]
