"""Runs of a model over HTTP: faults do not change records. Ids refer to docs/faults.md."""

import json
import time
from itertools import cycle, product
from pathlib import Path

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.status import read_attempts, run_status
from tests.command import PATIENCE
from tests.runs import wire
from tests.runs.model_runs import QUICK_RETRIES, optimal_model, record_bytes, run_model, solution_calls
from tests.runs.server import KEY, Fault, always, answer_with, cut_after
from tests.runs.wire import Reply
from tests.silence import silent

APIS = ("responses", "chat", "messages")
WORLD = "fleet_dispatch-0-1*-direct"


def only_record(out: Path) -> dict:
    """The one record of a run."""
    (document,) = RunDirectory(out).read_records()
    return document


def run_script(server, suite, out, script, api="chat", **more):
    """Run a scripted model on one world, and return the record."""
    server.script = script
    run_model(suite, out, server.configuration(api), server.environment, worlds=WORLD, **more)
    return only_record(out)


def reply_with(*replies):
    """A model that gives these replies in turn, and repeats the last."""
    return lambda conversation: replies[min(len(conversation.call_turns), len(replies) - 1)]


def solution(suite):
    """Calls that solve the world of these tests."""
    entry = next(entry for entry in suite.manifest.worlds if "fleet_dispatch" in entry.id and entry.interface == "direct")
    return solution_calls(suite)[suite.world(entry).question]


# -- faults that change no record ----------------------------------------------------------------------------------

DISTURBED = {
    "A1 retry after nothing": {1: answer_with(429, "0"), 4: answer_with(429)},
    "A1 retry after a date": {2: answer_with(429, "Wed, 21 Oct 2015 07:28:00 GMT"), 3: answer_with(429, "1000000000")},
    "A2 server errors": {
        1: answer_with(500),
        2: answer_with(502),
        3: answer_with(503),
        4: answer_with(529),
        5: answer_with(520, body=b"<html>"),
    },
    "A2 error in a good answer": {1: Fault(body=b'{"error": {"message": "overloaded"}}'), 6: Fault(body=b"")},
    "A3 reset at any byte": {n: cut_after(at) for n, at in enumerate((-1, 0, 1, 40, 200, 400), 1)},
    "A3 cut short as if complete": {2: cut_after(300, "close"), 5: cut_after(60, "close")},
}


IN_TURN = tuple(zip(DISTURBED, cycle(APIS), strict=False))


@pytest.mark.parametrize(
    ("fault", "api"),
    [pytest.param(*way, marks=() if way in IN_TURN else pytest.mark.full) for way in product(DISTURBED, APIS)],
)
def test_disturbed_run_writes_the_same_bytes(server, suite, undisturbed, tmp_path, api, fault):
    """A1, A2 and A3, in the middle of a run."""
    server.plan = plan = DISTURBED[fault]
    totals = run_model(suite, tmp_path / "run", server.configuration(api), server.environment, concurrency=4)
    assert record_bytes(tmp_path / "run") == undisturbed[api]
    assert totals.retries >= len(plan)
    attempts = read_attempts(RunDirectory(tmp_path / "run"))
    assert sum(attempt["fault"] is not None for attempt in attempts) == len(plan)
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_attempts_name_their_evaluation_and_tokens(server, suite, tmp_path):
    server.plan = {3: answer_with(503)}
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    rows = read_attempts(RunDirectory(tmp_path / "run"))
    document = only_record(tmp_path / "run")
    assert {(row["world"], row["trial"]) for row in rows} == {(document["world"], 1)}
    assert [row["turn"] for row in rows if row["fault"] is None] == list(range(1, document["turns"] + 1))
    assert [(row["status"], row["number"]) for row in rows[2:4]] == [(503, 1), (200, 2)]
    assert rows[0]["tokens"] == {"input": 1200, "output": 340, "reasoning": 300, "cached": 1000}
    assert rows[2]["tokens"] is None
    assert document["tokens"]["output"] == 340 * document["turns"]


