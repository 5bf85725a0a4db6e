"""Who is let in over HTTP: tokens that nobody can guess, and requests that know where they are and come from nobody's page.

A browser sends any page's requests to any address, and a name can be made to lead to this machine after the page was loaded.
Therefore `Host` must be one of our own names and `Origin`, where there is one, our own address.
"""

import re
import socket
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from hashlib import sha256
from http import HTTPStatus
from secrets import token_urlsafe

from algoworlds.errors import InputError, shown

LOCAL = ("127.0.0.1", "localhost", "[::1]")
"""Names by which a client on the same machine reaches us."""
TOKEN = "[A-Za-z0-9_-]{43}"
"""What a token looks like."""
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?")


def new_token() -> str:
    """A token that nobody can guess: 256 bits, as 43 characters of an address."""
    return token_urlsafe(32)


def digest_of(token: str) -> str:
    """All that is kept of a token."""
    return sha256(token.encode()).hexdigest()


def is_name(text: str) -> bool:
    """Whether a text is a name by which a machine can be asked for, without scheme and port."""
    found = _HOST.fullmatch(text)
    return found is not None and found[0] == found[1]


def stranger(hosts: Collection[str], named: Sequence[str], origins: Sequence[str]) -> HTTPStatus | None:
    """What is wrong with where a request believes to be, or with where it comes from: a page of somebody else's.

    `named` and `origins` are the values of all its headers `Host` and `Origin`.
    """
    found = _HOST.fullmatch(named[0].lower()) if len(named) == 1 else None
    if found is None or found[1] not in hosts:
        return HTTPStatus.MISDIRECTED_REQUEST
    ours = {scheme + found[0] for scheme in ("http://", "https://")}
    return None if {each.lower() for each in origins} <= ours else HTTPStatus.FORBIDDEN


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens; InputError says why there is none."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with ExitStack() as stack:
            made = stack.enter_context(socket.socket(family, kind, protocol))
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind(place)
            made.listen()  # who comes before we answer waits
            stack.pop_all()
            return made
    except (OSError, OverflowError, UnicodeError) as problem:
        why = getattr(problem, "strerror", None) or "there is no such place"
        raise InputError(f"cannot listen on {shown(host)}, port {port}: {why}; choose another --host or --port") from None
