"""Python agents: what they cause is scored, what happens to them is not, and their process holds no secret (B1, B3)."""

import json
import os
import signal
from pathlib import Path

import pytest

from algoworlds.errors import InputError
from algoworlds.reports.report import write_report
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.process import HALF_OUTPUT_BYTES
from algoworlds.runs.external.python_agent import PythonAgent, PythonAgentRun
from algoworlds.runs.external.run import ExternalRun
from algoworlds.runs.journal import encode_line, read_journal
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Experiment, WorldFilter
from algoworlds.runs.worker_pool import Totals
from algoworlds.suites.record import PlayerKind
from tests.command import COMMAND, PATIENCE, ROOT, python, run, run_here, start_process, until, waiting_signals
from tests.doors.adapters import ADAPTERS
from tests.doors.test_contract import secrets
from tests.runs.model_runs import optimal_model, record_bytes
from tests.runs.server import KEY, Server
from tests.silence import silent

AGENTS = Path(__file__).with_name("agents.py")
EXAMPLES = ROOT / "examples" / "agents"
WORLDS = "fleet*"


def run_agent(suite, out, function, worlds=WORLDS, time_limit=PATIENCE, concurrency=2, trials=1, keep_going=True):
    """Run an agent as the command line does, in this process."""
    agent = PythonAgent(str(AGENTS), function, AGENTS.parent)
    settings = agent.settings(time_limit)
    experiment = Experiment.from_suite(
        agent.name, PlayerKind.EXTERNAL, settings, suite, WorldFilter(worlds).select(suite), trials
    )
    directory = RunDirectory(out)
    with directory.lock():
        directory.create_or_resume(experiment, suite.directory)
        totals = Totals.from_directory(directory)
        PythonAgentRun(ExternalRun(directory, suite, totals, concurrency, keep_going=keep_going), agent, time_limit).play()
        if totals.finished == totals.scheduled:
            directory.write_manifest()
    return totals


def outputs(out):
    """What the agents printed."""
    return [path.read_text() for path in sorted((out / "output").iterdir())]


def last_lines(out):
    """The last lines of the journals."""
    return [read_journal(path)[0][-1] for path in sorted((out / "journal").iterdir())]


ENDINGS = {
    "nothing": ("text_end", "no_decision", None),
    "submits": ("submitted", "infeasible", None),
    "submits_asynchronously": ("submitted", "infeasible", None),
    "Holder.submits": ("submitted", "infeasible", None),
    "leaves": ("text_end", "no_decision", None),
    "exits_with_message": ("agent_error", "no_decision", "SystemExit: enough"),
    "fails": ("agent_error", "no_decision", "ValueError: a slip of the agent's"),
    "fails_asynchronously": ("agent_error", "no_decision", "ValueError: a slip of the agent's"),
    "fails_after_submitting": ("submitted", "infeasible", None),
    "vanishes": ("agent_error", "no_decision", "its process left with exit code 3"),
    "crashes": ("agent_error", "no_decision", "its process was ended by SIGSEGV"),
    "dies_by_real_time_signal": ("agent_error", "no_decision", f"its process was ended by signal {signal.SIGRTMIN + 3}"),
    "sends_message_of_its_own": ("agent_error", "no_decision", "it used its connection to the run, which is not its own"),
    "shuts_its_connection_down": ("agent_error", "no_decision", "its process left with exit code 1"),
    "writes_other_data": ("agent_error", "no_decision", "it wrote something to its connection that is no message"),
}


@pytest.mark.parametrize("function", ENDINGS)
def test_agent_behaviour_is_scored(suite, tmp_path, function):
    stop, outcome, detail = ENDINGS[function]
    totals = run_agent(suite, tmp_path / "run", function)
    assert (totals.finished, totals.halted, totals.pending) == (2, None, {})
    for record in RunDirectory(tmp_path / "run").read_records():
        fields = ("kind", "configuration", "stop_reason", "outcome")
        assert [record[name] for name in fields] == ["external", f"agents.py:{function}", stop, outcome]
        assert (record["model"], record["tokens"], record["cost"], record["texts"]) == (None, None, None, [])
    assert {line.get("detail") for line in last_lines(tmp_path / "run")} == {detail}
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_traceback_is_kept_with_the_output(suite, tmp_path):
    run_agent(suite, tmp_path / "run", "fails")
    for text in outputs(tmp_path / "run"):
        assert text.startswith("so far, so good\nTraceback")
        assert 'agents.py", line' in text
        assert text.endswith("ValueError: a slip of the agent's\n")


