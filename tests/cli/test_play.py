"""`algoworlds play` in a terminal: typed calls, completion, messages, confirmation and recording."""

import io
import json
import os
import pty
import subprocess

import pytest
from rich.console import Console

from algoworlds.core.interface import Interface
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from algoworlds.game.debrief import ComparisonRow, Debrief
from algoworlds.game.games import PracticeGame
from algoworlds.game.nicknames import Nicknames
from algoworlds.game.notebook import build_notebook
from algoworlds.game.terminal import GAME_COMMANDS, CommandParser, TerminalGame, print_debrief
from algoworlds.measures.key import AnswerKey
from algoworlds.reports.page import PAGE_FILE
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Slot
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import SuiteSpec
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance
from tests.command import COMMAND, PATIENCE, run_here
from tests.silence import silent


def play_game(name="fleet_dispatch", lines=(), confirm=True):
    """A game whose player types `lines`, and what was printed."""
    admitted = certified_instance(name)
    world = build_world(admitted, Interface.DIRECT)
    output, left = io.StringIO(), iter(lines)
    practice = PracticeGame(Episode(world), AnswerKey.from_admitted(admitted, world))
    game = TerminalGame(Console(file=output, width=120), practice, lambda prompt: next(left, None), confirm)
    game.play()
    return game, output.getvalue()


def command_parser(name="fleet_dispatch"):
    world = build_world(certified_instance(name), Interface.DIRECT)
    return CommandParser(world, Nicknames.from_texts([world.question]))


def complete(parser, line, *calls):
    """What Tab offers at the end of `line` after some calls."""
    episode = Episode(parser.world, calls)
    for observation in episode.observations:
        parser.nicknames.shorten(observation.text)
    return [completion.strip() for completion in parser.completions(line, build_notebook(episode))]


# -- completion -----------------------------------------------------------------------------------------------------------


def test_tab_completes_tools_and_commands():
    parser = command_parser()
    assert complete(parser, "read_r") == ["read_route_row"]
    assert set(complete(parser, "")) == {*parser.world.prices, "submit_assignment", *GAME_COMMANDS}
    assert complete(parser, "kn") == ["known"]


def test_tab_completes_arguments_valid_with_earlier_ones():
    parser = command_parser()
    assert complete(parser, "read_job ") == [f"J{number}" for number in range(1, 9)]
    assert complete(parser, "read_job j") == [f"J{number}" for number in range(1, 9)]
    assert complete(parser, "read_dispatch_window J6 ") == ["2", "3"]
    assert complete(parser, "read_dispatch_window J7 ") == ["2"]
    for line in ("read_dispatch_window J7 2 ", "fly ", "read_fleet_policy "):
        assert complete(parser, line) == []


def test_tab_completes_an_assignment():
    parser = command_parser()
    assert complete(parser, "submit_assignment ") == [f"J{number}=" for number in range(1, 9)]
    assert complete(parser, "submit_assignment J1=") == ["V1", "V2", "V3", "V4"]
    assert complete(parser, "submit_assignment J1=V2 J3=V1 ") == ["J2=", *(f"J{number}=" for number in range(4, 9))]
    assert complete(parser, "submit_assignment J1=V2 / p") == ["proven"]


def test_tab_completes_ids_that_were_read():
    parser = command_parser("transit_routing")
    first, second, *_ = parser.world.public["station"]
    reads = [Call.from_arguments("read_departures", {"station_id": station}) for station in (first, second)]
    assert complete(parser, "submit_route ") == []
    choices = complete(parser, "submit_route ", *reads)
    later = complete(parser, f"submit_route {choices[0]} ", *reads)
    assert min(len(choices), len(later)) > 0
    assert not set(choices) & set(later)
    assert complete(parser, f"submit_route {choices[0]} {later[0]} ", *reads) == []


def test_tab_completes_a_subset_without_repeats():
    parser = command_parser("basket_assembly")
    every = complete(parser, "submit_tickets ")
    assert complete(parser, f"submit_tickets {every[0]} ") == every[1:]


# -- calls ----------------------------------------------------------------------------------------------------------------


