"""Keys stay where they belong (C9, C10), and the SDKs are loaded only when a model is asked."""

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
from tests.runs.play import model_run, optimal
from tests.runs.server import KEY, Fault, Reply, Server, cut, playing, repeated, status
from tests.runs.talk import APIS, CALLS, Talk, once, opening

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.mark.parametrize("api", APIS)
def test_c9_proxies_of_the_environment_are_not_used(api, monkeypatch):
    with Server(playing(CALLS)) as proxy, Server(playing(CALLS)) as server:
        for name in PROXIES:
            monkeypatch.setenv(name, proxy.url)
        once(server, api)
    assert (len(proxy.requests), len(server.requests)) == (0, 1)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_c9_a_redirect_is_not_followed(api, code):
    with Server(playing(CALLS)) as elsewhere, Server(playing(CALLS)) as server:
        server.plan = {1: Fault(code, {"location": f"{elsewhere.url}/v1/messages"}, b"")}
        with pytest.raises(Misconfigured, match="redirect"):
            once(server, api)
    assert elsewhere.requests == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("api", APIS)
def test_c9_the_sdks_own_variables_do_not_move_the_endpoint(api, monkeypatch):
    with Server(playing(CALLS)) as elsewhere, Server(playing(CALLS)) as server:
        for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
            monkeypatch.setenv(name, elsewhere.url)
        for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
            monkeypatch.setenv(name, "another-key")
        once(server, api)
    assert elsewhere.requests == []
    assert "another-key" not in str(server.requests[0].headers)
    assert KEY in str(server.requests[0].headers)


@pytest.mark.parametrize("api", APIS)
def test_c9_the_environment_adds_no_headers(api, monkeypatch):
    with Server(playing(CALLS)) as server:
        once(server, api)
        for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
            monkeypatch.setenv(name, "Authorization: Bearer another-key\nX-Extra: 1\nX-Api-Key: another-key")
        monkeypatch.setenv("OPENAI_ORG_ID", "org")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "project")
        once(server, api)
    plain, coloured = (request.headers for request in server.requests)
    assert plain == coloured
    assert plain["authorization"] == f"Bearer {KEY}"


ECHO = f'{{"error": {{"message": "Incorrect API key provided: {"x" * 280}{KEY} {KEY}."}}}}'.encode()
ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
"""The key as JSON may spell it."""


def encodings(text):
    """A body with an error in which the key is spelled in some way."""
    return b'{"error": {"message": "%b"}}' % text.encode()


TROUBLES = {
    "escaped": status(401, None, encodings(f"{'x' * 290}{ESCAPED}")),
    "escaped in a good answer": status(200, None, encodings(ESCAPED)),
    "escaped page": status(500, None, f"<html>{ESCAPED}</html>".encode()),
    "sixteen bits": status(400, None, encodings(KEY).decode().encode("utf-16")),
    "sixteen bits without a mark": status(400, None, encodings(KEY).decode().encode("utf-16-le")),
    "sixteen bits in a good answer": status(200, None, encodings(KEY).decode().encode("utf-16-be")),
    "wrong": status(401, None, ECHO),
    "busy": status(503, None, ECHO),
    "error": status(200, None, ECHO),
    "reset": cut(-1),
    "cut": cut(50),
    "page": Fault(520, {"x-echo": KEY}, b"<html>" + KEY.encode() + b"</html>"),
    "event": Fault(edit=lambda _, made: [*made[:2], b"data: " + ECHO + b"\n\n"]),
    "fine": Fault(edit=lambda _, made: [chunk.replace(b"done", KEY.encode()) for chunk in made]),
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("name", TROUBLES)
def test_c10_the_key_is_in_no_text_log_or_response(api, name):
    """Everything that could be printed or stored is searched, with all logging on and a server that echoes the key."""
    heard = io.StringIO()
    handler = logging.StreamHandler(heard)
    root = logging.getLogger()
    loggers = [root, *(logging.getLogger(name) for name in ("openai", "anthropic", "httpx2", "httpcore2"))]
    levels = [logger.level for logger in loggers]
    root.addHandler(handler)
    try:
        for logger in loggers:
            logger.setLevel(1)
        with Server(playing([]), {1: TROUBLES[name]}) as server, warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            asyncio.run(_provoke(server, api, heard))
    finally:
        root.removeHandler(handler)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
    text = heard.getvalue() + "".join(str(warning.message) for warning in warned)
    assert "scripted-1" in text
    for output in (text, text.replace("\0", "").replace("\\x00", "")):  # sixteen bits read as eight leave gaps in it
        assert KEY not in output
        assert KEY[:12] not in output
    assert KEY not in str([request.json for request in server.requests])


async def _provoke(server, api, heard):
    provider = Provider(server.configuration(api), server.environment)
    print(repr(provider), str(provider), vars(provider.configuration), file=heard)
    try:
        print(await provider.attempt(opening(provider)), file=heard)
    except ProviderFault as fault:
        print(repr(fault), fault, fault.args, fault.detail, vars(fault), traceback.format_exc(), file=heard)
    await provider.close()


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [True, False])
def test_c10_a_key_in_the_pieces_of_an_answer_is_found(api, stream):
    """In texts and arguments, cut into deltas of seven characters, plain and escaped: a journal never sees it."""
    arguments = f'{{"page": "{KEY}", "again": "{ESCAPED}", "{KEY}": 1}}'
    with Server(lambda _: Reply((("read_map", arguments), (KEY, "{}")), f"my key is {KEY}!")) as server:

        async def go():
            provider = Provider(server.configuration(api, stream=stream), server.environment)
            answer = await provider.attempt(opening(provider))
            await provider.close()
            return answer

        response, turn = asyncio.run(go())
    assert turn.text == "my key is [key]!"
    assert json.loads(turn.calls[0].arguments) == {"page": "[key]", "again": "[key]", "[key]": 1}
    assert turn.calls[1].tool == "[key]"
    told = json.dumps(response)
    assert KEY not in told
    assert ESCAPED not in told.replace("\\\\", "\\")