def test_long_output_keeps_beginning_and_end(suite, tmp_path):
    run_agent(suite, tmp_path / "run", "chatters", worlds="fleet*-direct")
    (text,) = outputs(tmp_path / "run")
    assert 2 * HALF_OUTPUT_BYTES < len(text) < 2 * HALF_OUTPUT_BYTES + 100
    assert text.startswith("the beginning\n")
    assert text.endswith("the end\n")
    assert " bytes left out ..." in text


@pytest.mark.parametrize(("function", "stop"), [("hangs", "time_limit"), ("hangs_after_submitting", "submitted")])
def test_slow_agent_is_stopped(suite, tmp_path, function, stop):
    """The second has enough time to submit; what follows a submission changes nothing."""
    limit = 0.5 if stop == "time_limit" else 20.0
    run_agent(suite, tmp_path / "run", function, worlds="fleet*-direct", time_limit=limit)
    (record,) = RunDirectory(tmp_path / "run").read_records()
    assert (record["stop_reason"], record["outcome"]) == (stop, "infeasible" if stop == "submitted" else "no_decision")


@pytest.mark.parametrize("function", ["leaves_a_child", "leaves_a_server", "leaves_a_hidden_server"])
def test_child_processes_of_an_agent_are_killed(suite, tmp_path, function):
    run_agent(suite, tmp_path / "run", function)
    children = [int(text) for text in outputs(tmp_path / "run")]
    assert len(children) == 2
    until(lambda: not any(map(is_alive, children)))


