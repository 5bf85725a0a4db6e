"""Keys are sent in one header and stored nowhere (C9, C10); the SDKs are imported only for requests."""

import asyncio
import io
import json
import logging
import os
import subprocess
import sys
import traceback
import warnings

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.providers.faults import Misconfigured, ProviderFault
from algoworlds.runs.providers.provider import Provider
from tests.command import ROOT, python, run_here
from tests.runs.client import API_NAMES, CALLS, Client, attempt_once, first_body
from tests.runs.model_runs import optimal_model, run_model
from tests.runs.server import KEY, Fault, Reply, Server, always, answer_with, cut_after, model_that_calls

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.mark.parametrize("api", API_NAMES)
def test_c9_proxies_of_the_environment_are_not_used(api, monkeypatch):
    with Server(model_that_calls(CALLS)) as proxy, Server(model_that_calls(CALLS)) as server:
        for name in PROXIES:
            monkeypatch.setenv(name, proxy.url)
        attempt_once(server, api)
    assert (len(proxy.requests), len(server.requests)) == (0, 1)


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_c9_a_redirect_is_not_followed(api, code):
    with Server(model_that_calls(CALLS)) as elsewhere, Server(model_that_calls(CALLS)) as server:
        server.plan = {1: Fault(code, {"location": f"{elsewhere.url}/v1/messages"}, b"")}
        with pytest.raises(Misconfigured, match="redirect"):
            attempt_once(server, api)
    assert elsewhere.requests == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("api", API_NAMES)
def test_c9_sdk_variables_do_not_change_the_endpoint(api, monkeypatch):
    with Server(model_that_calls(CALLS)) as elsewhere, Server(model_that_calls(CALLS)) as server:
        for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
            monkeypatch.setenv(name, elsewhere.url)
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
            monkeypatch.setenv(name, "another-key")
        attempt_once(server, api)
    assert elsewhere.requests == []
    assert "another-key" not in str(server.requests[0].headers)
    assert KEY in str(server.requests[0].headers)


@pytest.mark.parametrize("api", API_NAMES)
def test_c9_the_environment_adds_no_headers(api, monkeypatch):
    with Server(model_that_calls(CALLS)) as server:
        attempt_once(server, api)
        for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
            monkeypatch.setenv(name, "Authorization: Bearer another-key\nX-Extra: 1\nX-Api-Key: another-key")
        monkeypatch.setenv("OPENAI_ORG_ID", "org")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "project")
        attempt_once(server, api)
    plain, changed = (request.headers for request in server.requests)
    assert plain == changed
    assert plain["authorization"] == f"Bearer {KEY}"


ECHO = f'{{"error": {{"message": "Incorrect API key provided: {"x" * 280}{KEY} {KEY}."}}}}'.encode()
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
"""The key with every letter as a JSON escape."""


def error_body(text):
    """An error body whose message is `text`."""
    return b'{"error": {"message": "%b"}}' % text.encode()


