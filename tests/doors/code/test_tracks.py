"""Runs on tracks: scripted agents, records, resuming, verifying, and everything that must not run a program."""

import json
import shutil

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.agents.programming import TRACK_OF_AGENT, program_text
from algoworlds.runs.directory import RunDirectory
from algoworlds.suites.record import recorded_calls, recorded_programs
from algoworlds.tracks import track as track_module
from algoworlds.tracks import workers
from algoworlds.tracks.track import EPISODE_COMPUTE, PROGRAM_COMPUTE, TRACKS, Computed
from algoworlds.tracks.workers import SandboxFault
from algoworlds.worlds.episode import Episode, ProgramMode
from algoworlds.worlds.observation import Status
from tests.command import run_here


def world_on(suite, track, family="fleet_dispatch", interface="mediated"):
    opened = suite.on_track(track)
    entry = next(entry for entry in opened.manifest.worlds if (entry.family, entry.interface) == (family, interface))
    return opened.world(entry)


def gather_all(world):
    episode = Episode(world)
    for call in min(world.plans.values(), key=world.cost):
        episode.call(*call)
    return episode


def python(episode, program, **options):
    return episode.call("python", {"program": program} | options)


@pytest.fixture
def no_programs(monkeypatch):
    """Replaces the sandbox by a function that raises."""

    def refuse(*arguments):
        raise AssertionError("a program was run")

    monkeypatch.setattr("algoworlds.tracks.workers.run_in_worker", refuse)


# -- what an agent sees ---------------------------------------------------------------------------------------------------


def test_bare_worlds_have_no_program_tool(suite):
    world = world_on(suite, "bare")
    assert "Computing" not in world.question
    assert python(Episode(world), "print(1)").status is Status.UNKNOWN_TOOL


@pytest.mark.parametrize("name", [name for name in TRACKS if name != "bare"])
def test_a_track_appends_its_paragraph_and_one_tool(suite, name):
    bare, assisted = world_on(suite, "bare"), world_on(suite, name)
    assert assisted.question.startswith(bare.question + "\nComputing\n")
    assert assisted.tools[:-1] == bare.tools
    assert assisted.tools[-1]["name"] == "python"
    assert (assisted.prices, assisted.budget, assisted.id) == (bare.prices, bare.budget, bare.id)
    shown = suite.on_track(name).public_world(bare.id)
    assert (shown.question, shown.tools) == (assisted.question, assisted.tools)


def test_an_answer_tells_charge_rest_and_output_in_order(suite):
    episode = Episode(world_on(suite, "code"))
    observation = python(episode, "print(len(task['job']), answers)")
    assert (
        observation.text
        == f'{{"computed":1,"compute_left":{EPISODE_COMPUTE - 1},"output":"{len(episode.world.public["job"])} []\\n"}}'
    )
    assert (observation.status, observation.charged, episode.executed, episode.attempts) == (Status.COMPUTED, 0, 0, 1)
    failed = python(episode, "import numpy").json
    assert list(failed) == ["computed", "compute_left", "output", "error"]
    assert failed["error"].endswith("No module named 'numpy': only modules of the standard library are here")


@pytest.mark.parametrize(
    "arguments",
    [
        *("", "[]", "{}", '{"program": 1}', '{"program": "1", "x": 1}', '{"program": "1", "limit": 0}'),
        *('{"program": "1", "limit": true}', '{"program": "' + "x" * 100_000 + '"}'),
    ],
)
def test_h4_arguments_that_do_not_fit_are_rejected(suite, arguments, no_programs):
    assert Episode(world_on(suite, "code")).call("python", arguments).status is Status.BAD_ARGUMENTS


def test_compute_is_limited_by_program_and_by_episode(suite):
    episode = Episode(world_on(suite, "code"))
    first = python(episode, "while True: pass", limit=300).json
    assert (first["computed"], first["error"]) == (300, "The program reached its limit and was stopped.")
    episode.computed[0] = Computed(EPISODE_COMPUTE - 100, "")
    assert python(episode, "while True: pass").json["computed"] == 100
    over = python(episode, "print(1)")
    assert (over.status, over.text) == (Status.OVER_COMPUTE, '{"error":"Nothing is left to compute with."}')
    assert PROGRAM_COMPUTE < EPISODE_COMPUTE