def is_alive(pid):
    """Whether a process is running, and not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def test_agent_killed_from_outside_stays_pending_and_plays_again(suite, tmp_path, monkeypatch):
    monkeypatch.setenv("MARKS", str(tmp_path))
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    totals = run_agent(suite, tmp_path / "run", "is_killed_at_first", worlds="fleet*-direct")
    assert (totals.finished, totals.pending) == (0, {"lost": 1})
    (quarantined,) = (tmp_path / "run" / "quarantine").iterdir()
    assert "ended from outside, by SIGKILL" in quarantined.read_text()
    totals = run_agent(suite, tmp_path / "run", "is_killed_at_first", worlds="fleet*-direct")
    assert (totals.finished, totals.pending) == (1, {})
    (record,) = RunDirectory(tmp_path / "run").read_records()
    assert [step["status"] for step in record["trajectory"]] == ["unknown_tool", "submitted"], "each call once"
    (lines,) = (read_journal(path)[0] for path in (tmp_path / "run" / "journal").iterdir())
    assert [line["start"] for line in lines if "start" in line] == [1, 2]
    RunDirectory(tmp_path / "run").write_manifest()
    assert "agents started again: 1\n" in run_here("status", tmp_path / "run").stdout
    assert json.loads(run_here("status", tmp_path / "run", "--json").stdout)["restarts"] == 1
    report = write_report([RunDirectory(tmp_path / "run")], None, tmp_path / "report")
    assert report.sheets["restarts"].rows == (("agents.py:is_killed_at_first (external)", "1", "2", "0.0", "-"),)
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("imports_missing_module", "ModuleNotFoundError: No module named 'not_there'"),
        ("nothing", "it ended without an error"),
        ("vanishes", "its process left with exit code 3"),
    ],
)
def test_agent_that_never_calls_halts_the_run_unless_told_to_keep_going(suite, tmp_path, function, reason):
    command = (
        "run",
        "--suite",
        suite.directory,
        "--agent",
        f"{AGENTS}:{function}",
        "--out",
        tmp_path / "run",
        "--worlds",
        WORLDS,
    )
    done = run_here(*command, "--trials", 3)
    assert (done.returncode, RunDirectory(tmp_path / "run").finished_slots) == (1, set())
    assert f"stopped: the agent ended before its first call: {reason}" in done.stderr
    assert "--keep-going" in done.stderr
    assert "left pending: 1 (misconfigured)" in done.stderr
    assert run_here(*command, "--keep-going").returncode == 0
    records = list(RunDirectory(tmp_path / "run").read_records())
    assert {record["outcome"] for record in records} == {"no_decision"}
    assert len(records) == 6


def test_agent_that_always_dies_fails_at_its_third_start(suite, tmp_path):
    for _ in range(2):
        totals = run_agent(suite, tmp_path / "run", "dies", worlds="fleet*-direct", keep_going=False)
        assert (totals.finished, totals.pending) == (0, {"lost": 1})
    held = run_here("tickets", tmp_path / "run", "--close", "all")
    assert (held.returncode, "was started 2 times: run the same command again" in held.stderr) == (2, True)
    totals = run_agent(suite, tmp_path / "run", "dies", worlds="fleet*-direct", keep_going=False)
    assert (totals.finished, totals.pending) == (1, {})
    (record,) = RunDirectory(tmp_path / "run").read_records()
    assert (record["stop_reason"], record["outcome"]) == ("agent_error", "no_decision")
    assert run_here("verify-run", tmp_path / "run").returncode == 0
    assert run_here("tickets", tmp_path / "run", "--close", "all").returncode == 0


READS_AND_DIES = """
import json, os, signal
from pathlib import Path
FOLDER = Path(__file__).parent
def play(world):
    calls, heard = json.loads((FOLDER / "calls.json").read_text()), FOLDER / "heard.json"
    before = json.loads(heard.read_text()) if heard.exists() else []
    for name, arguments in calls[len(before) if CHANGES else 0:]:
        answer = world.call(name, arguments)
        if not answer.charged:
            break
        heard.write_text(json.dumps(before := before + [answer.charged]))
    if CHANGES or len(before) == len(calls):
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("changes", [True, False])
def test_starts_that_a_signal_ended_share_one_budget(suite, tmp_path, changes):
    """An agent that kills itself cannot read the rest in another start; one that reads the same again loses nothing."""
    (entry,) = WorldFilter("fleet*-direct").select(suite)
    world = suite.world(entry)
    calls = list(world.catalog) if changes else next(iter(world.plans.values()))
    (tmp_path / "agent.py").write_text(f"CHANGES = {changes}\n{READS_AND_DIES}")
    (tmp_path / "calls.json").write_text(json.dumps([[call.tool, json.loads(call.arguments)] for call in calls]))
    command = ("run", suite.directory, "--agent", f"{tmp_path}/agent.py:play", "--out", tmp_path / "run")
    codes = [run_here(*command, "--worlds", entry.id, "--trials", 1).returncode for _ in range(2)]
    heard = json.loads((tmp_path / "heard.json").read_text())
    assert codes == [1, 0]
    (record,) = RunDirectory(tmp_path / "run").read_records()
    if changes:
        assert (record["stop_reason"], record["outcome"]) == ("agent_error", "no_decision")
        assert sum(heard) <= world.budget
    else:
        assert (record["stop_reason"], heard) == ("text_end", heard[: len(calls)] * 2)
        assert record["coverage"] == 1
    assert run_here("verify-run", tmp_path / "run").returncode == 0
    shown = run_here("show", tmp_path / "run", entry.id, 1).stdout
    assert ("paid for more different calls" in shown) == changes


def test_started_agent_can_be_closed_after_three_starts(suite, tmp_path):
    """Starts that ended otherwise count too: the runner was killed, or halted."""
    for _ in range(3):
        totals = run_agent(suite, tmp_path / "run", "imports_missing_module", worlds="fleet*-direct", keep_going=False)
        assert (totals.finished, totals.pending) == (0, {"misconfigured": 1})
    done = run_here("tickets", tmp_path / "run", "--close", "all", "--json")
    assert (done.returncode, [row["status"] for row in json.loads(done.stdout)]) == (0, ["agent_error"])
    assert run_here("verify-run", tmp_path / "run").returncode == 0


