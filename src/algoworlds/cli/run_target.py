"""What `algoworlds run` evaluates: a scripted agent, a Python function, a program or a model, each as one `RunTarget`."""

import os
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from typing import Any

from algoworlds.cli.options import require_mcp
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, format_value
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.scripted import REPLAY_PREFIX
from algoworlds.runs.worker_pool import Totals
from algoworlds.suites.open import Suite
from algoworlds.suites.record import PlayerKind

OnProgress = Callable[[Totals], Any]
DEFAULT_TIME_LIMIT = 3600.0


@dataclass(frozen=True)
class RunTarget:
    """A configuration to evaluate: its label, the settings that determine it, and how it plays pending evaluations."""

    label: str
    kind: PlayerKind
    settings: JsonObject
    play: Callable[[RunDirectory, Suite, Totals, OnProgress], None]
    require_ready: Callable[[Collection[str]], object] = lambda families: None
    """Raises InputError, before anything is written, if something is missing to play worlds of these families."""
    first_request: Callable[[Suite, str], Any] = lambda suite, world: None
    """The first request for a world id, if the target is a model."""


@dataclass(frozen=True)
class RunOptions:
    """The options of `algoworlds run` that say what is evaluated, and how."""

    agent: str | None = None
    model: str | None = None
    command: str | None = None
    concurrency: int = 1
    max_cost: float | None = None
    label: str | None = None
    time_limit: float | None = None
    keep_going: bool = False
    effort: str = ""
    """The reasoning effort of a model, in place of the one that its configuration has."""

    @property
    def is_external(self) -> bool:
        """Whether the user's own function or program plays."""
        return self.command is not None or (
            self.agent is not None and ":" in self.agent and not self.agent.startswith(REPLAY_PREFIX)
        )

    @property
    def checked_time_limit(self) -> float:
        """The time limit of an evaluation in seconds."""
        seconds = DEFAULT_TIME_LIMIT if self.time_limit is None else self.time_limit
        if not 0 < seconds < 10**9:
            raise InputError(f"--time-limit must be a number of seconds above 0, not {seconds:g}")
        return seconds


def choose_track(agent: str | None, track: str) -> str:
    """The track of a run: `track` if it is given, else that of a replayed run, else bare.

    InputError if a scripted agent needs another one.
    """
    from algoworlds.runs.agents.programming import TRACK_OF_AGENT
    from algoworlds.runs.scripted import replayed_track

    if agent is not None and agent.startswith(REPLAY_PREFIX):
        needed = replayed_track(agent)
        if track not in ("", needed):
            raise InputError(f"{format_value(agent)} is on the track {needed}: leave out --track")
        return needed
    needed_track = TRACK_OF_AGENT.get(agent or "")
    if needed_track is not None and track != needed_track:
        raise InputError(f"{format_value(agent)} plays on the track {needed_track}: add --track {needed_track}")
    return track or "bare"


def target_from_options(options: RunOptions) -> RunTarget:
    """The target that `options` name; raise InputError for options that do not fit together."""
    if [options.agent, options.model, options.command].count(None) != 2:
        raise InputError("give one of --agent NAME, --model FILE and --command PROGRAM")
    if options.max_cost is not None and options.model is None:
        raise InputError("--max-cost is for models: the cost of agents is unknown")
    if options.effort and options.model is None:
        raise InputError("--effort is for models: name one with --model")
    if not options.is_external and (options.label is not None or options.time_limit is not None or options.keep_going):
        raise InputError("--label, --time-limit and --keep-going are for an agent of your own, like agents/plain.py:play")
    if options.model is not None:
        return model_target(options.model, options.concurrency, options.max_cost, options.effort)
    if options.command is not None:
        return command_target(options.command, options)
    assert options.agent is not None
    if options.is_external:
        return function_target(options.agent, options)
    return scripted_target(options.agent, options.concurrency)


