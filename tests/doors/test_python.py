"""The door for Python: what an agent causes is scored, what happens to it is not, and it holds nothing of a world (B1, B3)."""

import json
import os
import signal
from pathlib import Path

import pytest

from algoworlds.errors import InputError
from algoworlds.reports.conclude import conclude
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.own import AgentRun, OwnAgent
from algoworlds.runs.external.process import HALF
from algoworlds.runs.journal import read
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Experiment, Wanted
from algoworlds.runs.totals import Totals
from algoworlds.suites.record import Kind
from tests.command import COMMAND, PATIENCE, ROOT, python, run, run_here, started, until, waiting_signals
from tests.doors.doors import DOORS
from tests.doors.test_contract import secrets
from tests.runs.play import optimal, records
from tests.runs.server import KEY, Server
from tests.silence import silent

AGENTS = Path(__file__).with_name("agents.py")
EXAMPLES = ROOT / "examples" / "agents"
WORLDS = "fleet*"


def own_run(suite, out, function, worlds=WORLDS, time_limit=PATIENCE, concurrency=2, trials=1):
    """Run an agent as the command line does, in this process."""
    agent = OwnAgent(str(AGENTS), function, AGENTS.parent)
    settings = agent.settings(time_limit)
    experiment = Experiment.of(agent.name, Kind.EXTERNAL, settings, suite, Wanted(worlds).of(suite), trials)
    directory = RunDirectory(out)
    with directory.locked():
        directory.begin(experiment, suite.directory)
        totals = Totals.of(directory)
        AgentRun(directory, suite, agent, totals, time_limit, concurrency).run()
        if totals.finished == totals.scheduled:
            directory.seal()
    return totals


def printed(out):
    return [path.read_text() for path in sorted((out / "output").iterdir())]


def events(out):
    """The last lines of the journals."""
    return [read(path)[0][-1] for path in sorted((out / "journal").iterdir())]


ENDINGS = {
    "nothing": ("text_end", "no_decision", None),
    "submits": ("submitted", "infeasible", None),
    "submits_asynchronously": ("submitted", "infeasible", None),
    "Holder.submits": ("submitted", "infeasible", None),
    "leaves": ("text_end", "no_decision", None),
    "leaves_angrily": ("agent_error", "no_decision", "SystemExit: enough"),
    "fails": ("agent_error", "no_decision", "ValueError: a slip of the agent's"),
    "fails_asynchronously": ("agent_error", "no_decision", "ValueError: a slip of the agent's"),
    "fails_after_submitting": ("submitted", "infeasible", None),
    "vanishes": ("agent_error", "no_decision", "its process left with exit code 3"),
    "crashes": ("agent_error", "no_decision", "its process was ended by SIGSEGV"),
    "writes_rubbish": ("agent_error", "no_decision", "it wrote something to its connection that is no message"),
}


@pytest.mark.parametrize("function", ENDINGS)
def test_what_an_agent_causes_is_scored(suite, tmp_path, function):
    stop, outcome, detail = ENDINGS[function]
    totals = own_run(suite, tmp_path / "run", function)
    assert (totals.finished, totals.halted, totals.pending) == (2, None, {})
    for record in RunDirectory(tmp_path / "run").records():
        told = {name: record[name] for name in ("kind", "configuration", "stop_reason", "outcome")}
        assert list(told.values()) == ["external", f"agents.py:{function}", stop, outcome]
        assert (record["model"], record["tokens"], record["cost"], record["texts"]) == (None, None, None, [])
    assert {line.get("detail") for line in events(tmp_path / "run")} == {detail}
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_the_traceback_of_a_failure_is_kept_with_what_was_printed(suite, tmp_path):
    own_run(suite, tmp_path / "run", "fails")
    for text in printed(tmp_path / "run"):
        assert text.startswith("so far, so good\nTraceback")
        assert 'agents.py", line' in text
        assert text.endswith("ValueError: a slip of the agent's\n")


def test_of_much_that_is_printed_the_beginning_and_the_end_are_kept(suite, tmp_path):
    own_run(suite, tmp_path / "run", "chatters", worlds="fleet*-direct")
    (text,) = printed(tmp_path / "run")
    assert 2 * HALF < len(text) < 2 * HALF + 100
    assert text.startswith("the beginning\n")
    assert text.endswith("the end\n")
    assert " bytes left out ..." in text