def test_programs_get_what_the_agent_was_told_and_nothing_else(suite):
    episode = gather_all(world_on(suite, "code"))
    count = python(episode, "print(len(answers), sorted(task), sorted(answers[0]))").json["output"]
    assert count == f"{episode.executed} {sorted(episode.world.public)} ['answer', 'arguments', 'tool']\n"
    for number in (0, episode.executed - 1):
        text = python(episode, f"import json; print(json.dumps(answers[{number}]['answer'], separators=(',', ':')))").json[
            "output"
        ]
        assert text[:-1] == episode.observations[number].text[: len(text) - 1]


# -- optimum and calls ----------------------------------------------------------------------------------------------------


def test_optimum_solves_what_the_answers_tell_once_they_tell_everything(suite):
    world = world_on(suite, "facts")
    early = python(Episode(world), "optimum()").json["error"]
    assert early.endswith(
        "InstanceError: the answers do not tell everything yet: capacity, activation, load, eligible, route_cost"
    )
    episode = gather_all(world)
    answer = json.loads(python(episode, "import json; print(json.dumps(optimum()))").json["output"])
    assert answer["value"] == world.family.solve(world.instance).value
    assert 10_000 < episode.computed[episode.attempts - 1].units < 10_050


def test_optimum_refuses_tables_in_words_that_depend_on_them_alone(suite):
    world = world_on(suite, "tables")
    for program, words in {
        "optimum()": "optimum takes one argument: a dict of tables",
        "optimum([])": "tables must be a dict by name, not a list",
        "optimum({'vehicle': []})": "vehicle is filled in from the question: leave it out",
        "optimum({'x': 1})": "there is no table 'x'; there are capacity, activation, load, eligible, route_cost",
        "optimum({})": "fleet_dispatch: the table 'capacity' is missing",
        "optimum({'load': 7})": "load: expected job -> load, as nested JSON objects",
        "optimum(1, 2)": "there are other arguments than tables",
    }.items():
        episode = Episode(world)
        error = python(episode, program).json["error"]
        assert error.endswith(words), error
        assert episode.computed[0].units < 10


def test_misread_cells_are_counted_and_never_told(suite):
    world = world_on(suite, "tables")
    episode = gather_all(world)
    program = program_text("clerk", world.family)
    python(episode, program)
    python(episode, program.replace("print(json", "data['load'][task['job'][0]] += 1\ndata['capacity'].popitem()\nprint(json"))
    assert episode.computed[episode.attempts - 2].misread == 0
    assert episode.computed[episode.attempts - 1].misread is None  # capacity is complete: no instance
    python(
        episode,
        program.replace("print(json", "data['load'][task['job'][0]] = 3 - data['load'][task['job'][0]] % 2\nprint(json"),
    )
    assert episode.computed[episode.attempts - 1].misread in (0, 1)
    assert "misread" not in "".join(observation.text for observation in episode.observations)


def test_calls_of_programs_are_ordinary_calls(suite):
    world = world_on(suite, "calls")
    plan = min(world.plans.values(), key=world.cost)
    pairs = [[call.tool, json.loads(call.arguments)] for call in plan]
    episode = Episode(world)
    output = python(
        episode, f"for call_ in {pairs}: call(*call_)\nprint(len(answers), call('nothing'), call('python', {{}}))"
    ).json["output"]
    assert (
        output == f"{len(plan)} {{'error': 'There is no tool of that name.'}} {{'error': 'There is no tool of that name.'}}\n"
    )
    by_hand = gather_all(world)
    assert (episode.spent, episode.executed, episode.facts) == (by_hand.spent, by_hand.executed, by_hand.facts)
    assert episode.calls[1 : len(plan) + 1] == list(plan)
    assert episode.made_by == dict.fromkeys(range(1, len(plan) + 2), 0)
    assert episode.own_calls == episode.calls[:1]


def test_a_program_can_submit_and_reach_the_caps(suite):
    world = world_on(suite, "calls")
    submit = world.family.template.decision_tools.submit
    episode = Episode(world)
    python(episode, f"print(call({submit!r}, {{'assignment': {{}}}}), call({submit!r}, {{'assignment': {{}}}}))")
    assert episode.stop.value == "submitted"
    assert len(episode.calls) == 2
    capped = Episode(world)
    for _ in range(3):
        python(capped, "for n in range(200): call('nothing')")
    assert (capped.stop.value, capped.attempts) == ("attempt_cap", 512)
    again = Episode(world, capped.own_calls, capped.computed.values(), ProgramMode.REPLAY)
    assert (again.calls, again.observations, again.stop) == (capped.calls, capped.observations, capped.stop)


