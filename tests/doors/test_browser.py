"""People in a browser: the server of their games as anybody on the machine meets it, page or no page."""

import http.client
import json
import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from errno import ENOSPC
from urllib.parse import urlsplit

import pytest

from algoworlds.game.browser.hosting import LONGEST_BODY, Host
from algoworlds.game.challenge import Practice, kept
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import bound, new_token
from algoworlds.runs.slot import Slot
from algoworlds.suites.record import calls_of
from tests.command import COMMAND, PATIENCE, run_here, started
from tests.doors.test_contract import optimal, secrets, worlds_of

ASSET = re.compile(r'(?:src|href)="(/assets/[^"]+)"')


class Visitor:
    """Somebody with an address, who keeps every byte that was served."""

    def __init__(self, address):
        place = urlsplit(address)
        self.host, self.port, self.path, self.heard = place.hostname, place.port, place.path, b""

    def ask(self, path, told=None, method=None, **headers):
        """Status and body of a request to a path, below the address unless it is a whole one."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        body = None if told is None else json.dumps(told).encode() if not isinstance(told, bytes) else told
        kind = {} if told is None else {"Content-Type": "application/json"}
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        place, verb = path if path.startswith("/") else self.path + path, method or ("GET" if told is None else "POST")
        connection.request(verb, place, body, kind | named)
        answer = connection.getresponse()
        content = answer.read()
        self.heard += b"\n".join([*(f"{name}: {value}".encode() for name, value in answer.getheaders()), content])
        self.headers = dict(answer.getheaders())
        connection.close()
        return answer.status, content

    def get(self, path):
        status, content = self.ask(path)
        assert status == 200, content
        return json.loads(content)

    def call(self, tool, arguments=None, **told):
        status, content = self.ask("call", {"tool": tool, "arguments": arguments, **told})
        assert status == 200, content
        return json.loads(content)


@contextmanager
def visiting(*challenges):
    with bound("127.0.0.1", 0) as listener, Host(challenges).listening(listener) as addresses:
        yield [Visitor(address) for address in addresses]


def practice(suite, world):
    return Practice(suite.play(world).episode, suite.key(suite.entry(world)))


# -- what is served -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("interface", ["direct", "mediated"])
def test_no_byte_that_is_served_before_the_end_holds_a_secret(suite, tmp_path, interface):
    """Page, parts, question, boards, refusals: with every answer that was paid for taken out, nothing hidden is left."""
    for world in worlds_of(suite, interface):
        challenge = practice(suite, world)
        with visiting(challenge) as (visitor,):
            page = visitor.ask("")[1].decode()
            for asset in ASSET.findall(page):
                assert visitor.ask(asset)[0] == 200
            visitor.get("opening")
            visitor.get("board")
            visitor.call("fly", {})
            visitor.call(challenge.episode.world.family.template.closing.submit, {})
            assert [visitor.ask(each)[0] for each in ("result", "hindsight")] == [409, 409]
        hidden = secrets(suite, world, tmp_path)
        assert [secret for secret in hidden if secret.encode() in visitor.heard] == []
        first = optimal(suite, world)[0]
        with visiting(challenge) as (visitor,):
            visitor.call(*first)
            visitor.get("board")
        told = challenge.episode.observations[-1].text
        assert [secret for secret in hidden if secret.encode() in visitor.heard and secret not in told] == []


def test_what_is_asked_is_charged_and_noted(suite, world):
    with visiting(practice(suite, world)) as (visitor,):
        opening = visitor.get("opening")
        tool = next(each for each in opening["tools"] if each["name"] == "read_job")
        job = tool["domain"][0]["job"]
        board = visitor.call("read_job", {"job": job})
        assert board["left"] == opening["budget"] - tool["price"]
        assert board["notebook"]["tables"][0]["rows"][0][0] == job
        assert board["names"][job] == "J1"
        assert visitor.call("read_job", {"job": job}, since=1)["steps"][0]["charged"] == tool["price"]


def test_a_request_that_comes_again_is_charged_once(suite, world):
    with visiting(practice(suite, world)) as (visitor,):
        one = visitor.call("read_fleet_policy", {}, request="a")
        assert visitor.call("read_fleet_policy", {}, request="a")["left"] == one["left"]
        assert visitor.call("read_fleet_policy", {}, request="b")["left"] < one["left"]


def test_after_the_end_the_three_decisions_and_a_replay_are_told(suite, world):
    calls = optimal(suite, world)
    with visiting(practice(suite, world)) as (visitor,):
        for call in calls:
            board = visitor.call(*call)
        assert board["over"]
        result, known = visitor.get("result"), visitor.get("hindsight")
    assert (result["record"]["exact"], known["footing"]) == (1, "justified")
    assert all(yours == optimum for _, yours, _, optimum in result["terms"])
    assert any(greedy != optimum for _, _, greedy, optimum in result["terms"])
    assert [step["tool"] for step in result["replay"]["steps"]] == [tool for tool, _ in calls]
    assert result["replay"]["steps"][-2]["coverage"] == 1


# -- who is let in --------------------------------------------------------------------------------------------------------


def test_one_player_cannot_read_anothers_world(suite):
    first, second, *_ = worlds_of(suite, "direct")
    with visiting(practice(suite, first), practice(suite, second)) as (one, other):
        assert one.path != other.path
        assert one.get("opening")["question"] != other.get("opening")["question"]
        foreign = (f"/play/{new_token()}/", f"/play/{new_token()}/board", one.path[:-2] + "/", one.path.upper())
        for path in ("/", "/play/", "/play", *foreign):
            assert one.ask(path)[0] == 404
        for path in ("/assets/../hosting.py", "/assets/hosting.py", "/assets/%2e%2e/board.py", "/assets/", f"{one.path}../"):
            assert one.ask(path)[0] == 404
        one.call(*optimal(suite, first)[0])
        assert other.get("board")["made"] == 0


@pytest.mark.parametrize("path", ["", "opening", "board", "call", "/assets/play.js"])
def test_a_name_that_is_made_to_lead_here_is_turned_away(suite, world, path):
    """DNS rebinding: the browser believes to be at the attacker's name, and says so."""
    with visiting(practice(suite, world)) as (visitor,):
        told = {"tool": "read_fleet_policy"} if path == "call" else None
        for host in ("evil.example", f"evil.example:{visitor.port}", "127.0.0.1.evil.example", ""):
            assert visitor.ask(path, told, Host=host)[0] == 421
        for host in ("localhost", f"127.0.0.1:{visitor.port}", "LOCALHOST"):
            assert visitor.ask(path, told, Host=host)[0] == 200


