"""What models write is read as the same turn over every API, streamed and whole.

In the catalogue: A6, A7, A9, A10, A11, A13, A15, A16, A17, A23, A25.
"""

import gc
import json
import time
from itertools import cycle, product

import pytest

from algoworlds.runs.journal import encode_line
from algoworlds.runs.providers import APIS as ADAPTERS
from algoworlds.runs.providers.chat import ChatAssembler
from algoworlds.runs.providers.faults import Transient
from algoworlds.runs.providers.turn import FinishReason, ToolCall, Usage
from tests.runs.client import API_NAMES, CALLS, TOOLS, Client, attempt_once
from tests.runs.server import Fault, Reply, Server, always, model_that_calls

MODES = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])

# -- arguments -------------------------------------------------------------------------------------------------------------

ARGUMENTS = {
    "null": "null",
    "half": "{",
    "list": "[]",
    "double": '"{}"',
    "trailing": '{"page": 1}"',
    "mark": '\ufeff{"page": 1}',
    "two": '{"page": 1}{"page": 2}',
    "nan": '{"page": NaN}',
    "infinity": '{"page": -Infinity}',
    "float": '{"page": 1.0}',
    "power": '{"page": 1e3}',
    "true": '{"page": true}',
    "digits": '{"page": ' + "9" * 5000 + "}",
    "nested": '{"page": ' + "[" * 100_000,
    "twice": '{"page": 1, "page": 2}',
    "nul": '{"page": "\\u0000"}',
    "bidi": '{"page": "\u202e\u0661"}',
    "decomposed": '{"page": "e\u0301"}',
    "spaces": ' {\n"page" :\t1 } ',
}


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_a6_a10_malformed_arguments_do_not_break_the_next_request(api, name):
    """The turn holds the raw text; a strict server accepts the next request."""
    with Server(model_that_calls([("read_map", ARGUMENTS[name]), CALLS[0]])) as server:
        client = Client(server, api).run(lambda tool, arguments: "rejected")
    assert [turn.calls[0].arguments for turn in client.turns[:2]] == [ARGUMENTS[name], CALLS[0][1]]
    assert client.turns[-1].text == "done"


@pytest.mark.parametrize("api", ["responses", "chat"])
@MODES
def test_a6_empty_arguments_stay_empty(api, stream):
    with Server(model_that_calls([("read_map", "")])) as server:
        client = Client(server, api, stream=stream).run()
    assert client.turns[0].calls[0].arguments == ""


@MODES
def test_a6_messages_call_without_input_has_an_empty_object(stream):
    """The Messages API streams nothing at all for a call without arguments."""

    def without_input(_, parts):
        return [chunk for chunk in parts if b"input_json_delta" not in chunk]

    with Server(lambda _: Reply((("read_map", "{}"),)), always(Fault(edit=without_input))) as server:
        assert attempt_once(server, "messages", stream=stream).calls[0].arguments == "{}"


@pytest.mark.parametrize("api", API_NAMES)
def test_a10_lone_surrogate_does_not_break_the_next_request(api):
    lone = '{"page": "\ud800x"}'
    with Server(model_that_calls([("read_map", lone), CALLS[0]])) as server:
        client = Client(server, api).run(lambda tool, arguments: "rejected \udc00")
    assert [turn.calls[0].arguments for turn in client.turns[:2]] == [lone, CALLS[0][1]]


WAYS = tuple(product(API_NAMES, (True, False)))
IN_TURN = tuple(zip(API_NAMES, cycle((True, False)), strict=False))


@pytest.mark.parametrize(
    ("api", "stream"), [pytest.param(*way, marks=() if way in IN_TURN else pytest.mark.full) for way in WAYS]
)
def test_a9_ten_megabytes_of_output_are_read(api, stream):
    huge = json.dumps({"page": "é" * 5_000_000}, ensure_ascii=False)
    reply = Reply((("read_map", huge),), "x" * 10_000_000)
    with Server(lambda _: reply) as server:
        turn = attempt_once(server, api, stream=stream)
    assert json.loads(turn.calls[0].arguments) == json.loads(huge)
    assert len(turn.text) == 10_000_000