def optimal_lines(world, key, nicknames):
    """The lines of a player who reads by the cheaper plan and submits the optimum."""
    plan = min(world.plans.values(), key=world.cost)
    yield from map(CommandParser(world, nicknames).format_call, plan)
    values = world.family.decision.arguments(key.decision).values()
    groups = [" ".join(map("=".join, value.items()) if isinstance(value, dict) else value) for value in values]
    yield f"{world.family.template.decision_tools.submit} {' / '.join(groups)} / proven"
    yield "yes"


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_can_be_played_to_its_optimum(name):
    admitted = certified_instance(name)
    world = build_world(admitted, Interface.DIRECT)
    key, nicknames = AnswerKey.from_admitted(admitted, world), Nicknames.from_texts([world.question])
    game, output = play_game(name, optimal_lines(world, key, nicknames))
    episode = game.game.episode
    assert (episode.decision, episode.claim.value) == (admitted.solution.decision, "proven")
    assert all(observation.status.value in ("executed", "submitted") for observation in episode.observations)
    assert "That cannot be asked" not in output


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("read_jb J1", "did you mean read_job?"),
        ("fly", "tools lists them all"),
        ("read_job", "read_job JOB: job is one of J1, J2 ... J8"),
        ("read_job J1 J2", "read_job JOB: job is one of J1, J2 ... J8"),
        ("read_job V1", "job is one of J1"),
        ("read_fleet_policy J1", "it takes no argument"),
        ("read_dispatch_window J1 4", "start is one of J1, J2 ... J7; length is 2 or 3"),
        ("read_dispatch_window J8 2", "start is one of J1, J2 ... J7; length is 2 or 3"),
        ("submit_assignment J1", "a vehicle for every job, as in J1=V1 J8=V4"),
        ("submit_assignment {", "a vehicle for every job, as in J1=V1 J8=V4"),
        ('evaluate_assignment {"assignment": {}, "claim": "proven"}', "evaluate_assignment takes a vehicle for every job"),
    ],
)
def test_invalid_call_is_explained_and_costs_nothing(line, expected):
    game, output = play_game(lines=[line])
    assert expected in " ".join(output.split("Type the name of a tool", 1)[1].split())
    assert game.game.episode.attempts == 0


def test_prints_notebook_and_tools():
    game, output = play_game(
        lines=["known", "read_fleet_policy", "read_vehicle_contract V2", "known", "tools", "help", "question"]
    )
    assert "Nothing has been read yet." in output
    table = output.split("By vehicle", 1)[1].split("\n\n")[0]
    world = game.world
    second = world.public["vehicle"][1]
    assert str(world.instance.activation[second]) in table
    assert str(world.instance.activation[world.public["vehicle"][0]]) not in output
    # twice with the question, and once among the tools
    assert output.count("One vehicle's activation cost. No capacity, no jobs.") == 3


def test_submission_is_confirmed_and_gaps_are_listed():
    game, output = play_game(lines=["submit_assignment J1=V1 / best guess", "n", "submit_assignment J1=V1", "y"])
    assert "7 of the job ids have no vehicle" in output
    assert [call.tool for call in game.game.episode.calls] == ["submit_assignment"]
    assert game.game.episode.claim is None


def test_evaluation_is_confirmed_and_refused_while_incomplete():
    """Like a submission; an incomplete decision would waste the only evaluation, which costs a fifth of a small budget."""
    whole = " ".join(f"J{number}=V1" for number in range(1, 9))
    game, output = play_game(lines=["evaluate_assignment J1=V1", f"evaluate_assignment {whole}", "n", "read_job J1"])
    text = " ".join(output.split())
    assert "7 of the job ids have no vehicle: complete the decision first, it can be evaluated only once." in text
    assert "To be evaluated: J1=V1 J2=V1" in text
    assert [call.tool for call in game.game.episode.calls] == ["read_job"]
    game, output = play_game(lines=[f"evaluate_assignment {whole}", "y", f"evaluate_assignment {whole}"])
    assert game.game.episode.evaluated
    assert [observation.charged > 0 for observation in game.game.episode.observations] == [True, False]
    game, _ = play_game("basket_assembly", lines=["evaluate_tickets", "y"])
    assert game.game.episode.attempts == 0