def test_journal_line_of_another_form_is_a_one_line_error(suite, tmp_path):
    run_agent(suite, tmp_path / "run", "dies", worlds="fleet*-direct")
    (journal,) = (tmp_path / "run" / "journal").iterdir()
    journal.write_bytes(journal.read_bytes() + encode_line(None))
    totals = run_agent(suite, tmp_path / "run", "dies", worlds="fleet*-direct")
    assert (totals.finished, totals.pending) == (0, {"harness": 1})
    (quarantined,) = (tmp_path / "run" / "quarantine").iterdir()
    assert "is null, not an object: the journal is damaged, restore it" in quarantined.read_text()
    assert "Traceback" not in quarantined.read_text()
    for command in ("status", "tickets", "verify-run", "records"):
        assert "Traceback" not in run_here(command, tmp_path / "run").stderr
    held = run_here("tickets", tmp_path / "run", "--close", "all")
    assert (held.returncode, held.stderr.count("\n")) == (2, 1)


# -- what an agent can see -------------------------------------------------------------------------------------------------

VISIBLE_MODULES = {
    *("algoworlds", "algoworlds.errors", "algoworlds.core", "algoworlds.core.canonical", "algoworlds.core.column"),
    *("algoworlds.core.tool", "algoworlds.core.tool", "algoworlds.runs", "algoworlds.runs.external", "algoworlds.worlds"),
    "algoworlds.worlds.observation",
}


def test_agent_process_exposes_nothing_of_a_world(suite, tmp_path, monkeypatch):
    monkeypatch.setenv("SUITE_OF_MINE", str(suite.directory / "sealed"))
    monkeypatch.setenv("HARMLESS", "kept")
    run_agent(suite, tmp_path / "run", "looks_around")
    for text in outputs(tmp_path / "run"):
        view = json.loads(text)
        assert set(view["modules"]) <= VISIBLE_MODULES
        assert {kind.rpartition(".")[0] for kind in view["kinds"]} <= VISIBLE_MODULES
        links = sorted(view["descriptors"].items(), key=lambda item: int(item[0]))
        assert [name.split(":")[0] for _, name in links] == ["/dev/null", "pipe", "pipe", "socket"]
        assert view["environment"]["HARMLESS"] == "kept"
        assert not {"SUITE_OF_MINE", "PWD", "OLDPWD"} & set(view["environment"])
        places = json.dumps([view["environment"], view["arguments"], view["path"], view["folder"]])
        assert str(suite.directory) not in places
        assert str(tmp_path) not in places
        assert {Path(name).name for name in view["frames"]} <= {"agents.py", "world_client.py", "<frozen runpy>"}
        assert view["folder"][1] == []
        assert view["group"]
        assert view["attributes"] == ["_connection", "budget", "done", "question", "tools"]
        assert not Path(view["folder"][0]).exists()


def test_memory_of_an_agent_process_holds_no_secret(suite, tmp_path):
    (adapter,) = (adapter for adapter in ADAPTERS if adapter.name == "python")
    worlds = [entry.id for entry in suite.manifest.worlds if entry.family in ("transit_routing", "station_siting")]
    worlds = [world for world in worlds if world.endswith("direct")]
    with adapter.connect(suite, worlds, tmp_path / "run") as group:
        for world in worlds:
            agent = group.agents[world]
            pages = agent.send_command("memory")
            assert any(agent.question.splitlines()[0].encode() in page for page in pages), "it does hold its question"
            for secret in secrets(suite, world, tmp_path / "run"):
                assert not any(secret.encode() in page for page in pages), secret


def test_runner_forbids_reading_its_memory():
    """Checked by the flag, because the tests may run as root."""
    code = (
        "import ctypes\n"
        "from algoworlds.runs.external.process import forbid_memory_reads\n"
        "dumpable = lambda: ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)\n"
        "print(dumpable(), forbid_memory_reads(), dumpable())"
    )
    assert python(code) == "1 None 0\n"


