"""The server of browser games: what it serves, whom it refuses, and what it records."""

import http.client
import json
import os
import re
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from errno import ENOSPC
from urllib.parse import urlsplit

import pytest

from algoworlds.game.games import PracticeGame, open_recorded_games
from algoworlds.game.server import MAX_BODY_BYTES, GameServer
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import new_token, open_listener
from algoworlds.runs.schedule import Slot
from algoworlds.suites.record import recorded_calls
from tests.command import COMMAND, PATIENCE, run_here, start_process
from tests.doors.test_contract import optimal, secrets, worlds_of

ASSET = re.compile(r'(?:src|href)="(/assets/[^"]+)"')


class Client:
    """A client at the address of a game; `received` holds every byte that was served."""

    def __init__(self, address):
        url = urlsplit(address)
        self.host, self.port, self.path, self.received = url.hostname, url.port, url.path, b""

    def request(self, path, body=None, method=None, **headers):
        """Status and body of a request to `path`, relative to the address unless it starts with a slash."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        kind = {} if body is None else {"Content-Type": "application/json"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        url, verb = path if path.startswith("/") else self.path + path, method or ("GET" if body is None else "POST")
        connection.request(verb, url, content, kind | named)
        answer = connection.getresponse()
        content = answer.read()
        self.received += b"\n".join([*(f"{name}: {value}".encode() for name, value in answer.getheaders()), content])
        self.headers = dict(answer.getheaders())
        connection.close()
        return answer.status, content

    def get(self, path):
        status, content = self.request(path)
        assert status == 200, content
        return json.loads(content)

    def call(self, tool, arguments=None, **fields):
        status, content = self.request("call", {"tool": tool, "arguments": arguments, **fields})
        assert status == 200, content
        return json.loads(content)


@contextmanager
def serve_games(*games):
    """Clients at the addresses of `games`."""
    with open_listener("127.0.0.1", 0) as listener, GameServer(games).listening(listener) as addresses:
        yield [Client(address) for address in addresses]


def practice_game(suite, world):
    return PracticeGame(suite.play(world).episode, suite.key(suite.entry(world)))


# -- content --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", ["direct", "mediated"])
def test_serves_no_secret_before_the_end(suite, tmp_path, interface):
    """Page, assets, question, boards and refusals hold nothing hidden except in answers that were paid for."""
    for world in worlds_of(suite, interface):
        game = practice_game(suite, world)
        with serve_games(game) as (client,):
            page = client.request("")[1].decode()
            for asset in ASSET.findall(page):
                assert client.request(asset)[0] == 200
            client.get("opening")
            client.get("board")
            client.call("fly", {})
            client.call(game.episode.world.family.template.decision_tools.submit, {})
            assert [client.request(name)[0] for name in ("result", "hindsight")] == [409, 409]
        hidden = secrets(suite, world, tmp_path)
        assert [secret for secret in hidden if secret.encode() in client.received] == []
        first = optimal(suite, world)[0]
        with serve_games(game) as (client,):
            client.call(*first)
            client.get("board")
        paid = game.episode.observations[-1].text
        assert [secret for secret in hidden if secret.encode() in client.received and secret not in paid] == []


def test_call_is_charged_and_noted(suite, world):
    with serve_games(practice_game(suite, world)) as (client,):
        opening = client.get("opening")
        tool = next(tool for tool in opening["tools"] if tool["name"] == "read_job")
        job = tool["domain"][0]["job"]
        board = client.call("read_job", {"job": job})
        assert board["left"] == opening["budget"] - tool["price"]
        assert board["notebook"]["tables"][0]["rows"][0][0] == job
        assert board["names"][job] == "J1"
        assert client.call("read_job", {"job": job}, since=1)["steps"][0]["charged"] == tool["price"]


def test_repeated_request_is_charged_once(suite, world):
    with serve_games(practice_game(suite, world)) as (client,):
        first = client.call("read_fleet_policy", {}, request="a")
        assert client.call("read_fleet_policy", {}, request="a")["left"] == first["left"]
        assert client.call("read_fleet_policy", {}, request="b")["left"] < first["left"]


def test_result_has_three_decisions_and_a_replay(suite, world):
    calls = optimal(suite, world)
    with serve_games(practice_game(suite, world)) as (client,):
        for call in calls:
            board = client.call(*call)
        assert board["over"]
        result, hindsight = client.get("result"), client.get("hindsight")
    assert (result["record"]["exact"], hindsight["footing"]) == (1, "justified")
    assert all(yours == optimum for _, yours, _, optimum in result["terms"])
    assert any(greedy != optimum for _, _, greedy, optimum in result["terms"])
    assert [step["tool"] for step in result["replay"]["steps"]] == [tool for tool, _ in calls]
    assert result["replay"]["steps"][-2]["coverage"] == 1


# -- access ---------------------------------------------------------------------------------------------------------------


def test_address_of_one_game_reveals_no_other(suite):
    first, second, *_ = worlds_of(suite, "direct")
    with serve_games(practice_game(suite, first), practice_game(suite, second)) as (one, other):
        assert one.path != other.path
        assert one.get("opening")["question"] != other.get("opening")["question"]
        foreign = (f"/play/{new_token()}/", f"/play/{new_token()}/board", one.path[:-2] + "/", one.path.upper())
        for path in ("/", "/play/", "/play", *foreign):
            assert one.request(path)[0] == 404
        for path in ("/assets/../server.py", "/assets/server.py", "/assets/%2e%2e/server.py", "/assets/", f"{one.path}../"):
            assert one.request(path)[0] == 404
        one.call(*optimal(suite, first)[0])
        assert other.get("board")["made"] == 0


@pytest.mark.parametrize("path", ["", "opening", "board", "call", "/assets/play.js"])
def test_rejects_foreign_host_names(suite, world, path):
    """DNS rebinding: the browser sends the attacker's host name."""
    with serve_games(practice_game(suite, world)) as (client,):
        body = {"tool": "read_fleet_policy"} if path == "call" else None
        for host in ("evil.example", f"evil.example:{client.port}", "127.0.0.1.evil.example", ""):
            assert client.request(path, body, Host=host)[0] == 421
        for host in ("localhost", f"127.0.0.1:{client.port}", "LOCALHOST"):
            assert client.request(path, body, Host=host)[0] == 200


