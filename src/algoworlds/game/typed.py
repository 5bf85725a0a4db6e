"""What a person types at a world: words become calls, wrong ones are told what is expected, and half of one is completed."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from algoworlds.core.decision import CLAIM, Assurance, Manner, Piece
from algoworlds.core.tool import Call, Refusal
from algoworlds.errors import Malformed
from algoworlds.game.builder import places
from algoworlds.game.nicknames import Nicknames
from algoworlds.game.notebook import Notebook
from algoworlds.worlds.world import World

WORDS = ("known", "tools", "question", "help", "resign", "quit")
"""What can be typed beside the names of tools."""
_CLAIMS = (Assurance.PROVEN.value, Assurance.GUESS.value)


@dataclass(frozen=True)
class Typist:
    """A world as it is typed at: ids by their short names, arguments in order, decisions piece by piece."""

    world: World
    names: Nicknames

    @property
    def closing(self) -> tuple[str, str]:
        """The two tools that take a whole decision."""
        closing = self.world.family.template.closing
        return closing.evaluate, closing.submit

    # -- from words to calls ------------------------------------------------------------------------------------------

    def call(self, tool: str, typed: str) -> Call | None:
        """The call that somebody typed; None if it is none that can be answered, whatever is hidden."""
        made = Call(tool, self._arguments(tool, self.names.expand(typed)))
        if tool in self.closing:
            return made if self._is_decision(made) else None
        return None if isinstance(self.world.selection(made), Refusal) else made

    def _is_decision(self, call: Call) -> bool:
        try:
            arguments = json.loads(call.arguments)
            arguments.pop(CLAIM if call.tool == self.closing[1] else None, None)
            self.world.family.decision.parse(arguments)
        except (ValueError, AttributeError, RecursionError, Malformed):
            return False
        return True

    def _arguments(self, tool: str, typed: str) -> str:
        """JSON as it is; otherwise words in the order of the arguments."""
        if typed.startswith("{"):
            return typed
        if tool in self.closing:
            return json.dumps(self._decision(typed))
        names, words = list(self._properties(tool)), typed.split()
        numbered = [int(word) if re.fullmatch(r"-?[0-9]{1,9}", word) else word for word in words]
        return json.dumps(dict(zip(names, numbered, strict=True)) if len(words) == len(names) else words)

    def spelled(self, call: Call) -> str:
        """An information call as it is typed."""
        given = json.loads(call.arguments)
        return self.names.shorten(" ".join([call.tool, *(str(given[name]) for name in self._properties(call.tool))]))

    def _properties(self, tool: str) -> dict[str, Any]:
        return self.world.family.tools[tool].argument.properties()

    def _decision(self, typed: str) -> dict[str, Any]:
        """Pairs or lists, set apart by slashes; a claim may come last."""
        pieces, groups = self.world.family.decision.pieces, typed.split("/")
        told: dict[str, Any] = {
            piece.argument: _pairs(group.split()) if piece.manner is Manner.ASSIGN else group.split()
            for piece, group in zip(pieces, groups, strict=False)
        }
        said = [" ".join(group.split()) for group in groups[len(pieces) :]]
        return told | ({CLAIM: said[0]} if said else {})

    def gaps(self, call: Call) -> str:
        """What a decision lacks to be a whole one, in words; it can be submitted all the same."""
        told, found = json.loads(call.arguments), []
        for piece in self.world.family.decision.pieces:
            missing = len(self.world.public.get(piece.per, ())) - len(told[piece.argument])
            if piece.per and missing > 0:
                found.append(f"{missing} of the {piece.per} ids have no {piece.entity}")
        return "; ".join(found)

    # -- what is expected ---------------------------------------------------------------------------------------------

    def expected(self, tool: str) -> str:
        """How a tool is called, in words."""
        if tool in self.closing:
            return self._decision_expected(tool)
        domain = self.world.family.tools[tool].argument.domain(self.world.public)
        told = [f"{name} is {self._listed([each[name] for each in domain])}" for name in self._properties(tool)]
        return f"{self.usage(tool)}: {'; '.join(told) or 'it takes no argument'}"

    def usage(self, tool: str) -> str:
        """A tool with its arguments, as it is typed."""
        named = (
            [each.argument for each in self.world.family.decision.pieces] if tool in self.closing else self._properties(tool)
        )
        return " ".join([tool, *map(str.upper, named)])

    def _decision_expected(self, tool: str) -> str:
        told = "; then a slash and ".join(map(self._piece_expected, self.world.family.decision.pieces))
        claim = f". A slash and {' or '.join(_CLAIMS)} may follow" if tool == self.closing[1] else ""
        return f"{tool} takes {told}{claim}"

    def _piece_expected(self, piece: Piece) -> str:
        if piece.manner is Manner.ASSIGN:
            owners, options = self._roster(piece.per), self._roster(piece.entity)
            return f"a {piece.entity} for every {piece.per}, as in {owners[0]}={options[0]} {owners[-1]}={options[-1]}"
        if piece.manner is Manner.PICK:
            owners = self._roster(piece.per)
            return (
                f"one {piece.entity} for each of the {len(owners)} {piece.per} ids, in the order {owners[0]} ... {owners[-1]}"
            )
        return f"the {piece.entity} ids that you take{', in order' if piece.manner is Manner.ORDER else ''}"

    def _roster(self, name: str) -> list[str]:
        return [self.names.shorten(each) for each in self.world.public.get(name, (name.upper(),))]

    def _listed(self, values: list[Any]) -> str:
        texts = [self.names.shorten(str(each)) for each in dict.fromkeys(values)]
        return " or ".join(texts) if len(texts) < 4 else f"one of {texts[0]}, {texts[1]} ... {texts[-1]}"

    # -- what may come next -------------------------------------------------------------------------------------------

    def completions(self, before: str, known: Notebook) -> list[str]:
        """What the word may become that stands at the end of what was typed, which may be empty."""
        tool, *words = re.split(r"[ \t]+", before.lstrip())
        if not words:
            return [f"{each} " for each in (*self.world.prices, self.closing[1], *WORDS) if each.startswith(tool)]
        last = re.split(r"[\s=/]", before)[-1]
        offers = self._decided(before, known) if tool in self.closing else self._argued(tool, words)
        return [each for each in offers if each.upper().startswith(last.upper())]

    def _argued(self, tool: str, words: list[str]) -> Iterator[str]:
        """The values of the argument that is being typed that go with those before it."""
        if tool not in self.world.family.tools or len(words) > len(names := list(self._properties(tool))):
            return
        domain = self.world.family.tools[tool].argument.domain(self.world.public)
        given = dict(zip(names, map(self.names.expand, words[:-1]), strict=False))
        fitting = (each for each in domain if all(str(each[name]) == value for name, value in given.items()))
        yield from (
            f"{self.names.shorten(str(value))} " for value in dict.fromkeys(each[names[len(words) - 1]] for each in fitting)
        )

    def _decided(self, before: str, known: Notebook) -> Iterator[str]:
        *earlier, typed = before.partition(" ")[2].split("/")
        pieces = self.world.family.decision.pieces
        if len(earlier) >= len(pieces):
            yield from _CLAIMS
            return
        piece = pieces[len(earlier)]
        found, words = places(self.world, known, piece), self.names.expand(typed).split()
        whole = words if typed.endswith((" ", "\t")) else words[:-1]
        if piece.manner is Manner.ASSIGN:
            yield from self._assigned(typed, found, whole)
        elif piece.manner is Manner.PICK:
            yield from (
                f"{self.names.shorten(each.id)} " for each in (found[len(whole)].offers if len(whole) < len(found) else ())
            )
        else:
            yield from (f"{self.names.shorten(each.id)} " for each in found[0].offers if each.id not in whole)

    def _assigned(self, typed: str, found: Any, whole: list[str]) -> Iterator[str]:
        """Owners that have nothing yet; behind an equals sign, what they may have."""
        last = typed.split(" ")[-1]
        if "=" in last:
            owner = self.names.expand(last.partition("=")[0])
            offers = next((place.offers for place in found if place.owner == owner), ())
            yield from (f"{self.names.shorten(each.id)} " for each in offers)
        else:
            given = {word.partition("=")[0] for word in whole}
            yield from (f"{self.names.shorten(place.owner)}=" for place in found if place.owner not in given)


def _pairs(words: list[str]) -> Any:
    """Pairs as an object; words that are no pairs stay as they are, which no schema admits."""
    return dict(word.partition("=")[::2] for word in words) if all("=" in word for word in words) else words