# -- the command line -------------------------------------------------------------------------------------------------------


def run_command(suite, out, agent, *options, start=run, **environment):
    arguments = ("run", suite.directory, "--agent", agent, "--out", out, "--trials", 1, *options)
    return start(*arguments, **environment)


@pytest.mark.parametrize("name", ["plain", "graph"])
@pytest.mark.parametrize(("worlds", "count"), [("*-direct", 10), pytest.param("*", 20, marks=pytest.mark.full)])
def test_example_plays_every_family_by_one_command(suite, tmp_path, name, worlds, count):
    options = ("--worlds", worlds, "--concurrency", 2, "--json")
    result = run_command(suite, tmp_path / "run", EXAMPLES / f"{name}.py:play", *options, start=run_here)
    assert result.returncode == 0, result.stderr
    status = json.loads(result.stdout)
    assert (status["finished"], status["kind"], status["configuration"]) == (count, "external", f"{name}.py:play")
    assert status["stop_reasons"] == {"submitted": count}
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_openai_sdk_example_plays(suite, tmp_path):
    with Server(optimal_model(suite)) as server:
        environment = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": KEY, "AGENT_MODEL": "loopback"}
        options = ("--worlds", WORLDS, "--label", "Mine", "--concurrency", 2)
        result = run_command(suite, tmp_path / "run", EXAMPLES / "sdk.py:play", *options, start=run_here, **environment)
    assert result.returncode == 0, result.stderr + "".join(outputs(tmp_path / "run"))
    documents = list(RunDirectory(tmp_path / "run").read_records())
    assert [(document["configuration"], document["exact"]) for document in documents] == [("Mine", 1)] * 2


def test_module_is_found_in_the_working_directory(suite, tmp_path):
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "agent.py").write_text("from mine.helper import submits as play\n")
    (package / "helper.py").write_text("def submits(world):\n    world.call('fly', {})\n")
    arguments = ["run", suite.directory, "--agent", "mine.agent:play", "--out", tmp_path / "run", "--worlds", WORLDS]
    assert run_here(*arguments, cwd=tmp_path).returncode == 0
    plan = RunDirectory(tmp_path / "run").document["plan"]
    assert (plan["label"], plan["kind"], plan["settings"]["door"]) == ("mine.agent:play", "external", "python")
    (package / "agent.py").write_text("from mine.helper import submits as play  # better\n")
    changed = run_here(*arguments, cwd=tmp_path)
    assert changed.returncode == 2
    assert "settings.source" in changed.stderr


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("nowhere.py:play", "there is no file nowhere.py"),
        (f"{AGENTS}:no_such_function", "has no attribute 'no_such_function'"),
        (f"{AGENTS}:number", "is not a function"),
        (f"{AGENTS}:yields", "it yields"),
        (f"{AGENTS}:yields_asynchronously", "it yields"),
        ("no_such_package.module:play", "No module named 'no_such_package'"),
        (f"{AGENTS}:", "cannot be loaded"),
        (":play", "cannot be loaded"),
    ],
)
def test_unusable_agent_is_a_one_line_error(suite, tmp_path, agent, message):
    result = run_command(suite, tmp_path / "run", agent, start=run_here)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1), result.stderr
    assert message in result.stderr
    assert not (tmp_path / "run").exists()


def test_agent_that_loads_too_slowly_is_a_one_line_error(suite, tmp_path):
    agent = tmp_path / "slow.py"
    agent.write_text("import threading\nthreading.Event().wait()\ndef play(world): ...\n")
    result = run_command(suite, tmp_path / "run", f"{agent}:play", "--time-limit", 0.5)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1), result.stderr
    assert "takes longer than 0.5 seconds" in result.stderr