def test_foreign_page_can_neither_call_nor_read(suite, world):
    game, body = practice_game(suite, world), {"tool": "read_fleet_policy", "arguments": {}}
    with serve_games(game) as (client,):
        own = f"http://127.0.0.1:{client.port}"
        assert client.request("call", body, Origin="https://evil.example")[0] == 403
        assert client.request("call", body, Origin="null")[0] == 403
        assert client.request("call", body, Origin=f"http://127.0.0.1:{client.port + 1}")[0] == 403
        assert client.request("board", Origin="https://evil.example")[0] == 403
        for site in ("cross-site", "same-site", "none"):
            assert client.request("call", body, Sec_Fetch_Site=site)[0] == 403
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):  # what a form can send
            assert client.request("call", body, Content_Type=kind)[0] == 415
        assert game.episode.attempts == 0
        assert client.request("call", body, Origin=own, Sec_Fetch_Site="same-origin")[0] == 200
        for name in ("Cross-Origin-Resource-Policy", "Cross-Origin-Opener-Policy"):
            assert client.headers[name] == "same-origin"
        assert "frame-ancestors 'none'" in client.headers["Content-Security-Policy"]
        assert "Access-Control-Allow-Origin" not in client.headers
        assert (client.headers["Referrer-Policy"], client.headers["Cache-Control"]) == ("no-referrer", "no-store")


def test_rejects_malformed_requests(suite, world):
    game = practice_game(suite, world)
    with serve_games(game) as (client,):
        assert client.request("call", b"{")[0] == 400
        assert client.request("call", b"[" * 5000)[0] == 400
        assert client.request("call", ["read_job"])[0] == 404
        assert client.request("fly", {})[0] == 404
        assert client.request("call", b"x", Content_Length=str(MAX_BODY_BYTES + 1))[0] == 413
        assert client.request("board", method="DELETE")[0] == 501
        assert client.get("board?since=nonsense")["made"] == 0
    assert game.episode.attempts == 0


def test_result_links_to_the_next_game(suite):
    first, second, *_ = worlds_of(suite, "direct")
    with serve_games(practice_game(suite, first), practice_game(suite, second)) as (one, other):
        for client, following in ((one, other.path), (other, None)):
            assert client.request("resign", {})[0] == 200
            assert client.get("result")["next"] == following


