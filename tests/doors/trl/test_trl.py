"""What TRL reads from our environments, and the half of the example that needs no GPU."""

import importlib.util
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from transformers.utils.chat_template_utils import render_jinja_template

import algoworlds as aw
from algoworlds.adapters.syllabus import syllabus
from algoworlds.adapters.trl import environments, rows
from tests.doors.test_contract import optimal
from tests.doors.trl.door import methods, shown

EXAMPLE = Path("examples/trl/grpo.py")
TEMPLATES = Path(importlib.util.find_spec("trl").origin).parent / "chat_templates"


@pytest.fixture(scope="module")
def worlds(suite):
    return syllabus(suite.directory)


def test_every_family_is_told_before_any_reset_as_everybody_is(worlds):
    classes = environments(worlds)
    assert list(classes) == list(aw.FAMILIES)
    assert len({each.__name__ for each in classes.values()}) == len(classes), "TRL tells rewards apart by these names"
    for family, made in classes.items():
        told = {name: shown(method) for name, method in methods(made()).items()}
        assert told == {each["name"]: each for each in aw.tools(family)}


@pytest.mark.parametrize("template", sorted(TEMPLATES.glob("qwen3*_training.jinja")), ids=lambda path: path.stem)
def test_a_template_of_trl_s_own_renders_question_and_tools(worlds, template):
    (row,) = rows(worlds, 1)
    tools = list(methods(environments(worlds)[row["environment"]]()).values())
    (text,), _ = render_jinja_template([row["prompt"]], tools=tools, chat_template=template.read_text())
    assert row["prompt"][0]["content"].strip() in text
    assert [tool for tool in map(shown, tools) if tool["description"] not in text] == []


@pytest.mark.parametrize(("reward", "paid"), [("exact", 1), ("utility", 1), ("thrift", None)])
def test_the_reward_is_the_environment_s(suite, worlds, reward, paid):
    classes = environments(worlds, reward)
    for row in rows(worlds, worlds.size):
        environment = classes[row["environment"]]()
        environment.reset(**row)
        assert environment.get_reward() == 0
        for tool, arguments in optimal(suite, environment._play.entry.id):
            getattr(environment, tool)(**json.loads(arguments))
        expected = float(environment._play.reward(reward)) if paid is None else paid
        assert environment.get_reward() == expected
        assert 0 < expected <= 1


def test_an_instance_is_reset_often_and_others_do_not_notice(worlds):
    made = environments(worlds)["fleet_dispatch"]
    numbers = [row["number"] for row in rows(worlds, worlds.size) if row["environment"] == "fleet_dispatch"]
    first, second = made(), made()
    first.reset(number=numbers[0], prompt=[])
    second.reset(number=numbers[0], prompt=[])
    first.read_fleet_policy()
    assert (len(first._play.calls), len(second._play.calls)) == (1, 0)
    first.reset(number=numbers[1], prompt=[])
    assert (len(first._play.calls), first._play.entry.interface) == (0, "mediated")


def test_whatever_a_model_gives_is_answered_by_the_world(worlds):
    environment = environments(worlds)["fleet_dispatch"]()
    (row, *_) = (each for each in rows(worlds, worlds.size) if each["environment"] == "fleet_dispatch")
    environment.reset(**row)
    for arguments in ({}, {"self": 1}, {"job": 1, "": 2}, {"arguments": {}}):
        assert "do not match the tool's schema" in environment.read_job(**arguments)
    assert len(environment._play.calls) == 4


def test_the_example_plays_its_environment_half_without_a_gpu():
    done = subprocess.run(
        [sys.executable, EXAMPLE, "--rehearse", "--families", "fleet_dispatch", "--worlds", "2"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "torch" not in done.stderr
    assert done.stdout.splitlines()[-1] == "2 worlds rehearsed: a reference agent is paid 1.0, one that says nothing 0.0"


def test_it_is_trl_from_the_registry():
    assert tuple(map(int, version("trl").split(".")[:2])) >= (1, 16)
