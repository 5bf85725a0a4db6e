"""Who is evaluated by `algoworlds run`: one value for each, with how its evaluations are made."""

import os
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from typing import Any

from algoworlds.cli.flags import require_mcp
from algoworlds.errors import InputError
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.scripted import REPLAY
from algoworlds.runs.totals import Totals
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import Kind

Watch = Callable[[Totals], Any]
TIME_LIMIT = 3600.0


@dataclass(frozen=True)
class Contestant:
    """A configuration to be evaluated: what it is called and what determines it, and how the pending evaluations are made."""

    label: str
    kind: Kind
    settings: dict[str, Any]
    play: Callable[[RunDirectory, Opened, Totals, Watch], None]
    check: Callable[[Collection[str]], object] = lambda families: None
    """Says what is missing to play the worlds of some families, before anything is written."""
    first: Callable[[Opened, str], Any] = lambda suite, world: None
    """The first request for a world, where there is one."""


@dataclass(frozen=True)
class Given:
    """What the options of `algoworlds run` say on who is evaluated, and how."""

    agent: str | None = None
    model: str | None = None
    command: str | None = None
    concurrency: int = 1
    max_cost: float | None = None
    label: str | None = None
    time_limit: float | None = None

    @property
    def own(self) -> bool:
        """Whether somebody's own agent or program is to play."""
        return self.command is not None or (self.agent is not None and ":" in self.agent and not self.agent.startswith(REPLAY))

    @property
    def seconds(self) -> float:
        """The time limit of an evaluation."""
        seconds = TIME_LIMIT if self.time_limit is None else self.time_limit
        if not 0 < seconds < 10**9:
            raise InputError(f"--time-limit is a number of seconds above 0, not {seconds:g}")
        return seconds


def chosen(given: Given) -> Contestant:
    """The contestant that the options name; InputError for options that do not fit together."""
    if [given.agent, given.model, given.command].count(None) != 2:
        raise InputError("give one of --agent NAME, --model FILE and --command PROGRAM")
    if given.max_cost is not None and given.model is None:
        raise InputError("--max-cost is for models: what agents cost is not known here")
    if not given.own and (given.label is not None or given.time_limit is not None):
        raise InputError("--label and --time-limit are for an agent of your own, like agents/plain.py:play")
    if given.model is not None:
        return modelled(given.model, given.concurrency, given.max_cost)
    if given.command is not None:
        return commanded(given.command, given.concurrency, given.label, given.seconds)
    assert given.agent is not None
    if given.own:
        return owned(given.agent, given.concurrency, given.label, given.seconds)
    return scripted(given.agent, given.concurrency)


def scripted(name: str, concurrency: int) -> Contestant:
    """A scripted agent of ours."""
    from algoworlds.batch import engine
    from algoworlds.families import family
    from algoworlds.runs.agents import unplayable
    from algoworlds.runs.scripted import agent_named, label_of, run_agent, settings_of

    agent_named(name)

    def play(directory: RunDirectory, suite: Opened, totals: Totals, watch: Watch) -> None:
        def note(document: dict[str, Any]) -> None:
            totals.finish(document)
            watch(totals)

        try:
            with engine(min(concurrency, os.cpu_count() or 1), None) as workers:
                run_agent(directory, suite, name, workers, note)
        except KeyboardInterrupt:
            totals.halted, totals.interrupted = "interrupted", True

    def check(families: Collection[str]) -> None:
        for problem in (unplayable(name, family(each)) for each in families):
            if problem:
                raise InputError(problem)

    return Contestant(label_of(name), Kind.AGENT, settings_of(name), play, check)


def owned(name: str, concurrency: int, label: str | None, time_limit: float) -> Contestant:
    """A function of somebody's own."""
    from algoworlds.runs.external.own import AgentRun, OwnAgent
    from algoworlds.runs.external.process import unreadable

    agent = OwnAgent.named(name, time_limit)

    def play(directory: RunDirectory, suite: Opened, totals: Totals, watch: Watch) -> None:
        unreadable()
        AgentRun(directory, suite, agent, totals, time_limit, concurrency, watch).run()

    return Contestant(label or agent.name, Kind.EXTERNAL, agent.settings(time_limit), play)


def commanded(command: str, concurrency: int, label: str | None, time_limit: float) -> Contestant:
    """A program of somebody's own, which plays through MCP."""
    require_mcp()
    from algoworlds.adapters.mcp.program import CommandRun, Program
    from algoworlds.runs.external.process import unreadable

    program = Program(command, time_limit)
    program.check()

    def play(directory: RunDirectory, suite: Opened, totals: Totals, watch: Watch) -> None:
        unreadable()
        CommandRun(directory, suite, program, totals, concurrency, watch).run()

    return Contestant(label or program.name, Kind.EXTERNAL, program.settings, play)


def modelled(file: str, concurrency: int, max_cost: float | None) -> Contestant:
    """A language model that is asked turn by turn."""
    from algoworlds.runs.model import ModelRun, first_request
    from algoworlds.runs.providers.loading import load
    from algoworlds.runs.providers.secrets import key_of

    configuration = load(file)
    if max_cost is not None and not max_cost > 0:
        raise InputError(f"--max-cost is an amount of USD above 0, not {max_cost:g}")
    if max_cost is not None and not configuration.priced:
        raise InputError("--max-cost needs the prices of input and output tokens in the model's configuration")

    def play(directory: RunDirectory, suite: Opened, totals: Totals, watch: Watch) -> None:
        ModelRun(directory, suite, configuration, os.environ, totals, concurrency, max_cost, watch).run()

    return Contestant(
        configuration.label,
        Kind.MODEL,
        asdict(configuration),
        play,
        lambda families: key_of(configuration.key_env, configuration.label, os.environ),
        lambda suite, world: first_request(configuration, suite, world),
    )
