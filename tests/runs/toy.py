"""A fourth wire API, from both sides: one value for the run, and a server that speaks it."""

import json
from contextlib import asynccontextmanager

from algoworlds.runs.providers.faults import Transient, fault_from_error
from algoworlds.runs.providers.turn import FinishReason, ToolCall, Turn, Usage
from algoworlds.runs.providers.wire import SdkClient, WireApi, http_client
from tests.runs.server import Server
from tests.runs.wire import Conversation, Said


def opening(configuration, question, tools):
    """The first request's body."""
    return {"model": configuration.model, "talk": [question], "can": tools, "cap": configuration.output_cap, "stream": True}


def read(response):
    """What a complete response says."""
    if "sorry" in response:
        raise fault_from_error(response["sorry"])
    if "says" not in response:
        raise Transient("no_response", "nothing said", 200)
    calls = tuple(ToolCall(str(at), tool, arguments) for at, (tool, arguments) in enumerate(response["wants"]))
    finish = FinishReason.CALLS if calls else FinishReason.END
    return Turn(calls, response["says"], finish, Usage(*response["counts"]), response["model"])


def continued(body, response, answers):
    """The next body."""
    return body | {"talk": [*body["talk"], response["wants"], answers]}


class Pieces:
    """Puts a response together from pieces of its JSON."""

    def __init__(self):
        self.argument_specs, self.over = [], False

    def feed(self, event):
        self.argument_specs.append(event["piece"])

    def end(self):
        self.over = True

    def response(self):
        return json.loads("".join(self.argument_specs)) if self.over else None


class Unused(Exception):
    """This SDK raises nothing of its own."""


class Reading:
    """An answer of httpx2 with the names that the SDKs have for its parts."""

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
            yield Reading(answer)

    def models():
        return create({})

    return SdkClient(client, create, models, Unused, (httpx2.HTTPError,))


TOY = WireApi(
    name="toy",
    first_body=opening,
    read_turn=read,
    next_body=continued,
    new_assembler=Pieces,
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
            [Said(str(at), tool, arguments, answer) for at, ((tool, arguments), answer) in enumerate(zip(*turn, strict=True))]
            for turn in zip(rest[::2], rest[1::2], strict=True)
        ]
        reply = self.script(Conversation(question, body["can"], turns))
        said = {"says": reply.text, "wants": reply.calls, "counts": (1200, 340, 300, 1000), "model": body["model"]}
        text = json.dumps(said)
        pieces = [text[at : at + 7] for at in range(0, len(text), 7)]
        made = [f"data: {json.dumps({'piece': piece})}\n\n".encode() for piece in pieces]
        return 200, "text/event-stream", [*made, b"data: [DONE]\n\n"]
