"""Verifiers' own chat program with a fake model, from the first turn to the end of the episode."""

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
from tests.doors.verifiers.adapter import FOREIGN_WARNINGS

pytestmark = pytest.mark.filterwarnings(*FOREIGN_WARNINGS)


@contextmanager
def model(plans):
    """A model over HTTP that makes the calls of the question's plan; yields its URL and the questions it was asked."""
    questions = []

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self):
            messages = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"]
            question, responses = messages[0]["content"], [message for message in messages if message["role"] == "tool"]
            questions.append(question)
            tool, arguments = plans[question][len(responses)]
            call = {"index": 0, "id": f"call_{len(responses)}", "type": "function"}
            call["function"] = {"name": tool, "arguments": arguments}
            deltas = [({"role": "assistant", "tool_calls": [call]}, None), ({}, "tool_calls")]
            chunk = {"id": "made-up", "object": "chat.completion.chunk", "created": 0, "model": "made-up"}
            events = [chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            self.wfile.write("".join(f"data: {event}\n\n" for event in (*map(json.dumps, events), "[DONE]")).encode())

        def log_message(self, *arguments):
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", questions
        finally:
            server.shutdown()


async def prepare_script(self, script, env=None, *, activate=True):
    """Run verifiers' script in our environment, which has all it needs: uv would fetch packages from the network."""
    await self.write("program.py", script.encode())
    return [sys.executable, "program.py"]


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.setattr(type(make_runtime(SubprocessConfig(), name="none")), "prepare_uv_script", prepare_script)
    monkeypatch.setenv("NO_KEY", "none")


def test_model_in_verifiers_loop_is_rewarded_and_stops_at_the_end(suite, offline, monkeypatch):
    """The suite is named by a relative path, as in the documented command."""
    monkeypatch.chdir(suite.directory.parent)
    worlds = [entry.id for entry in suite.manifest.worlds if entry.interface == "direct"][:2]
    plans = {suite.public_world(world).question: optimal(suite, world) for world in worlds}

    async def evaluate(url):
        env = load_environment({"runtime": {"type": "subprocess"}}, suite=suite.directory.name, interfaces="direct")
        context = vf.ModelContext(model="made-up", client=vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY"))
        async with asyncio.timeout(PATIENCE), env.serving():
            return await asyncio.gather(*(env.run_slot(*env.slots(task), context) for task in env.taskset.take(2)))

    with model(plans) as (url, questions):
        traces = [trace for episode in asyncio.run(evaluate(url)) for trace in episode.traces]
    assert [trace.errors for trace in traces] == [[], []]
    assert [(trace.reward, trace.stop_condition) for trace in traces] == [(1.0, "ended")] * 2
    assert {question: questions.count(question) for question in plans} == {
        question: len(plan) for question, plan in plans.items()
    }
