"""The command line, one module per command; `algoworlds COMMAND --help` shows an example of each."""

import gc
import signal
import sys
from collections.abc import Callable
from errno import ELOOP
from itertools import groupby
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from algoworlds.cli import (
    attack,
    board,
    build,
    commit,
    demo,
    describe,
    export,
    families,
    family,
    generate,
    import_,
    judge,
    measure,
    pack,
    panel,
    play,
    probe,
    records,
    report,
    rescore,
    reveal,
    run,
    serve,
    show,
    solve,
    stats,
    status,
    stream,
    thresholds,
    tickets,
    unpack,
    validate,
    verify,
    verify_run,
    world,
    worlds,
)
from algoworlds.cli.interruption import Interrupted, OutputAbandoned, interruption_message, retry_dropped_interrupts
from algoworlds.cli.output import discard_output, is_stdout_abandoned, print_stderr, repair_standard_streams
from algoworlds.errors import AlgoWorldsError, InputError, format_value, is_interrupt


class Command(TyperCommand):
    """A command; one whose argument is a suite accepts it as `--suite SUITE` too, as commands on other things take it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the command's name."""
        takes_suite = any(param.name == "suite" and param.param_type_name == "argument" for param in self.params)
        return super().parse_args(ctx, _move_suite_first(args) if takes_suite else args)


def _move_suite_first(args: list[str]) -> list[str]:
    """Replace `--suite SUITE` in `args` by the argument SUITE."""
    for index, word in enumerate(args):
        if word == "--suite" and index + 1 < len(args):
            return [args[index + 1], *args[:index], *args[index + 2 :]]
        if word.startswith("--suite="):
            return [word.removeprefix("--suite="), *args[:index], *args[index + 1 :]]
    return args


class CommandGroup(TyperGroup):
    """A group whose help prints the whole first paragraph of every command, wrapped instead of cut, in sections."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the group's name; without any, print the help."""
        return super().parse_args(ctx, args if args or ctx.resilient_parsing else ["--help"])

    def invoke(self, ctx: Any) -> Any:
        """Run a command; turn Ctrl-C into `Interrupted`, because Typer would make it exit code 130 without a message."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None
        except BrokenPipeError:  # Typer would make it exit code 1
            if not is_stdout_abandoned():
                raise OSError("a pipe to another process broke") from None
            raise OutputAbandoned from None

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands, in the order of the help."""
        sections = list(SECTIONS)
        return sorted(self.commands, key=lambda name: sections.index(_section_of(self.commands[name])))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write every command with the first paragraph of its help, below the heading of its section."""
        for section, names in groupby(self.list_commands(ctx), lambda name: _section_of(self.commands[name])):
            with formatter.section(section):
                formatter.write_dl([(name, _first_paragraph(self.commands[name].help or "")) for name in names])


class BoardGroup(CommandGroup):
    """The group `board`, whose first command may be left out: `board ARCHIVE...` is `board write ARCHIVE...`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the group's name."""
        names_command = not args or args[0] in (*self.commands, *ctx.help_option_names)
        return super().parse_args(ctx, args if names_command else ["write", *args])


def _section_of(command: Any) -> str:
    return command.rich_help_panel or COMMANDS_SECTION


def _first_paragraph(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())


app = typer.Typer(
    cls=CommandGroup,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Certified combinatorial worlds for agents that gather information through tools.",
    epilog="Start with: algoworlds demo",
)


def _add_group(section: str, name: str, purpose: str, kind: type[CommandGroup] = CommandGroup) -> typer.Typer:
    group = typer.Typer(cls=kind, rich_markup_mode=None, help=purpose)
    app.add_typer(group, name=name, rich_help_panel=section)
    return group


def _add(group: typer.Typer, section: str, command: Callable[..., None], example: str) -> None:
    group.command(cls=Command, epilog=f"Example: algoworlds {example}", rich_help_panel=section)(command)


COMMANDS_SECTION = "Commands"
"""The heading of a group of few commands."""
SECTIONS: dict[str, tuple[tuple[Callable[..., None], str], ...]] = {
    COMMANDS_SECTION: (),
    "Look around": (
        (demo.demo, "demo"),
        (play.play, "play fleet_dispatch-0-1"),
        (families.families, "families --json"),
        (describe.describe, "describe metrics --format markdown"),
        (generate.generate, "generate fleet_dispatch --level 1 --index 1 > instance.json"),
        (solve.solve, "solve instance.json --verify"),
    ),
    "Suites": (
        (build.build, "build --out suite --jobs 2"),
        (worlds.worlds, "worlds suite --levels 1"),
        (verify.verify, "verify suite"),
        (validate.validate, "validate suite --jobs 2"),
        (stats.stats, "stats suite --format markdown"),
        (commit.commit, "commit suite"),
        (reveal.reveal, "reveal suite HASH --jobs 2"),
        (attack.attack, "attack --instances 30 --jobs 2 --out hardness"),
    ),
    "Evaluate": (
        (probe.probe, "probe --model gpt-5.6-sol --suite suite"),
        (run.run, "run suite --agent examples/agents/plain.py:play --out runs/plain"),
        (serve.serve, "serve suite --out runs/claude --worlds '*-1-*' --label 'Claude Code'"),
        (tickets.tickets, "tickets runs/claude"),
        (measure.measure, "measure --agent local_search --evaluations 60 --out measured/local"),
        (status.status, "status runs/oracle --json"),
    ),
    "Results": (
        (judge.judge, "judge runs/oracle runs/greedy --jobs 2"),
        (panel.panel, "panel runs/mine --out report --jobs 2"),
        (report.report, "report runs/oracle runs/greedy --out report"),
        (thresholds.thresholds, "thresholds measured/local --out thresholds"),
        (show.show, "show runs/oracle fleet_dispatch-1-1-direct"),
        (records.records, "records runs/oracle > oracle.jsonl"),
    ),
    "Check and exchange runs": (
        (verify_run.verify_run, "verify-run runs/oracle --jobs 2"),
        (rescore.rescore, "rescore runs/oracle"),
        (pack.pack, "pack runs/oracle --out oracle.tar"),
        (unpack.unpack, "unpack oracle.tar --verify --suite suite"),
    ),
    "Training and new families": ((stream.stream, "stream --count 10000 --out worlds.jsonl --jobs 2"),),
}
"""The commands by section of the help, each with an example."""

