"""Generator of Basket Assembly: many baskets are nearly the cheapest, and the one that is hardest to meet is the cheapest.

Every item is secretly light or dark, and only triples with an even number of dark items are for sale. The dark items number
an odd total, so that no set of triples delivers everything: which three items to buy singly is part of the contest, and
single prices count. A basket as large as triples permit is drawn, and its triples save about what their items are worth, a
secret number for every item. All other triples start lower. Then, one after the other in random order, each rises until the
best basket that holds it costs just more than the drawn one. So no triple can be ruled out by what it saves, nor even by what
the best basket around it costs: every triple is in a basket within a hair of the best one, and only exact sums tell them
apart. Which of these baskets wins is settled last: patient searches are sent out, and the one that they meet least often is
lifted above the others by a hair, so that the best basket lies in a narrower basin than those that rival it. A base price
for every item hides the savings from whoever does not read the singles.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product, repeat

import numpy as np

from algoworlds.core.ranges import Promise, Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.basins import met
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.packing import Triple, Turn, largest, most, nearly, risen

BASE, MOST = (5_000, 14_000), 4_000
"""What an item costs alone, and the most that a triple saves."""
WORTH, LEFT = (100, 900), (0, 100)
"""What delivering an item in a triple is worth; and the items that the drawn basket leaves over."""
START, NOISE, MARGIN = 80, 50, 10
"""Per cent of its items' worth that another triple saves at first; noise; most by which its best basket stays behind."""
DRAWS, RISES = 50, (30, 50, 100)
"""Baskets of which the largest is drawn; per cent of what it lacks by which a triple rises, turn by turn."""


@dataclass(frozen=True)
class Config:
    """Items per group; the catalog holds every item singly, and n^2 + n/2 - 1 triples."""

    n: int

    @property
    def triples(self) -> int:
        """How many triples are for sale."""
        return self.n**2 + self.n // 2 - 1


LEVELS = {0: Config(4), 1: Config(6), 2: Config(8), 3: Config(9), 4: Config(10)}


def ranges(config: Config) -> Ranges:
    """What tickets cost: at least what one item costs alone, at most three items and nothing saved."""
    return Ranges(
        {("price", "price"): Range(BASE[0], 3 * BASE[1], words="ticket prices")},
        (Promise("every item is sold singly by one ticket and no two tickets deliver the same", _every_item_alone),),
    )


def _every_item_alone(instance: BasketAssembly) -> bool:
    recipes = list(instance.recipes().values())
    return len(set(recipes)) == len(recipes) and {(item,) for item in instance.item} <= set(recipes)


def generate(config: Config, stream: Stream) -> BasketAssembly:
    """Draw an instance; every item can be bought singly, so a cover always exists."""
    base = stream.integers(3 * config.n, *BASE)
    triples = _triples(config, _colours(config.n, stream), stream)
    saving = _savings(config, triples, stream)
    price = {(v,): each for v, each in enumerate(base)} | {e: sum(base[v] for v in e) - saving[e] for e in triples}
    recipes = stream.shuffled(list(price))
    items = [f"i{v}" for v in range(3 * config.n)]
    return BasketAssembly.drawn(
        item=tuple(items),
        ticket=tuple(f"t{e}" for e in range(len(recipes))),
        covers=frozenset((f"t{e}", items[v]) for e, recipe in enumerate(recipes) for v in recipe),
        price={f"t{e}": price[recipe] for e, recipe in enumerate(recipes)},
    )


def _colours(n: int, stream: Stream) -> list[int]:
    """Light (0) or dark (1) for every item: about half of each group, an odd number in all."""
    dark = [n // 2 + stream.below(2) for _ in range(2)]
    dark.append(n // 2 + (sum(dark) + n // 2 + 1) % 2)
    return [colour for each in stream.shuffled(dark) for colour in stream.shuffled([1] * each + [0] * (n - each))]


def _triples(config: Config, colour: list[int], stream: Stream) -> list[Triple]:
    """Distinct triples with an even number of dark items; items of A take turns, B and C give their least used."""
    n, used, found, turn = config.n, [0] * (3 * config.n), dict[Triple, None](), list[int]()
    pairs: tuple[list[tuple[int, int]], list[tuple[int, int]]] = [], []  # of one colour, of two colours
    for b, c in product(range(n, 2 * n), range(2 * n, 3 * n)):
        pairs[colour[b] ^ colour[c]].append((b, c))
    while len(found) < config.triples:
        turn = turn or stream.shuffled(range(n))
        a = turn.pop()
        open_pairs = [(b, c) for b, c in pairs[colour[a]] if (a, b, c) not in found]
        least = min(used[b] + used[c] for b, c in open_pairs)
        b, c = stream.choice([(b, c) for b, c in open_pairs if used[b] + used[c] == least])
        found[a, b, c] = None
        used[b] += 1
        used[c] += 1
    return list(found)


def _savings(config: Config, triples: list[Triple], stream: Stream) -> dict[Triple, int]:
    """What every triple saves against its singles: all rise in turn until they are as good as those of the drawn basket."""
    drawn = largest(triples, DRAWS, stream)
    held = {v for e in drawn for v in e}
    worth = [stream.integer(*(WORTH if v in held else LEFT)) for v in range(3 * config.n)]
    fair = {e: sum(worth[v] for v in e) + stream.integer(-NOISE, NOISE) for e in triples}
    items, saved = np.array(triples), np.array([max(0, fair[e] if e in drawn else START * fair[e] // 100) for e in triples])
    turns = [turn for share in RISES for turn in _turns(len(triples), share, stream)]
    saved = risen(config.n, items, saved, most(config.n, items, saved), turns, MOST)
    return _hidden(config, dict(zip(triples, saved.tolist(), strict=True)), most(config.n, items, saved), stream)


def _turns(count: int, share: int, stream: Stream) -> Iterator[Turn]:
    """All triples in random order, each with the margin by which its best basket is to stay behind."""
    order = stream.shuffled(range(count))
    return zip(order, stream.integers(count, 1, MARGIN), repeat(share))


def _hidden(config: Config, saving: dict[Triple, int], goal: int, stream: Stream) -> dict[Triple, int]:
    """Of the baskets within a hair of the goal, the best one, that which searches meet least often becomes the best."""
    rivals = nearly(config.n, saving, goal - MARGIN)
    times = met(saving, rivals, stream)
    best = rivals[times.index(min(times))]
    lift = 1 + goal - sum(saving[e] for e in best)
    return saving | {e: saving[e] + lift for e in best}