def test_concurrent_moves_are_all_made(suite, world):
    game = practice_game(suite, world)
    with serve_games(game) as (client,), ThreadPoolExecutor(12) as pool:
        address = f"http://{client.host}:{client.port}{client.path}"
        boards = list(pool.map(lambda number: Client(address).call("read_fleet_policy", {}, request=str(number)), range(12)))
    assert sorted(board["made"] for board in boards) == list(range(1, 13))


def test_move_fails_on_full_disk_and_can_be_repeated(suite, world, tmp_path, monkeypatch, caplog):
    with (
        open_recorded_games(tmp_path / "run", suite, [suite.entry(world)], "Ada") as games,
        serve_games(*games) as (client,),
    ):
        move = {"tool": "read_fleet_policy", "arguments": {}, "request": "a"}
        with monkeypatch.context() as failing:
            failing.setattr("algoworlds.runs.journal.os.fsync", raise_disk_full)
            assert client.request("call", move)[0] == 503
        assert "No space left on device" in caplog.text
        assert client.get("board")["made"] == 0
        assert json.loads(client.request("call", move)[1])["made"] == 1


def raise_disk_full(descriptor):
    raise OSError(ENOSPC, os.strerror(ENOSPC))


def test_targets_and_bodies_that_cannot_be_parsed_are_bad_requests(suite, world, caplog):
    """No token is needed to send them, and none of them reaches the log with a traceback."""
    with serve_games(practice_game(suite, world)) as (client,):
        for target in ("http://[::bad/x", "http://[/", "//[::bad/play/", "http://[::1]]/"):
            for method in ("GET", "POST"):
                with socket.create_connection((client.host, client.port), timeout=PATIENCE) as connection:
                    head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"
                    connection.sendall(head.encode())
                    assert connection.recv(100).split()[1] in (b"400", b"404"), target
        for body in (b'{"tool": "read_job", "arguments": NaN}', b'{"request": Infinity}', b"[1", b"\xff"):
            assert client.request("call", body)[0] == 400
        assert client.get("board")["made"] == 0
    assert not caplog.records


# -- recorded games -------------------------------------------------------------------------------------------------------


def test_recorded_game_equals_a_replay_of_its_calls(suite, world, tmp_path):
    with (
        open_recorded_games(tmp_path / "run", suite, [suite.entry(world)], "Ada") as games,
        serve_games(*games) as (client,),
    ):
        for call in optimal(suite, world):
            client.call(*call)
    run = RunDirectory(tmp_path / "run")
    record = run.read_record(Slot(world, 1))
    assert record == suite.play(world, recorded_calls(record)).record(run.provenance(Slot(world, 1)))
    assert [record[name] for name in ("kind", "configuration", "exact")] == ["human", "Ada", 1]
    assert (run.path / "manifest.json").is_file()


def test_interrupted_game_says_how_to_continue(suite, world, tmp_path):
    arguments = [COMMAND, "play", world, "--suite", suite.directory, "--out", tmp_path / "run", "--browser"]
    process = start_process(*arguments)
    while "Ctrl-C stops" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert errors == "algoworlds: interrupted: run the same command again to go on from here\n"
    assert process.returncode == 130


def test_killed_game_continues_at_another_address(suite, world, tmp_path):
    arguments = [COMMAND, "play", world, "--suite", suite.directory, "--out", tmp_path / "run", "--browser", "--json"]
    calls = optimal(suite, world)
    addresses = []
    for part in (calls[:2], calls[2:]):
        process = start_process(*arguments)
        try:
            output = ""
            while not output.endswith("}\n"):
                output += process.stdout.readline()
            (address,) = json.loads(output)["addresses"]
            addresses.append(address)
            for call in part:
                Client(address).call(*call)
        finally:
            os.kill(process.pid, signal.SIGKILL if part == calls[:2] else signal.SIGINT)
            process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert len(set(addresses)) == 2
    record = RunDirectory(tmp_path / "run").read_record(Slot(world, 1))
    fields = [record[name] for name in ("kind", "configuration", "exact", "attempted_calls")]
    assert fields == ["human", "anonymous", 1, len(calls)]
    assert run_here("verify-run", tmp_path / "run").returncode == 0