for _section, _commands in SECTIONS.items():
    for _command, _example in _commands:
        _add(app, _section, _command, _example)
world_app = _add_group("Look around", "world", "Look at worlds.")
_add(world_app, COMMANDS_SECTION, world.show, "world show fleet_dispatch-1-1 --interface mediated")
export_app = _add_group("Check and exchange runs", "export", "Write suites and runs in the formats of other tools.")
_add(export_app, COMMANDS_SECTION, export.hf, "export hf suite --out dataset")
_add(export_app, COMMANDS_SECTION, export.atif, "export atif runs/oracle --out trajectories")
_add(export_app, COMMANDS_SECTION, export.eee, "export eee runs/oracle --out results")
_add(export_app, COMMANDS_SECTION, export.harbor, "export harbor suite --worlds 'fleet_*' --out tasks")
_add(export_app, COMMANDS_SECTION, export.release, "export release runs/oracle --out submissions.json")
_add(export_app, COMMANDS_SECTION, export.otel, "export otel runs/oracle --out traces.jsonl")
board_app = _add_group(
    "Check and exchange runs",
    "board",
    "Write a public board as a static site, from archives that are replayed first.",
    BoardGroup,
)
_add(board_app, COMMANDS_SECTION, board.write, "board write submissions --suite suite --out site")
_add(board_app, COMMANDS_SECTION, board.check, "board check submissions/mine --suite suite --against submissions")
import_app = _add_group(
    "Check and exchange runs", "import", "Turn the results of other harnesses into runs, and the authors' release into a suite."
)
_add(import_app, COMMANDS_SECTION, import_.atif, "import atif trajectories --suite suite --out runs/theirs")
_add(import_app, COMMANDS_SECTION, import_.inspect, "import inspect logs/LOG.eval --suite suite --out runs/theirs")
_add(import_app, COMMANDS_SECTION, import_.release, "import release algoworlds-release --out suite")
family_app = _add_group(
    "Training and new families", "family", "Write a family of your own, and check it against every contract."
)
_add(family_app, COMMANDS_SECTION, family.new, "family new parcel_sorting --out parcel-sorting")
_add(family_app, COMMANDS_SECTION, family.check, "family check fleet_dispatch --levels 0,1")


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("algoworlds"))
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


_LINK_CYCLE = "{} is a cycle of symbolic links: choose another path"


def main() -> None:
    """Run a command; every expected error is one line on stderr, with exit code 2 for bad input."""
    endings = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has no SIGHUP
    for number in endings:  # they end a command as Ctrl-C does, worker processes included
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    gc.set_threshold(10_000, 10, 10)  # there are few cycles; the default threshold costs an eighth of the start time
    repair_standard_streams()
    try:
        with retry_dropped_interrupts():
            code = app(prog_name="algoworlds", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as problem:
        _fail(problem.format_message(), problem.exit_code)
    except AlgoWorldsError as problem:
        _fail(str(problem), 2 if isinstance(problem, InputError) else 1)
    except (Interrupted, KeyboardInterrupt, typer.Abort):
        _fail_interrupted()
    except (OutputAbandoned, BrokenPipeError):  # the reader of our output has closed it, as `head` does
        discard_output()
        sys.exit(0)
    except OSError as problem:
        if problem.errno == ELOOP:
            _fail(_LINK_CYCLE.format(format_value(problem.filename)), 2)
        reason = problem.strerror or "reading or writing failed"
        _fail(f"{reason}: {format_value(problem.filename)}" if problem.filename else reason, 1)
    except MemoryError:
        _fail("there is not enough memory: process less at a time", 2)
    except Exception as problem:
        if isinstance(problem, RuntimeError) and str(problem).startswith("Symlink loop"):  # from Path.resolve
            _fail(_LINK_CYCLE.format(format_value(str(problem).partition("'")[2].removesuffix("'"))), 2)
        if not is_interrupt(problem):
            raise
        _fail_interrupted()
    sys.exit(code if isinstance(code, int) else 0)


def _fail_interrupted() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cut the message off
    _fail(interruption_message(sys.argv[1:]), 130)


def _fail(message: str, code: int) -> None:
    try:
        if message.strip():
            print_stderr(f"algoworlds: {message}")
        sys.stdout.flush()
    except OSError:  # both streams are closed
        discard_output()
    sys.exit(code)