ECHOING_FAULTS = {
    "escaped": answer_with(401, None, error_body(f"{'x' * 290}{ESCAPED}")),
    "escaped in an answer with status 200": answer_with(200, None, error_body(ESCAPED)),
    "escaped page": answer_with(500, None, f"<html>{ESCAPED}</html>".encode()),
    "UTF-16": answer_with(400, None, error_body(KEY).decode().encode("utf-16")),
    "UTF-16 without a byte command mark": answer_with(400, None, error_body(KEY).decode().encode("utf-16-le")),
    "UTF-16 in an answer with status 200": answer_with(200, None, error_body(KEY).decode().encode("utf-16-be")),
    "wrong key": answer_with(401, None, ECHO),
    "overloaded": answer_with(503, None, ECHO),
    "error": answer_with(200, None, ECHO),
    "reset": cut_after(-1),
    "cut": cut_after(50),
    "page": Fault(520, {"x-echo": KEY}, b"<html>" + KEY.encode() + b"</html>"),
    "event": Fault(edit=lambda _, made: [*made[:2], b"data: " + ECHO + b"\n\n"]),
    "echo in a good answer": Fault(edit=lambda _, made: [chunk.replace(b"done", KEY.encode()) for chunk in made]),
}


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("name", ECHOING_FAULTS)
def test_c10_the_key_is_in_no_text_log_or_response(api, name):
    """Everything that could be printed or stored is searched, with all logging on and a server that echoes the key."""
    output_stream = io.StringIO()
    handler = logging.StreamHandler(output_stream)
    root = logging.getLogger()
    loggers = [root, *(logging.getLogger(name) for name in ("openai", "anthropic", "httpx2", "httpcore2"))]
    levels = [logger.level for logger in loggers]
    root.addHandler(handler)
    try:
        for logger in loggers:
            logger.setLevel(1)
        with Server(model_that_calls([]), {1: ECHOING_FAULTS[name]}) as server, warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            asyncio.run(_print_everything(server, api, output_stream))
    finally:
        root.removeHandler(handler)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
    text = output_stream.getvalue() + "".join(str(warning.message) for warning in warned)
    assert "scripted-1" in text
    for printed in (text, text.replace("\0", "").replace("\\x00", "")):  # UTF-16 read as bytes has zeros between the letters
        assert KEY not in printed
        assert KEY[:12] not in printed
    assert KEY not in str([request.json for request in server.requests])


async def _print_everything(server, api, output_stream):
    provider = Provider(server.configuration(api), server.environment)
    print(repr(provider), str(provider), vars(provider.configuration), file=output_stream)
    try:
        print(await provider.attempt(first_body(provider)), file=output_stream)
    except ProviderFault as fault:
        print(repr(fault), fault, fault.args, fault.detail, vars(fault), traceback.format_exc(), file=output_stream)
    await provider.close()


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("stream", [True, False])
def test_c10_key_split_over_deltas_is_redacted(api, stream):
    """In texts and arguments, split over deltas of seven characters, plain and escaped."""
    arguments = f'{{"page": "{KEY}", "again": "{ESCAPED}", "{KEY}": 1}}'
    with Server(lambda _: Reply((("read_map", arguments), (KEY, "{}")), f"my key is {KEY}!")) as server:

        async def go():
            provider = Provider(server.configuration(api, stream=stream), server.environment)
            answer = await provider.attempt(first_body(provider))
            await provider.close()
            return answer

        response, turn = asyncio.run(go())
    assert turn.text == "my key is [key]!"
    assert json.loads(turn.calls[0].arguments) == {"page": "[key]", "again": "[key]", "[key]": 1}
    assert turn.calls[1].tool == "[key]"
    logged = json.dumps(response)
    assert KEY not in logged
    assert ESCAPED not in logged.replace("\\\\", "\\")


@pytest.mark.parametrize("given", [f"{KEY}\n", f"  {KEY}\r\n"], ids=repr)
def test_c10_whitespace_around_a_key_is_stripped(given, suite, tmp_path):
    """A trailing newline is neither sent in the header nor part of the redacted key."""
    with Server(optimal_model(suite), {3: answer_with(400, None, ECHO)}) as server:
        run_model(suite, tmp_path / "run", server.configuration("chat"), {"LOOPBACK_KEY": given}, worlds="fleet*-direct")
        assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert (tmp_path / "run" / "quarantine") in {path.parent for path in files}
    assert not [path for path in files if KEY[:12].encode() in path.read_bytes()]


def test_c10_short_dummy_key_is_not_redacted():
    """Local servers get the key "none"; redacting that word would alter answers."""
    with Server(lambda _: Reply(text="none of it")) as server:
        server.environment["LOOPBACK_KEY"] = "none"
        assert attempt_once(server, "chat").text == "none of it"