@pytest.mark.parametrize("held", [f"{KEY}\n", f"  {KEY}\r\n"], ids=repr)
def test_c10_white_space_around_a_key_is_no_part_of_it(held, suite, tmp_path):
    """Neither in the header nor in what is looked for: a trailing newline kept the key from being found."""
    with Server(optimal(suite), {3: status(400, None, ECHO)}) as server:
        model_run(suite, tmp_path / "run", server.configuration("chat"), {"LOOPBACK_KEY": held}, worlds="fleet*-direct")
        assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert (tmp_path / "run" / "quarantine") in {path.parent for path in files}
    assert not [path for path in files if KEY[:12].encode() in path.read_bytes()]


def test_c10_a_dummy_key_is_a_word_like_any_other():
    """Local servers are given "none": taking that out of answers would spoil them."""
    with Server(lambda _: Reply(text="none of it")) as server:
        server.environment["LOOPBACK_KEY"] = "none"
        assert once(server, "chat").text == "none of it"


def test_c10_probe_does_not_print_the_key(tmp_path):
    """A refusal that spells the key in escapes reached the screen."""
    with Server(playing([]), repeated(status(401, None, encodings(ESCAPED)))) as server:
        (tmp_path / "x.toml").write_text(server.toml("chat"), "utf-8")
        done = run_here("probe", "--model", tmp_path / "x.toml", LOOPBACK_KEY=KEY)
    assert done.returncode == 1
    assert "[key]" in done.stderr
    assert "[key]" in done.stdout
    assert KEY not in done.stderr + done.stdout


def test_c10_debug_logs_of_the_sdks_hold_no_key():
    """Not even at a level that somebody sets after us, as their own variables do when they are imported."""
    code = f"""
import asyncio, logging, sys
logging.basicConfig(level=1)
from tests.runs.server import Fault, Server, playing
from tests.runs.talk import once
from algoworlds.runs.providers import provider
quiet = provider.redact_logs

def loud(secret):
    quiet(secret)
    for name in ("openai", "anthropic", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(1)

provider.redact_logs = loud
for api in {APIS}:
    print("now asked:", api, file=sys.stderr)
    with Server(playing([]), {{1: Fault(200, {{"x-echo": "{KEY}"}})}}) as server:
        once(server, api)
"""
    variables = os.environ | {"OPENAI_LOG": "debug", "ANTHROPIC_LOG": "debug"}
    order = [sys.executable, "-c", code]
    done = subprocess.run(order, capture_output=True, text=True, cwd=ROOT, env=variables, check=True)
    _, *told = done.stderr.split("now asked:")
    assert len(told) == len(APIS)
    assert all("x-echo" in line for line in told), "the log is on"
    assert all("[key]" in line for line in told)
    assert KEY not in done.stdout + done.stderr


def test_c10_a_whole_conversation_sends_the_key_in_one_header_only():
    for api in APIS:
        with Server(playing(CALLS)) as server:
            Talk(server, api).run()
        for request in server.requests:
            holders = [name for name, value in request.headers.items() if KEY in value]
            assert holders == ["authorization"]
            assert KEY.encode() not in request.body
            assert KEY not in request.path


def test_c10_a_server_without_a_key_gets_none(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "another-key")
    with Server(lambda _: Reply(text="none of it")) as server:
        for api in APIS:
            assert once(server, api, key_env=None).text == "none of it"
    assert "another-key" not in str(server.requests)


def test_the_sdks_are_loaded_only_when_a_model_is_asked():
    code = "import sys, algoworlds.runs.providers.provider; print({'openai', 'anthropic', 'httpx2'} & set(sys.modules))"
    assert python(code).strip() == "set()"


@pytest.mark.parametrize(("api", "package"), [("responses", "openai"), ("chat", "openai"), ("messages", "anthropic")])
def test_a_missing_sdk_is_one_clear_line(api, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with (
        Server(playing([])) as server,
        pytest.raises(InputError, match=rf"needs the package {package}: install algoworlds\[models\]"),
    ):
        Provider(server.configuration(api), server.environment)


@pytest.mark.parametrize("many", [40, pytest.param(100, marks=pytest.mark.full)])
def test_one_client_serves_many_conversations(many):
    """All at once, in one process; each gets its own answers."""

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
        texts = await asyncio.gather(*(converse(provider, number) for number in range(many)))
        await provider.close()
        return texts

    for api in APIS:
        with Server(script) as server:
            assert asyncio.run(go(server, api)) == [f"question {number}" for number in range(many)]
        assert server.connections <= many
