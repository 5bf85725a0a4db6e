"""The command line: `algoworlds COMMAND --help` explains each command with an example."""

import gc
import signal
import sys
from typing import Annotated

import typer

from algoworlds.cli import (
    attack,
    commit,
    demo,
    describe,
    doctor,
    evaluate,
    exporting,
    families,
    generate,
    judge,
    pack,
    play,
    registering,
    release,
    report,
    serve,
    show,
    solve,
    transcript,
    workshop,
)
from algoworlds.cli.interruption import Interrupted, farewell, second_thoughts
from algoworlds.cli.menu import Menu
from algoworlds.cli.streams import complain, leave_streams, settle_streams
from algoworlds.errors import AlgoWorldsError, InputError, interrupted, shown

app = typer.Typer(
    cls=Menu,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Certified combinatorial worlds for agents that gather information through tools.",
    epilog="Start with: algoworlds demo",
)
worlds = typer.Typer(cls=Menu, rich_markup_mode=None, help="Look at worlds.")
app.add_typer(worlds, name="world")
out = typer.Typer(cls=Menu, rich_markup_mode=None, help="Write suites and runs in the formats of others.")
app.add_typer(out, name="export")
out.command(epilog="Example: algoworlds export hf suite --out dataset")(exporting.hf)
out.command(epilog="Example: algoworlds export atif runs/oracle --out trajectories")(exporting.atif)
out.command(epilog="Example: algoworlds export otel runs/oracle --out traces.jsonl")(exporting.otel)
back = typer.Typer(cls=Menu, rich_markup_mode=None, help="Make runs of what other harnesses kept.")
app.add_typer(back, name="import")
back.command("atif", epilog="Example: algoworlds import atif trajectories --suite suite --out runs/theirs")(
    exporting.import_atif
)
back.command("inspect", epilog="Example: algoworlds import inspect logs/LOG.eval --suite suite --out runs/theirs")(
    exporting.import_inspect
)
own = typer.Typer(cls=Menu, rich_markup_mode=None, help="Make a family of your own, and hold one to its contracts.")
app.add_typer(own, name="family")
own.command(epilog="Example: algoworlds family new parcel_sorting --out parcel-sorting")(workshop.new)
own.command(epilog="Example: algoworlds family check fleet_dispatch --levels 0,1")(workshop.check)
app.command(epilog="Example: algoworlds demo")(demo.demo)
app.command(epilog="Example: algoworlds families --json")(families.families)
app.command(epilog="Example: algoworlds describe metrics --format markdown")(describe.describe)
app.command(epilog="Example: algoworlds generate fleet_dispatch --level 1 --index 1 > instance.json")(generate.generate)
app.command(epilog="Example: algoworlds solve instance.json --verify")(solve.solve)
app.command(epilog="Example: algoworlds stream --count 10000 --out worlds.jsonl --jobs 2")(registering.stream)
app.command(epilog="Example: algoworlds play fleet_dispatch-0-1")(play.play)
app.command(epilog="Example: algoworlds build --out suite --jobs 2")(release.build)
app.command(epilog="Example: algoworlds validate suite --jobs 2")(release.validate)
app.command(epilog="Example: algoworlds verify suite")(release.verify)
app.command(epilog="Example: algoworlds commit suite")(commit.commit)
app.command(epilog="Example: algoworlds reveal suite HASH --jobs 2")(commit.reveal)
app.command(epilog="Example: algoworlds attack --instances 30 --jobs 2 --out hardness")(attack.attack)
app.command(epilog="Example: algoworlds stats suite --format markdown")(release.stats)
app.command(epilog="Example: algoworlds run --suite suite --agent examples/agents/plain.py:play --out runs/plain")(evaluate.run)
app.command(epilog="Example: algoworlds serve suite --out runs/claude --worlds '*-1-*' --label 'Claude Code'")(serve.serve)
app.command(epilog="Example: algoworlds tickets runs/claude")(serve.tickets)
app.command(epilog="Example: algoworlds probe --model gpt-5.6-sol --suite suite")(doctor.probe)
app.command(epilog="Example: algoworlds status runs/oracle --json")(evaluate.status)
app.command(epilog="Example: algoworlds records runs/oracle > oracle.jsonl")(evaluate.records)
app.command("verify-run", epilog="Example: algoworlds verify-run runs/oracle --jobs 2")(evaluate.verify_run)
app.command(epilog="Example: algoworlds rescore runs/oracle")(evaluate.rescore)
app.command(epilog="Example: algoworlds judge runs/oracle runs/greedy --jobs 2")(judge.judge)
app.command(epilog="Example: algoworlds pack runs/oracle --out oracle.tar")(pack.pack)
app.command(epilog="Example: algoworlds unpack oracle.tar --verify --suite suite")(pack.unpack)
app.command(epilog="Example: algoworlds report runs/oracle runs/greedy --out report")(report.report)
app.command(epilog="Example: algoworlds show runs/oracle fleet_dispatch-1-1-direct")(transcript.show)
worlds.command(epilog="Example: algoworlds world show fleet_dispatch-1-1 --interface mediated")(show.show)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("algoworlds"))
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run a command; every foreseen error is one line on stderr, with exit code 2 for bad input."""
    for number in (signal.SIGTERM, signal.SIGHUP):  # they end a command as Ctrl-C does, worker processes included
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    gc.set_threshold(10_000, 10, 10)  # there are few cycles: to look for them as often as by default takes an eighth of a start
    settle_streams()
    try:
        with second_thoughts():
            code = app(prog_name="algoworlds", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as problem:
        _fail(problem.format_message(), problem.exit_code)
    except AlgoWorldsError as problem:
        _fail(str(problem), 2 if isinstance(problem, InputError) else 1)
    except (Interrupted, KeyboardInterrupt, typer.Abort):
        _interrupted()
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        leave_streams()
        sys.exit(0)
    except OSError as problem:
        what = problem.strerror or "reading or writing failed"
        _fail(f"{what}: {shown(problem.filename)}" if problem.filename else what, 1)
    except MemoryError:
        _fail("there is not enough memory for this: take less at a time", 2)
    except Exception as problem:
        if not interrupted(problem):
            raise
        _interrupted()
    sys.exit(code if isinstance(code, int) else 0)


def _interrupted() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left to be interrupted but the last words
    _fail(farewell(sys.argv[1:]), 130)


def _fail(message: str, code: int) -> None:
    try:
        if message.strip():
            complain(f"algoworlds: {message}")
        sys.stdout.flush()
    except OSError:  # nobody is listening
        leave_streams()
    sys.exit(code)