def test_evaluation_stays_pending_when_retries_run_out(server, suite, undisturbed, tmp_path, monkeypatch):
    """Infrastructure failures are never scored; the next run resumes."""
    server.plan = always(answer_with(503))
    out, configuration = tmp_path / "run", server.configuration("chat")
    with monkeypatch.context() as patched:
        patched.setattr("tests.runs.model_runs.QUICK_RETRIES", QUICK_RETRIES._replace(seconds=0.01))
        totals = run_model(suite, out, configuration, server.environment)
    assert (totals.finished, totals.pending) == (0, {"transient": 4})
    assert record_bytes(out) == {}
    server.plan = {}
    assert run_model(suite, out, configuration, server.environment).finished == 4
    assert record_bytes(out) == undisturbed["chat"]


@pytest.mark.parametrize("code", [401, 403, 404])
def test_configuration_fault_halts_the_run(server, suite, tmp_path, code):
    server.plan = {1: answer_with(code)}
    totals = run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment)
    assert totals.halted
    assert (totals.finished, len(server.requests), totals.pending) == (0, 1, {"misconfigured": 1})


def test_a24_another_model_halts_the_run(server, suite, tmp_path):
    server.script = lambda conversation: Reply((("x", "{}"),), model="another-model")
    totals = run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment)
    assert "another-model" in totals.halted
    assert totals.finished == 0


def test_cost_limit_pauses_the_run(server, suite, undisturbed, tmp_path):
    out = tmp_path / "run"
    configuration = server.configuration("chat", prices={"input": 1000.0, "output": 1000.0, "cached": 0.0})
    totals = run_model(suite, out, configuration, server.environment, max_cost=5.0)
    assert "cost limit" in totals.halted
    assert totals.finished < 4
    assert 5.0 <= totals.cost < 6.0
    spent = totals.cost
    again = run_model(suite, out, configuration, server.environment)
    assert again.finished == 4
    assert sum(record["cost"] for record in RunDirectory(out).read_records()) > spent


def test_cost_limit_counts_earlier_cost(server, suite, tmp_path):
    """Finished evaluations by their records, unfinished ones by their journals."""
    out = tmp_path / "run"
    configuration = server.configuration("chat", prices={"input": 1000.0, "output": 1000.0, "cached": 0.0})
    spent = run_model(suite, out, configuration, server.environment, concurrency=3, max_cost=16.0).cost
    assert 0 < len(record_bytes(out)) < 4
    sent = len(server.requests)
    again = run_model(suite, out, configuration, server.environment, max_cost=16.0)
    assert (again.cost, len(server.requests)) == (pytest.approx(spent), sent), "no further request"
    whole = run_model(suite, out, configuration, server.environment)
    documents = list(RunDirectory(out).read_records())
    assert whole.cost == pytest.approx(sum(document["cost"] for document in documents))
    assert whole.tokens == sum(document["tokens"]["input"] + document["tokens"]["output"] for document in documents)


def test_conversation_refused_midway_does_not_stop_the_others(server, suite, undisturbed, tmp_path):
    """The next run tries it again."""
    out, configuration = tmp_path / "run", server.configuration("chat")
    server.plan = {3: answer_with(400, body=b'{"error": {"message": "Invalid \'messages[2]\'"}}')}
    totals = run_model(suite, out, configuration, server.environment)
    assert (totals.finished, totals.pending, totals.halted) == (3, {"rejected": 1}, None)
    assert "Invalid 'messages[2]'" in next((out / "quarantine").iterdir()).read_text()
    assert run_model(suite, out, configuration, server.environment).finished == 4
    assert record_bytes(out) == undisturbed["chat"]


