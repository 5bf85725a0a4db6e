"""Streams in unusual forms (A5): split, commented, repeated, reordered or garbled give the same turn or a fault."""

import asyncio
import json
import random

import pytest

from algoworlds.runs.providers.faults import ProviderFault
from algoworlds.runs.providers.provider import Provider, sse_events
from tests.runs import events, wire
from tests.runs.client import API_NAMES, CALLS, attempt_once, attempt_several
from tests.runs.server import Fault, Reply, Server, model_that_calls

RICH = Reply((("submit", '{"way": ["é€😀", "\\u2028"]}'),), "Прочтите 地図 🗺️, so:")


def with_comments(_, parts):
    return [b": keep-alive\n\n", b"\n\n", *(part for chunk in parts for part in (chunk, b":\n\n: ping\n", b"retry: 10\n\n"))]


def with_crlf(_, parts):
    return [chunk.replace(b"\n", b"\r\n") for chunk in parts]


def with_cr(_, parts):
    return [chunk.replace(b"\n", b"\r") for chunk in parts]


def with_unknown(_, parts):
    unknown = [events.event({"type": "brand.new", "index": 0, "x": [1]}), events.event({"type": "ping"}, "ping")]
    return [*unknown, *(part for chunk in parts for part in (chunk, *unknown))]


def with_repeated_events(_, parts):
    """Events that append nothing are sent twice."""
    return [chunk for chunk in parts for _ in range(1 if b"delta" in chunk and b'"delta": {}' not in chunk else 2)]


def with_multiline_data(_, parts):
    """Data over several lines, as the standard allows."""
    return [chunk.replace(b', "', b',\ndata: "', 1) if chunk.startswith(b"data: {") else chunk for chunk in parts]


def without_names(_, parts):
    return [chunk[chunk.index(b"data:") :] for chunk in parts]


def with_first_event_twice(_, parts):
    """The first event is sent again before the last."""
    return [*parts[:-1], parts[0], parts[-1]]


def with_empty_ending(api, parts):
    """Some servers leave the output out of the event that ends a streamed response."""
    if api != "responses":
        return parts
    last = json.loads(parts[-1].split(b"data: ")[1])
    return [*parts[:-1], events.event(last | {"response": last["response"] | {"output": []}})]


FORMS = [
    with_first_event_twice,
    with_empty_ending,
    with_comments,
    with_crlf,
    with_cr,
    with_unknown,
    with_repeated_events,
    with_multiline_data,
    without_names,
]


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a5_stream_variants_give_the_same_turn(api, form):
    with Server(lambda _: RICH, {2: Fault(edit=form)}) as server:
        assert attempt_once(server, api) == attempt_once(server, api)


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_a5_chunks_that_split_characters_give_the_same_turn(api, size):
    plan = {
        2: Fault(chunk=size),
        3: Fault(chunk=size, edit=with_crlf),
        4: Fault(chunk=size, edit=lambda api, parts: with_crlf(api, with_multiline_data(api, without_names(api, parts)))),
    }
    with Server(lambda _: RICH, plan) as server:
        first, *others = attempt_several(server, api, 4)
    assert others == [first] * 3


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_a5_lines_may_end_with_any_mix_of_lf_cr_and_crlf(size):
    """As the standard says: LF, CR or CRLF, wherever chunks end and whether or not some are empty."""
    data = b"data:1\r\n\ndata:2\r\rdata:3\n\r\ndata:4\r\n\r\n\r\n:x\ndata:5\ndata:6\r\n\ndata:7\r\n\n:z\ndata:8"
    expected = [b"1", b"2", b"3", b"4", b"5\n6", b"7", b"8"]

    async def chunks():
        for at in range(0, len(data), size):
            yield data[at : at + size]
            yield b""

    async def read():
        return [chunk async for chunk in sse_events(chunks())]

    assert asyncio.run(read()) == expected


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("ending", [b"", b"\n", b"\r", b"\r\n"], ids=repr)
def test_a5_last_event_needs_no_empty_line(api, ending):
    unended = Fault(edit=lambda _, parts: [*parts[:-1], parts[-1].rstrip(b"\n") + ending])
    with Server(lambda _: RICH, {2: unended}) as server:
        assert attempt_once(server, api) == attempt_once(server, api)


