import pytest

from tests.runs.model_runs import build_small_suite, optimal_model, record_bytes, run_model
from tests.runs.server import Server


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    """Four level-0 worlds, built once."""
    return build_small_suite(tmp_path_factory.mktemp("evaluate") / "suite")


@pytest.fixture(scope="session")
def one_server(suite):
    """One address for all runs, so that their identities and records can be equal."""
    with Server(optimal_model(suite)) as server:
        yield server


@pytest.fixture
def server(one_server, suite):
    """The server without faults, until a test plans some."""
    one_server.script, one_server.plan, one_server.requests = optimal_model(suite), {}, []
    return one_server


@pytest.fixture(scope="session")
def undisturbed(one_server, suite, tmp_path_factory):
    """By API, the records of a run in which nothing went wrong."""
    by_api = {}
    for api in ("responses", "chat", "messages"):
        one_server.script, one_server.plan = optimal_model(suite), {}
        out = tmp_path_factory.mktemp("undisturbed") / api
        run_model(suite, out, one_server.configuration(api), one_server.environment, concurrency=4)
        by_api[api] = record_bytes(out)
        assert len(by_api[api]) == 4
    return by_api