def test_halted_run_does_not_wait_for_other_attempts(server, suite, tmp_path, monkeypatch):
    monkeypatch.setattr("tests.runs.model_runs.QUICK_RETRIES", QUICK_RETRIES._replace(seconds=10 * PATIENCE, longest=PATIENCE))
    server.plan = {1: answer_with(429, str(PATIENCE)), 2: answer_with(503, str(PATIENCE)), 3: answer_with(401)}
    start = time.monotonic()
    totals = run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, concurrency=3)
    assert time.monotonic() - start < PATIENCE
    assert (totals.pending, len(server.requests)) == ({"misconfigured": 1}, 3)
    assert "http_401" in totals.halted


# -- behaviour of the model is scored --------------------------------------------------------------------------------------


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text="The answer is obvious."), "text_end"),
        (Reply(text=""), "text_end"),
        (Reply(text="  \n"), "text_end"),
        (Reply(finish="length", text="thinking and"), "output_cap"),
        (Reply(finish="refusal", text="I cannot"), "refusal"),
        (Reply(finish="content_filter"), "content_filter"),
    ],
    ids=["A12 prose", "A11 empty", "A11 whitespace", "A15 length", "A13 refusal", "A13 filter"],
)
def test_endings_are_final_and_keep_diagnostics(server, suite, tmp_path, api, reply, reason):
    """A11, A12, A13 and A15, over every API."""
    if api == "messages" and reply.finish == "content_filter":
        reply, reason = Reply(finish="refusal"), "refusal"  # the Messages API has one stop reason for both
    calls = solution(suite)
    before = [Reply((call,)) for call in calls[:-1]]
    document = run_script(server, suite, tmp_path / "run", reply_with(*before, reply), api)
    assert document["stop_reason"] == reason
    assert (document["outcome"], document["exact"], document["feasible"], document["utility"]) == ("no_decision", 0, 0, 0.0)
    assert (document["sufficiency"], document["coverage"], document["grounding"]) == (1, 1.0, 0.0)
    assert document["executed_calls"] == len(before)
    sent = len(server.requests)
    run_model(suite, tmp_path / "run", server.configuration(api), server.environment, worlds=WORLD)
    assert len(server.requests) == sent, "a final outcome is not repeated"


def test_a14_overflow_by_stop_reason_is_final(server, suite, tmp_path):
    document = run_script(server, suite, tmp_path / "run", lambda conversation: Reply(finish="overflow"), "messages")
    assert (document["stop_reason"], document["turns"], document["outcome"]) == ("context_overflow", 1, "no_decision")


def test_a14_overflow_by_status_is_final(server, suite, tmp_path):
    body = b'{"error": {"code": "context_length_exceeded", "message": "maximum context length is 8 tokens"}}'
    server.plan = {3: answer_with(400, body=body)}
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    document = only_record(tmp_path / "run")
    assert (document["stop_reason"], document["turns"], document["executed_calls"]) == ("context_overflow", 3, 2)


@pytest.mark.parametrize("api", APIS)
def test_a15_truncated_call_is_not_executed(server, suite, tmp_path, api):
    tool = solution(suite)[0][0]
    document = run_script(server, suite, tmp_path / "run", reply_with(Reply(((tool, '{"jo'),), finish="length")), api)
    assert (document["stop_reason"], document["attempted_calls"]) == ("output_cap", 0)


def test_a16_announced_but_missing_calls_are_requested_twice_more(server, suite, tmp_path):
    document = run_script(server, suite, tmp_path / "run", lambda conversation: Reply(finish="calls"))
    assert (document["stop_reason"], document["turns"], document["attempted_calls"]) == ("text_end", 3, 0)


@pytest.mark.parametrize("api", APIS)
def test_a17_only_the_first_call_of_a_turn_is_executed(server, suite, tmp_path, api):
    calls = solution(suite)
    document = run_script(server, suite, tmp_path / "run", reply_with(Reply((calls[0], calls[1])), Reply((calls[-1],))), api)
    assert [step["status"] for step in document["trajectory"]] == ["executed", "not_first", "submitted"]
    assert [step["turn"] for step in document["trajectory"]] == [1, 1, 2]
    assert (document["executed_calls"], document["attempted_calls"], document["exact"]) == (1, 3, 1)
    assert "Only the first call" in server.requests[1].body.decode()


