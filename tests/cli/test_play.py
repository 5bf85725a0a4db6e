"""`algoworlds play` as a game on a terminal: what is typed, completed, told, confirmed and kept."""

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
from algoworlds.game.challenge import Practice
from algoworlds.game.nicknames import Nicknames
from algoworlds.game.notebook import notebook
from algoworlds.game.terminal import TerminalGame
from algoworlds.game.typed import WORDS, Typist
from algoworlds.measures.key import Key
from algoworlds.reports.page import PAGE
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.slot import Slot
from algoworlds.suites.build import build_suite
from algoworlds.suites.opened import open_suite
from algoworlds.suites.suite import Suite
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build
from tests.certified import certified
from tests.command import COMMAND, PATIENCE, run_here
from tests.silence import silent


def game(name="fleet_dispatch", lines=(), sure=True, interface=Interface.DIRECT):
    """A game whose player types some lines, and what was printed."""
    admitted = certified(name)
    world = build(admitted, interface)
    said, left = io.StringIO(), iter(lines)
    made = TerminalGame(
        Console(file=said, width=120), Practice(Episode(world), Key.of(admitted, world)), lambda prompt: next(left, None), sure
    )
    made.play()
    return made, said.getvalue()


def typist(name="fleet_dispatch"):
    world = build(certified(name), Interface.DIRECT)
    return Typist(world, Nicknames.heard([world.question]))


def complete(typed, before, *calls):
    """What Tab offers after some calls."""
    world = typed.world
    episode = Episode(world, calls)
    for each in episode.observations:
        typed.names.shorten(each.text)
    return [each.strip() for each in typed.completions(before, notebook(episode))]


# -- completion -----------------------------------------------------------------------------------------------------------


def test_tab_completes_tools_and_words():
    typed = typist()
    assert complete(typed, "read_r") == ["read_route_row"]
    assert set(complete(typed, "")) == {*typed.world.prices, "submit_assignment", *WORDS}
    assert complete(typed, "kn") == ["known"]


def test_tab_completes_arguments_that_go_with_those_before():
    typed = typist()
    assert complete(typed, "read_job ") == [f"J{at}" for at in range(1, 9)]
    assert complete(typed, "read_job j") == [f"J{at}" for at in range(1, 9)]
    assert complete(typed, "read_dispatch_window J6 ") == ["2", "3"]
    assert complete(typed, "read_dispatch_window J7 ") == ["2"]
    assert (
        complete(typed, "read_dispatch_window J7 2 ") == complete(typed, "fly ") == complete(typed, "read_fleet_policy ") == []
    )


def test_tab_completes_an_assignment():
    typed = typist()
    assert complete(typed, "submit_assignment ") == [f"J{at}=" for at in range(1, 9)]
    assert complete(typed, "submit_assignment J1=") == ["V1", "V2", "V3", "V4"]
    assert complete(typed, "submit_assignment J1=V2 J3=V1 ") == ["J2=", *(f"J{at}=" for at in range(4, 9))]
    assert complete(typed, "submit_assignment J1=V2 / p") == ["proven"]


def test_tab_completes_what_was_read_stage_by_stage():
    typed = typist("transit_routing")
    first, second, *_ = typed.world.public["station"]
    reads = [Call.make("read_departures", {"station_id": each}) for each in (first, second)]
    assert complete(typed, "submit_route ") == []
    offers = complete(typed, "submit_route ", *reads)
    later = complete(typed, f"submit_route {offers[0]} ", *reads)
    assert min(len(offers), len(later)) > 0
    assert not set(offers) & set(later)
    assert complete(typed, f"submit_route {offers[0]} {later[0]} ", *reads) == []


def test_tab_completes_a_subset_without_what_stands_there_already():
    typed = typist("basket_assembly")
    every = complete(typed, "submit_tickets ")
    assert complete(typed, f"submit_tickets {every[0]} ") == every[1:]


# -- calls ----------------------------------------------------------------------------------------------------------------


