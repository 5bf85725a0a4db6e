"""Server-sent events, from bytes cut anywhere to the data of each event."""

from collections.abc import AsyncGenerator, AsyncIterator


async def events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The data of each event, also of a last one without its empty line; comments and other fields are left out.

    What is cut off in the middle of its data is no JSON, and what is not the terminal event ends no response.

    All three APIs repeat the event's name inside its data, so names are not needed; nor does JSON mind a leading space.
    """
    data: list[bytes] = []
    async for line in _lines(chunks):
        if line.startswith(b"data:"):
            data.append(line[5:])
        elif not line and data:
            yield b"\n".join(data)
            data = []
    if data:
        yield b"\n".join(data)


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Lines ended by LF, CR or CRLF. Parts of a long line are joined once, so that 10 MB cost no more than their size."""
    parts: list[bytes] = []
    after_return = False
    async for chunk in chunks:
        if after_return and chunk.startswith(b"\n"):
            chunk, after_return = chunk[1:], False
        after_return = chunk.endswith(b"\r") if chunk else after_return
        first, *rest = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        parts.append(first)
        for line in rest:
            yield b"".join(parts)
            parts = [line]
    if any(parts):
        yield b"".join(parts)
