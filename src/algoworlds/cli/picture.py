"""A world as a small picture: what is hidden, what has been read, what is left to spend."""

from collections.abc import Sequence
from dataclasses import dataclass
from json import loads

from rich.text import Text

from algoworlds.core.relation import Fact
from algoworlds.game.nicknames import Nicknames
from algoworlds.measures.discovery import Discovery
from algoworlds.worlds.episode import Episode

WIDTH = 48
"""Facts in a line, and the length of a bar."""


@dataclass(frozen=True)
class Picture:
    """What an episode has uncovered so far; it follows the episode."""

    episode: Episode
    sets: Sequence[frozenset[Fact]]
    """The world's sufficient sets."""
    names: Nicknames

    @property
    def coverage(self) -> float:
        """The share of what there is to know that is known."""
        return Discovery(self.episode, self.sets).coverage

    @property
    def drawn(self) -> Text:
        """A line of dots for every table of the instance, a sign in place of each that is read, and two bars."""
        facts = sorted(self.sets[0])
        lines = [line for name in dict.fromkeys(each.relation for each in facts) for line in self._dots(name, facts)]
        spent, budget = self.episode.spent, self.episode.world.budget
        lines += [_bar("budget", 1 - spent / budget, f"{budget - spent} of {budget} left", "yellow")]
        lines += [_bar("known", self.coverage, f"{100 * self.coverage:.0f} %", "green")]
        return Text("\n").join([*lines, self.line] if self.episode.calls else lines)

    @property
    def line(self) -> Text:
        """The latest call, and what it came to."""
        episode = self.episode
        call, charged = episode.calls[-1], episode.observations[-1].charged
        words = " ".join(self.names.shorten(str(each)) for each in loads(call.arguments).values())
        named = f"{call.tool} {words}" if len(words) < 20 else call.tool
        return Text(f"  {named:32} -{charged:<3} budget {episode.remaining:>4}   known {100 * self.coverage:3.0f} %")

    def _dots(self, name: str, facts: list[Fact]) -> list[Text]:
        """The facts of a table, in lines."""
        known, mine = self.episode.facts, [each for each in facts if each.relation == name]
        lines = [mine[at : at + WIDTH] for at in range(0, len(mine), WIDTH)]
        return [
            Text.assemble(
                (f"  {'' if number else name:12} ", "dim"),
                *(("#", "green") if each in known else (".", "dim") for each in line),
            )
            for number, line in enumerate(lines)
        ]


def _bar(name: str, share: float, words: str, style: str) -> Text:
    full = round(share * WIDTH)
    return Text.assemble((f"  {name:12} ", "bold"), ("=" * full, style), (" " * (WIDTH - full), ""), f" {words}")
