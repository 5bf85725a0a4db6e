"""What TRL reads from our environments, and the rehearsal of the example, which needs no GPU."""

import importlib.util
import json
import subprocess
import sys
from importlib.metadata import version
from math import isnan
from pathlib import Path

import pytest
from transformers.utils.chat_template_utils import render_jinja_template

import algoworlds as aw
from algoworlds.adapters.trl import dataset_rows, environments
from algoworlds.adapters.world_source import world_source
from tests.doors.test_contract import optimal
from tests.doors.trl.adapter import methods, tool_schema

EXAMPLE = Path("examples/trl/grpo.py")
TEMPLATES = Path(importlib.util.find_spec("trl").origin).parent / "chat_templates"


@pytest.fixture(scope="module")
def worlds(suite):
    return world_source(suite.directory)


def test_schemas_before_any_reset_equal_those_of_every_agent(worlds):
    classes = environments(worlds)
    assert list(classes) == list(aw.FAMILIES)
    assert len({cls.__name__ for cls in classes.values()}) == len(classes), "TRL tells rewards apart by these names"
    for family, cls in classes.items():
        schemas = {name: tool_schema(method) for name, method in methods(cls()).items()}
        assert schemas == {tool["name"]: tool for tool in aw.family_tool_schemas(family)}


@pytest.mark.parametrize("template", sorted(TEMPLATES.glob("qwen3*_training.jinja")), ids=lambda path: path.stem)
def test_trl_template_renders_question_and_tools(worlds, template):
    (row,) = dataset_rows(worlds, 1)
    tools = list(methods(environments(worlds)[row["environment"]]()).values())
    (text,), _ = render_jinja_template([row["prompt"]], tools=tools, chat_template=template.read_text())
    assert row["prompt"][0]["content"].strip() in text
    assert [tool for tool in map(tool_schema, tools) if tool["description"] not in text] == []


@pytest.mark.parametrize(("reward", "paid"), [("exact", 1), ("utility", 1), ("thrift", None)])
def test_reward_is_the_plays_reward(suite, worlds, reward, paid):
    classes = environments(worlds, reward)
    for row in dataset_rows(worlds, worlds.size):
        environment = classes[row["environment"]]()
        environment.reset(**row)
        assert environment.get_reward() == 0
        for tool, arguments in optimal(suite, environment._play.entry.id):
            getattr(environment, tool)(**json.loads(arguments))
        expected = float(environment._play.reward(reward)) if paid is None else paid
        assert environment.get_reward() == expected
        assert 0 < expected <= 1


def test_rollouts_of_a_group_are_paid_for_what_each_did(suite, worlds):
    """A GRPO step has a gradient only if samples of one world are paid differently."""
    (row, *_) = (row for row in dataset_rows(worlds, worlds.size) if row["environment"] == "fleet_dispatch")
    template, cls = (TEMPLATES / "qwen3_training.jinja").read_text(), environments(worlds, "gain")["fleet_dispatch"]
    group = [cls() for _ in range(3)]
    for environment in group:
        environment.reset(**row)
    _silent, reader, solver = group
    calls = optimal(suite, reader._play.entry.id)
    answers = {
        environment: getattr(environment, tool)(**json.loads(text))
        for environment, (tool, text) in ((reader, ("read_fleet_policy", "{}")), (solver, calls[-1]))
    }
    assert [environment.get_reward() for environment in group] == [0, 0, 1]
    tools = list(methods(reader).values())
    (prompt,), _ = render_jinja_template([row["prompt"]], tools=tools, chat_template=template, add_generation_prompt=True)
    turn = {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "read_fleet_policy", "arguments": {}}}]}
    answered = [*row["prompt"], turn, {"role": "tool", "name": "read_fleet_policy", "content": answers[reader]}]
    (text,), _ = render_jinja_template([answered], tools=tools, chat_template=template)
    assert text.startswith(prompt), "a rollout goes on from exactly the prompt that was sampled"
    assert answers[reader] in text.removeprefix(prompt)


def test_environments_are_reset_independently(worlds):
    cls = environments(worlds)["fleet_dispatch"]
    numbers = [row["number"] for row in dataset_rows(worlds, worlds.size) if row["environment"] == "fleet_dispatch"]
    first, second = cls(), cls()
    first.reset(number=numbers[0], prompt=[])
    second.reset(number=numbers[0], prompt=[])
    first.read_fleet_policy()
    assert (len(first._play.calls), len(second._play.calls)) == (1, 0)
    first.reset(number=numbers[1], prompt=[])
    assert (len(first._play.calls), first._play.entry.interface) == (0, "mediated")


def test_wrong_arguments_are_answered_by_the_world(worlds):
    environment = environments(worlds)["fleet_dispatch"]()
    (row, *_) = (row for row in dataset_rows(worlds, worlds.size) if row["environment"] == "fleet_dispatch")
    environment.reset(**row)
    for arguments in ({}, {"self": 1}, {"job": 1, "": 2}, {"arguments": {}}):
        assert "do not match the tool's schema" in environment.read_job(**arguments)
    assert len(environment._play.calls) == 4


def test_example_rehearses_without_a_gpu():
    done = subprocess.run(
        [sys.executable, EXAMPLE, "--rehearse", "--families", "fleet_dispatch", "--worlds", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "torch" not in done.stderr
    assert done.stdout.splitlines()[-1] == "2 worlds rehearsed: a reference agent is paid 1.0, one that says nothing 0.0"


def test_trl_version():
    assert tuple(map(int, version("trl").split(".")[:2])) >= (1, 16)


def test_a_fault_of_the_infrastructure_is_never_a_reward_of_zero(suite, worlds, monkeypatch):
    entry = suite.manifest.worlds[0]
    environment = environments(worlds)[entry.family]()
    environment.reset(0)
    tool, _ = optimal(suite, entry.id)[0]

    def fail(self, tool, arguments=None):
        raise OSError("the disk is gone")

    with monkeypatch.context() as broken:
        broken.setattr(aw.Play, "call", fail)
        with pytest.raises(OSError, match="the disk is gone"):
            getattr(environment, tool)()
    assert not environment.valid
    assert isnan(environment.get_reward())
    environment.reset(0)
    assert environment.valid
    assert environment.get_reward() == 0
