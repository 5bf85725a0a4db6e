"""A hand-written MCP client on the standard library: requests can be arbitrary, and be sent again."""

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
CLIENT_INFO = {"name": "hand-written client", "version": "1"}


def request(number, method, **params):
    """The body of a request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call_body(number, tool, arguments=None):
    """The body of a tool call; text arguments stay text."""
    return request(number, "tools/call", name=tool, arguments=arguments)


def post(url, body, **headers):
    """POST a request; returns the status and the body of the response."""
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
    try:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", address.path, content, HEADERS | headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def send_raw(address, lines, body):
    """Send a request with the given head lines; returns every byte of the response."""
    message = "\r\n".join([*lines, "connection: close", "", ""]).encode("latin-1") + body
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as connection:
        connection.sendall(message)
        answer = b""
        while piece := connection.recv(2**16):
            answer += piece
    return answer


def raw_status(address, lines, body):
    """The status of the response to such a request."""
    return int(send_raw(address, lines, body).split(b" ")[1])


def build_request(url, path=None, method="POST", body=b"{}", **headers):
    """Address, head lines and body of a request that is correct except for the given parts."""
    address = urlsplit(url)
    fields = {"host": address.netloc, "content-type": "application/json", "accept": "application/json"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    fields |= {} if "transfer-encoding" in fields else {"content-length": len(body)}
    lines = [
        f"{method} {address.path if path is None else path} HTTP/1.1",
        *(f"{name}: {value}" for name, value in fields.items()),
    ]
    return address, lines, body


def request_status(url, *given, **headers):
    """The status of the response to such a request."""
    return raw_status(*build_request(url, *given, **headers))


def response_text(answer):
    """The text of a successful call's response."""
    status, content = answer
    assert status == 200, answer
    (part,) = json.loads(content)["result"]["content"]
    return part["text"]


class McpClient:
    """An evaluation as an agent sees it through MCP."""

    def __init__(self, send):
        """`send` returns the response to a request body."""
        self._send, self._numbers = send, count(1)
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT_INFO}
        self.send_request("initialize", **opening)
        first, *others = self.send_request("tools/list")["tools"]
        assert first["name"] == "get_task"
        names = {"name": "name", "description": "description", "inputSchema": "parameters"}
        self.tools = [{name: other[field] for field, name in names.items()} for other in others]
        self.question = self.call("get_task").text
        self.budget = int(re.search(r"Your access budget is (\d+)\.", self.question)[1])

    @classmethod
    def connect(cls, url):
        return cls(lambda body: json.loads(post(url, body)[1]))

    def send_request(self, method, **params):
        return self._send(request(next(self._numbers), method, **params))["result"]

    def call(self, tool, arguments=None):
        (part,) = self.send_request("tools/call", name=tool, arguments=arguments)["content"]
        return SimpleNamespace(text=part["text"])

    def call_concurrently(self, calls):
        with ThreadPoolExecutor(len(calls)) as pool:
            return [value.text for value in pool.map(lambda call: self.call(*call), calls)]
