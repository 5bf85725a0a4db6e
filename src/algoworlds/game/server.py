"""The server of browser games: one address per game, `/play/TOKEN/`, on the loopback; the token is the only key to it.

Below the address are the page and its JSON: `opening` (question, tools and budget), `board` (the state), `call` and `resign`
(the player's moves) and, once the game is over, `result` and `hindsight`. `/assets/NAME` are the page's scripts and styles.
"""

import json
import logging
import re
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Lock, Thread
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from algoworlds.core.canonical import JsonObject
from algoworlds.core.tool import MAX_ARGUMENT_CHARS, Call
from algoworlds.errors import AlgoWorldsError
from algoworlds.game.debrief import compute_hindsight, debrief
from algoworlds.game.decision_builder import CLAIMS, builder_to_json
from algoworlds.game.games import Game
from algoworlds.game.nicknames import Nicknames
from algoworlds.game.notebook import build_notebook
from algoworlds.reports.page import REPLAY_SCRIPTS, REPLAY_STYLE, THEME_STYLE, read_asset
from algoworlds.reports.verdict import decision_text
from algoworlds.runs.external.access import LOCAL_HOSTS, TOKEN_PATTERN, new_token, origin_problem, token_digest
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Observation

MAX_BODY_BYTES = 2 * MAX_ARGUMENT_CHARS
REQUEST_TIMEOUT_SECONDS = 30
PAGE_FILES = ("play.css", "play.js", "builder.js", "lookback.js")
REPORT_FILES = (THEME_STYLE, REPLAY_STYLE, *REPLAY_SCRIPTS)
"""Assets that the page shares with the report: its theme and its replay."""
_GAME_PATH = re.compile(rf"/play/({TOKEN_PATTERN})/([a-z]*)")
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""The page loads nothing from elsewhere, no other page can frame or read it, and its secret address is not passed on."""


# -- JSON for the page ----------------------------------------------------------------------------------------------------


def describe_game(game: Game) -> JsonObject:
    """What stays the same during a game: question, budget, and tools with every arguments object that they admit."""
    world = game.episode.world
    closing = world.family.template.decision_tools
    tools = []
    for tool in world.tools:
        name, properties = tool["name"], tool["parameters"]["properties"]
        if name in world.family.tools:
            fields = [{"name": field, "about": schema["description"]} for field, schema in properties.items()]
            domain = world.family.tools[name].argument.domain(world.public)  # public data, as the question is
            head = {"name": name, "about": tool["description"], "price": world.prices[name]}
            tools.append({**head, "fields": fields, "domain": domain})
    return {
        "title": world.family.title,
        "question": world.question,
        "budget": world.budget,
        "call_cap": world.call_cap,
        "attempt_cap": world.attempt_cap,
        "keeps": game.is_recorded,
        "tools": tools,
        "evaluate": {"name": closing.evaluate, "price": world.prices[closing.evaluate]},
        "submit": closing.submit,
        "claims": CLAIMS,
        "rosters": {heading: world.public[name] for name, heading in world.family.template.rosters.items()},
    }


def describe_state(game: Game, since: int = 0) -> JsonObject:
    """The current state: calls from number `since` on with their answers, notebook, short names and decision builder."""
    episode = game.episode
    notebook = build_notebook(episode)
    steps = list(zip(episode.calls, episode.observations, strict=True))
    return {
        "made": len(steps),
        "steps": [_step(call, observation) for call, observation in steps[since:]],
        "left": episode.remaining,
        "executed": episode.executed,
        "evaluated": episode.evaluated,
        "over": game.is_over,
        "names": _nicknames(episode).short_by_id,
        "notebook": notebook.document,
        "builder": builder_to_json(episode.world, notebook),
    }


def _nicknames(episode: Episode) -> Nicknames:
    return Nicknames.from_texts([episode.world.question, *(observation.text for observation in episode.observations)])


def _step(call: Call, observation: Observation) -> JsonObject:
    """A call and its answer, with the tables apart."""
    answer = observation.json
    head = {"tool": call.tool, "arguments": call.arguments, "status": observation.status.value, "charged": observation.charged}
    return {**head, "records": answer.pop("records", {}), "answer": answer}


def describe_result(game: Game) -> JsonObject:
    """The debrief and the replay of a game that is over."""
    result = debrief(game.episode, game.key)
    sense = game.episode.world.family.sense.value
    return {
        **result.document,
        "sense": sense,
        "verdict": decision_text(result.record),
        "replay": _replay(game.episode, result.record),
    }


def _replay(episode: Episode, record: Mapping[str, Any]) -> JsonObject:
    """The game for the report's `replay.js`, with short names; what could be known follows in `hindsight`."""
    world, coverage = episode.world, dict(record["coverage_curve"])
    steps = []
    for number, step in enumerate(map(_step, episode.calls, episode.observations), 1):
        answer = step.pop("answer")
        response = answer if {"feasible", "error"} & set(answer) else None
        if records := step.pop("records"):
            response = {"tables": [{"name": name, **table} for name, table in records.items()]}
        step |= {"turn": number, "number": number, "texts": [], "coverage": coverage.get(number), "response": response}
        steps.append(step)
    tools = [{**tool, "price": world.prices.get(tool["name"])} for tool in world.tools]
    value = {"question": world.question, "tools": tools, "budget": world.budget, "steps": steps, "texts": [], "missing": None}
    shortened: JsonObject = json.loads(_nicknames(episode).shorten(json.dumps(value)))
    return shortened | {"sufficient_at": record["sufficient_at"], "determined_at": None, "risks": None}


