"""How commands take a suite: as the argument SUITE, or with something else as the option --suite; worlds of a suite."""

import json

import pytest

from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import SuiteSpec
from tests.cli.test_cli import COMMANDS
from tests.command import run_here
from tests.silence import silent

TAKES_SUITE = [
    words
    for words, command in COMMANDS.items()
    if any(param.name == "suite" and param.param_type_name == "argument" for param in command.params)
]
"""The commands whose argument is a suite."""


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    out = tmp_path_factory.mktemp("suites") / "suite"
    build_suite(SuiteSpec("part", "a private seed", ("fleet_dispatch", "transit_routing"), (0,), 1), out, None, silent)
    return open_suite(out)


def test_commands_on_a_suite_take_it_as_argument():
    names = {" ".join(words) for words in TAKES_SUITE}
    assert names == {"worlds", "verify", "validate", "stats", "commit", "reveal", "run", "serve", "export hf", "export harbor"}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_other_commands_show_it_as_an_option(words):
    """`--suite SUITE` is in the help of a command exactly if its suite is not the argument."""
    options = [param for param in COMMANDS[words].params if "--suite" in param.opts and not param.hidden]
    assert not (options and words in TAKES_SUITE)
    assert all(option.metavar == "SUITE" for option in options)
    assert "DIR" not in run_here(*words, "--help").stdout.split("\n")[0]


@pytest.mark.parametrize("form", [("--suite", "{suite}"), ("--suite={suite}",), ("{suite}",)])
@pytest.mark.parametrize("order", [("verify",), ("worlds", "--levels", "0"), ("commit",), ("reveal", "0" * 64)])
def test_option_is_an_alias_of_the_argument(suite, form, order):
    given = [word.format(suite=suite.directory) for word in form]
    expected = run_here(order[0], suite.directory, *order[1:])
    for words in ((order[0], *given, *order[1:]), (*order, *given) if order[0] != "reveal" or len(form) == 2 else ()):
        if words:
            done = run_here(*words)
            assert (done.returncode, done.stdout, done.stderr) == (expected.returncode, expected.stdout, expected.stderr)


def test_run_accepts_the_option_without_noise(suite, tmp_path):
    order = ("--agent", "null", "--trials", 1, "--out", tmp_path / "run")
    first, again = run_here("run", suite.directory, *order), run_here("run", *order, "--suite", suite.directory)
    assert (first.returncode, again.returncode) == (0, 0)
    assert (first.stdout, first.stderr) == (again.stdout, again.stderr)


@pytest.mark.parametrize("words", [("run",), ("verify",), ("worlds",)])
def test_suite_is_named_once(suite, words, tmp_path):
    words = (*words, "--agent", "null", "--out", tmp_path / "run") if words == ("run",) else words
    missing = run_here(*words)
    assert (missing.returncode, missing.stderr) == (2, "algoworlds: Missing argument 'SUITE'.\n")
    twice = run_here(*words, suite.directory, "--suite", suite.directory)
    assert (twice.returncode, twice.stderr.count("\n")) == (2, 1)
    assert "unexpected extra argument" in twice.stderr


def test_worlds_lists_the_worlds_of_a_suite(suite):
    documents = json.loads(run_here("worlds", suite.directory, "--json").stdout)
    assert [document["id"] for document in documents] == [entry.id for entry in suite.manifest.worlds]
    some = json.loads(
        run_here("worlds", suite.directory, "--families", "transit_routing", "--interfaces", "direct", "--json").stdout
    )
    assert [(document["family"], document["interface"]) for document in some] == [("transit_routing", "direct")]
    text = run_here("worlds", suite.directory, "--worlds", "*-mediated").stdout
    assert [line.split()[0] for line in text.splitlines() if line.strip()] == [
        "world",
        *(entry.id for entry in suite.manifest.worlds if entry.interface == "mediated"),
    ]
    assert run_here("worlds", suite.directory, "--levels", "3").returncode == 2


def test_world_show_takes_a_suite(suite):
    """It reads the public half only."""
    world = next(entry.id for entry in suite.manifest.worlds if entry.interface == "mediated")
    expected = suite.public_world(world)
    for words in ((world,), (world.removesuffix("-mediated"), "--interface", "mediated")):
        document = json.loads(run_here("world", "show", *words, "--suite", suite.directory, "--json").stdout)
        assert document == {"question": expected.question, "tools": expected.tools}
    generated = json.loads(run_here("world", "show", "fleet_dispatch-0-1-mediated", "--json").stdout)
    assert generated["question"] != expected.question, "the suite has a seed of its own"
    assert expected.question in run_here("world", "show", world, "--suite", suite.directory).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fleet_dispatch-0-1", "--seed", "x"), "leave out --seed or --suite"),
        (("{direct}", "--interface", "mediated"), "leave one of them out"),
        (("fleet_dispatch-4-9",), "has no world 'fleet_dispatch-4-9-direct'"),
    ],
)
def test_world_show_rejects_options_that_contradict(suite, words, message):
    direct = suite.manifest.worlds[0].id
    done = run_here("world", "show", *(word.format(direct=direct) for word in words), "--suite", suite.directory)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr


def test_run_and_serve_have_the_same_trials_by_default():
    defaults = {
        words: next(param.default for param in COMMANDS[words].params if param.name == "trials")
        for words in [("run",), ("serve",), ("probe",)]
    }
    assert set(defaults.values()) == {3}


# -- completion -----------------------------------------------------------------------------------------------------------


def complete(*words):
    """What the shell offers for the last of `words`."""
    line = " ".join(("algoworlds", *map(str, words)))
    environment = {"_ALGOWORLDS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    done = run_here(**environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_completes_names(suite, tmp_path):
    assert complete("generate", "fle") == ["fleet_dispatch"]
    assert complete("family", "check", "tran") == ["transit_routing"]
    assert complete("run", "suite", "--agent", "or") == ["oracle"]
    assert complete("run", "suite", "--model", "gpt-5.6-s") == ["gpt-5.6-sol"]
    assert complete("probe", "--model", "gpt-5.6-s") == ["gpt-5.6-sol"]
    assert complete("run", "suite", "--families", "fleet_dispatch,tran") == ["fleet_dispatch,transit_routing"]
    assert complete("build", "--interfaces", "direct,") == ["direct,mediated", "direct,split"]
    assert complete("describe", "met") == ["metrics"]


def test_completes_world_ids_of_what_is_named(suite, tmp_path):
    assert complete("world", "show", "fleet_dispatch-1-") == [f"fleet_dispatch-1-{index}" for index in (1, 2, 3)]
    ids = [entry.id for entry in suite.manifest.worlds if entry.family == "fleet_dispatch"]
    assert complete("play", "--suite", suite.directory, "fleet") == ids
    assert run_here("run", suite.directory, "--agent", "null", "--trials", 1, "--out", tmp_path / "run").returncode == 0
    assert sorted(complete("show", tmp_path / "run", "fleet")) == sorted(ids)


@pytest.mark.parametrize(
    "words", [("play", "--suite", "nowhere", "fleet"), ("show", "nowhere", "fleet"), ("show", "/dev/null", "fleet")]
)
def test_completion_never_fails(words):
    assert all(world_id.startswith("fleet_dispatch-") for world_id in complete(*words))
