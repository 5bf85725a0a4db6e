"""A fourth wire API: its `WireApi` value, and a loopback server that speaks it."""

import json
from contextlib import asynccontextmanager

from algoworlds.runs.providers.faults import Transient, fault_from_error
from algoworlds.runs.providers.turn import FinishReason, ToolCall, Turn, Usage
from algoworlds.runs.providers.wire import SdkClient, WireApi, http_client
from tests.runs.server import Server
from tests.runs.wire import AnsweredCall, Conversation


def first_body(configuration, question, tools):
    """The first request's body."""
    return {"model": configuration.model, "talk": [question], "can": tools, "cap": configuration.output_cap, "stream": True}


def read_turn(response):
    """The turn in a complete response."""
    if "sorry" in response:
        raise fault_from_error(response["sorry"])
    if "says" not in response:
        raise Transient("no_response", "nothing said", 200)
    calls = tuple(ToolCall(str(at), tool, arguments) for at, (tool, arguments) in enumerate(response["wants"]))
    finish = FinishReason.CALLS if calls else FinishReason.END
    return Turn(calls, response["says"], finish, Usage(*response["counts"]), response["model"])


def next_body(body, response, answers):
    """The next body."""
    return body | {"talk": [*body["talk"], response["wants"], answers]}


class PieceAssembler:
    """Assembles a response from pieces of its JSON."""

    def __init__(self):
        self.pieces, self.is_complete = [], False

    def feed(self, event):
        self.pieces.append(event["piece"])

    def end(self):
        self.is_complete = True

    def response(self):
        return json.loads("".join(self.pieces)) if self.is_complete else None


class UnusedError(Exception):
    """Stands for an SDK's own error; never raised."""


class SdkAnswer:
    """An answer of httpx2 with the attribute names of the SDKs."""

    def __init__(self, answer):
        self.http_response, self.status_code, self.headers = answer, answer.status_code, answer.headers
        self.read, self.iter_bytes = answer.aread, answer.aiter_bytes


def connect(configuration, secret):
    """A client without an SDK: httpx2 alone."""
    import httpx2

    client = http_client(configuration, secret)
    client.close = client.aclose

    @asynccontextmanager
    async def create(extra_body, **fields):
        async with client.stream("POST", f"{configuration.base_url}/toy", json=fields | extra_body) as answer:
            yield SdkAnswer(answer)

    def list_models():
        return create({})

    return SdkClient(client, create, list_models, UnusedError, (httpx2.HTTPError,))


TOY = WireApi(
    name="toy",
    first_body=first_body,
    read_turn=read_turn,
    next_body=next_body,
    new_assembler=PieceAssembler,
    history_field="talk",
    protocol_fields=frozenset({"model", "talk", "can", "cap", "stream"}),
    reasoning_fields=list,
    connect=connect,
    configuration_problem=lambda configuration: None if configuration.stream else "the toy only streams",
)


class ToyServer(Server):
    """The loopback server, speaking the toy API alone."""

    def _reply(self, request, fault):
        body = request.json
        if fault.body is not None or request.path != "/v1/toy":
            return fault.status, "application/json", [fault.body or b"{}"]
        question, *rest = body["talk"]
        turns = [
            [
                AnsweredCall(str(at), tool, arguments, answer)
                for at, ((tool, arguments), answer) in enumerate(zip(*turn, strict=True))
            ]
            for turn in zip(rest[::2], rest[1::2], strict=True)
        ]
        reply = self.script(Conversation(question, body["can"], turns))
        response = {"says": reply.text, "wants": reply.calls, "counts": (1200, 340, 300, 1000), "model": body["model"]}
        text = json.dumps(response)
        pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
        stream_events = [f"data: {json.dumps({'piece': piece})}\n\n".encode() for piece in pieces]
        return 200, "text/event-stream", [*stream_events, b"data: [DONE]\n\n"]