@pytest.mark.parametrize("api", APIS)
def test_a18_a19_calls_after_a_submission_never_run(server, suite, tmp_path, api):
    calls = solution(suite)
    document = run_script(server, suite, tmp_path / "run", reply_with(Reply((calls[-1], calls[0], calls[-1]))), api)
    assert [step["status"] for step in document["trajectory"]] == ["submitted", "not_first", "not_first"]
    assert (document["stop_reason"], document["spend"], document["exact"]) == ("submitted", 0, 1)


def test_a18_submission_after_another_call_in_a_turn_is_rejected(server, suite, tmp_path):
    calls = solution(suite)
    document = run_script(server, suite, tmp_path / "run", reply_with(Reply((calls[0], calls[-1])), Reply(text="done")))
    assert (document["outcome"], document["stop_reason"], document["executed_calls"]) == ("no_decision", "text_end", 1)


ARGUMENTS = [
    "", "null", "{", "[]", '"{}"', '{"job": "x"}"', "\ufeff{}", "{}{}", '{"job": NaN}', '{"job": 1.0}', '{"job": 1e3}',
    '{"job": true}', '{"job": ' + "9" * 5000 + "}", "[" * 100_000, '{"job": "a", "job": "b"}', '{"job": "x", "more": 1}',
    "{}", '{"job": 3}', '{"job": "\\u0000"}', '{"job": "\\ud800"}', '{"job": "\u202ex"}',
]  # fmt: skip


@pytest.mark.parametrize("api", APIS)
def test_a6_a8_a10_bad_arguments_are_rejected_free_of_charge(server, suite, tmp_path, api):
    replies = [Reply((("read_job", text),)) for text in ARGUMENTS]
    document = run_script(server, suite, tmp_path / "run", reply_with(*replies, Reply(text="enough")), api)
    assert {step["status"] for step in document["trajectory"]} <= {"bad_arguments", "unknown_id"}
    assert (document["executed_calls"], document["spend"], document["attempted_calls"]) == (0, 0, len(ARGUMENTS))
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("number", ["nan", "inf"])
def test_a6_numbers_that_are_not_json_do_not_leave_an_evaluation_pending(
    server, suite, tmp_path, monkeypatch, api, stream, number
):
    """In arguments, from servers that parse and write what the model wrote, they are rejected; as a count they are unknown."""
    monkeypatch.setattr(wire, "USAGE", (float(number),) * 4)
    calls = [("read_job", f'{{"job": {json.dumps(float(number))}}}'), *solution(suite)]
    server.script = reply_with(*(Reply((call,)) for call in calls))
    configuration = server.configuration(api, stream=stream)
    totals = run_model(suite, tmp_path / "run", configuration, server.environment, worlds=WORLD)
    assert totals.finished == 1
    document = only_record(tmp_path / "run")
    assert document["trajectory"][0]["status"] in ("bad_arguments", "unknown_id")
    assert (document["exact"], len(server.requests)) == (1, len(calls))
    assert document["tokens"] == dict.fromkeys(document["tokens"])
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


@pytest.mark.parametrize("name", ["READ_JOB", "read_job ", "multi_tool_use.parallel", "read_job</arg_value>", "", "подать"])
def test_a7_unknown_tools_are_rejected_with_a_fixed_text(server, suite, tmp_path, name):
    document = run_script(server, suite, tmp_path / "run", reply_with(Reply(((name, "{}"),)), Reply(text="done")))
    assert [step["status"] for step in document["trajectory"]] == ["unknown_tool"]
    assert "There is no tool of that name." in server.requests[1].body.decode()


