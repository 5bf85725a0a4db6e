"""A wire API is one value: a fourth one works without any other change, and each response is read once."""

from collections import Counter
from dataclasses import replace

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.providers import APIS
from algoworlds.runs.providers.configuration_file import parse_configuration
from algoworlds.runs.rescore import verify_run
from tests.runs.model_runs import optimal_model, run_model
from tests.runs.server import answer_with
from tests.runs.toy_api import TOY, ToyServer
from tests.silence import silent

WORLD = "fleet_dispatch-0-1*-direct"


def test_fourth_api_plays_a_world(suite, undisturbed, tmp_path, monkeypatch):
    """It is configured, streamed, journaled, scored and replayed like the others, with the same trajectory."""
    monkeypatch.setitem(APIS, "toy", TOY)
    with ToyServer(optimal_model(suite), {1: answer_with(503), 2: answer_with(200, body=b'{"sorry": "overloaded"}')}) as server:
        configuration = server.configuration("toy", prices={"input": 1.0, "output": 1.0})
        assert (
            parse_configuration({name: value for name, value in vars(configuration).items() if value is not None})
            == configuration
        )
        totals = run_model(suite, tmp_path / "run", configuration, server.environment, worlds=WORLD)
    assert (totals.finished, totals.retries, totals.halted) == (1, 2, None)
    (document,) = RunDirectory(tmp_path / "run").read_records()
    assert (document["exact"], document["tokens"]["input"]) == (1, 1200 * document["turns"])
    name = f"{document['world']}--1.json"
    assert document["observed"].encode() in undisturbed["chat"][name]
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_fourth_api_has_its_own_rules(suite, tmp_path, monkeypatch):
    monkeypatch.setitem(APIS, "toy", TOY)
    fields = {"label": "T", "api": "toy", "model": "m", "output_cap": 9}
    with pytest.raises(InputError, match="the toy only streams"):
        parse_configuration(fields | {"stream": False})
    with pytest.raises(InputError, match="request field can is set by the protocol"):
        parse_configuration(fields | {"extra_body": {"can": []}})
    with pytest.raises(InputError, match="api must be one of responses, chat, messages, toy"):
        parse_configuration(fields | {"api": "grpc"})
    with ToyServer(optimal_model(suite), {3: answer_with(400, body=b"This is over the maximum context length.")}) as server:
        run_model(suite, tmp_path / "run", server.configuration("toy"), server.environment, worlds=WORLD)
    (document,) = RunDirectory(tmp_path / "run").read_records()
    assert (document["stop_reason"], document["turns"]) == ("context_overflow", 3)


@pytest.mark.parametrize("api", ["responses", "chat", "messages"])
def test_response_is_read_once(server, suite, tmp_path, monkeypatch, api):
    read = Counter()

    def count_turns(response):
        read[id(response)] += 1
        responses.append(response)
        return turn(response)

    turn, responses = APIS[api].read_turn, []
    monkeypatch.setitem(APIS, api, replace(APIS[api], read_turn=count_turns))
    totals = run_model(suite, tmp_path / "run", server.configuration(api), server.environment, worlds=WORLD)
    assert (totals.finished, set(read.values())) == (1, {1})
    assert len(read) == len(server.requests)