@pytest.mark.parametrize(("function", "stop"), [("hangs", "time_limit"), ("hangs_after_submitting", "submitted")])
def test_who_takes_too_long_is_stopped(suite, tmp_path, function, stop):
    """The second has all the time it takes to submit: whatever comes after a submission changes nothing."""
    limit = 0.5 if stop == "time_limit" else 20.0
    own_run(suite, tmp_path / "run", function, worlds="fleet*-direct", time_limit=limit)
    (record,) = RunDirectory(tmp_path / "run").records()
    assert (record["stop_reason"], record["outcome"]) == (stop, "infeasible" if stop == "submitted" else "no_decision")


@pytest.mark.parametrize("function", ["leaves_a_child", "leaves_a_server"])
def test_whoever_an_agent_leaves_behind_is_ended(suite, tmp_path, function):
    own_run(suite, tmp_path / "run", function)
    children = [int(text) for text in printed(tmp_path / "run")]
    assert len(children) == 2
    until(lambda: not any(map(alive, children)))


def alive(pid):
    """Whether a process goes on: one that only waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def test_what_is_ended_from_outside_stays_pending_and_is_played_anew(suite, tmp_path, monkeypatch):
    monkeypatch.setenv("MARKS", str(tmp_path))
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    totals = own_run(suite, tmp_path / "run", "is_killed_at_first", worlds="fleet*-direct")
    assert (totals.finished, totals.pending) == (0, {"lost": 1})
    (kept,) = (tmp_path / "run" / "quarantine").iterdir()
    assert "ended from outside, by SIGKILL" in kept.read_text()
    totals = own_run(suite, tmp_path / "run", "is_killed_at_first", worlds="fleet*-direct")
    assert (totals.finished, totals.pending) == (1, {})
    (record,) = RunDirectory(tmp_path / "run").records()
    assert [step["status"] for step in record["trajectory"]] == ["unknown_tool", "submitted"], "each call once"
    (lines,) = (read(path)[0] for path in (tmp_path / "run" / "journal").iterdir())
    assert [line["start"] for line in lines if "start" in line] == [1, 2]
    RunDirectory(tmp_path / "run").seal()
    assert "agents started again: 1\n" in run_here("status", tmp_path / "run").stdout
    assert json.loads(run_here("status", tmp_path / "run", "--json").stdout)["restarts"] == 1
    concluded = conclude([RunDirectory(tmp_path / "run")], None, tmp_path / "report")
    assert concluded.sheets["restarts"].rows == (("agents.py:is_killed_at_first (external)", "1", "2", "0.0", "-"),)
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


# -- what an agent can find -------------------------------------------------------------------------------------------------

SEEN = {
    *("algoworlds", "algoworlds.errors", "algoworlds.core", "algoworlds.core.canonical", "algoworlds.core.column"),
    *("algoworlds.core.given", "algoworlds.core.tool", "algoworlds.runs", "algoworlds.runs.external", "algoworlds.worlds"),
    "algoworlds.worlds.observation",
}


def test_an_agent_finds_nothing_of_a_world_where_it_runs(suite, tmp_path, monkeypatch):
    monkeypatch.setenv("SUITE_OF_MINE", str(suite.directory / "sealed"))
    monkeypatch.setenv("HARMLESS", "kept")
    own_run(suite, tmp_path / "run", "looks_around")
    for text in printed(tmp_path / "run"):
        found = json.loads(text)
        assert set(found["modules"]) <= SEEN
        assert {kind.rpartition(".")[0] for kind in found["kinds"]} <= SEEN
        links = sorted(found["descriptors"].items(), key=lambda each: int(each[0]))
        assert [name.split(":")[0] for _, name in links] == ["/dev/null", "pipe", "pipe", "socket"]
        assert found["environment"]["HARMLESS"] == "kept"
        assert not {"SUITE_OF_MINE", "PWD", "OLDPWD"} & set(found["environment"])
        places = json.dumps([found["environment"], found["arguments"], found["path"], found["folder"]])
        assert str(suite.directory) not in places
        assert str(tmp_path) not in places
        assert {Path(name).name for name in found["frames"]} <= {"agents.py", "seat.py", "<frozen runpy>"}
        assert found["folder"][1] == []
        assert found["group"]
        assert found["attributes"] == ["_cord", "budget", "done", "question", "tools"]
        assert not Path(found["folder"][0]).exists()


def test_no_secret_is_anywhere_in_the_memory_of_an_agent_s_process(suite, tmp_path):
    (door,) = (each for each in DOORS if each.name == "python")
    worlds = [entry.id for entry in suite.manifest.worlds if entry.family in ("transit_routing", "station_siting")]
    worlds = [world for world in worlds if world.endswith("direct")]
    with door.opened(suite, worlds, tmp_path / "run") as party:
        for world in worlds:
            guest = party.guests[world]
            pages = guest.order("memory")
            assert any(guest.question.splitlines()[0].encode() in page for page in pages), "it does hold its question"
            for secret in secrets(suite, world, tmp_path / "run"):
                assert not any(secret.encode() in page for page in pages), secret


def test_the_runner_keeps_its_memory_from_processes_of_the_same_user():
    """As far as one who may be the superuser can tell: the system says that it does."""
    code = (
        "import ctypes\n"
        "from algoworlds.runs.external.process import unreadable\n"
        "dumpable = lambda: ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)\n"
        "print(dumpable(), unreadable(), dumpable())"
    )
    assert python(code) == "1 None 0\n"


# -- the command line -------------------------------------------------------------------------------------------------------


def played(suite, out, agent, *options, start=run, **environment):
    order = ("run", "--suite", suite.directory, "--agent", agent, "--out", out, "--trials", 1, *options)
    return start(*order, **environment)


@pytest.mark.parametrize("name", ["plain", "graph"])
@pytest.mark.parametrize(("worlds", "count"), [("*-direct", 10), pytest.param("*", 20, marks=pytest.mark.full)])
def test_an_example_plays_every_family_by_one_command(suite, tmp_path, name, worlds, count):
    options = ("--worlds", worlds, "--concurrency", 2, "--json")
    done = played(suite, tmp_path / "run", EXAMPLES / f"{name}.py:play", *options, start=run_here)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["finished"], told["kind"], told["configuration"]) == (count, "external", f"{name}.py:play")
    assert told["stop_reasons"] == {"submitted": count}
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_the_example_on_the_openai_sdk_plays_with_any_model(suite, tmp_path):
    with Server(optimal(suite)) as server:
        environment = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": KEY, "AGENT_MODEL": "loopback"}
        options = ("--worlds", WORLDS, "--label", "Mine", "--concurrency", 2)
        done = played(suite, tmp_path / "run", EXAMPLES / "sdk.py:play", *options, start=run_here, **environment)
    assert done.returncode == 0, done.stderr + "".join(printed(tmp_path / "run"))
    found = list(RunDirectory(tmp_path / "run").records())
    assert [(each["configuration"], each["exact"]) for each in found] == [("Mine", 1)] * 2


def test_a_module_is_found_where_the_command_is_given(suite, tmp_path):
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "agent.py").write_text("from mine.helper import submits as play\n")
    (package / "helper.py").write_text("def submits(world):\n    world.call('fly', {})\n")
    order = ["run", "--suite", suite.directory, "--agent", "mine.agent:play", "--out", tmp_path / "run", "--worlds", WORLDS]
    assert run_here(*order, cwd=tmp_path).returncode == 0
    told = RunDirectory(tmp_path / "run").document["plan"]
    assert (told["label"], told["kind"], told["settings"]["door"]) == ("mine.agent:play", "external", "python")
    (package / "agent.py").write_text("from mine.helper import submits as play  # better\n")
    changed = run_here(*order, cwd=tmp_path)
    assert changed.returncode == 2
    assert "settings.source" in changed.stderr


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("nowhere.py:play", "there is no file nowhere.py"),
        (f"{AGENTS}:no_such_function", "has no attribute 'no_such_function'"),
        (f"{AGENTS}:number", "is no function"),
        (f"{AGENTS}:yields", "it yields"),
        (f"{AGENTS}:yields_asynchronously", "it yields"),
        ("no_such_package.module:play", "No module named 'no_such_package'"),
        (f"{AGENTS}:", "cannot be loaded"),
        (":play", "cannot be loaded"),
    ],
)
def test_an_agent_that_is_not_there_is_one_line(suite, tmp_path, agent, told):
    done = played(suite, tmp_path / "run", agent, start=run_here)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert told in done.stderr
    assert not (tmp_path / "run").exists()


def test_an_agent_that_never_comes_to_its_function_is_one_line(suite, tmp_path):
    agent = tmp_path / "slow.py"
    agent.write_text("import threading\nthreading.Event().wait()\ndef play(world): ...\n")
    done = played(suite, tmp_path / "run", f"{agent}:play", "--time-limit", 0.5)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "takes longer than 0.5 seconds" in done.stderr


def test_a_failure_is_told_in_its_own_words(suite, tmp_path):
    done = played(suite, tmp_path / "run", f"{AGENTS}:fails", "--worlds", WORLDS, start=run_here)
    assert done.returncode == 0, done.stderr
    assert "the last agent_error: ValueError: a slip of the agent's; what was printed is under output/\n" in done.stdout
    told = json.loads(run_here("status", tmp_path / "run", "--json").stdout)
    assert told["reasons"] == {"agent_error": "ValueError: a slip of the agent's"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--agent", "oracle", "--time-limit", "3"), "are for an agent of your own"),
        (("--agent", "oracle", "--label", "x"), "are for an agent of your own"),
        (("--agent", "a.py:play", "--max-cost", "1"), "--max-cost is for models"),
        (("--agent", "a.py:play", "--time-limit", "0"), "a number of seconds above 0"),
        (("--agent", "a.py:play", "--time-limit", "nan"), "a number of seconds above 0"),
    ],
)
def test_options_that_do_not_fit_are_one_line(suite, tmp_path, options, told):
    done = run_here("run", "--suite", suite.directory, "--out", tmp_path / "run", *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert told in done.stderr


KILLS = [3, pytest.param(30, marks=pytest.mark.full)]


@pytest.mark.parametrize("kills", KILLS)
def test_b1_a_runner_that_is_killed_goes_on_and_leaves_nobody_behind(suite, tmp_path, kills):
    """Killed after ever more lines in its journals; no agent outlives it, and the records are those of an undisturbed run."""
    marks = tmp_path / "marks"
    marks.mkdir()
    where = ("--suite", suite.directory, "--agent", f"{AGENTS}:plays", "--worlds", "*-direct")
    order = ["run", *where, "--trials", 1, "--concurrency", 2, "--out"]
    assert run_here(*order, tmp_path / "undisturbed", MARKS=str(marks)).returncode == 0
    out, died = tmp_path / "run", 0
    for kill in range(1, kills + 1):
        process = started(COMMAND, *order, out, env=os.environ | {"MARKS": str(marks)})
        died += killed(process, lambda kill=kill: lines_in(out) >= 5 * kill)
        until(lambda: not any(alive(path.name.removeprefix("pid-")) for path in marks.iterdir()))
    assert died >= min(kills, 3)
    assert run_here(*order, out, MARKS=str(marks)).returncode == 0
    assert records(out) == records(tmp_path / "undisturbed")
    assert verify_run(RunDirectory(out), suite, None, silent) == []


def killed(process, moment):
    """Kill a process when the moment has come; whether it was still there."""
    until(lambda: moment() or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    return process.returncode == -signal.SIGKILL


def lines_in(out):
    return sum(len(path.read_bytes().splitlines()) for path in (out / "journal").glob("*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_b3_one_signal_lets_agents_finish_and_begins_no_other(suite, tmp_path, number):
    """Agents wait for a mark that comes after the signal."""
    agent = tmp_path / "waiting.py"
    agent.write_text(
        "import os, pathlib, time\n"
        "def play(world):\n"
        "    here = pathlib.Path(os.environ['MARKS'])\n"
        "    (here / f'began-{os.getpid()}').touch()\n"
        "    while not (here / 'go').exists():\n"
        "        time.sleep(0.01)\n"
    )
    marks = tmp_path / "marks"
    marks.mkdir()
    where = ("--suite", suite.directory, "--agent", f"{agent}:play", "--out", tmp_path / "run", "--concurrency", 2)
    process = started(COMMAND, "run", *where, env=os.environ | {"MARKS": str(marks)})
    until(lambda: len(list(marks.iterdir())) == 2, process)
    process.send_signal(number)
    until(lambda: not waiting_signals(process), process)
    (marks / "go").touch()
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert "run the same command again" in errors
    assert 2 <= len(records(tmp_path / "run")) <= 4


def test_an_agent_is_known_by_its_file_s_name_and_digest(tmp_path):
    agent = OwnAgent.named(f"{AGENTS}:submits", PATIENCE)
    assert (agent.name, agent.folder, len(agent.source)) == ("agents.py:submits", AGENTS.parent, 64)
    with pytest.raises(InputError, match="there is no file"):
        OwnAgent.named(f"{tmp_path}/agents.py:submits", PATIENCE)
