"""`algoworlds play`: play worlds yourself, in the terminal or in a browser."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.completion import complete_world
from algoworlds.cli.options import InterfaceOption, JsonOption, SeedOption, admit_world, find_entry, require_outside
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.core.canonical import JsonObject
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError

if TYPE_CHECKING:
    from algoworlds.game.games import Game

DEFAULT_PLAYER = "anonymous"
WORLD_IDS_HELP = "FAMILY-LEVEL-INDEX, optionally with -INTERFACE at the end; several are played one after the other."


def play(
    worlds: Annotated[list[str], typer.Argument(metavar="ID...", help=WORLD_IDS_HELP, autocompletion=complete_world)],
    interface: InterfaceOption = None,
    seed: SeedOption = None,
    suite: Annotated[
        Path | None, typer.Option(metavar="SUITE", help="Play worlds of this suite; default: generate them.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="With --suite: record the game as a run, or continue it.")] = None,
    name: Annotated[str | None, typer.Option(help="With --out: your name in reports.")] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Play in a browser, at an address of this machine.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --browser: port; 0 takes any that is free.")] = 0,
    show: Annotated[bool, typer.Option("--open", help="With --browser: open the address.")] = False,
    json: JsonOption = False,
) -> None:
    """Play worlds yourself: read what you can afford, decide, and see it beside greedy's decision and the certified optimum."""
    if out is not None and suite is None:
        raise InputError("--out records a game on a suite: name it with --suite SUITE")
    if suite is not None and seed is not None:
        raise InputError("a suite has its own seed: leave out --seed or --suite")
    if name is not None and out is None:
        raise InputError("--name is recorded with the game: name a directory with --out RUN")
    with _open_games(worlds, interface, seed, suite, out, name or DEFAULT_PLAYER) as games:
        if browser:
            _play_in_browser(games, port, show, json)
        else:
            results = [_play_in_terminal(game, json) for game in games]
            if json:
                print_json(results[0] if len(results) == 1 else results)


@contextmanager
def _open_games(
    worlds: list[str], interface: Interface | None, seed: str | None, suite: Path | None, out: Path | None, name: str
) -> "Iterator[list[Game]]":
    """The games to play; with `out`, recorded and continued where they were left."""
    from algoworlds.game.games import PracticeGame, open_recorded_games
    from algoworlds.measures.key import AnswerKey
    from algoworlds.suites.open import open_suite
    from algoworlds.worlds.episode import Episode

    if suite is None:
        pairs = [admit_world(world, interface, seed) for world in worlds]
        yield [PracticeGame(Episode(world), AnswerKey.from_admitted(admitted, world)) for admitted, world in pairs]
        return
    opened = open_suite(suite)
    entries = [find_entry(opened, world, interface) for world in worlds]
    if len({entry.id for entry in entries}) < len(entries):
        raise InputError("a world is named twice: name each world once")
    if out is None:
        yield [PracticeGame(opened.play(entry.id).episode, opened.key(entry)) for entry in entries]
        return
    require_outside(out, suite)
    with open_recorded_games(out, opened, entries, name) as games:
        yield games


def _play_in_terminal(game: "Game", json: bool) -> JsonObject:
    """Play one world in the terminal and print the debrief; return the result for --json."""
    from algoworlds.cli.console import SafeConsole
    from algoworlds.game import terminal
    from algoworlds.game.debrief import compute_hindsight, debrief

    console, is_person = SafeConsole(stderr=json), sys.stdin is not None and sys.stdin.isatty()
    read_line = terminal.read_typed_line if is_person else terminal.read_piped_line
    front_end = terminal.TerminalGame(console, game, read_line, confirm=is_person)
    with terminal.line_editing(front_end.completions):
        front_end.play()
    if not game.is_over:
        console.print("Nothing is decided yet: the same command goes on from here.")
        return {"world": front_end.world.id, "over": False}
    result = debrief(game.episode, game.key)
    terminal.print_debrief(console, result, front_end.nicknames.shorten)
    with console.status("working out what you could have known ..."):
        hindsight = compute_hindsight(game.episode, game.key)
    terminal.print_hindsight(console, hindsight, front_end.nicknames.shorten)
    return {**result.record, "terms": result.terms, "decisions": result.decisions, "hindsight": hindsight}


def _play_in_browser(games: "list[Game]", port: int, show: bool, json: bool) -> None:
    """Serve the games until Ctrl-C, which interrupts those that are not over."""
    from threading import Event

    from algoworlds.game.server import GameServer
    from algoworlds.runs.external.access import open_listener

    with open_listener("127.0.0.1", port) as listener, GameServer(games).listening(listener) as addresses:
        if json:
            print_json({"addresses": addresses})
        print_line = print_stderr if json else typer.echo
        print_line("Play here; the address is for you alone:")
        for address in addresses:
            print_line(f"  {address}")
        print_line("Ctrl-C stops. A recorded game (--out) goes on by the same command.")
        with _open_in_browser(addresses[0]) if show else nullcontext():
            try:
                Event().wait()
            except KeyboardInterrupt:
                if not all(game.is_over for game in games):
                    raise


@contextmanager
def _open_in_browser(address: str) -> Iterator[None]:
    """Open `address` through a private file that redirects to it: other users can read the command line of a browser."""
    from tempfile import TemporaryDirectory
    from webbrowser import open as open_page

    with TemporaryDirectory(prefix="algoworlds-") as folder:
        page = Path(folder, "play.html")
        page.touch(0o600)
        redirect = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={address}">\n'
        page.write_text(redirect, encoding="utf-8")
        open_page(page.as_uri())
        yield
