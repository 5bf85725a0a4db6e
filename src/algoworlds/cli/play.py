"""`algoworlds play`: a person plays worlds, in the terminal or in a browser."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.flags import Json, Seed, Shown, print_json, require_outside, world_of
from algoworlds.cli.streams import complain
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError

if TYPE_CHECKING:
    from algoworlds.game.challenge import Challenge
    from algoworlds.suites.opened import Opened

ANONYMOUS = "anonymous"
PLAYED = "FAMILY-LEVEL-INDEX, with -INTERFACE at the end if you like; several are played one after the other."


def play(
    worlds: Annotated[list[str], typer.Argument(metavar="ID...", help=PLAYED)],
    interface: Shown = None,
    seed: Seed = None,
    suite: Annotated[Path | None, typer.Option(help="Play worlds of this suite; a world made on the spot if left out.")] = None,
    out: Annotated[Path | None, typer.Option(help="With --suite: keep the game as a run, or go on with it.")] = None,
    name: Annotated[str | None, typer.Option(help="With --out: who plays, as reports call you.")] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Play in a browser, at an address of this machine.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --browser: port; 0 takes any that is free.")] = 0,
    show: Annotated[bool, typer.Option("--open", help="With --browser: open the address.")] = False,
    json: Json = False,
) -> None:
    """Play worlds yourself: read what you can afford, decide, and see it beside greedy's decision and the certified optimum."""
    if out is not None and suite is None:
        raise InputError("a game that is kept belongs to a suite: name it by --suite SUITE")
    if suite is not None and seed is not None:
        raise InputError("a suite has its own seed: leave out --seed or --suite")
    if name is not None and out is None:
        raise InputError("a name is kept with the game: name a directory by --out RUN")
    with _challenges(worlds, interface, seed, suite, out, name or ANONYMOUS) as challenges:
        if browser:
            _in_browser(challenges, port, show, json)
        else:
            found = [_in_terminal(each, json) for each in challenges]
            if json:
                print_json(found[0] if len(found) == 1 else found)


@contextmanager
def _challenges(
    worlds: list[str], interface: Interface | None, seed: str | None, suite: Path | None, out: Path | None, name: str
) -> "Iterator[list[Challenge]]":
    """What is to be played, from the beginning or from where it was left."""
    from algoworlds.game.challenge import Practice, kept
    from algoworlds.measures.key import Key
    from algoworlds.suites.opened import open_suite
    from algoworlds.worlds.episode import Episode

    if suite is None:
        fresh = [world_of(each, interface, seed) for each in worlds]
        yield [Practice(Episode(world), Key.of(admitted, world)) for admitted, world in fresh]
        return
    opened = open_suite(suite)
    entries = [opened.entry(_id_in(opened, each, interface)) for each in worlds]
    if len({entry.id for entry in entries}) < len(entries):
        raise InputError("a world is named twice: name every one once")
    if out is None:
        yield [Practice(opened.play(entry.id).episode, opened.key(entry)) for entry in entries]
        return
    require_outside(out, suite)
    with kept(out, opened, entries, name) as challenges:
        yield challenges


def _id_in(suite: "Opened", text: str, interface: Interface | None) -> str:
    """The id of a world in a suite; where it names no interface, the one asked for, or direct."""
    return text if text in suite.entries else f"{text}-{(interface or Interface.DIRECT).value}"


def _in_terminal(challenge: "Challenge", json: bool) -> dict[str, Any]:
    """Play one world here and look back on it."""
    from rich.console import Console

    from algoworlds.cli.scorecard import print_debrief, print_hindsight
    from algoworlds.game.debrief import debrief, hindsight
    from algoworlds.game.terminal import TerminalGame, from_person, from_pipe, line_editing

    console, person = Console(highlight=False, stderr=json), sys.stdin is not None and sys.stdin.isatty()
    game = TerminalGame(console, challenge, from_person if person else from_pipe, sure=person)
    with line_editing(game.completions):
        game.play()
    if not challenge.over:
        console.print("Nothing is decided yet: the same command goes on from here.")
        return {"world": game.world.id, "over": False}
    found = debrief(challenge.episode, challenge.key)
    print_debrief(console, found, game.names.shorten)
    with console.status("working out what you could have known ..."):
        known = hindsight(challenge.episode, challenge.key)
    print_hindsight(console, known, game.names.shorten)
    return {**found.record, "terms": found.terms, "decisions": found.decisions, "hindsight": known}


def _in_browser(challenges: "list[Challenge]", port: int, show: bool, json: bool) -> None:
    from algoworlds.game.browser.hosting import Host
    from algoworlds.runs.external.access import bound

    with bound("127.0.0.1", port) as listener, Host(challenges).listening(listener) as addresses:
        if json:
            print_json({"addresses": addresses})
        say = complain if json else typer.echo
        say("Play here; the address is for you alone:")
        for address in addresses:
            say(f"  {address}")
        say("Ctrl-C stops. A game that is kept (--out) goes on by the same command.")
        if show:
            typer.launch(addresses[0])
        _wait(challenges)


def _wait(challenges: "list[Challenge]") -> None:
    """Until somebody stops us, which interrupts the games that are not over."""
    from threading import Event

    try:
        Event().wait()
    except KeyboardInterrupt:
        if not all(each.over for each in challenges):
            raise