@pytest.mark.parametrize("track", ["code", "calls"])
def test_h2_a_program_that_cannot_be_run_was_not_called(suite, track, monkeypatch):
    """H2: also what it had done until then is taken back."""
    episode, plain = (Episode(world_on(suite, track)) for _ in range(2))
    first, second = (call for call in min(episode.world.plans.values(), key=episode.world.cost)[:2])

    def fail(program, answers, *rest):
        if track == "calls":
            answers["call"]("call", json.dumps([list(second), {}]))
        raise SandboxFault("a program could not be run, twice: its worker process ended with exit code -9")

    for one in (episode, plain):
        one.call(*first)
        python(one, "print(len(answers))")
    with monkeypatch.context() as faulty:
        faulty.setattr(workers, "run_in_worker", fail)
        for _ in range(2):
            with pytest.raises(SandboxFault):
                python(episode, "print(2)")
    for one in (episode, plain):
        one.call(*second)
        python(one, "print(len(answers))")
    assert (episode.calls, episode.observations, episode.computed) == (plain.calls, plain.observations, plain.computed)
    assert (episode.spent, episode.executed, episode.facts) == (plain.spent, plain.executed, plain.facts)


# -- runs -----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs(suite, tmp_path_factory):
    """A run of each scripted agent of the tracks that needs no solver of its own, as paths by name."""
    folder = tmp_path_factory.mktemp("runs")
    for agent in ("coder", "clerk", "gatherer", "caller"):
        track = TRACK_OF_AGENT[agent]
        if agent in ("clerk", "gatherer"):
            continue  # these tracks name ortools in their identity: tests/doors/solver plays them
        result = run_here("run", suite.directory, "--agent", agent, "--track", track, "--trials", 1, "--out", folder / agent)
        assert result.returncode == 0, result.stderr
    return {path.name: path for path in folder.iterdir()}


@pytest.mark.parametrize("agent", ["coder", "caller"])
def test_scripted_agents_are_exact_in_every_family(runs, agent, suite):
    records = list(RunDirectory(runs[agent]).read_records())
    assert len(records) == 20
    assert {record["exact"] for record in records} == {1}
    assert {record["track"] for record in records} == {TRACK_OF_AGENT[agent]}
    assert all(record["programs"] == 1 and 0 < record["computed"] < 200_000 for record in records)


@pytest.mark.parametrize("agent", ["coder", "caller"])
def test_verify_run_runs_every_program_again(runs, agent):
    result = run_here("verify-run", runs[agent])
    assert (result.returncode, result.stdout.strip()[-30:]) == (0, "measure recomputed, each program run again"[-30:])