@pytest.mark.parametrize("api", ["chat", *(pytest.param(name, marks=pytest.mark.full) for name in ("responses", "messages"))])
def test_a9_ten_megabytes_of_arguments_are_rejected_unread(server, suite, tmp_path, api):
    huge = json.dumps({"job": "x" * 10_000_000})
    many = json.dumps({"job": list(range(100_000))})
    script = reply_with(Reply((("read_job", huge),)), Reply((("read_job", many),)), Reply(text="y" * 10_000_000))
    document = run_script(server, suite, tmp_path / "run", script, api)
    assert [step["status"] for step in document["trajectory"]] == ["bad_arguments", "bad_arguments"]
    assert len(document["trajectory"][0]["arguments"]) < 101_000
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


@pytest.mark.parametrize("api", ["responses", *(pytest.param(name, marks=pytest.mark.full) for name in ("chat", "messages"))])
def test_no_model_output_stops_a_run_or_leaves_it_pending(server, suite, tmp_path, api):
    """Names and texts of any kind and size, nesting, thousands of calls: scored, replayed, never a fault of ours."""
    odd = "\ud800 \x1b[2J </script> \u202e \x00 🗺"
    nested = '{"job": ' + "[" * 980 + "]" * 980 + "}"
    replies = [Reply(((name, "{}"),), text=odd) for name in ("n" * 10_000_000, "a.b", "", "\udfff", "подать")]
    replies += [Reply((("read_job", nested),)), Reply((("read_job", "{}"),) * 3000), Reply(text=odd)]
    document = run_script(server, suite, tmp_path / "run", reply_with(*replies), api)
    assert (document["stop_reason"], document["attempted_calls"]) == ("text_end", 6 + 3000)
    assert [step["status"] for step in document["trajectory"][:6]] == ["unknown_tool"] * 5 + ["bad_arguments"]
    assert max(len(step["tool"]) for step in document["trajectory"]) == 1000
    assert document["texts"][-1]["text"] == odd
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_a20_evaluate_tool_works_once_and_survives_a_malformed_try(server, suite, tmp_path):
    (submit, decision) = solution(suite)[-1]
    evaluate = submit.replace("submit", "evaluate")
    script = reply_with(
        Reply(((evaluate, '{"nothing": 1}'),)), Reply(((evaluate, '{"assignment": {}}'),)), Reply(((evaluate, decision),)),
        Reply(((submit, decision),)),
    )  # fmt: skip
    document = run_script(server, suite, tmp_path / "run", script)
    statuses = [step["status"] for step in document["trajectory"]]
    assert statuses == ["malformed_decision", "executed", "evaluation_used", "submitted"]
    assert document["executed_calls"] == 1


def test_a21_call_over_budget_is_rejected_and_a_cheaper_one_executed(server, suite, tmp_path):
    entry = next(entry for entry in suite.manifest.worlds if entry.id.endswith("direct") and "fleet" in entry.id)
    world = suite.world(entry)
    plan = world.plans["windows" if "windows" in world.plans else next(iter(world.plans))]
    expensive = max(plan, key=lambda call: world.prices[call.tool])
    cheap = min(world.catalog, key=lambda call: world.prices[call.tool])
    times, rest = divmod(world.budget, world.prices[expensive.tool])
    script = reply_with(*[Reply((tuple(expensive),))] * (times + 1), Reply((tuple(cheap),)), Reply(text="broke"))
    document = run_script(server, suite, tmp_path / "run", script)
    statuses = [step["status"] for step in document["trajectory"]]
    assert statuses[:times] == ["executed"] * times
    assert statuses[times] == "over_budget"
    assert statuses[times + 1] == ("executed" if rest >= world.prices[cheap.tool] else "over_budget")
    refused_last = int(statuses[-1] == "over_budget")
    assert (document["budget_cap"], document["call_cap"], document["outcome"]) == (refused_last, 0, "no_decision")


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("ids", [("same",), ("",)], ids=["repeated", "missing"])
def test_a23_tool_ids_may_repeat_or_be_missing(server, suite, undisturbed, tmp_path, api, ids):
    model = optimal_model(suite)

    def script(conversation):
        reply = model(conversation)
        return Reply(reply.calls, reply.text, ids=ids)

    server.script = script
    run_model(suite, tmp_path / "run", server.configuration(api), server.environment, concurrency=4)
    assert record_bytes(tmp_path / "run") == undisturbed[api]