def test_c10_probe_does_not_print_the_key(tmp_path):
    """Not even if the server's error message holds the key as JSON escapes."""
    with Server(model_that_calls([]), always(answer_with(401, None, error_body(ESCAPED)))) as server:
        (tmp_path / "x.toml").write_text(server.toml("chat"), "utf-8")
        result = run_here("probe", "--model", tmp_path / "x.toml", LOOPBACK_KEY=KEY)
    assert result.returncode == 1
    assert "[key]" in result.stderr
    assert "[key]" in result.stdout
    assert KEY not in result.stderr + result.stdout


def test_c10_debug_logs_of_the_sdks_hold_no_key():
    """Not even if the log level is raised after ours was set, as the SDKs' own variables do on import."""
    code = f"""
import asyncio, logging, sys
logging.basicConfig(level=1)
from tests.runs.server import Fault, Server, model_that_calls
from tests.runs.client import attempt_once
from algoworlds.runs.providers import provider
quiet = provider.redact_logs

def loud(secret):
    quiet(secret)
    for name in ("openai", "anthropic", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(1)

provider.redact_logs = loud
for api in {API_NAMES}:
    print("next API:", api, file=sys.stderr)
    with Server(model_that_calls([]), {{1: Fault(200, {{"x-echo": "{KEY}"}})}}) as server:
        attempt_once(server, api)
"""
    variables = os.environ | {"OPENAI_LOG": "debug", "ANTHROPIC_LOG": "debug"}
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=variables, check=True)
    _, *logged = result.stderr.split("next API:")
    assert len(logged) == len(API_NAMES)
    assert all("x-echo" in line for line in logged), "the log is on"
    assert all("[key]" in line for line in logged)
    assert KEY not in result.stdout + result.stderr


def test_c10_a_whole_conversation_sends_the_key_in_one_header_only():
    for api in API_NAMES:
        with Server(model_that_calls(CALLS)) as server:
            Client(server, api).run()
        for request in server.requests:
            holders = [name for name, value in request.headers.items() if KEY in value]
            assert holders == ["authorization"]
            assert KEY.encode() not in request.body
            assert KEY not in request.path


def test_c10_a_server_without_a_key_gets_none(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "another-key")
    with Server(lambda _: Reply(text="none of it")) as server:
        for api in API_NAMES:
            assert attempt_once(server, api, key_env=None).text == "none of it"
    assert "another-key" not in str(server.requests)


def test_sdks_are_imported_only_for_requests():
    code = "import sys, algoworlds.runs.providers.provider; print({'openai', 'anthropic', 'httpx2'} & set(sys.modules))"
    assert python(code).strip() == "set()"


@pytest.mark.parametrize(("api", "package"), [("responses", "openai"), ("chat", "openai"), ("messages", "anthropic")])
def test_missing_sdk_is_a_one_line_error(api, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with (
        Server(model_that_calls([])) as server,
        pytest.raises(InputError, match=rf"needs the package {package}: install algoworlds\[models\]"),
    ):
        Provider(server.configuration(api), server.environment)


@pytest.mark.parametrize("count", [40, pytest.param(100, marks=pytest.mark.full)])
def test_one_client_serves_many_conversations(count):
    """All at the same time in one process; each gets its own answers."""

    def script(conversation):
        made = len(conversation.call_turns)
        return Reply((("read_map", f'{{"page": {made}}}'),)) if made < 1 else Reply(text=conversation.question)

    async def converse(provider, number):
        body = provider.api.first_body(provider.configuration, f"question {number}", [])
        while True:
            response, turn = await provider.attempt(body)
            if not turn.calls:
                return turn.text
            body = provider.api.next_body(body, response, ["a"])

    async def go(server, api):
        provider = Provider(server.configuration(api), server.environment)
        texts = await asyncio.gather(*(converse(provider, number) for number in range(count)))
        await provider.close()
        return texts

    for api in API_NAMES:
        with Server(script) as server:
            assert asyncio.run(go(server, api)) == [f"question {number}" for number in range(count)]
        assert server.connections <= count
