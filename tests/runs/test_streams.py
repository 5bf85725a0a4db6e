"""Streams that arrive oddly (A5): split, commented, repeated, reordered or garbled, the same turn or a fault."""

import asyncio
import json
import random

import pytest

from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.provider import Provider
from algoworlds.runs.providers.provider import sse_events as decoded
from tests.runs import events, wire
from tests.runs.server import Fault, Reply, Server, playing
from tests.runs.talk import APIS, CALLS, once, several

RICH = Reply((("submit", '{"way": ["é€😀", "\\u2028"]}'),), "Прочтите 地図 🗺️, so:")


def with_comments(_, made):
    return [b": keep-alive\n\n", b"\n\n", *(part for chunk in made for part in (chunk, b":\n\n: ping\n", b"retry: 10\n\n"))]


def with_crlf(_, made):
    return [chunk.replace(b"\n", b"\r\n") for chunk in made]


def returned_only(_, made):
    return [chunk.replace(b"\n", b"\r") for chunk in made]


def with_unknown(_, made):
    unknown = [events.event({"type": "brand.new", "index": 0, "x": [1]}), events.event({"type": "ping"}, "ping")]
    return [*unknown, *(part for chunk in made for part in (chunk, *unknown))]


def stuttering(_, made):
    """Every event that adds nothing comes twice."""
    return [chunk for chunk in made for _ in range(1 if b"delta" in chunk and b'"delta": {}' not in chunk else 2)]


def without_spaces(_, made):
    """Data over several lines, as the standard allows."""
    return [chunk.replace(b', "', b',\ndata: "', 1) if chunk.startswith(b"data: {") else chunk for chunk in made]


def without_names(_, made):
    return [chunk[chunk.index(b"data:") :] for chunk in made]


def repeating(_, made):
    """The first event once more before the last."""
    return [*made[:-1], made[0], made[-1]]


def with_empty_ending(api, made):
    """Some servers leave the output out of the event that ends a streamed response."""
    if api != "responses":
        return made
    last = json.loads(made[-1].split(b"data: ")[1])
    return [*made[:-1], events.event(last | {"response": last["response"] | {"output": []}})]


FORMS = [
    repeating,
    with_empty_ending,
    with_comments,
    with_crlf,
    returned_only,
    with_unknown,
    stuttering,
    without_spaces,
    without_names,
]


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a5_a_stream_in_any_form_is_the_same_turn(api, form):
    with Server(lambda _: RICH, {2: Fault(edit=form)}) as server:
        assert once(server, api) == once(server, api)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_a5_a_stream_cut_through_characters_is_the_same_turn(api, size):
    plan = {
        2: Fault(chunk=size),
        3: Fault(chunk=size, edit=with_crlf),
        4: Fault(chunk=size, edit=lambda api, made: with_crlf(api, without_spaces(api, without_names(api, made)))),
    }
    with Server(lambda _: RICH, plan) as server:
        first, *others = several(server, api, 4)
    assert others == [first] * 3


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_a5_lines_end_with_any_mix_of_returns(size):
    """As the standard says: LF, CR or CRLF, wherever chunks end and whether or not some are empty."""
    data = b"data:1\r\n\ndata:2\r\rdata:3\n\r\ndata:4\r\n\r\n\r\n:x\ndata:5\ndata:6\r\n\ndata:7\r\n\n:z\ndata:8"
    expected = [b"1", b"2", b"3", b"4", b"5\n6", b"7", b"8"]

    async def chunks():
        for at in range(0, len(data), size):
            yield data[at : at + size]
            yield b""

    async def read():
        return [chunk async for chunk in decoded(chunks())]

    assert asyncio.run(read()) == expected


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("ending", [b"", b"\n", b"\r", b"\r\n"], ids=repr)
def test_a5_a_last_event_without_its_empty_line_is_an_event(api, ending):
    unended = Fault(edit=lambda _, made: [*made[:-1], made[-1].rstrip(b"\n") + ending])
    with Server(lambda _: RICH, {2: unended}) as server:
        assert once(server, api) == once(server, api)


@pytest.mark.parametrize("api", APIS)
def test_a5_streamed_or_whole_is_the_same_turn(api):
    with Server(lambda _: RICH) as server:
        streamed, whole = once(server, api), once(server, api, stream=False)
    assert json.loads(streamed.calls[0].arguments) == json.loads(whole.calls[0].arguments)
    assert streamed._replace(calls=()) == whole._replace(calls=())


def test_a5_blocks_that_overlap_are_put_in_order():
    """The Messages API numbers its blocks; events of different blocks may come in any order."""

    def shuffle_deltas(_, made):
        first, *middle, delta, stop = made
        starts = [chunk for chunk in middle if b"block_start" in chunk]
        deltas = [chunk for chunk in middle if b"block_delta" in chunk]
        random.Random(3).shuffle(starts)
        blocks = {index: [delta for delta in deltas if f'"index": {index},'.encode() in delta] for index in range(4)}
        mixed = [parts.pop(0) for _ in range(max(map(len, blocks.values()))) for parts in blocks.values() if parts]
        return [first, *starts, *mixed, delta, stop]

    with Server(lambda _: RICH, {2: Fault(edit=shuffle_deltas)}) as server:
        assert once(server, "messages") == once(server, "messages")


def test_a5_calls_that_a_server_counts_all_as_the_first():
    """Some Chat servers give every call the index 0, or none; the id then tells them apart."""
    reply = Reply((CALLS[0], CALLS[1]))
    for number in (b'"index": 0, "function"', b'"function"'):

        def renumber_calls(_, made, number=number):
            return [
                chunk.replace(b'"index": 1, "function"', number).replace(b'"index": 0, "function"', number) for chunk in made
            ]

        with Server(lambda _: reply, {2: Fault(edit=renumber_calls)}) as server:
            assert once(server, "chat").calls == once(server, "chat").calls


@pytest.mark.parametrize("api", APIS)
def test_a5_garbled_streams_are_a_turn_or_a_fault_and_nothing_else(api):
    """Bytes flipped, events lost, doubled and swapped: whatever comes, no other exception."""
    made = events.stream(api, wire.write(api, {"model": "scripted-1"}, RICH, 0))
    draw = random.Random(api)
    with Server(playing([])) as server:
        provider = Provider(server.configuration(api), server.environment)

    async def go():
        seen = {True: 0, False: 0}
        for _ in range(400):
            try:
                provider.api.read_turn(await provider._read_stream(_read_garbled(_garble(draw, made))))
                seen[True] += 1
            except ProviderFault:
                seen[False] += 1
        await provider.close()
        return seen

    assert min(asyncio.run(go()).values()) > 20


def _garble(draw, made):
    parts = list(made)
    for _ in range(draw.randint(1, 3)):
        at, kind = draw.randrange(len(parts)), draw.randrange(4)
        if kind == 0:
            data = bytearray(parts[at])
            data[draw.randrange(len(data))] = draw.randrange(256)
            parts[at] = bytes(data)
        elif kind == 1:
            parts[at : at + 1] = [parts[at]] * draw.choice((0, 2))
        elif kind == 2:
            parts[at] = parts[at].replace(b'"index": 0', b'"index": "a"').replace(b'"delta": {', b'"delta": 3, "x": {')
        else:
            other = draw.randrange(len(parts))
            parts[at], parts[other] = parts[other], parts[at]
        parts = parts or list(made)
    return b"".join(parts)


async def _read_garbled(data):
    yield data
