"""Every Eval Ever's own validator and schemas accept our results."""

import json
from importlib.resources import files

import jsonschema
import pytest
from every_eval_ever.validator.validation_core import get_schema_version, validate_file

from algoworlds.adapters.every_eval_ever import SCHEMA_VERSION
from algoworlds.runs.agents import AGENTS
from tests.command import run_here
from tests.runs.model_runs import optimal_model, run_model
from tests.runs.server import Server

SCHEMAS = {".json": "eval", ".jsonl": "instance_level_eval"}


class Checkout:
    """The files of a datastore below `root`, as the validator wants them."""

    def __init__(self, root):
        self.root = root

    def __contains__(self, path):
        return (self.root / path).is_file()

    def read_text(self, path):
        return (self.root / path).read_text()


def export(run, out, *words):
    """The aggregate and the evaluations of `run`, after the validator found neither an error nor a warning."""
    done = run_here("export", "eee", run, "--out", out, *words)
    assert done.returncode == 0, done.stderr
    checkout = Checkout(out)
    paths = sorted(path for path in out.rglob("*") if path.is_file())
    documents = {}
    for path in paths:
        schema = json.loads((files("every_eval_ever") / "schemas" / f"{SCHEMAS[path.suffix]}.schema.json").read_text())
        documents[path.suffix] = [json.loads(line) for line in path.read_text().splitlines()]
        for document in documents[path.suffix]:
            jsonschema.validate(document, schema)
        report = validate_file(
            path,
            repo_path=path.relative_to(out).as_posix(),
            available_files=checkout,
            read_repo_file=checkout.read_text,
            run_semantic_checks=True,
        )
        assert (report.valid, report.errors, report.warnings) == (True, [], [])
    assert documents.keys() == SCHEMAS.keys()
    (aggregate,) = documents[".json"]
    return aggregate, documents[".jsonl"]


def test_schema_is_the_one_we_name():
    assert get_schema_version() == SCHEMA_VERSION


@pytest.mark.parametrize("name", AGENTS)
def test_validator_accepts_every_agents_results(suite, tmp_path, name):
    words = ("--agent", name, "--trials", 1, "--families", "fleet_dispatch,basket_assembly")
    assert run_here("run", suite.directory, "--out", tmp_path / "run", *words).returncode == 0
    aggregate, evaluations = export(tmp_path / "run", tmp_path / "out")
    exact = aggregate["evaluation_results"][0]["score_details"]["score"]
    assert exact == sum(line["evaluation"]["score"] for line in evaluations) / len(evaluations)


@pytest.mark.parametrize("api", ["chat", "messages", "responses"])
def test_validator_accepts_a_models_results_with_its_tokens(suite, tmp_path, api):
    with Server(optimal_model(suite)) as server:
        run_model(suite, tmp_path / "run", server.configuration(api), server.environment, worlds="fleet*")
    refused = run_here("export", "eee", tmp_path / "run", "--out", tmp_path / "out")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "--model-id" in refused.stderr
    aggregate, evaluations = export(tmp_path / "run", tmp_path / "out", "--model-id", "lab/small-1.5")
    assert aggregate["model_info"]["id"] == "lab/small-1.5"
    assert all(line["token_usage"]["input_tokens"] > 0 for line in evaluations)
