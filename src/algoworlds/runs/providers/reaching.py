"""Why a server was not reached, or fell silent: the words for what the network's libraries raise."""

from collections.abc import Iterator

WORDS = {
    "ConnectionRefusedError": "connection refused",
    "gaierror": "the host's name is not known",
    "SSLCertVerificationError": "its certificate is not trusted",
    "SSLEOFError": "no TLS there; does it speak plain http://?",
    "SSLError": "no TLS there; does it speak plain http://?",
    "ConnectTimeout": "no connection within {connect:g} s",
    "ReadTimeout": "silent for {silence:g} s",
    "ConnectionResetError": "the connection was reset",
    "RemoteProtocolError": "it hung up before the end of its answer",
}
"""By the name of an exception: ours, the standard library's and the SDKs' networks have each their own classes."""


def why(problem: BaseException, address: str, silence: float, connect: float) -> str:
    """What became of an attempt to reach an address, told by the deepest cause that has words."""
    causes = list(_causes(problem))
    names = [type(each).__name__ for each in reversed(causes)]
    words = next((WORDS[name] for name in names if name in WORDS), None)
    if words is None:
        said = (each.strerror for each in reversed(causes) if isinstance(each, OSError) and each.strerror)
        words = next(said, names[0])
    begin = "cannot connect to" if any(name in ("ConnectError", "ConnectTimeout") for name in names) else "no answer from"
    return f"{begin} {address}: " + words.format(connect=connect, silence=silence)


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    """An exception and what led to it."""
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__