@pytest.mark.parametrize("api", API_NAMES)
def test_a5_streamed_and_whole_responses_give_the_same_turn(api):
    with Server(lambda _: RICH) as server:
        streamed, whole = attempt_once(server, api), attempt_once(server, api, stream=False)
    assert json.loads(streamed.calls[0].arguments) == json.loads(whole.calls[0].arguments)
    assert streamed._replace(calls=()) == whole._replace(calls=())


def test_a5_interleaved_blocks_are_put_in_order():
    """The Messages API numbers its blocks; events of different blocks may come in any order."""

    def shuffle_deltas(_, parts):
        first, *middle, delta, stop = parts
        starts = [chunk for chunk in middle if b"block_start" in chunk]
        deltas = [chunk for chunk in middle if b"block_delta" in chunk]
        random.Random(3).shuffle(starts)
        blocks = {index: [delta for delta in deltas if f'"index": {index},'.encode() in delta] for index in range(4)}
        mixed = [block.pop(0) for _ in range(max(map(len, blocks.values()))) for block in blocks.values() if block]
        return [first, *starts, *mixed, delta, stop]

    with Server(lambda _: RICH, {2: Fault(edit=shuffle_deltas)}) as server:
        assert attempt_once(server, "messages") == attempt_once(server, "messages")


def test_a5_calls_with_the_same_index_are_separated_by_id():
    """Some Chat servers give every call the index 0, or none; the id then tells them apart."""
    reply = Reply((CALLS[0], CALLS[1]))
    for number in (b'"index": 0, "function"', b'"function"'):

        def renumber_calls(_, parts, number=number):
            return [
                chunk.replace(b'"index": 1, "function"', number).replace(b'"index": 0, "function"', number) for chunk in parts
            ]

        with Server(lambda _: reply, {2: Fault(edit=renumber_calls)}) as server:
            assert attempt_once(server, "chat").calls == attempt_once(server, "chat").calls


@pytest.mark.parametrize("api", API_NAMES)
def test_a5_garbled_stream_gives_a_turn_or_a_fault(api):
    """With flipped bytes and lost, doubled or swapped events there is no other exception."""
    parts = events.stream(api, wire.write(api, {"model": "scripted-1"}, RICH, 0))
    random_source = random.Random(api)
    with Server(model_that_calls([])) as server:
        provider = Provider(server.configuration(api), server.environment)

    async def go():
        outcomes = {True: 0, False: 0}
        for _ in range(400):
            try:
                provider.api.read_turn(await provider._read_stream(_read_garbled(_garble(random_source, parts))))
                outcomes[True] += 1
            except ProviderFault:
                outcomes[False] += 1
        await provider.close()
        return outcomes

    assert min(asyncio.run(go()).values()) > 20


def _garble(random_source, parts):
    parts = list(parts)
    for _ in range(random_source.randint(1, 3)):
        at, kind = random_source.randrange(len(parts)), random_source.randrange(4)
        if kind == 0:
            data = bytearray(parts[at])
            data[random_source.randrange(len(data))] = random_source.randrange(256)
            parts[at] = bytes(data)
        elif kind == 1:
            parts[at : at + 1] = [parts[at]] * random_source.choice((0, 2))
        elif kind == 2:
            parts[at] = parts[at].replace(b'"index": 0', b'"index": "a"').replace(b'"delta": {', b'"delta": 3, "x": {')
        else:
            other = random_source.randrange(len(parts))
            parts[at], parts[other] = parts[other], parts[at]
        parts = parts or list(parts)
    return b"".join(parts)


async def _read_garbled(data):
    yield data