def test_status_repeats_the_error_of_an_agent(suite, tmp_path):
    result = run_command(suite, tmp_path / "run", f"{AGENTS}:fails", "--worlds", WORLDS, start=run_here)
    assert result.returncode == 0, result.stderr
    assert "the last agent_error: ValueError: a slip of the agent's; what was printed is under output/\n" in result.stdout
    status = json.loads(run_here("status", tmp_path / "run", "--json").stdout)
    assert status["reasons"] == {"agent_error": "ValueError: a slip of the agent's"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--agent", "oracle", "--time-limit", "3"), "are for an agent of your own"),
        (("--agent", "oracle", "--label", "x"), "are for an agent of your own"),
        (("--agent", "oracle", "--keep-going"), "are for an agent of your own"),
        (("--agent", "a.py:play", "--max-cost", "1"), "--max-cost is for models"),
        (("--agent", "a.py:play", "--time-limit", "0"), "a number of seconds above 0"),
        (("--agent", "a.py:play", "--time-limit", "nan"), "a number of seconds above 0"),
    ],
)
def test_unfitting_options_are_a_one_line_error(suite, tmp_path, options, message):
    result = run_here("run", suite.directory, "--out", tmp_path / "run", *options)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1), result.stderr
    assert message in result.stderr


KILLS = [3, pytest.param(30, marks=pytest.mark.full)]


@pytest.mark.parametrize("kills", KILLS)
def test_b1_killed_runner_resumes_and_leaves_no_process(suite, tmp_path, kills):
    """No agent outlives the runner, and the records are those of an undisturbed run."""
    marks = tmp_path / "marks"
    marks.mkdir()
    options = ("--suite", suite.directory, "--agent", f"{AGENTS}:plays", "--worlds", "*-direct")
    arguments = ["run", *options, "--trials", 1, "--concurrency", 2, "--out"]
    assert run_here(*arguments, tmp_path / "undisturbed", MARKS=str(marks)).returncode == 0
    out, died = tmp_path / "run", 0
    for kill in range(1, kills + 1):
        process = start_process(COMMAND, *arguments, out, env=os.environ | {"MARKS": str(marks)})
        died += kill_when(process, lambda kill=kill: count_lines(out) >= 5 * kill)
        until(lambda: not any(is_alive(path.name.removeprefix("pid-")) for path in marks.iterdir()))
    assert died >= min(kills, 3)
    assert run_here(*arguments, out, MARKS=str(marks)).returncode == 0
    assert record_bytes(out) == record_bytes(tmp_path / "undisturbed")
    assert verify_run(RunDirectory(out), suite, None, silent) == []


def kill_when(process, condition):
    """Kill a process once `condition()` holds; whether it was still running."""
    until(lambda: condition() or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    return process.returncode == -signal.SIGKILL


def count_lines(out):
    return sum(len(path.read_bytes().splitlines()) for path in (out / "journal").glob("*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_b3_one_signal_lets_agents_finish_and_starts_no_other(suite, tmp_path, number):
    """Agents make a call and wait for a file that is created after the signal."""
    agent = tmp_path / "waiting.py"
    agent.write_text(
        "import os, pathlib, time\n"
        "def play(world):\n"
        "    world.call('no_such_tool')\n"
        "    marks = pathlib.Path(os.environ['MARKS'])\n"
        "    (marks / f'began-{os.getpid()}').touch()\n"
        "    while not (marks / 'go').exists():\n"
        "        time.sleep(0.01)\n"
    )
    marks = tmp_path / "marks"
    marks.mkdir()
    options = ("--suite", suite.directory, "--agent", f"{agent}:play", "--out", tmp_path / "run", "--concurrency", 2)
    process = start_process(COMMAND, "run", *options, env=os.environ | {"MARKS": str(marks)})
    until(lambda: len(list(marks.iterdir())) == 2, process)
    process.send_signal(number)
    until(lambda: not waiting_signals(process), process)
    (marks / "go").touch()
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert "run the same command again" in errors
    assert 2 <= len(record_bytes(tmp_path / "run")) <= 4


def test_agent_is_named_by_its_file_and_digest(tmp_path):
    agent = PythonAgent.from_name(f"{AGENTS}:submits", PATIENCE)
    assert (agent.name, agent.folder, len(agent.source)) == ("agents.py:submits", AGENTS.parent, 64)
    with pytest.raises(InputError, match="there is no file"):
        PythonAgent.from_name(f"{tmp_path}/agents.py:submits", PATIENCE)
