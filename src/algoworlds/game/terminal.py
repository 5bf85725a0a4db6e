"""A world as a game on a terminal: typed calls with line editing, answers as tables, a notebook, a question before the end."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from json import loads
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from algoworlds.core.decision import CLAIM
from algoworlds.core.tool import Call
from algoworlds.game.builder import spelled
from algoworlds.game.challenge import Challenge
from algoworlds.game.nicknames import Nicknames
from algoworlds.game.notebook import notebook
from algoworlds.game.typed import WORDS, Typist
from algoworlds.worlds.observation import Observation, Status
from algoworlds.worlds.world import CALL_CAP, World

Ask = Callable[[str], str | None]
"""How somebody is asked for a line; None when there are no more."""

_HELP = """\
Type the name of a tool and its arguments, ids by their short names: [bold]{example}[/]. Tab completes, arrow keys bring back.
[bold]known[/] shows all that you have read, [bold]tools[/] what there is to read and what it costs, [bold]question[/] the task.
[bold]{submit}[/] ends the game: {expected}. [bold]resign[/] ends it without a decision, [bold]quit[/] {quit}."""


@dataclass
class TerminalGame:
    """A challenge on a terminal."""

    console: Console
    challenge: Challenge
    ask: Ask
    sure: bool
    """Whether a submission is asked about: where somebody sits there, and not where lines come through a pipe."""

    def __post_init__(self) -> None:
        episode = self.challenge.episode
        self.names = Nicknames.heard([episode.world.question, *(each.text for each in episode.observations)])
        self.typist = Typist(episode.world, self.names)

    @property
    def world(self) -> World:
        """The world that is played."""
        return self.challenge.episode.world

    def play(self) -> None:
        """Let a person make calls until it is over, the input ends, or they go; what is not kept is over then."""
        self._question()
        self._help()
        while not self.challenge.over:
            line = self.ask(self._prompt())
            if line is None or line.strip() in ("quit", "exit"):
                break
            if line.strip():
                self._obey(line.strip())
        if not self.challenge.keeps:
            self.challenge.leave()

    def completions(self, before: str) -> list[str]:
        """What may come at the end of a line."""
        return self.typist.completions(before, notebook(self.challenge.episode))

    def _prompt(self) -> str:
        episode = self.challenge.episode
        return f"\nbudget {episode.remaining}/{self.world.budget}  calls {episode.executed}/{CALL_CAP} > "

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        said = {
            "help": self._help,
            "question": self._question,
            "tools": self._tools,
            "known": self._known,
            "resign": self._resign,
        }
        if word in said:
            said[word]()
        elif word not in (*self.world.prices, self.typist.closing[1]):
            near = get_close_matches(word, [*self.world.prices, self.typist.closing[1], *WORDS], 1)
            hint = f"did you mean {near[0]}?" if near else "tools lists them all"
            self.console.print(f"[yellow]There is no {escape(word)}[/]: {hint}")
        elif (call := self.typist.call(word, rest.strip())) is None:
            self.console.print(f"[yellow]That cannot be asked.[/] {escape(self.typist.expected(word))}")
        elif word != self.typist.closing[1] or self._confirmed(call):
            self._show(self.challenge.call(*call))

    # -- what is shown ------------------------------------------------------------------------------------------------

    def _question(self) -> None:
        self.console.print(escape(self.names.shorten(self.world.question)))

    def _help(self) -> None:
        submit, first = self.typist.closing[1], next(iter(self.world.catalog))
        example = self.typist.spelled(first)
        goes = "pauses it" if self.challenge.keeps else "as well"
        expected = self.typist.expected(submit).removeprefix(f"{submit} takes ")
        self.console.print(_HELP.format(example=escape(example), submit=submit, expected=escape(expected), quit=goes))

    def _tools(self) -> None:
        table = Table("tool", "price", "what it tells", box=None, pad_edge=False)
        for tool in self.world.tools:
            price = self.world.prices.get(tool["name"])
            told = f"{tool['description']} [dim]{escape(self.typist.expected(tool['name']))}[/]"
            table.add_row(tool["name"], "free" if price is None else str(price), told)
        self.console.print(table)

    def _known(self) -> None:
        known = notebook(self.challenge.episode)
        for leaf in known.tables:
            self._table(leaf.title, leaf.columns, leaf.rows)
        for leaf in known.loose:
            self._table("Not joined with anything yet", leaf.columns, leaf.rows)
        for tried in known.tried:
            worth = f"worth {tried.value:,}" if tried.feasible else "infeasible"
            self.console.print(f"Evaluated, {worth}: {escape(self.names.shorten(spelled_decision(tried.arguments)))}")
        if not (known.leaves or known.loose or known.tried):
            self.console.print("Nothing has been read yet.")

    def _table(self, title: str, columns: Any, rows: Any) -> None:
        heads = [self.names.shorten(name).replace("_", " ") for name in columns]
        table = Table(*heads, title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
        for row in rows:
            table.add_row(*(escape(self.names.shorten(spelled(cell))) for cell in row))
        self.console.print(table, end="\n\n")

    def _show(self, seen: Observation) -> None:
        answer = seen.json
        self.names.shorten(seen.text)
        if seen.status not in (Status.EXECUTED, Status.SUBMITTED):
            self.console.print(f"[yellow]{escape(answer.pop('error'))}[/] {_rest(answer)}")
            return
        for name, records in answer.pop("records", {}).items():
            self._table(name.replace("_", " "), records["columns"], records["rows"])
        self.console.print(_rest(answer), style="green")

    def _confirmed(self, call: Call) -> bool:
        told = loads(call.arguments)
        claim = told.pop(CLAIM, None)
        decision, gaps = escape(self.names.shorten(spelled_decision(told))), self.typist.gaps(call)
        said = f"You decide: {decision}" + (f" ({escape(str(claim))})" if claim else "")
        return self._agreed(f"{said}\n[yellow]{gaps}[/]" if gaps else said, "Submit it?")

    def _resign(self) -> None:
        if self._agreed("You have not decided anything.", "Give up?"):
            self.challenge.leave()

    def _agreed(self, said: str, question: str) -> bool:
        """Whether somebody who sits there wants to end it; lines from a pipe mean what they say."""
        if not self.sure:
            return True
        self.console.print(said)
        answer = self.ask(f"This is final. {question} [y/N] ")
        return answer is not None and answer.strip().lower() in ("y", "yes")


def spelled_decision(arguments: dict[str, Any]) -> str:
    """A decision as it is typed."""
    told = [
        [f"{one}={other}" for one, other in each.items()] if isinstance(each, dict) else each for each in arguments.values()
    ]
    return " / ".join(" ".join(map(str, each)) for each in told)


def _rest(answer: dict[str, Any]) -> str:
    return escape("  ".join(f"{name.replace('_', ' ')} {spelled(value)}" for name, value in answer.items()))


# -- lines ----------------------------------------------------------------------------------------------------------------


def from_pipe(prompt: str) -> str | None:
    """The next line of standard input, where nobody sits."""
    return (sys.stdin.readline() or None) if sys.stdin is not None else None


def from_person(prompt: str) -> str | None:
    """A line that somebody types, edited with the keys they know."""
    try:
        return input(prompt)
    except EOFError:
        return None


@contextmanager
def line_editing(completions: Callable[[str], list[str]]) -> Iterator[None]:
    """Tab completes and the arrow keys bring earlier lines back, where Python was built with a library for that."""
    try:
        import readline
    except ImportError:
        yield
        return
    offers: list[str] = []

    def complete(text: str, state: int) -> str | None:
        if state == 0:
            offers[:] = completions(readline.get_line_buffer()[: readline.get_endidx()])
        return offers[state] if state < len(offers) else None

    before, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n=/")
    readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
        readline.set_completer_delims(delimiters)