def test_a25_missing_usage_is_null_not_zero(server, suite, tmp_path):
    model = optimal_model(suite)

    def script(conversation):
        reply = model(conversation)
        return Reply(reply.calls, reply.text, usage=len(conversation.call_turns) != 1)

    document = run_script(server, suite, tmp_path / "run", script)
    assert document["tokens"] == {"input": None, "output": None, "reasoning": None, "cached": None}
    assert document["cost"] is None


# -- the same run by any way -----------------------------------------------------------------------------------------


def test_all_apis_give_the_same_trajectories(undisturbed):
    by_api = [{name: json.loads(text)["trajectory"] for name, text in undisturbed[api].items()} for api in APIS]
    assert by_api[0] == by_api[1] == by_api[2]


def test_concurrency_and_trials_do_not_change_records(server, suite, tmp_path):
    runs = []
    for concurrency in (1, 8, 1000):
        out = tmp_path / str(concurrency)
        totals = run_model(suite, out, server.configuration("chat"), server.environment, trials=2, concurrency=concurrency)
        assert totals.finished == 8
        runs.append(record_bytes(out))
    assert runs[0] == runs[1] == runs[2]


def test_c10_key_is_in_no_file(server, suite, tmp_path):
    """Retries, a crash on our side, refusals that echo the key, and a complete run."""
    from algoworlds.runs.conversation import Conversation

    echo = json.dumps({"error": {"message": f"bad key {KEY}"}}).encode()
    server.plan = {1: answer_with(500, body=echo), 2: answer_with(429, body=echo)}
    out, configuration = tmp_path / "run", server.configuration("chat")
    feed = Conversation.feed

    def crash(self, line, turn=None):
        raise RuntimeError(f"a crash that knows {KEY}")

    Conversation.feed = crash
    try:
        totals = run_model(suite, out, configuration, server.environment, worlds=WORLD)
    finally:
        Conversation.feed = feed
    assert totals.pending == {"harness": 1}
    assert "a crash that knows [key]" in next((out / "quarantine").iterdir()).read_text()
    server.plan = {len(server.requests) + 1: answer_with(401, body=echo)}
    assert KEY not in run_model(suite, out, configuration, server.environment, worlds=WORLD).halted
    server.plan = {}
    assert run_model(suite, out, configuration, server.environment, worlds=WORLD).finished == 1
    assert any(KEY in value for request in server.requests for value in request.headers.values())
    assert not [path for path in out.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def test_missing_key_is_named(server, suite, tmp_path):
    with pytest.raises(InputError, match="LOOPBACK_KEY"):
        run_model(suite, tmp_path / "run", server.configuration("chat"), {}, worlds=WORLD)


def test_status_counts_attempts_and_cost(server, suite, tmp_path):
    server.plan = {2: answer_with(503), 3: answer_with(503)}
    run_model(suite, tmp_path / "run", server.configuration("chat", prices={"input": 1.0, "output": 2.0}), server.environment)
    status = run_status(RunDirectory(tmp_path / "run"))
    assert (status["scheduled"], status["finished"], status["pending"], status["exact"]) == (4, 4, 0, 4)
    assert (status["retries"], status["faults"]) == (2, {"http_503": 2})
    assert status["requests"] == len(server.requests)
    assert status["cost"] == pytest.approx((1200 + 2 * 340) / 1e6 * (len(server.requests) - 2))