@pytest.mark.parametrize("agent", ["coder", "caller"])
def test_nothing_but_verification_runs_a_program(runs, agent, no_programs, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(runs[agent], run)
    for command in (
        ("judge", run),
        ("rescore", run, "--out", tmp_path / "rescored"),
        ("verify-run", run, "--recorded"),
        ("records", run),
        ("export", "atif", run, "--out", tmp_path / "atif"),
        ("export", "otel", run, "--out", tmp_path / "traces.jsonl"),
        ("pack", run, "--out", tmp_path / "run.tar.gz"),
    ):
        result = run_here(*command)
        assert result.returncode == 0, (command[0], result.stderr)
    for record in (run / "records").iterdir():
        assert (tmp_path / "rescored" / "records" / record.name).read_bytes() == record.read_bytes()


def edit(run, change):
    """Change the first record of a run, and give it a manifest that fits."""
    path = sorted((run / "records").iterdir())[0]
    record = json.loads(path.read_text())
    change(record, next(step for step in record["trajectory"] if "computed" in step))
    path.write_text(json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n")
    directory = RunDirectory(run)
    (run / "manifest.json").write_bytes(directory.manifest_bytes())


CHANGES = {
    "units": (lambda record, step: step["computed"].update(units=step["computed"]["units"] + 1), "million instructions"),
    "text": (lambda record, step: step["computed"].update(text=step["computed"]["text"] + " "), "prints something else"),
    "program": (lambda record, step: step.update(arguments=step["arguments"].replace("print", "pprint", 1)), "in call"),
    "question": (
        lambda record, step: step["computed"]["asked"].append({"name": "x", "digest": "", "reply": {}, "units": 0}),
        "questions",
    ),
    "form": (lambda record, step: step["computed"].update(units="7"), "not the form"),
    "total": (lambda record, step: record.update(computed=record["computed"] + 1), "computed: "),
    "missing": (lambda record, step: step.pop("computed"), "is not recorded"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_h6_verify_run_finds_a_changed_result(runs, name, tmp_path):
    change, words = CHANGES[name]
    shutil.copytree(runs["coder"], tmp_path / "run")
    edit(tmp_path / "run", change)
    result = run_here("verify-run", tmp_path / "run")
    assert result.returncode == 1
    assert words in result.stderr


def test_h6_verify_run_finds_a_changed_call_of_a_program(runs, tmp_path):
    shutil.copytree(runs["caller"], tmp_path / "run")
    edit(tmp_path / "run", lambda record, step: record["trajectory"].pop(2))
    result = run_here("verify-run", tmp_path / "run")
    assert result.returncode == 1
    assert "makes other calls than recorded" in result.stderr


def test_h3_other_sandbox_is_named_in_one_line(runs, monkeypatch):
    monkeypatch.setattr(track_module, "sandbox_identity", lambda: {"sandbox": "0" * 64, "wasmtime": "50.9"})
    result = run_here("verify-run", runs["coder"])
    assert result.returncode == 2
    assert "(sandbox: " in result.stderr
    assert "wasmtime: '50.0.1' -> '50.9'" in result.stderr
    assert "--recorded" in result.stderr
    assert run_here("verify-run", runs["coder"], "--recorded").returncode == 0


def test_a_replayed_run_takes_the_track_of_its_run(runs, suite, tmp_path, no_programs):
    result = run_here("run", suite.directory, "--agent", f"replay:{runs['caller']}", "--trials", 1, "--out", tmp_path / "again")
    assert result.returncode == 0, result.stderr
    for old, new in zip(
        RunDirectory(runs["caller"]).read_records(), RunDirectory(tmp_path / "again").read_records(), strict=True
    ):
        assert {name: value for name, value in new.items() if name not in ("identity", "configuration")} == {
            name: value for name, value in old.items() if name not in ("identity", "configuration")
        }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--agent", "coder"), "coder plays on the track code: add --track code"),
        (("--agent", "coder", "--track", "tables"), "coder plays on the track code: add --track code"),
        (
            ("--agent", "null", "--track", "codes"),
            "there is no track 'codes'; choose from bare, code, solver, tables, facts, calls",
        ),
    ],
)
def test_wrong_tracks_are_named_in_one_line(suite, options, message, tmp_path):
    result = run_here("run", suite.directory, *options, "--out", tmp_path / "run")
    assert (result.returncode, result.stderr.strip()) == (2, f"algoworlds: {message}")
    assert not (tmp_path / "run").exists()


def test_a_dry_run_says_what_programs_may_take(suite, tmp_path):
    command = (
        "run",
        suite.directory,
        "--agent",
        "coder",
        "--track",
        "code",
        "--trials",
        1,
        "--out",
        tmp_path / "run",
        "--dry-run",
    )
    line = (
        "programs of the track code compute here: at most 1,000,000 million instructions (200 s of CPU) an evaluation, 1.1 h in"
    )
    assert line in run_here(*command).stdout
    assert json.loads(run_here(*command, "--json").stdout)["compute"] == 20 * EPISODE_COMPUTE
    bare = ("run", suite.directory, "--agent", "null", "--trials", 1, "--out", tmp_path / "run", "--dry-run")
    assert "instructions" not in run_here(*bare).stdout


def test_people_have_no_tracks():
    result = run_here("play", "fleet_dispatch-1-1", "--track", "code")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "No such option: --track" in result.stderr


def test_world_show_prints_what_a_model_sees(suite):
    world = world_on(suite, "code")
    shown = json.loads(run_here("world", "show", world.id, "--suite", suite.directory, "--track", "code", "--json").stdout)
    assert shown == {"question": world.question, "tools": world.tools}


def test_records_give_calls_and_programs_back(runs, suite):
    record = next(RunDirectory(runs["caller"]).read_records())
    (program,) = recorded_programs(record)
    assert recorded_calls(record)[0].tool == "python"
    assert len(program.calls) == sum("by" in step for step in record["trajectory"])
    assert Computed.from_json(program.json) == program
    for broken in ({}, {"units": -1, "text": "", "asked": []}, {"units": 1, "text": "", "asked": [{}]}, 7, None):
        with pytest.raises(InputError, match="not the form"):
            Computed.from_json(broken)