# -- the server -----------------------------------------------------------------------------------------------------------


class RequestRefused(Exception):
    """A request that gets no content but an HTTP status."""

    def __init__(self, status: HTTPStatus) -> None:
        """Refuse with `status`."""
        super().__init__(status.phrase)
        self.status = status


class GameSession:
    """One game as requests reach it."""

    def __init__(self, game: Game, find_next: Callable[[], str | None] = lambda: None) -> None:
        """Serve `game`, which may have begun; `find_next` returns the path of another game that is not over."""
        self.game, self._find_next = game, find_next
        self._game_lock, self._hindsight_lock = Lock(), Lock()

    def get(self, resource: str, since: int) -> Any:
        """The JSON of `resource`."""
        if resource == "opening":
            return describe_game(self.game)
        if resource == "board":
            with self._game_lock:
                return describe_state(self.game, since)
        if resource not in ("result", "hindsight"):
            raise RequestRefused(HTTPStatus.NOT_FOUND)
        if not self.game.is_over:
            raise RequestRefused(HTTPStatus.CONFLICT)
        if resource == "result":
            return {**describe_result(self.game), "next": self._find_next()}
        with self._hindsight_lock:  # it takes a while: requests that come meanwhile wait for the same result
            return self._hindsight

    def post(self, action: str, body: Any) -> Any:
        """Make a move; returns the state after it."""
        if action not in ("call", "resign") or not isinstance(body, dict):
            raise RequestRefused(HTTPStatus.NOT_FOUND)
        with self._game_lock:
            if action == "call":
                self.game.call(body.get("tool"), body.get("arguments"), body.get("request"))
            else:
                self.game.resign()
            return describe_state(self.game, _parse_count(body.get("since")))

    @cached_property
    def _hindsight(self) -> JsonObject:
        return compute_hindsight(self.game.episode, self.game.key)


