"""Access over HTTP: unguessable tokens, and checks of the `Host` and `Origin` headers.

A browser sends the requests of any page to any address, and a DNS name can point to this machine after the page was loaded.
Therefore `Host` must be one of our names, and `Origin`, if present, our own address.
"""

import re
import socket
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from hashlib import sha256
from http import HTTPStatus
from secrets import token_urlsafe

from algoworlds.errors import InputError, format_value

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""Names by which a client on the same machine reaches us."""
TOKEN_PATTERN = "[A-Za-z0-9_-]{43}"
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")


def new_token() -> str:
    """An unguessable token: 256 bits as 43 URL characters."""
    return token_urlsafe(32)


def token_digest(token: str) -> str:
    """The digest that is stored instead of a token."""
    return sha256(token.encode()).hexdigest()


def is_host_name(text: str) -> bool:
    """Whether `text` is a host name or address, without scheme and port."""
    match = _HOST.fullmatch(text)
    return match is not None and match[0] == match[1]


def origin_problem(hosts: Collection[str], host_headers: Sequence[str], origins: Sequence[str]) -> HTTPStatus | None:
    """The status that refuses a request whose `Host` is not one of `hosts`, or whose `Origin` is another page.

    `host_headers` and `origins` are the values of all its `Host` and `Origin` headers.
    """
    match = _HOST.fullmatch(host_headers[0].lower()) if len(host_headers) == 1 else None
    if match is None or match[1] not in hosts:
        return HTTPStatus.MISDIRECTED_REQUEST
    ours = {scheme + match[0] for scheme in ("http://", "https://")}
    return None if {origin.lower() for origin in origins} <= ours else HTTPStatus.FORBIDDEN


def open_listener(host: str, port: int) -> socket.socket:
    """A listening socket; InputError says why it cannot be opened."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with ExitStack() as stack:
            listener = stack.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen()  # clients that connect before the server answers wait
            stack.pop_all()
            return listener
    except (OSError, OverflowError, UnicodeError) as problem:
        reason = getattr(problem, "strerror", None) or "there is no such address"
        raise InputError(
            f"cannot listen on {format_value(host)}, port {port}: {reason}; choose another --host or --port"
        ) from None