def test_evaluation_is_not_confirmed_in_a_pipe_but_still_refused():
    whole = " ".join(f"J{number}=V1" for number in range(1, 9))
    game, _ = play_game(lines=["evaluate_assignment J1=V1", f"evaluate_assignment {whole}"], confirm=False)
    assert game.game.episode.attempts == 1


@pytest.mark.parametrize(("name", "sign"), [("fleet_dispatch", -1), ("station_siting", 1)])
def test_terms_better_than_the_optimum_are_green(name, sign):
    rows = (ComparisonRow("a", 4, 6, 5), ComparisonRow("b", 5, 5, 5), ComparisonRow("c", None, 4, 5))
    debrief = Debrief({"family": name, **RECORD}, rows, {})
    output = io.StringIO()
    print_debrief(Console(file=output, force_terminal=True, color_system="standard", width=100), debrief, str)
    better, worse = ("\x1b[32m4", "\x1b[33m6") if sign == -1 else ("\x1b[33m4", "\x1b[32m6")
    first = next(line for line in output.getvalue().splitlines() if line.startswith("a "))
    assert better in first
    assert worse in first
    assert "\x1b[3" not in next(line for line in output.getvalue().splitlines() if line.startswith("b "))


RECORD = {
    "objective": 5,
    "gap": 1,
    "exact": 0,
    "utility": 50.0,
    "coverage": 1.0,
    "spend": 1,
    "budget": 2,
    "executed_calls": 1,
}


def test_resigning_is_confirmed():
    game, _ = play_game(lines=["resign", "no", "read_job J1", "resign", "y", "read_job J2"])
    assert (game.game.is_over, game.game.episode.attempts) == (True, 1)


def test_debrief_compares_with_greedy_and_the_optimum():
    admitted = certified_instance("fleet_dispatch")
    jobs, vehicles = admitted.instance.job, admitted.instance.vehicle
    greedy = admitted.family.reference(admitted.instance)
    typed = " ".join(f"J{jobs.index(job) + 1}=V{vehicles.index(vehicle) + 1}" for job, vehicle in greedy.items())
    done = run_here("play", "fleet_dispatch-0-1", stdin=f"read_fleet_policy\nsubmit_assignment {typed}\n", COLUMNS="120")
    assert done.returncode == 0, done.stderr
    score = done.stdout.split("score", 1)[1]
    line = next(line for line in score.splitlines() if line.startswith("objective"))
    assert line.split()[1:] == [
        f"{value:,}" for value in (admitted.reference_value, admitted.reference_value, admitted.optimum)
    ]
    assert f"{admitted.reference_gap:,} away from the optimum" in score
    assert "What you had read did not settle which decision is best" in score
    result = json.loads(run_here("play", "fleet_dispatch-0-1", "--json", stdin=f"submit_assignment {typed}\n").stdout)
    assert (result["hindsight"]["footing"], result["objective"]) == ("premature", admitted.reference_value)
    assert all(yours == greedys for _, yours, greedys, _ in result["decisions"]["assignment"])


# -- a terminal -----------------------------------------------------------------------------------------------------------


def test_terminal_has_completion_history_and_confirmation():
    ours, theirs = pty.openpty()
    order = [COMMAND, "play", "fleet_dispatch-0-1"]
    process = subprocess.Popen(order, stdin=theirs, stdout=theirs, stderr=theirs, env=os.environ | {"TERM": "xterm"})
    os.close(theirs)
    output = b""

    def until(text, *keys):
        nonlocal output
        while text not in output:
            output += os.read(ours, 2**16)
        output = output.split(text, 1)[1]
        for key in keys:
            os.write(ours, key)

    try:
        until(b"calls 0/255 > ", b"read_fl\t\n")  # Tab
        until(b"calls 1/255 > ", b"\x1b[A\n")  # arrow up: the previous line
        until(b"calls 2/255 > ", b"submit_a\tJ1=V\t\t1\n")
        until(b"Submit it? [y/N] ", b"n\n")
        until(b"calls 2/255 > ", b"quit\n")
        until(b"no decision was submitted")
        while True:
            os.read(ours, 2**16)
    except OSError:  # the process has closed the terminal
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