class GameServer:
    """The games of one command, each at a secret address."""

    def __init__(self, games: Sequence[Game]) -> None:
        """Draw a token for each game; sessions are found by its digest."""
        self._games = {new_token(): game for game in games}
        self.sessions = {token_digest(token): GameSession(game, self._find_next) for token, game in self._games.items()}

    def _find_next(self) -> str | None:
        """The path of a game that is not over; all games of a command belong to one player."""
        return next((f"/play/{token}/" for token, game in self._games.items() if not game.is_over), None)

    @contextmanager
    def listening(self, listener: socket.socket) -> Iterator[list[str]]:
        """Answer requests inside the context; yields the addresses to play at."""
        server = _Server(self.sessions, listener)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        try:
            host, port = listener.getsockname()[:2]
            yield [f"http://{host}:{port}/play/{token}/" for token in self._games]
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, sessions: dict[str, GameSession], listener: socket.socket) -> None:
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket, self.sessions = listener, sessions

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log errors of the server, but not clients that hang up."""
        problem = sys.exception()
        if not isinstance(problem, ConnectionError | TimeoutError):
            _log(problem)


class _Handler(BaseHTTPRequestHandler):
    """Answers one request. Requests are not logged, because addresses are secret."""

    server: _Server
    timeout = REQUEST_TIMEOUT_SECONDS
    server_version, sys_version = "algoworlds", ""

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, build_content: Callable[[], tuple[str, bytes]]) -> None:
        status, kind = HTTPStatus.OK, "text/plain; charset=utf-8"
        hosts, origins = (self.headers.get_all(name, []) for name in ("host", "origin"))
        try:
            if (refusal := origin_problem(LOCAL_HOSTS, hosts, origins)) is not None:
                raise RequestRefused(refusal)
            kind, body = build_content()
        except RequestRefused as problem:
            status = problem.status
        except (AlgoWorldsError, OSError) as problem:  # such as a full disk: the same request may be repeated
            _log(problem)
            status = HTTPStatus.SERVICE_UNAVAILABLE
        if status is not HTTPStatus.OK:
            body = f"{status.phrase}\n".encode()
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _get(self) -> tuple[str, bytes]:
        address = self._parse_target()
        if address.path.startswith("/assets/"):
            return _asset(address.path.removeprefix("/assets/"))
        session, resource = self._find_session(address.path)
        if not resource:
            return "text/html; charset=utf-8", _page_file("play.html")
        return _to_json(session.get(resource, _parse_count(parse_qs(address.query).get("since", [None])[0])))

    def _post(self) -> tuple[str, bytes]:
        """A move. It must be JSON, which no form of a foreign page can send, and come from our own page."""
        session, action = self._find_session(self._parse_target().path)
        if self.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise RequestRefused(HTTPStatus.FORBIDDEN)
        if self.headers.get_content_type() != "application/json":
            raise RequestRefused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        length = _parse_count(self.headers.get("content-length"))
        if length > MAX_BODY_BYTES:
            raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            body = json.loads(self.rfile.read(length), parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            raise RequestRefused(HTTPStatus.BAD_REQUEST) from None
        return _to_json(session.post(action, body))

    def _parse_target(self) -> SplitResult:
        """The target of the request: a path, or from a proxy a whole address."""
        try:
            return urlsplit(self.path)
        except ValueError:
            raise RequestRefused(HTTPStatus.BAD_REQUEST) from None

    def _find_session(self, path: str) -> tuple[GameSession, str]:
        match = _GAME_PATH.fullmatch(path)
        session = self.server.sessions.get(token_digest(match[1])) if match else None
        if match is None or session is None:
            raise RequestRefused(HTTPStatus.NOT_FOUND)
        return session, match[2]

    def log_message(self, *args: Any) -> None:
        """Log nothing."""


def _log(problem: BaseException | None) -> None:
    """Log a problem of the server: in one line if it was expected, with a traceback if it is a bug."""
    expected = isinstance(problem, AlgoWorldsError | OSError)
    logging.getLogger("algoworlds").error("algoworlds: %s", problem, exc_info=None if expected else problem)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _parse_count(text: Any) -> int:
    """A count from a request; 0 if it is missing or invalid."""
    return int(text) if re.fullmatch("[0-9]{1,9}", str(text)) else 0


def _to_json(value: Any) -> tuple[str, bytes]:
    return "application/json", json.dumps(value, allow_nan=False).encode()


def _asset(name: str) -> tuple[str, bytes]:
    if name not in (*PAGE_FILES, *REPORT_FILES):
        raise RequestRefused(HTTPStatus.NOT_FOUND)
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    return f"{kind}; charset=utf-8", read_asset(name).encode() if name in REPORT_FILES else _page_file(name)


@cache
def _page_file(name: str) -> bytes:
    return files(__package__).joinpath("browser", name).read_bytes()
