"""Verifiers' own chat program, asked by nobody but a model that is made up: from its first turn to the end of the episode."""

import asyncio
import json
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
import verifiers.v1 as vf
from algoworlds_verifiers import load_environment
from verifiers.v1.runtimes import SubprocessConfig, make_runtime

from tests.command import PATIENCE
from tests.doors.test_contract import optimal
from tests.doors.verifiers.door import THEIRS

pytestmark = pytest.mark.filterwarnings(*THEIRS)


@contextmanager
def model(plans):
    """A model over HTTP that makes the calls of a plan, by the question it is asked; and how often it was asked each."""
    asked = []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            messages = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
            question, heard = messages[0]["content"], [each for each in messages if each["role"] == "tool"]
            asked.append(question)
            tool, arguments = plans[question][len(heard)]
            call = {"index": 0, "id": f"call_{len(heard)}", "type": "function"}
            call["function"] = {"name": tool, "arguments": arguments}
            deltas = [({"role": "assistant", "tool_calls": [call]}, None), ({}, "tool_calls")]
            told = {"id": "made-up", "object": "chat.completion.chunk", "created": 0, "model": "made-up"}
            events = [told | {"choices": [{"index": 0, "delta": each, "finish_reason": end}]} for each, end in deltas]
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write("".join(f"data: {each}\n\n" for each in (*map(json.dumps, events), "[DONE]")).encode())

        def log_message(self, *told):
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
        finally:
            server.shutdown()


async def as_it_is(self, script, env=None, *, activate=True):
    """A program of verifiers' in our own environment, which has all that it needs: uv would fetch it from the network."""
    await self.write("program.py", script.encode())
    return [sys.executable, "program.py"]


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.setattr(type(make_runtime(SubprocessConfig(), name="none")), "prepare_uv_script", as_it_is)
    monkeypatch.setenv("NO_KEY", "none")


def test_a_model_in_verifiers_own_loop_is_paid_what_it_earns_and_asked_nothing_afterwards(suite, offline):
    worlds = [entry.id for entry in suite.manifest.worlds if entry.interface == "direct"][:2]
    plans = {suite.presented(world).question: optimal(suite, world) for world in worlds}

    async def evaluated(url):
        env = load_environment({"runtime": {"type": "subprocess"}}, suite=str(suite.directory), interfaces="direct")
        context = vf.ModelContext(model="made-up", client=vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY"))
        async with asyncio.timeout(PATIENCE), env.serving():
            return await asyncio.gather(*(env.run_slot(*env.slots(task), context) for task in env.taskset.take(2)))

    with model(plans) as (url, asked):
        traces = [trace for episode in asyncio.run(evaluated(url)) for trace in episode.traces]
    assert [each.errors for each in traces] == [[], []]
    assert [(each.reward, each.stop_condition) for each in traces] == [(1.0, "ended")] * 2
    assert {question: asked.count(question) for question in plans} == {question: len(plan) for question, plan in plans.items()}