def test_a_foreign_page_can_neither_call_nor_read(suite, world):
    challenge, told = practice(suite, world), {"tool": "read_fleet_policy", "arguments": {}}
    with visiting(challenge) as (visitor,):
        own = f"http://127.0.0.1:{visitor.port}"
        assert visitor.ask("call", told, Origin="https://evil.example")[0] == 403
        assert visitor.ask("call", told, Origin="null")[0] == 403
        assert visitor.ask("call", told, Origin=f"http://127.0.0.1:{visitor.port + 1}")[0] == 403
        assert visitor.ask("board", Origin="https://evil.example")[0] == 403
        for site in ("cross-site", "same-site", "none"):
            assert visitor.ask("call", told, Sec_Fetch_Site=site)[0] == 403
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):  # what a form can send
            assert visitor.ask("call", told, Content_Type=kind)[0] == 415
        assert challenge.episode.attempts == 0
        assert visitor.ask("call", told, Origin=own, Sec_Fetch_Site="same-origin")[0] == 200
        for name in ("Cross-Origin-Resource-Policy", "Cross-Origin-Opener-Policy"):
            assert visitor.headers[name] == "same-origin"
        assert "frame-ancestors 'none'" in visitor.headers["Content-Security-Policy"]
        assert "Access-Control-Allow-Origin" not in visitor.headers
        assert (visitor.headers["Referrer-Policy"], visitor.headers["Cache-Control"]) == ("no-referrer", "no-store")


