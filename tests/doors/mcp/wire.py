"""MCP by hand, with the standard library alone: what stands in a request is up to whoever asks, and it can be sent again."""

import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import count
from types import SimpleNamespace
from urllib.parse import urlsplit

from tests.command import PATIENCE

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
OFFERED = {"name": "led by hand", "version": "1"}


def request(number, method, **params):
    """The body of a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def called(number, tool, arguments=None):
    """The body of a call; arguments in text stay text."""
    return request(number, "tools/call", name=tool, arguments=arguments)


def posted(url, body, **headers):
    """The status and the bytes that a request to an address is answered by."""
    place = urlsplit(url)
    connection = HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
    try:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", place.path, content, HEADERS | headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def heard(place, lines, body):
    """Every byte by which a request is answered whose head is written line by line."""
    told = "\r\n".join([*lines, "connection: close", "", ""]).encode("latin-1") + body
    with socket.create_connection((place.hostname, place.port), timeout=PATIENCE) as connection:
        connection.sendall(told)
        answer = b""
        while piece := connection.recv(2**16):
            answer += piece
    return answer


def status_of(place, lines, body):
    """The status of such an answer."""
    return int(heard(place, lines, body).split(b" ")[1])


def written(url, path=None, method="POST", body=b"{}", **headers):
    """The place, head and body of a request that is right but for what is given."""
    place = urlsplit(url)
    told = {"host": place.netloc, "content-type": "application/json", "accept": "application/json"}
    told |= {name.replace("_", "-"): value for name, value in headers.items()}
    told |= {} if "transfer-encoding" in told else {"content-length": len(body)}
    lines = [f"{method} {place.path if path is None else path} HTTP/1.1", *(f"{name}: {each}" for name, each in told.items())]
    return place, lines, body


def asked(url, *given, **headers):
    """The status by which such a request is answered."""
    return status_of(*written(url, *given, **headers))


def text_of(answer):
    """What a call was answered."""
    status, content = answer
    assert status == 200, answer
    (part,) = json.loads(content)["result"]["content"]
    return part["text"]


class Wire:
    """An evaluation at an address, as an agent meets it."""

    def __init__(self, send):
        """`send` gives the result of a request."""
        self._send, self._numbers = send, count(1)
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": OFFERED}
        self.ask("initialize", **opening)
        first, *others = self.ask("tools/list")["tools"]
        assert first["name"] == "get_task"
        self.tools = [{"parameters": each.pop("inputSchema")} | each for each in others]
        self.question = self.call("get_task").text
        self.budget = int(re.search(r"Your access budget is (\d+)\.", self.question)[1])

    @classmethod
    def at(cls, url):
        return cls(lambda body: json.loads(posted(url, body)[1]))

    def ask(self, method, **params):
        return self._send(request(next(self._numbers), method, **params))["result"]

    def call(self, tool, arguments=None):
        (part,) = self.ask("tools/call", name=tool, arguments=arguments)["content"]
        return SimpleNamespace(text=part["text"])

    def together(self, calls):
        with ThreadPoolExecutor(len(calls)) as pool:
            return [each.text for each in pool.map(lambda call: self.call(*call), calls)]
