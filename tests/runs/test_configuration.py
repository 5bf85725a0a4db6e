"""Model configurations: what is accepted, and what is refused in one clear line."""

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.configuration_file import load_configuration, shipped_configurations
from tests.runs.client import API_NAMES
from tests.runs.server import Server, model_that_calls

GOOD = 'label = "X"\napi = "chat"\nmodel = "m"\noutput_cap = 100\n'


def load(tmp_path, text):
    path = tmp_path / "x.toml"
    path.write_text(text, "utf-8")
    return load_configuration(path)


def test_shipped_name_and_its_file_load_the_same(tmp_path):
    for name, path in shipped_configurations().items():
        assert load_configuration(name) == load_configuration(path) == load(tmp_path, path.read_text("utf-8"))


def test_omitted_fields_have_defaults(tmp_path):
    assert load(tmp_path, GOOD) == Configuration("X", "chat", "m", 100)


@pytest.mark.parametrize("api", API_NAMES)
def test_loopback_server_writes_valid_configurations(tmp_path, api):
    changes = {"extra_body": {"a": {"b": [1, "é"]}}, "stream": False, "prices": {"input": 0.5}}
    with Server(model_that_calls([])) as server:
        assert load(tmp_path, server.toml(api, **changes)) == server.configuration(api, **changes)


def test_prices_of_shipped_configurations_are_complete():
    for name in shipped_configurations():
        assert {"input", "output"} <= set(load_configuration(name).prices)