def moves(world, key, names):
    """What somebody types who reads by the cheaper plan and submits the optimum."""
    plan = min(world.plans.values(), key=world.cost)
    yield from map(Typist(world, names).spelled, plan)
    pieces = world.family.decision.arguments(key.decision).values()
    typed = [" ".join(map("=".join, each.items()) if isinstance(each, dict) else each) for each in pieces]
    yield f"{world.family.template.closing.submit} {' / '.join(typed)} / proven"
    yield "yes"


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_can_be_played_to_its_optimum_by_words(name):
    admitted = certified(name)
    world = build(admitted, Interface.DIRECT)
    made, said = game(name, moves(world, Key.of(admitted, world), Nicknames.heard([world.question])))
    episode = made.challenge.episode
    assert (episode.decision, episode.claim.value) == (admitted.solution.decision, "proven")
    assert all(each.status.value in ("executed", "submitted") for each in episode.observations)
    assert "That cannot be asked" not in said


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
def test_what_cannot_be_asked_is_told_what_is_expected_and_costs_nothing(line, expected):
    made, said = game(lines=[line])
    assert expected in " ".join(said.split("Type the name of a tool", 1)[1].split())
    assert made.challenge.episode.attempts == 0


def test_the_notebook_and_the_tools_are_there_to_look_at():
    made, said = game(lines=["known", "read_fleet_policy", "read_vehicle_contract V2", "known", "tools", "help", "question"])
    assert "Nothing has been read yet." in said
    table = said.split("By vehicle", 1)[1].split("\n\n")[0]
    world = made.world
    second = world.public["vehicle"][1]
    assert str(world.instance.activation[second]) in table
    assert str(world.instance.activation[world.public["vehicle"][0]]) not in said
    assert (
        said.count("One vehicle's activation cost. No capacity, no jobs.") == 3
    )  # in the question, twice, and among the tools


def test_a_submission_is_confirmed_and_gaps_are_told():
    made, said = game(lines=["submit_assignment J1=V1 / best guess", "n", "submit_assignment J1=V1", "y"])
    assert "7 of the job ids have no vehicle" in said
    assert [call.tool for call in made.challenge.episode.calls] == ["submit_assignment"]
    assert made.challenge.episode.claim is None


def test_who_resigns_is_asked_as_well():
    made, _ = game(lines=["resign", "no", "read_job J1", "resign", "y", "read_job J2"])
    assert (made.challenge.over, made.challenge.episode.attempts) == (True, 1)


def test_afterwards_the_decision_stands_beside_greedys_and_the_optimum():
    admitted = certified("fleet_dispatch")
    job, vehicle = admitted.instance.job, admitted.instance.vehicle
    greedy = admitted.family.reference(admitted.instance)
    typed = " ".join(f"J{job.index(one) + 1}=V{vehicle.index(other) + 1}" for one, other in greedy.items())
    done = run_here("play", "fleet_dispatch-0-1", stdin=f"read_fleet_policy\nsubmit_assignment {typed}\n", COLUMNS="120")
    assert done.returncode == 0, done.stderr
    score = done.stdout.split("score", 1)[1]
    line = next(line for line in score.splitlines() if line.startswith("objective"))
    assert line.split()[1:] == [
        f"{value:,}" for value in (admitted.reference_value, admitted.reference_value, admitted.optimum)
    ]
    assert f"{admitted.reference_gap:,} away from the optimum" in score
    assert "What you had read did not settle which decision is best" in score
    told = json.loads(run_here("play", "fleet_dispatch-0-1", "--json", stdin=f"submit_assignment {typed}\n").stdout)
    assert (told["hindsight"]["footing"], told["objective"]) == ("premature", admitted.reference_value)
    assert all(yours == greedys for _, yours, greedys, _ in told["decisions"]["assignment"])


# -- a terminal -----------------------------------------------------------------------------------------------------------


def test_on_a_terminal_tab_completes_lines_come_back_and_a_submission_is_asked_about():
    ours, theirs = pty.openpty()
    order = [COMMAND, "play", "fleet_dispatch-0-1"]
    process = subprocess.Popen(order, stdin=theirs, stdout=theirs, stderr=theirs, env=os.environ | {"TERM": "xterm"})
    os.close(theirs)
    heard = b""

    def until(text, *typed):
        nonlocal heard
        while text not in heard:
            heard += os.read(ours, 2**16)
        heard = heard.split(text, 1)[1]
        for each in typed:
            os.write(ours, each)

    try:
        until(b"calls 0/255 > ", b"read_fl\t\n")  # Tab
        until(b"calls 1/255 > ", b"\x1b[A\n")  # the line before
        until(b"calls 2/255 > ", b"submit_a\tJ1=V\t\t1\n")
        until(b"Submit it? [y/N] ", b"n\n")
        until(b"calls 2/255 > ", b"quit\n")
        until(b"no decision was submitted")
        while True:
            os.read(ours, 2**16)
    except OSError:  # it has left the terminal
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


