"""The server of games: one address for each, `/play/TOKEN/`, on the loopback; whoever knows it may play, and nobody else.

There are a page, the same for everybody, and behind it `opening` (question, tools and budget), `board` (how it stands), `call`
and `resign` (what a player does) and, once it is over, `result` and `hindsight`. `/assets/NAME` is what the page is made of.
"""

import json
import logging
import re
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from algoworlds.core.given import LONGEST_ARGUMENTS
from algoworlds.errors import AlgoWorldsError
from algoworlds.game.browser.board import board, opening, result
from algoworlds.game.challenge import Challenge
from algoworlds.game.debrief import hindsight
from algoworlds.reports.page.assets import REPLAY, REPLAY_STYLE, THEME, source
from algoworlds.runs.external.access import LOCAL, TOKEN, digest_of, new_token, stranger

LONGEST_BODY = 2 * LONGEST_ARGUMENTS
"""Bytes of a request."""
PATIENCE = 30
"""Seconds that a client has for saying what it wants."""
_PATH = re.compile(rf"/play/({TOKEN})/([a-z]*)")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""The page fetches from nowhere else, nobody frames or reads it, and its address goes nowhere."""

OWN = ("play.css", "play.js", "builder.js", "lookback.js")
SHARED = (THEME, REPLAY_STYLE, *REPLAY)
"""What the page is made of: its looks and its replay are the report's."""


class Refused(Exception):
    """A request that is not answered, and how that is said."""

    def __init__(self, status: HTTPStatus) -> None:
        """The status says all there is to say."""
        super().__init__(status.phrase)
        self.status = status


class Stand:
    """One game as requests reach it."""

    def __init__(self, challenge: Challenge, others: Callable[[], str | None] = lambda: None) -> None:
        """The game, which may have begun, and where its player finds another one that waits."""
        self.challenge, self._others = challenge, others
        self._moving, self._thinking = Lock(), Lock()

    def get(self, what: str, since: int) -> Any:
        """What a page asks for."""
        if what == "opening":
            return opening(self.challenge)
        if what == "board":
            with self._moving:
                return board(self.challenge, since)
        if what not in ("result", "hindsight"):
            raise Refused(HTTPStatus.NOT_FOUND)
        if not self.challenge.over:
            raise Refused(HTTPStatus.CONFLICT)
        return {**result(self.challenge), "next": self._others()} if what == "result" else self._hindsight()

    def post(self, what: str, told: Any) -> Any:
        """What a player does; the answer is how it stands then."""
        if what not in ("call", "resign") or not isinstance(told, dict):
            raise Refused(HTTPStatus.NOT_FOUND)
        with self._moving:
            if what == "call":
                self.challenge.call(told.get("tool"), told.get("arguments"), told.get("request"))
            else:
                self.challenge.leave()
            return board(self.challenge, _number(told.get("since")))

    def _hindsight(self) -> dict[str, Any]:
        with self._thinking:  # it takes a while and is the same for everybody who asks
            return self._known

    @cached_property
    def _known(self) -> dict[str, Any]:
        return hindsight(self.challenge.episode, self.challenge.key)


class Host:
    """The games of one command, each at an address that only its player is told."""

    def __init__(self, challenges: Sequence[Challenge]) -> None:
        """A token for each; requests are held to its digest."""
        self._games = {new_token(): each for each in challenges}
        self.stands = {digest_of(token): Stand(each, self._waiting) for token, each in self._games.items()}

    def _waiting(self) -> str | None:
        """Where a game waits that is not over: for whoever has ended one, since all games of a command are one player's."""
        return next((f"/play/{token}/" for token, each in self._games.items() if not each.over), None)

    @contextmanager
    def listening(self, listener: socket.socket) -> Iterator[list[str]]:
        """Answer requests for as long as this lasts; yields the addresses to play at."""
        server = _Server(self.stands, listener)
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

    def __init__(self, stands: dict[str, Stand], listener: socket.socket) -> None:
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket, self.stands = listener, stands

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever hangs up in the middle is no news; a fault of ours is."""
        problem = sys.exception()
        if not isinstance(problem, ConnectionError | TimeoutError):
            _tell(problem)


class _Handler(BaseHTTPRequestHandler):
    """One request. Nothing is logged, since addresses are secret."""

    server: _Server
    timeout = PATIENCE
    server_version, sys_version = "algoworlds", ""

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, made: Callable[[], tuple[str, bytes]]) -> None:
        status, kind = HTTPStatus.OK, "text/plain; charset=utf-8"
        try:
            if (wrong := stranger(LOCAL, *(self.headers.get_all(name, []) for name in ("host", "origin")))) is not None:
                raise Refused(wrong)
            kind, body = made()
        except Refused as problem:
            status = problem.status
        except (AlgoWorldsError, OSError) as problem:  # a full disk, say: the same request may come again
            _tell(problem)
            status = HTTPStatus.SERVICE_UNAVAILABLE
        if status is not HTTPStatus.OK:
            body = f"{status.phrase}\n".encode()
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _get(self) -> tuple[str, bytes]:
        address = urlsplit(self.path)
        if address.path.startswith("/assets/"):
            return _asset(address.path.removeprefix("/assets/"))
        stand, what = self._stand(address.path)
        if not what:
            return "text/html; charset=utf-8", _own("play.html")
        return _json(stand.get(what, _number(parse_qs(address.query).get("since", [None])[0])))

    def _post(self) -> tuple[str, bytes]:
        """A call: only as JSON, which no form of a foreign page can send, and never from such a page."""
        stand, what = self._stand(urlsplit(self.path).path)
        if self.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            raise Refused(HTTPStatus.FORBIDDEN)
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        return _json(stand.post(what, self._told()))

    def _stand(self, path: str) -> tuple[Stand, str]:
        found = _PATH.fullmatch(path)
        stand = self.server.stands.get(digest_of(found[1])) if found else None
        if found is None or stand is None:
            raise Refused(HTTPStatus.NOT_FOUND)
        return stand, found[2]

    def _told(self) -> Any:
        length = _number(self.headers.get("content-length"))
        if length > LONGEST_BODY:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            return json.loads(self.rfile.read(length))
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST) from None

    def log_message(self, *args: Any) -> None:
        """Requests are nobody's business."""


def _tell(problem: BaseException | None) -> None:
    """Tell whoever serves what went wrong on our side: in one line, unless it is a fault in this program."""
    expected = isinstance(problem, AlgoWorldsError | OSError)
    logging.getLogger("algoworlds").error("algoworlds: %s", problem, exc_info=None if expected else problem)


def _number(text: Any) -> int:
    """A count that somebody sends; nothing that is none counts."""
    return int(text) if re.fullmatch("[0-9]{1,9}", str(text)) else 0


def _json(value: Any) -> tuple[str, bytes]:
    return "application/json", json.dumps(value, allow_nan=False).encode()


def _asset(name: str) -> tuple[str, bytes]:
    if name not in (*OWN, *SHARED):
        raise Refused(HTTPStatus.NOT_FOUND)
    kind = "text/css" if name.endswith(".css") else "text/javascript"
    return f"{kind}; charset=utf-8", source(name).encode() if name in SHARED else _own(name)


@cache
def _own(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()
