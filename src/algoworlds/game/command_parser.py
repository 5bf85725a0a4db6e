"""What a player types in the terminal: words become calls, wrong words are explained, and Tab completes them."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from algoworlds.core.decision import CLAIM_ARGUMENT, ArgumentSpec, ChoiceKind
from algoworlds.core.tool import Call, Refusal
from algoworlds.errors import Malformed
from algoworlds.game.decision_builder import CLAIMS, Position, find_positions
from algoworlds.game.nicknames import Nicknames
from algoworlds.game.notebook import Notebook
from algoworlds.worlds.world import World

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
        closing = self.world.family.template.closing
        return closing.evaluate, closing.submit

    # -- parse --------------------------------------------------------------------------------------------------------

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

    def _properties(self, tool: str) -> dict[str, Any]:
        return self.world.family.tools[tool].argument.properties()

    def _parse_decision(self, typed: str) -> dict[str, Any]:
        """Arguments as pairs or lists, separated by slashes; a claim may come last."""
        specs, groups = self.world.family.decision.argument_specs, typed.split("/")
        arguments: dict[str, Any] = {
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
        return "; ".join(gaps)

    # -- explain ------------------------------------------------------------------------------------------------------

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

    # -- complete -----------------------------------------------------------------------------------------------------

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
