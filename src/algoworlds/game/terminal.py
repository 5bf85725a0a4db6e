"""A game in the terminal: typed calls with line editing, answers as tables, the notebook, and the debrief."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from algoworlds.core.canonical import JsonObject
from algoworlds.core.decision import CLAIM_ARGUMENT, ArgumentSpec, ChoiceKind
from algoworlds.core.tool import Call, Refusal
from algoworlds.errors import Malformed
from algoworlds.game.debrief import ComparisonRow, Debrief
from algoworlds.game.decision_builder import CLAIMS, Position, find_positions, format_cell
from algoworlds.game.games import Game
from algoworlds.game.nicknames import Nicknames
from algoworlds.game.notebook import Notebook, build_notebook
from algoworlds.reports.decision_comparison import lower_is_better
from algoworlds.worlds.observation import Observation, Status
from algoworlds.worlds.world import World

Shorten = Callable[[str], str]
ReadLine = Callable[[str], str | None]
"""Reads a line after showing a prompt; None at the end of the input."""

_HELP = """\
Type the name of a tool and its arguments, ids by their short names: [bold]{example}[/]. Tab completes, arrow keys bring back.
[bold]known[/] shows all that you have read, [bold]tools[/] what there is to read and what it costs, [bold]question[/] the task.
[bold]{submit}[/] ends the game: {expected}. [bold]resign[/] ends it without a decision, [bold]quit[/] {quit}."""


# -- what the player types ------------------------------------------------------------------------------------------------

GAME_COMMANDS = ("known", "tools", "question", "help", "resign", "quit")
"""Commands besides the names of tools."""


@dataclass(frozen=True)
class CommandParser:
    """Parses, formats and completes calls in `world`: short names for ids, arguments in order, decisions by argument."""

    world: World
    nicknames: Nicknames

    @property
    def decision_tools(self) -> tuple[str, str]:
        """The tools that evaluate and submit a decision."""
        closing = self.world.family.template.decision_tools
        return closing.evaluate, closing.submit

    def parse_call(self, tool: str, typed: str) -> Call | None:
        """The call in `typed`; None if its arguments are invalid, which depends on public data only."""
        call = Call(tool, self._parse_arguments(tool, self.nicknames.expand(typed)))
        if tool in self.decision_tools:
            return call if self._is_decision(call) else None
        return None if isinstance(self.world.selection(call), Refusal) else call

    def _is_decision(self, call: Call) -> bool:
        try:
            arguments = json.loads(call.arguments)
            arguments.pop(CLAIM_ARGUMENT if call.tool == self.decision_tools[1] else None, None)
            self.world.family.decision.parse(arguments)
        except (ValueError, AttributeError, RecursionError, Malformed):
            return False
        return True

    def _parse_arguments(self, tool: str, typed: str) -> str:
        """JSON unchanged; otherwise words in the order of the arguments."""
        if typed.startswith("{"):
            return typed
        if tool in self.decision_tools:
            return json.dumps(self._parse_decision(typed))
        names, words = list(self._properties(tool)), typed.split()
        values = [int(word) if re.fullmatch(r"-?[0-9]{1,9}", word) else word for word in words]
        return json.dumps(dict(zip(names, values, strict=True)) if len(words) == len(names) else words)

    def format_call(self, call: Call) -> str:
        """An information call as a player types it."""
        arguments = json.loads(call.arguments)
        return self.nicknames.shorten(" ".join([call.tool, *(str(arguments[name]) for name in self._properties(call.tool))]))

    def _properties(self, tool: str) -> JsonObject:
        return self.world.family.tools[tool].argument.properties()

    def _parse_decision(self, typed: str) -> JsonObject:
        """Arguments as pairs or lists, separated by slashes; a claim may come last."""
        specs, groups = self.world.family.decision.argument_specs, typed.split("/")
        arguments: JsonObject = {
            spec.argument: _parse_pairs(group.split()) if spec.kind is ChoiceKind.ASSIGN else group.split()
            for spec, group in zip(specs, groups, strict=False)
        }
        if len(groups) > len(specs):
            arguments[CLAIM_ARGUMENT] = " ".join(groups[len(specs)].split())
        return arguments

    def describe_gaps(self, call: Call) -> str:
        """What is missing in a decision, as a sentence; it can be submitted all the same."""
        arguments, gaps = json.loads(call.arguments), []
        for spec in self.world.family.decision.argument_specs:
            missing = len(self.world.public.get(spec.per, ())) - len(arguments[spec.argument])
            if spec.per and missing > 0:
                gaps.append(f"{missing} of the {spec.per} ids have no {spec.entity}")
        if not any(arguments[spec.argument] for spec in self.world.family.decision.argument_specs) and not gaps:
            gaps.append("nothing is chosen")
        return "; ".join(gaps)

    def describe_arguments(self, tool: str) -> str:
        """How to call `tool`, as a sentence."""
        if tool in self.decision_tools:
            parts = "; then a slash and ".join(map(self._describe_spec, self.world.family.decision.argument_specs))
            claim = f". A slash and {' or '.join(CLAIMS)} may follow" if tool == self.decision_tools[1] else ""
            return f"{tool} takes {parts}{claim}"
        domain, names = self.world.family.tools[tool].argument.domain(self.world.public), self._properties(tool)
        texts = [f"{name} is {self._summarize([arguments[name] for arguments in domain])}" for name in names]
        return f"{' '.join([tool, *map(str.upper, names)])}: {'; '.join(texts) or 'it takes no argument'}"

    def _describe_spec(self, spec: ArgumentSpec) -> str:
        if spec.kind is ChoiceKind.ASSIGN:
            owners, options = self._roster(spec.per), self._roster(spec.entity)
            return f"a {spec.entity} for every {spec.per}, as in {owners[0]}={options[0]} {owners[-1]}={options[-1]}"
        if spec.kind is ChoiceKind.PICK:
            owners = self._roster(spec.per)
            return f"one {spec.entity} for each of the {len(owners)} {spec.per} ids, in the order {owners[0]} ... {owners[-1]}"
        return f"the {spec.entity} ids that you take{', in order' if spec.kind is ChoiceKind.ORDER else ''}"

    def _roster(self, name: str) -> list[str]:
        return [self.nicknames.shorten(item) for item in self.world.public.get(name, (name.upper(),))]

    def _summarize(self, values: list[Any]) -> str:
        texts = [self.nicknames.shorten(str(value)) for value in dict.fromkeys(values)]
        return " or ".join(texts) if len(texts) < 4 else f"one of {texts[0]}, {texts[1]} ... {texts[-1]}"

    def completions(self, line: str, notebook: Notebook) -> list[str]:
        """What the last word of `line`, which may be empty, can become."""
        tool, *words = re.split(r"[ \t]+", line.lstrip())
        if not words:
            names = (*self.world.prices, self.decision_tools[1], *GAME_COMMANDS)
            return [f"{name} " for name in names if name.startswith(tool)]
        last = re.split(r"[\s=/]", line)[-1]
        if tool in self.decision_tools:
            options = self._complete_decision(line, notebook)
        else:
            options = (f"{self.nicknames.shorten(value)} " for value in self._complete_argument(tool, words))
        return [option for option in options if option.upper().startswith(last.upper())]

    def _complete_argument(self, tool: str, words: list[str]) -> list[str]:
        """The values of the last argument that are valid together with the earlier ones."""
        if tool not in self.world.family.tools or len(words) > len(names := list(self._properties(tool))):
            return []
        domain = self.world.family.tools[tool].argument.domain(self.world.public)
        earlier = dict(zip(names, map(self.nicknames.expand, words[:-1]), strict=False))
        valid = (values for values in domain if all(str(values[name]) == value for name, value in earlier.items()))
        return list(map(str, dict.fromkeys(values[names[len(words) - 1]] for values in valid)))

    def _complete_decision(self, line: str, notebook: Notebook) -> Iterator[str]:
        *earlier, typed = line.partition(" ")[2].split("/")
        specs = self.world.family.decision.argument_specs
        if len(earlier) >= len(specs):
            yield from CLAIMS
            return
        spec = specs[len(earlier)]
        positions, words = find_positions(self.world, notebook, spec), self.nicknames.expand(typed).split()
        complete_words = words if typed.endswith((" ", "\t")) else words[:-1]
        if spec.kind is ChoiceKind.ASSIGN:
            yield from self._complete_assignment(typed, positions, complete_words)
            return
        if spec.kind is ChoiceKind.PICK:
            choices = positions[len(complete_words)].choices if len(complete_words) < len(positions) else ()
        else:
            choices = tuple(choice for choice in positions[0].choices if choice.id not in complete_words)
        yield from (f"{self.nicknames.shorten(choice.id)} " for choice in choices)

    def _complete_assignment(self, typed: str, positions: tuple[Position, ...], complete_words: list[str]) -> Iterator[str]:
        """Owners without a value yet; after an equals sign, the choices of that owner."""
        last = typed.split(" ")[-1]
        if "=" in last:
            owner = self.nicknames.expand(last.partition("=")[0])
            choices = next((position.choices for position in positions if position.owner == owner), ())
            yield from (f"{self.nicknames.shorten(choice.id)} " for choice in choices)
        else:
            assigned = {word.partition("=")[0] for word in complete_words}
            owners = (position.owner for position in positions if position.owner is not None)
            yield from (f"{self.nicknames.shorten(owner)}=" for owner in owners if owner not in assigned)


def _parse_pairs(words: list[str]) -> Any:
    """`a=b` words as an object; other words unchanged, which no schema admits."""
    return dict(word.partition("=")[::2] for word in words) if all("=" in word for word in words) else words


# -- after the game -------------------------------------------------------------------------------------------------------


def print_debrief(console: Console, debrief: Debrief, shorten: Shorten) -> None:
    """Print the score of a game, and the player's decision beside greedy's and the optimum."""
    record = debrief.record
    console.rule("score")
    if record["objective"] is None:
        reason = record["reason"] or "no decision was submitted"
        console.print(f"[red]{record['outcome'].replace('_', ' ')}[/]: {escape(shorten(reason))}")
    else:
        distance = f"[yellow]{record['gap']:,} away from the optimum[/]"
        verdict = "[bold green]globally optimal[/]" if record["exact"] else distance
        console.print(f"your decision: {record['objective']:,}, {verdict}")
    console.print(
        f"utility {record['utility']:.1f} of 100   information {100 * record['coverage']:.0f} %   "
        f"spent {record['spend']} of {record['budget']} in {record['executed_calls']} calls\n"
    )
    sign = -1 if lower_is_better(record["family"]) else 1
    console.print(_comparison_table("term", debrief.terms, lambda cell: f"{cell:,}", sign=sign))
    for argument, rows in debrief.decisions.items():
        console.print(_comparison_table(argument, rows, lambda cell: escape(shorten(cell)), shorten))


def _comparison_table(
    head: str, rows: tuple[ComparisonRow, ...], to_text: Callable[[Any], str], shorten: Shorten = str, sign: int = 0
) -> Table:
    """The player's, greedy's and the optimal values; those that differ from the optimum are highlighted.

    Numbers that are better than the optimum's are green: larger ones if `sign` is 1, smaller ones if it is -1.
    """
    table = Table(head, "yours", "greedy's", "optimum", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right" if head == "term" else "left"
    for row in rows:
        cells = []
        for value in row[1:]:
            text = "" if value is None else to_text(value)
            is_better = sign and value is not None and sign * (value - row.optimum) > 0
            cells.append(text if value == row.optimum else f"[{'green' if is_better else 'yellow'}]{text}[/]")
        table.add_row(escape(shorten(row.label)).replace("_", " "), *cells)
    return table


def print_hindsight(console: Console, hindsight: JsonObject, shorten: Shorten) -> None:
    """Print what could have been known, and if that was not enough, what else could have been true."""
    console.print(f"\n{hindsight['sentence']}")
    if hindsight["witness"] is None or not hindsight["witness"]["cells"]:
        return
    console.print("With every answer you got unchanged, another decision would have been better, had it been so:\n")
    table = Table("not read", "about", "in truth", "could be", box=None, pad_edge=False)
    for cell in hindsight["witness"]["cells"][:6]:
        true = "" if cell["true"] is None else f"{cell['true']:,}"
        about = escape(shorten(" ".join(map(str, cell["row"]))))
        table.add_row(cell["column"].replace("_", " "), about, true, f"{cell['possible']:,}")
    console.print(table)


# -- the game -------------------------------------------------------------------------------------------------------------


@dataclass
class TerminalGame:
    """A game on a terminal."""

    console: Console
    game: Game
    read_line: ReadLine
    confirm: bool
    """Whether to ask before the evaluation and before the game ends: if a person types, but not for lines from a pipe."""

    def __post_init__(self) -> None:
        episode = self.game.episode
        texts = [episode.world.question, *(observation.text for observation in episode.observations)]
        self.nicknames = Nicknames.from_texts(texts)
        self.parser = CommandParser(episode.world, self.nicknames)

    @property
    def world(self) -> World:
        """The world that is played."""
        return self.game.episode.world

    def play(self) -> None:
        """Read and run commands until the game is over, the input ends, or the player quits; a practice game ends then."""
        self._print_question()
        self._print_help()
        while not self.game.is_over:
            episode = self.game.episode
            prompt = f"\nbudget {episode.remaining}/{self.world.budget}  calls {episode.executed}/{self.world.call_cap} > "
            line = self.read_line(prompt)
            if line is None or line.strip() in ("quit", "exit"):
                break
            if line.strip():
                self._run_command(line.strip())
        if not self.game.is_recorded:
            self.game.resign()

    def completions(self, line: str) -> list[str]:
        """What the last word of `line` can become."""
        return self.parser.completions(line, build_notebook(self.game.episode))

    def _run_command(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        commands = {
            "help": self._print_help,
            "question": self._print_question,
            "tools": self._print_tools,
            "known": self._print_notebook,
            "resign": self._resign,
        }
        evaluate, submit = self.parser.decision_tools
        tools = (*self.world.prices, submit)
        if word in commands:
            commands[word]()
        elif word not in tools:
            similar = get_close_matches(word, [*tools, *GAME_COMMANDS], 1)
            hint = f"did you mean {similar[0]}?" if similar else "tools lists them all"
            self.console.print(f"[yellow]There is no {escape(word)}[/]: {hint}")
        elif (call := self.parser.parse_call(word, rest.strip())) is None:
            self.console.print(f"[yellow]That cannot be asked.[/] {escape(self.parser.describe_arguments(word))}")
        elif (word != submit or self._confirm_submission(call)) and (word != evaluate or self._confirm_evaluation(call)):
            self._print_answer(self.game.call(*call))

    def _print_question(self) -> None:
        self.console.print(escape(self.nicknames.shorten(self.world.question)))

    def _print_help(self) -> None:
        submit = self.parser.decision_tools[1]
        example = self.parser.format_call(next(iter(self.world.catalog)))
        quit_effect = "pauses it" if self.game.is_recorded else "as well"
        expected = self.parser.describe_arguments(submit).removeprefix(f"{submit} takes ")
        self.console.print(_HELP.format(example=escape(example), submit=submit, expected=escape(expected), quit=quit_effect))

    def _print_tools(self) -> None:
        table = Table("tool", "price", "what it tells", box=None, pad_edge=False)
        for tool in self.world.tools:
            price = self.world.prices.get(tool["name"])
            description = f"{tool['description']} [dim]{escape(self.parser.describe_arguments(tool['name']))}[/]"
            table.add_row(tool["name"], "free" if price is None else str(price), description)
        self.console.print(table)

    def _print_notebook(self) -> None:
        notebook = build_notebook(self.game.episode)
        for table in notebook.display_tables:
            self._print_table(table.title, table.columns, table.rows)
        for table in notebook.unjoined_tables:
            self._print_table("Not joined with anything yet", table.columns, table.rows)
        for decision in notebook.evaluated_decisions:
            worth = f"worth {decision.value:,}" if decision.feasible else "infeasible"
            self.console.print(f"Evaluated, {worth}: {escape(self.nicknames.shorten(format_decision(decision.arguments)))}")
        if not (notebook.joined_tables or notebook.unjoined_tables or notebook.evaluated_decisions):
            self.console.print("Nothing has been read yet.")

    def _print_table(self, title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
        heads = [self.nicknames.shorten(name).replace("_", " ") for name in columns]
        table = Table(*heads, title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
        for row in rows:
            table.add_row(*(escape(self.nicknames.shorten(format_cell(cell))) for cell in row))
        self.console.print(table, end="\n\n")

    def _print_answer(self, observation: Observation) -> None:
        answer = observation.json
        self.nicknames.shorten(observation.text)  # new ids get their names in the order of the text
        if observation.status not in (Status.EXECUTED, Status.SUBMITTED):
            self.console.print(f"[yellow]{escape(answer.pop('error'))}[/] {_format_fields(answer)}")
            return
        for name, records in answer.pop("records", {}).items():
            self._print_table(name.replace("_", " "), records["columns"], records["rows"])
        self.console.print(_format_fields(answer), style="green")

    def _confirm_evaluation(self, call: Call) -> bool:
        """Whether to make the only evaluation: not of an incomplete decision, and after asking."""
        if self.game.episode.evaluated:
            return True  # the answer says that it has been used
        if gaps := self.parser.describe_gaps(call):
            self.console.print(f"[yellow]{escape(gaps)}[/]: complete the decision first, it can be evaluated only once.")
            return False
        decision = escape(self.nicknames.shorten(format_decision(json.loads(call.arguments))))
        price = f"It works once and costs {self.world.prices[call.tool]:,}."
        return self._is_confirmed(f"To be evaluated: {decision}", f"{price} Evaluate it?")

    def _confirm_submission(self, call: Call) -> bool:
        arguments = json.loads(call.arguments)
        claim = arguments.pop(CLAIM_ARGUMENT, None)
        decision, gaps = escape(self.nicknames.shorten(format_decision(arguments))), self.parser.describe_gaps(call)
        summary = f"You decide: {decision}" + (f" ({escape(str(claim))})" if claim else "")
        return self._is_confirmed(f"{summary}\n[yellow]{gaps}[/]" if gaps else summary, "This is final. Submit it?")

    def _resign(self) -> None:
        if self._is_confirmed("You have not decided anything.", "This is final. Give up?"):
            self.game.resign()

    def _is_confirmed(self, summary: str, question: str) -> bool:
        """Ask the player a question that matters; True without asking for lines from a pipe."""
        if not self.confirm:
            return True
        self.console.print(summary)
        answer = self.read_line(f"{question} [y/N] ")
        return answer is not None and answer.strip().lower() in ("y", "yes")


def format_decision(arguments: JsonObject) -> str:
    """A decision as a player types it."""
    groups = [
        [f"{owner}={item}" for owner, item in value.items()] if isinstance(value, dict) else value
        for value in arguments.values()
    ]
    return " / ".join(" ".join(map(str, group)) for group in groups)


def _format_fields(answer: JsonObject) -> str:
    return escape("  ".join(f"{name.replace('_', ' ')} {format_cell(value)}" for name, value in answer.items()))


# -- input lines ----------------------------------------------------------------------------------------------------------


def read_piped_line(prompt: str) -> str | None:
    """The next line of standard input, without a prompt."""
    return (sys.stdin.readline() or None) if sys.stdin is not None else None


def read_typed_line(prompt: str) -> str | None:
    """A line that the player types and edits."""
    try:
        return input(prompt)
    except EOFError:
        return None


@contextmanager
def line_editing(completions: Callable[[str], list[str]]) -> Iterator[None]:
    """Enable Tab completion and a history on the arrow keys, if Python was built with readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    options: list[str] = []

    def complete(text: str, state: int) -> str | None:
        if state == 0:
            options[:] = completions(readline.get_line_buffer()[: readline.get_endidx()])
        return options[state] if state < len(options) else None

    previous_completer, delimiters = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n=/")
    readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(previous_completer)
        readline.set_completer_delims(delimiters)