REFUSED = {
    "unknown field": (GOOD + "effort = 1\n", "unknown field effort; known are label"),
    "missing field": ('label = "X"\napi = "chat"\n', "field model, output_cap is missing"),
    "not TOML": ("label = ", "not TOML"),
    "api": (GOOD.replace('"chat"', '"grpc"'), "api must be one of responses, chat, messages"),
    "cap": (GOOD.replace("100", "0"), "output_cap must be a positive integer"),
    "cap as text": (GOOD.replace("100", '"100"'), "output_cap must be a positive integer"),
    "cap as truth": (GOOD.replace("100", "true"), "output_cap must be a positive integer"),
    "label": (GOOD.replace('"X"', '""'), "label must be a text"),
    "stream": (GOOD + "stream = 1\n", "stream must be true or false"),
    "temperature": (GOOD + 'temperature = "hot"\n', "temperature must be a number"),
    "undefined temperature": (GOOD + "temperature = nan\n", "temperature must be a number"),
    "timeout": (GOOD + "timeout = 0\n", "timeout must be a number"),
    "table": (GOOD + "reasoning = 3\n", "reasoning must be a table"),
    "address": (GOOD + 'base_url = "example.org"\n', "base_url must begin with http"),
    "price": (GOOD + "[prices]\nthinking = 3\n", "prices.thinking is not one of input, output, cached"),
    "undefined price": (GOOD + "[prices]\ninput = nan\n", "prices.input is not one of input, output, cached in USD"),
    "endless price": (GOOD + "[prices]\noutput = inf\n", "prices.output is not one of"),
    "wide address": (
        GOOD + 'base_url = "http://example.org:99999/v1"\n',
        "a host, and a port from 0 to 65535",
    ),
    "broken address": (GOOD + 'base_url = "http://example.org/v1\\r\\nX-Evil: 1"\n', "without blanks, line breaks or #"),
    "bad host": (GOOD + 'base_url = "http://exa%mple..org/v1"\n', "base_url must name a host"),
    "bad number": (GOOD + 'base_url = "http://[::1/v1"\n', "base_url must name a host"),
    "escapes in the label": (GOOD.replace('"X"', '"X\\u001b[2J"'), "label must be printable"),
    "negative price": (GOOD + "[prices]\ninput = -1\n", "prices.input"),
    "our field": (GOOD + "[extra_body]\nmax_tokens = 7\n", "request field max_tokens is set by the protocol"),
    "a date in the request": (
        GOOD + "[extra_body]\na = { b = [1979-05-27] }\n",
        "extra_body.a.b is 1979-05-27, which JSON cannot",
    ),
    "a time in the request": (GOOD + "[extra_body]\nat = 07:32:00\n", "extra_body.at is 07:32:00, which JSON cannot hold"),
    "a moment in the request": (GOOD + "[reasoning]\nat = 1979-05-27T07:32:00Z\n", "reasoning.at is 1979-05-27 07:32:00"),
    "nan in the request": (GOOD + "[extra_body]\na = [[nan]]\n", "extra_body.a is nan, which JSON cannot hold"),
    "inf in the request": (GOOD + "[extra_body.x]\na = -inf\n", "extra_body.x.a is -inf, which JSON cannot hold"),
    "given twice": (GOOD + "temperature = 1\n[extra_body]\ntemperature = 0\n", "request field temperature is given twice"),
    "reasoning twice": (
        GOOD.replace("chat", "responses") + '[reasoning]\neffort = "max"\n[extra_body]\nreasoning = {}\n',
        "request field reasoning is given twice",
    ),
    "system prompt": (GOOD + '[reasoning]\nmessages = "You are"\n', "request field messages is set by the protocol"),
    "messages temperature": (
        GOOD.replace("chat", "messages") + "temperature = 1\n",
        "temperature is not a field of the Messages API",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_file_is_refused_in_one_line(tmp_path, name):
    text, words = REFUSED[name]
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    assert words in str(caught.value)
    assert "x.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


SECRET = "sk-proj-0123456789abcdef"
LEAKS = {
    "api_key": f'api_key = "{SECRET}"\n',
    "token": 'auth_token = "anything"\n',
    "key as variable": f'key_env = "{SECRET}"\n',
    "bare key as variable": 'key_env = "zhipu.abcdef"\n',
    "in the label": GOOD.replace('"X"', f'"{SECRET}"').split("\n", 1)[0] + "\n",
    "deep": f'[extra_body]\nheaders = {{ Authorization = "Bearer {SECRET}" }}\n',
    "in the address": 'base_url = "https://me:pass@example.org/v1"\n',
    "in the vendor's fields": '[extra_body]\napi_key = "anything"\n',
    "deep in the vendor's fields": '[extra_body]\nprovider = { access_token = "anything" }\n',
    "in a query": 'base_url = "https://example.org/v1?key=anything"\n',
    "later in a query": 'base_url = "https://example.org/v1?a=1&api_key=anything"\n',
    "groq": '[extra_body]\nuser = "gsk_zhipu0123456789"\n',
    "xai": '[extra_body]\nuser = "xai-zhipu0123456789"\n',
    "hugging face": '[extra_body]\nuser = "hf_zhipu0123456789"\n',
    "in a list": f'[extra_body]\nstop = ["a", ["{SECRET}"]]\n',
    "in a table of a list": f'[extra_body]\ntags = [{{ a = "{SECRET}" }}]\n',
    "hexadecimal": '[extra_body]\nuser = "0123456789abcdef0123456789abcdef.Zz"\n',
}


@pytest.mark.parametrize("name", LEAKS)
def test_c10_a_literal_key_is_refused_and_not_repeated(tmp_path, name):
    text = LEAKS[name] if name == "in the label" else GOOD + LEAKS[name]
    with pytest.raises(InputError, match="environment variable") as caught:
        load(tmp_path, text)
    for word in (SECRET, "anything", "zhipu", "me:pass", "0123456789abcdef"):
        assert word not in str(caught.value)


def test_field_that_resembles_a_secret_is_accepted(tmp_path):
    fields = "[extra_body]\nthinking_budget_tokens = 1000\nprompt_cache_key = 'run-7'\nthinking = { budget_tokens = 5 }\n"
    assert load(tmp_path, GOOD + "base_url = 'https://example.org/v1?api-version=2026-01'\n" + fields).extra_body


MALFORMED_FILES = [
    "", "\x00", "[", "=", "label", 'label = "X', "label = 1979-05-27", "[label]", "[[label]]", "label.x = 1", "\ufeff" + GOOD,
    GOOD + GOOD, GOOD * 500, "[" * 5000, "a = " + "[" * 900, "a." * 2000 + "b = 1", GOOD + "[extra_body]\nx = " + "{a=" * 500,
    *(GOOD + f"{name} = {value}\n" for name in ("base_url", "key_env", "reasoning", "temperature", "timeout", "prices")
      for value in ("[]", "{}", "true", "nan", "-inf", "1e999", "9" * 5000)),
    GOOD + "output_cap = 1", GOOD.replace("100", "9" * 5000), GOOD.replace("100", "0x10"), GOOD.replace("100", "1.5"),
    GOOD + 'base_url = "http://"\n', GOOD + 'base_url = "http://:80"\n', GOOD + 'base_url = "http://a:b"\n',
    GOOD + f'base_url = "http://{"a" * 70}.org"\n', GOOD + 'base_url = "http://\\u0000"\n', GOOD + 'base_url = "http://a b"\n',
    GOOD + 'base_url = "file:///etc/passwd"\n', GOOD + 'base_url = "http://\\u202e.org"\n', GOOD + '"\\u001b[2J" = 1\n',
]  # fmt: skip
"""Files that are not configurations, or strange ones."""


def test_malformed_files_are_refused_in_one_line(tmp_path):
    assert len(MALFORMED_FILES) >= 50
    messages = [refusal_message(tmp_path, text) for text in MALFORMED_FILES]
    messages = [text for text in messages if text is not None]
    assert len(messages) >= 50
    assert not [text for text in messages if "\n" in text or len(text) > 1000]


def refusal_message(tmp_path, text):
    """The error message for a file with `text`; None if it is accepted."""
    try:
        load(tmp_path, text)
    except InputError as problem:
        return str(problem)
    return None


def test_unknown_name_lists_the_shipped_configurations(tmp_path):
    with pytest.raises(InputError, match=r"neither a file nor a shipped configuration; shipped are claude-opus-4\.8"):
        load_configuration("gpt-5.6-luna")
    with pytest.raises(InputError, match="cannot be read"):
        load_configuration(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        load_configuration(tmp_path / "binary")