# -- recorded games -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    out = tmp_path_factory.mktemp("played") / "suite"
    build_suite(SuiteSpec("played", "a seed for people", ("fleet_dispatch",), (0,), 1), out, None, silent)
    return open_suite(out)


def test_recorded_game_continues_where_it_was_left(suite, tmp_path):
    direct, mediated = [entry.id for entry in suite.manifest.worlds]
    order = ["play", direct, mediated, "--suite", suite.directory, "--out", tmp_path / "run", "--name", "Ada"]
    paused = run_here(*order, stdin="read_fleet_policy\nquit\n")
    assert "the same command goes on from here" in paused.stdout
    world = suite.play(direct).episode.world
    decision = " ".join(map("=".join, suite.key(suite.entry(direct)).decision.items()))
    done = run_here(*order, stdin=f"read_job J1\nsubmit_assignment {decision}\nresign\n")
    assert done.returncode == 0, done.stderr
    run = RunDirectory(tmp_path / "run")
    first, second = (run.read_record(Slot(world_id, 1)) for world_id in (direct, mediated))
    assert [first[name] for name in ("kind", "configuration", "exact", "stop_reason")] == ["human", "Ada", 1, "submitted"]
    assert first["spend"] == world.prices["read_fleet_policy"] + world.prices["read_job"]
    assert (second["outcome"], second["stop_reason"]) == ("no_decision", "text_end")
    assert run_here("verify-run", run.path).returncode == 0
    again = run_here(*order)
    assert (again.returncode, "globally optimal" in again.stdout) == (0, True)


def test_report_compares_people_and_agents_on_common_worlds(suite, tmp_path, monkeypatch):
    pages = {}
    monkeypatch.setattr(
        "algoworlds.reports.report.build_report_files", lambda *arguments: pages.update(about=arguments[2]) or {PAGE_FILE: b""}
    )
    direct, _ = [entry.id for entry in suite.manifest.worlds]
    decision = " ".join(map("=".join, suite.key(suite.entry(direct)).decision.items()))
    order = ["play", direct, "--suite", suite.directory, "--out", tmp_path / "ada", "--name", "Ada"]
    assert run_here(*order, stdin=f"submit_assignment {decision}\n").returncode == 0
    assert run_here("run", suite.directory, "--agent", "greedy", "--out", tmp_path / "greedy").returncode == 0
    runs = ("report", tmp_path / "ada", tmp_path / "greedy", "--out", tmp_path / "report")
    refused = run_here(*runs)
    assert (refused.returncode, "by --common" in refused.stderr) == (2, True)
    done = run_here(*runs, "--common", "--json")
    assert done.returncode == 0, done.stderr
    assert "Ada (human)" in json.loads(done.stdout)["configurations"]
    assert pages["about"]["Reported on"] == "the 1 world that all runs have played, of up to 2"
    main = (tmp_path / "report" / "main_results.md").read_text()
    assert "Ada (human)" in main
    assert "are people: they had short names for ids" in main


def test_suite_world_can_be_played_by_short_id(suite):
    name = suite.manifest.worlds[0].id.removesuffix("-direct")
    done = run_here("play", name, "--suite", suite.directory, "--interface", "mediated", "--json", stdin="resign\n")
    assert json.loads(done.stdout)["world"] == f"{name}-mediated"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fleet_dispatch-0-1", "--out", "x"), "name it with --suite SUITE"),
        (("fleet_dispatch-0-1", "--name", "Ada"), "name a directory with --out RUN"),
        (("fleet_dispatch-0-1", "--suite", "{suite}", "--seed", "x"), "leave out --seed or --suite"),
        (("fleet_dispatch-9-9", "--suite", "{suite}"), "has no world 'fleet_dispatch-9-9-direct'"),
        (("{world}", "{world}", "--suite", "{suite}"), "named twice"),
        (("{world}", "--suite", "{suite}", "--out", "{suite}/run"), "lies inside the suite"),
    ],
)
def test_bad_options_of_play_are_one_line(suite, arguments, message):
    words = (argument.format(suite=suite.directory, world=suite.manifest.worlds[0].id) for argument in arguments)
    done = run_here("play", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