def test_a6_arguments_parsed_by_the_server_become_text():
    """The Messages API without streaming, and some Chat servers, give an object: it becomes JSON text again."""
    digits = (
        '{"type": "message", "stop_reason": "tool_use", "content": [{"type": "tool_use", "id": "t", "name": "n", "input": %s}]}'
    )
    for given in ('{"page":1.0}', '{"page":{"a":[1,"é"]}}', "null", "[]"):
        response = json.loads(digits % given)
        assert ADAPTERS["messages"].read_turn(response).calls[0].arguments == ("" if given == "null" else given)
    with Server(model_that_calls([]), {1: Fault(body=(digits % ('{"page": ' + "9" * 5000 + "}")).encode())}) as server:
        assert attempt_once(server, "messages").calls[0].arguments == '{"page":"' + "9" * 5000 + '"}'
    for number in ("NaN", "Infinity", "-Infinity", "1e999", "-1e999"):  # from a server whose parser takes them
        with Server(model_that_calls([]), {1: Fault(body=(digits % f'{{"page": {number}}}').encode())}) as server:
            assert attempt_once(server, "messages").calls[0].arguments == f'{{"page":"{number}"}}'
    call = {"id": "c", "function": {"name": "n", "arguments": {"page": 1}}}
    response = {"choices": [{"message": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    assert ADAPTERS["chat"].read_turn(response).calls == (ToolCall("c", "n", '{"page":1}'),)


# -- endings ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", API_NAMES)
@MODES
@pytest.mark.parametrize("text", ["", " \n", "The shortest way is a, b."], ids=["nothing", "whitespace", "prose"])
def test_a11_a12_turn_without_calls_ends_the_conversation(api, stream, text):
    with Server(lambda _: Reply(text=text)) as server:
        turn = attempt_once(server, api, stream=stream)
    assert (turn.calls, turn.text, turn.finish) == ((), text, FinishReason.END)


@pytest.mark.parametrize("api", API_NAMES)
@MODES
def test_a13_refusal_is_recognised(api, stream):
    with Server(lambda _: Reply(text="I cannot help with that.", finish="refusal")) as server:
        turn = attempt_once(server, api, stream=stream)
    assert (turn.calls, turn.finish) == ((), FinishReason.REFUSAL)
    assert turn.text == "I cannot help with that."


@pytest.mark.parametrize("api", ["responses", "chat"])
@MODES
def test_a13_filtered_turn_executes_nothing(api, stream):
    with Server(lambda _: Reply((CALLS[0],), "well", "content_filter")) as server:
        turn = attempt_once(server, api, stream=stream)
    assert (turn.calls, turn.finish) == ((), FinishReason.CONTENT_FILTER)


@MODES
def test_a13_vendor_finish_reasons_are_recognised(stream):
    with Server(lambda _: Reply(finish="sensitive")) as server:
        assert attempt_once(server, "chat", stream=stream).finish is FinishReason.CONTENT_FILTER
    for word in ("network_error", "insufficient_system_resource", "unheard_of"):
        with Server(lambda _, word=word: Reply(finish=word)) as server, pytest.raises(Transient):
            attempt_once(server, "chat", stream=stream)


@pytest.mark.parametrize("api", API_NAMES)
def test_a15_partial_call_at_the_output_cap_is_dropped(api):
    with Server(lambda _: Reply((("submit", '{"way": ["a'),), "let me", "length")) as server:
        turn = attempt_once(server, api)
    assert (turn.calls, turn.text, turn.finish) == ((), "let me", FinishReason.LENGTH)


@pytest.mark.parametrize("api", API_NAMES)
@MODES
def test_a15_complete_call_at_the_output_cap_is_dropped(api, stream):
    with Server(lambda _: Reply((CALLS[2],), "", "length")) as server:
        assert attempt_once(server, api, stream=stream)[:3] == ((), "", FinishReason.LENGTH)


@pytest.mark.parametrize("api", ["chat", "messages"])
@MODES
def test_a16_announced_calls_may_be_missing(api, stream):
    with Server(lambda _: Reply(finish="calls")) as server:
        turn = attempt_once(server, api, stream=stream)
    assert (turn.calls, turn.finish) == ((), FinishReason.CALLS)


def test_a16_paused_turn_continues():
    with Server(lambda _: Reply(text="wait", finish="pause_turn")) as server:
        assert attempt_once(server, "messages")[:3] == ((), "wait", FinishReason.CALLS)


def test_calls_count_with_any_finish_reason():
    """Some Chat servers end a turn with calls by "stop"."""
    with Server(lambda _: Reply((CALLS[0],), "", "stop")) as server:
        assert attempt_once(server, "chat").finish is FinishReason.CALLS


@pytest.mark.parametrize("api", API_NAMES)
@MODES
def test_a17_a18_several_calls_keep_their_order_and_each_is_answered(api, stream):
    def script(conversation):
        return Reply(tuple(CALLS)) if not conversation.call_turns else Reply(text="done")

    with Server(script) as server:
        client = Client(server, api, stream=stream).run()
    assert [(call.tool, json.loads(call.arguments)) for call in client.turns[0].calls] == [(t, json.loads(a)) for t, a in CALLS]
    assert client.turns[1].finish is FinishReason.END


# -- what a strict server would refuse in a history --------------------------------------------------------------------------

NAMES = ["multi_tool_use.parallel", "read_map</arg_value>", "", " ", "прочти", "read map", "n" * 10_000_000, "\ud800", "a\x00b"]


@pytest.mark.parametrize("api", API_NAMES)
@MODES
@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
def test_a7_invalid_tool_name_does_not_break_the_next_request(api, stream, name):
    with Server(model_that_calls([(name, "{}"), CALLS[0]])) as server:
        client = Client(server, api, stream=stream).run(lambda tool, arguments: "rejected")
    assert [turn.calls[0].tool for turn in client.turns[:2]] == [name, "read_map"], "the turn holds what the model wrote"
    assert client.turns[-1].text == "done"


DEPTHS = pytest.mark.parametrize("depth", [50, 90, 110, 400, 900, 970, 985, 1000, 20_000])


@pytest.mark.parametrize("api", API_NAMES)
@DEPTHS
def test_a6_deeply_nested_arguments_do_not_break_the_next_request(api, depth):
    """They are neither an unreadable answer nor a body that cannot be sent."""
    nested = '{"page": ' + "[" * depth + "]" * depth + "}"
    with Server(model_that_calls([("read_map", nested), CALLS[0]])) as server:
        client = Client(server, api).run(lambda tool, arguments: "rejected")
    assert client.turns[0].calls[0].arguments == nested
    assert client.turns[-1].text == "done"
    assert all(encode_line(response) for response in client.responses)


@DEPTHS
def test_a6_deeply_nested_parsed_arguments_are_read(depth):
    """The Messages API gives arguments as an object."""
    call = '{"type": "tool_use", "id": "t", "name": "read_map", "input": {"page": ' + "[" * depth + "]" * depth + "}}"
    body = '{"type": "message", "content": [' + call + '], "stop_reason": "tool_use"}'
    with Server(model_that_calls([CALLS[0]]), {1: Fault(body=body.encode())}, thinks=False) as server:
        client = Client(server, "messages", stream=False).run(lambda tool, arguments: "rejected")
    assert client.turns[0].calls[0].arguments.startswith('{"page":[[[')
    assert (len(client.attempts), client.turns[-1].text) == (2, "done")
    assert all(encode_line(response) for response in client.responses)


@pytest.mark.parametrize("api", API_NAMES)
def test_time_for_many_calls_grows_linearly(api):
    """A turn with many calls must not delay the other evaluations: ten times the calls take ten times the work."""
    few, many = min(processor_seconds(api, 3_000) for _ in range(5)), min(processor_seconds(api, 30_000) for _ in range(2))
    assert many < 40 * few  # work that grows with the square would be a hundred times as much


def processor_seconds(api, count):
    """Processor seconds to assemble `count` calls and to build the next body."""
    calls = [{"id": f"c{at}", "call_id": f"c{at}", "function": {"name": "x"}, "name": "x"} for at in range(count)]
    typed = [call | {"type": {"responses": "function_call", "messages": "tool_use"}.get(api, "function")} for call in calls]
    message = {"content": typed if api == "messages" else None, "tool_calls": typed}
    response = {"output": typed, "choices": [{"message": message}], "content": typed}
    gc.disable()  # its cost depends on what else is in memory
    start = time.process_time()
    if api == "chat":
        stream = ChatAssembler()
        for at, call in enumerate(calls):
            stream.feed({"choices": [{"delta": {"tool_calls": [call | {"index": at}]}}]})
        stream.end()
        response = stream.response()
    body = {"messages": [], "input": []}
    (history,) = [value for value in ADAPTERS[api].next_body(body, response, ["no"] * count).values() if value]
    used = time.process_time() - start
    gc.enable()
    assert f"c{count - 1}" in str(history[-1])
    return used


# -- ids, usage ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", API_NAMES)
@MODES
@pytest.mark.parametrize("ids", [("same",), ("",)], ids=["reused", "missing"])
def test_a23_reused_or_missing_ids_are_paired_by_turn(api, stream, ids):
    received = []

    def script(conversation):
        received.append([call.answer for turn in conversation.call_turns for call in turn])
        parts = len(conversation.call_turns)
        return Reply((CALLS[parts],), ids=ids) if parts < 3 else Reply(text="done")

    with Server(script) as server:
        client = Client(server, api, stream=stream).run(lambda tool, arguments: str(json.loads(arguments)))
    assert [turn.calls[0].id for turn in client.turns[:3]] == list(ids) * 3
    assert received[-1] == [str(json.loads(arguments)) for _, arguments in CALLS]


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("ids", [("one", "one", ""), ("", "", "")], ids=["repeated", "missing"])
def test_a23_ids_within_one_turn_become_unique(api, ids):
    received = []

    def script(conversation):
        received.extend([(call.id, call.answer) for turn in conversation.call_turns for call in turn])
        return Reply(text="done") if conversation.call_turns else Reply(tuple(CALLS), ids=ids)

    def answer_turn(tool, arguments):
        return f"{tool} {arguments}"

    with Server(script) as server:
        Client(server, api).run(answer_turn)
    assert [answer for _, answer in received] == [answer_turn(*call) for call in CALLS]
    assert len({identifier for identifier, _ in received}) == 3


@pytest.mark.parametrize("api", API_NAMES)
@MODES
def test_a25_usage_is_as_reported_or_none(api, stream):
    with Server(lambda _: Reply(text="hi")) as server:
        assert attempt_once(server, api, stream=stream).usage == Usage(1200, 340, 300, 1000)
    with Server(lambda _: Reply(text="hi", usage=False)) as server:
        assert attempt_once(server, api, stream=stream).usage == Usage(None, None, None, None)


def test_a25_partial_or_implausible_usage_is_none():
    chat, messages = ADAPTERS["chat"], ADAPTERS["messages"]
    frame = {"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}
    assert chat.read_turn(frame | {"usage": {"prompt_tokens": 5, "completion_tokens": True}}).usage == Usage(
        5, None, None, None
    )
    assert chat.read_turn(frame | {"usage": {"prompt_cache_hit_tokens": 3}}).usage == Usage(None, None, None, 3)
    wild = {"prompt_tokens": 10**900, "completion_tokens": -1, "prompt_tokens_details": {"cached_tokens": 2.5}}
    assert chat.read_turn(frame | {"usage": wild}).usage == Usage(None, None, None, None), "numbers that cannot be true"
    frame = {"content": [], "stop_reason": "end_turn", "usage": {"input_tokens": 5, "cache_creation_input_tokens": 2}}
    assert messages.read_turn(frame).usage == Usage(7, None, None, None)


@pytest.mark.parametrize("blank", ["", " ", "\n\n", "\u2003\t", None])
def test_blank_text_blocks_are_not_sent_back(blank):
    """The Messages API sends blocks with blank text but refuses them in a history."""
    call = {"type": "tool_use", "id": "t", "name": "n", "input": {}}
    response = {"content": [{"type": "text", "text": blank}, call, {"type": "text", "text": "x"}], "stop_reason": "tool_use"}
    body = ADAPTERS["messages"].next_body({"messages": []}, response, ["a"])
    assert body["messages"][0]["content"] == [call, {"type": "text", "text": "x"}]


@pytest.mark.parametrize("api", API_NAMES)
@MODES
def test_blank_text_before_a_call_does_not_break_the_next_request(api, stream):
    """The Messages API refuses blank texts in a history, so they must not be sent back."""
    script = lambda conversation: Reply((CALLS[0],) if len(conversation.call_turns) < 3 else (), "\n\n")  # noqa: E731
    with Server(script) as server:
        client = Client(server, api, stream=stream).run()
    assert [turn.text for turn in client.turns] == ["\n\n"] * 4


@pytest.mark.parametrize("api", API_NAMES)
def test_ids_reused_in_later_turns_are_replaced(api):
    """Real servers refuse a history in which two calls share an id, and so does this one."""
    again = Reply((CALLS[0],) * 2, ids=("a", "b"))
    script = lambda conversation: again if len(conversation.call_turns) < 3 else Reply(text="x")  # noqa: E731
    with Server(script) as server:
        client = Client(server, api).run(lambda tool, arguments: "seen")
    assert [len(turn.calls) for turn in client.turns] == [2, 2, 2, 0]
    assert [[call.id for call in turn.calls] for turn in client.turns[:3]] == [["a", "b"]] * 3, "as the model wrote them"


def test_example_tools_have_the_form_of_real_ones():
    assert all(list(tool) == ["name", "description", "parameters"] for tool in TOOLS)