def scripted_target(name: str, concurrency: int) -> RunTarget:
    """A scripted agent of this package."""
    from algoworlds.batch import open_executor
    from algoworlds.families import load_family
    from algoworlds.runs.agents import unplayable
    from algoworlds.runs.scripted import agent_label, agent_settings, find_agent, run_scripted_agent

    find_agent(name)

    def play(directory: RunDirectory, suite: Suite, totals: Totals, on_progress: OnProgress) -> None:
        def on_record(document: JsonObject) -> None:
            totals.count_record(document)
            on_progress(totals)

        try:
            with open_executor(min(concurrency, os.cpu_count() or 1), None) as workers:
                run_scripted_agent(directory, suite, name, workers, on_record)
        except KeyboardInterrupt:
            totals.halted, totals.interrupted = "interrupted", True

    def require_playable(families: Collection[str]) -> None:
        for family in families:
            if problem := unplayable(name, load_family(family)):
                raise InputError(problem)

    return RunTarget(agent_label(name), PlayerKind.AGENT, agent_settings(name), play, require_playable)


def function_target(name: str, options: RunOptions) -> RunTarget:
    """The user's own Python function."""
    from algoworlds.batch import require_posix
    from algoworlds.runs.external.process import forbid_memory_reads
    from algoworlds.runs.external.python_agent import PythonAgent, PythonAgentRun
    from algoworlds.runs.external.run import ExternalRun

    require_posix("agents in processes of their own")
    time_limit = options.checked_time_limit
    agent = PythonAgent.from_name(name, time_limit)

    def play(directory: RunDirectory, suite: Suite, totals: Totals, on_progress: OnProgress) -> None:
        forbid_memory_reads()
        run = ExternalRun(directory, suite, totals, options.concurrency, on_progress, options.keep_going)
        PythonAgentRun(run, agent, time_limit).play()

    return RunTarget(options.label or agent.name, PlayerKind.EXTERNAL, agent.settings(time_limit), play)


def command_target(command: str, options: RunOptions) -> RunTarget:
    """The user's own program, which plays through MCP."""
    from algoworlds.batch import require_posix

    require_posix("agents in processes of their own")
    require_mcp()
    from algoworlds.adapters.mcp.command_run import CommandRun, Program
    from algoworlds.runs.external.process import forbid_memory_reads
    from algoworlds.runs.external.run import ExternalRun

    program = Program(command, options.checked_time_limit)
    program.check()

    def play(directory: RunDirectory, suite: Suite, totals: Totals, on_progress: OnProgress) -> None:
        forbid_memory_reads()
        CommandRun(ExternalRun(directory, suite, totals, options.concurrency, on_progress, options.keep_going), program).play()

    return RunTarget(options.label or program.name, PlayerKind.EXTERNAL, program.settings, play)


def model_target(file: str, concurrency: int, max_cost: float | None, effort: str = "") -> RunTarget:
    """A language model behind an API, called turn by turn; at reasoning `effort`, if it is given."""
    from algoworlds.runs.model_run import ModelRun, first_request
    from algoworlds.runs.providers.configuration_file import load_configuration
    from algoworlds.runs.providers.effort import with_effort
    from algoworlds.runs.providers.secrets import read_key

    configuration = load_configuration(file)
    if effort:
        configuration = with_effort(configuration, effort)
    if max_cost is not None and not max_cost > 0:
        raise InputError(f"--max-cost must be an amount of USD above 0, not {max_cost:g}")
    if max_cost is not None and not configuration.has_prices:
        raise InputError("--max-cost needs the prices of input and output tokens in the model's configuration")

    def play(directory: RunDirectory, suite: Suite, totals: Totals, on_progress: OnProgress) -> None:
        ModelRun(directory, suite, configuration, os.environ, totals, concurrency, max_cost, on_progress).run()

    return RunTarget(
        configuration.label,
        PlayerKind.MODEL,
        asdict(configuration),
        play,
        lambda families: read_key(configuration.key_env, configuration.label, os.environ),
        lambda suite, world: first_request(configuration, suite, world),
    )