# -- what is kept ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    out = tmp_path_factory.mktemp("played") / "suite"
    build_suite(Suite("played", "a seed for people", ("fleet_dispatch",), (0,), 1), out, None, silent)
    return open_suite(out)


def test_a_game_is_kept_as_a_run_of_a_person_and_goes_on_where_it_was_left(suite, tmp_path):
    direct, mediated = [entry.id for entry in suite.manifest.worlds]
    order = ["play", direct, mediated, "--suite", suite.directory, "--out", tmp_path / "run", "--name", "Ada"]
    paused = run_here(*order, stdin="read_fleet_policy\nquit\n")
    assert "the same command goes on from here" in paused.stdout
    world = suite.play(direct).episode.world
    decision = " ".join(map("=".join, suite.key(suite.entry(direct)).decision.items()))
    done = run_here(*order, stdin=f"read_job J1\nsubmit_assignment {decision}\nresign\n")
    assert done.returncode == 0, done.stderr
    run = RunDirectory(tmp_path / "run")
    first, second = (run.record(Slot(each, 1)) for each in (direct, mediated))
    assert [first[name] for name in ("kind", "configuration", "exact", "stop_reason")] == ["human", "Ada", 1, "submitted"]
    assert first["spend"] == world.prices["read_fleet_policy"] + world.prices["read_job"]
    assert (second["outcome"], second["stop_reason"]) == ("no_decision", "text_end")
    assert run_here("verify-run", run.path).returncode == 0
    again = run_here(*order)
    assert (again.returncode, "globally optimal" in again.stdout) == (0, True)


def test_a_report_shows_people_beside_agents_on_the_worlds_that_both_have_played(suite, tmp_path, monkeypatch):
    pages = {}
    monkeypatch.setattr("algoworlds.reports.conclude.report_files", lambda *told: pages.update(about=told[2]) or {PAGE: b""})
    direct, _ = [entry.id for entry in suite.manifest.worlds]
    decision = " ".join(map("=".join, suite.key(suite.entry(direct)).decision.items()))
    order = ["play", direct, "--suite", suite.directory, "--out", tmp_path / "ada", "--name", "Ada"]
    assert run_here(*order, stdin=f"submit_assignment {decision}\n").returncode == 0
    assert run_here("run", "--suite", suite.directory, "--agent", "greedy", "--out", tmp_path / "greedy").returncode == 0
    runs = ("report", tmp_path / "ada", tmp_path / "greedy", "--out", tmp_path / "report")
    refused = run_here(*runs)
    assert (refused.returncode, "by --common" in refused.stderr) == (2, True)
    done = run_here(*runs, "--common", "--json")
    assert done.returncode == 0, done.stderr
    assert "Ada (human)" in json.loads(done.stdout)["configurations"]
    assert pages["about"]["Reported on"] == "the 1 worlds that all runs have played, of up to 2"
    main = (tmp_path / "report" / "main_results.md").read_text()
    assert "Ada (human)" in main
    assert "are people: they had short names for ids" in main


def test_a_world_of_a_suite_can_be_tried_out_by_a_short_id(suite):
    name = suite.manifest.worlds[0].id.removesuffix("-direct")
    done = run_here("play", name, "--suite", suite.directory, "--interface", "mediated", "--json", stdin="resign\n")
    assert json.loads(done.stdout)["world"] == f"{name}-mediated"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fleet_dispatch-0-1", "--out", "x"), "belongs to a suite: name it by --suite SUITE"),
        (("fleet_dispatch-0-1", "--name", "Ada"), "name a directory by --out RUN"),
        (("fleet_dispatch-0-1", "--suite", "{suite}", "--seed", "x"), "leave out --seed or --suite"),
        (("fleet_dispatch-9-9", "--suite", "{suite}"), "has no world 'fleet_dispatch-9-9-direct'"),
        (("{world}", "{world}", "--suite", "{suite}"), "named twice"),
        (("{world}", "--suite", "{suite}", "--out", "{suite}/run"), "lies inside the suite"),
    ],
)
def test_what_cannot_be_played_is_one_line(suite, arguments, message):
    given = (each.format(suite=suite.directory, world=suite.manifest.worlds[0].id) for each in arguments)
    done = run_here("play", *given)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