def test_what_is_no_request_is_refused_and_changes_nothing(suite, world):
    challenge = practice(suite, world)
    with visiting(challenge) as (visitor,):
        assert visitor.ask("call", b"{")[0] == 400
        assert visitor.ask("call", b"[" * 5000)[0] == 400
        assert visitor.ask("call", ["read_job"])[0] == 404
        assert visitor.ask("fly", {})[0] == 404
        assert visitor.ask("call", b"x", Content_Length=str(LONGEST_BODY + 1))[0] == 413
        assert visitor.ask("board", method="DELETE")[0] == 501
        assert visitor.get("board?since=nonsense")["made"] == 0
    assert challenge.episode.attempts == 0


def test_whoever_has_ended_a_game_is_led_to_the_next(suite):
    first, second, *_ = worlds_of(suite, "direct")
    with visiting(practice(suite, first), practice(suite, second)) as (one, other):
        for visitor, following in ((one, other.path), (other, None)):
            assert visitor.ask("resign", {})[0] == 200
            assert visitor.get("result")["next"] == following


def test_moves_at_the_same_time_are_all_made_and_answered(suite, world):
    challenge = practice(suite, world)
    with visiting(challenge) as (visitor,), ThreadPoolExecutor(12) as pool:
        address = f"http://{visitor.host}:{visitor.port}{visitor.path}"
        boards = list(pool.map(lambda at: Visitor(address).call("read_fleet_policy", {}, request=str(at)), range(12)))
    assert sorted(board["made"] for board in boards) == list(range(1, 13))


def test_a_disk_that_fails_is_no_move_and_the_same_request_can_come_again(suite, world, tmp_path, monkeypatch, caplog):
    with kept(tmp_path / "run", suite, [suite.entry(world)], "Ada") as challenges, visiting(*challenges) as (visitor,):
        move = {"tool": "read_fleet_policy", "arguments": {}, "request": "a"}
        with monkeypatch.context() as failing:
            failing.setattr("algoworlds.runs.journal.os.fsync", full)
            assert visitor.ask("call", move)[0] == 503
        assert "No space left on device" in caplog.text
        assert visitor.get("board")["made"] == 0
        assert json.loads(visitor.ask("call", move)[1])["made"] == 1


def full(descriptor):
    raise OSError(ENOSPC, os.strerror(ENOSPC))


# -- what is kept ---------------------------------------------------------------------------------------------------------


def test_a_game_in_a_browser_leaves_the_record_that_its_calls_leave_at_the_seam(suite, world, tmp_path):
    with kept(tmp_path / "run", suite, [suite.entry(world)], "Ada") as challenges, visiting(*challenges) as (visitor,):
        for call in optimal(suite, world):
            visitor.call(*call)
    run = RunDirectory(tmp_path / "run")
    record = run.record(Slot(world, 1))
    assert record == suite.play(world, calls_of(record)).record(run.whose(Slot(world, 1)))
    assert [record[name] for name in ("kind", "configuration", "exact")] == ["human", "Ada", 1]
    assert (run.path / "manifest.json").is_file()


def test_a_game_that_is_stopped_says_how_to_go_on(suite, world, tmp_path):
    order = [COMMAND, "play", world, "--suite", suite.directory, "--out", tmp_path / "run", "--browser"]
    process = started(*order)
    while "Ctrl-C stops" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)
    assert told == "algoworlds: interrupted: run the same command again to go on from here\n"
    assert process.returncode == 130


def test_a_killed_game_goes_on_by_the_same_command_at_another_address(suite, world, tmp_path):
    order = [COMMAND, "play", world, "--suite", suite.directory, "--out", tmp_path / "run", "--browser", "--json"]
    calls = optimal(suite, world)
    addresses = []
    for part in (calls[:2], calls[2:]):
        process = started(*order)
        try:
            told = ""
            while not told.endswith("}\n"):
                told += process.stdout.readline()
            (address,) = json.loads(told)["addresses"]
            addresses.append(address)
            for call in part:
                Visitor(address).call(*call)
        finally:
            os.kill(process.pid, signal.SIGKILL if part == calls[:2] else signal.SIGINT)
            process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert len(set(addresses)) == 2
    record = RunDirectory(tmp_path / "run").record(Slot(world, 1))
    told = [record[name] for name in ("kind", "configuration", "exact", "attempted_calls")]
    assert told == ["human", "anonymous", 1, len(calls)]
    assert run_here("verify-run", tmp_path / "run").returncode == 0
