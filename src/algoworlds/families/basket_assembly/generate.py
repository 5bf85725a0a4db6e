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

from dataclasses import dataclass

import numpy as np

from algoworlds.core.draw import below, shuffle
from algoworlds.core.kernel import kernel
from algoworlds.core.ranges import Promise, Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.basket_assembly.basins import met
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.packing import Numbers, Triples, largest, most, nearly, risen

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
    base = np.array(stream.integers(3 * config.n, *BASE))
    triples = _triples(config, _colours(config.n, stream), stream)
    price = [*base.tolist(), *(base[triples].sum(axis=1) - _savings(config, triples, stream)).tolist()]
    recipes = [*((v,) for v in range(len(base))), *triples.tolist()]
    items, order = [f"i{v}" for v in range(len(base))], stream.shuffled(range(len(recipes)))
    tickets = [f"t{e}" for e in range(len(recipes))]
    return BasketAssembly.from_trusted(
        item=tuple(items),
        ticket=tuple(tickets),
        covers=frozenset((ticket, items[v]) for ticket, at in zip(tickets, order, strict=True) for v in recipes[at]),
        price=dict(zip(tickets, map(price.__getitem__, order), strict=True)),
    )


def _colours(n: int, stream: Stream) -> list[int]:
    """Light (0) or dark (1) for every item: about half of each group, an odd number in all."""
    dark = [n // 2 + stream.below(2) for _ in range(2)]
    dark.append(n // 2 + (sum(dark) + n // 2 + 1) % 2)
    return [colour for each in stream.shuffled(dark) for colour in stream.shuffled([1] * each + [0] * (n - each))]


def _triples(config: Config, colour: list[int], stream: Stream) -> Triples:
    """Distinct triples with an even number of dark items; items of A take turns, B and C give their least used."""
    words = 2 * config.triples + config.n  # mostly enough
    return stream.spent_by(words, lambda given: _offered(given, config.n, config.triples, np.array(colour)))


@kernel
def _offered(words, n, count, colour):  # type: ignore[no-untyped-def]
    """In turn for every item a of A, one of the pairs (b, c) that are least used, of the right colours, and not yet taken."""
    triples, taken, pairs = np.empty((count, 3), np.int64), np.zeros((n, n * n), np.bool_), np.empty(n * n, np.int64)
    drawn, times, turn = np.zeros(1, np.int64), np.zeros(3 * n, np.int64), np.arange(n)
    for e in range(count):
        if e % n == 0:
            turn = np.arange(n)
            shuffle(words, drawn, turn)
        a, least, many = turn[n - 1 - e % n], 2 * count, 0
        for pair in range(n * n):
            b, c = n + pair // n, 2 * n + pair % n
            if colour[a] ^ colour[b] ^ colour[c] or taken[a, pair] or times[b] + times[c] > least:
                continue
            if times[b] + times[c] < least:
                least, many = times[b] + times[c], 0
            pairs[many] = pair
            many += 1
        pair = pairs[below(words, drawn, many)]
        b, c = n + pair // n, 2 * n + pair % n
        triples[e], taken[a, pair] = (a, b, c), True
        times[b] += 1
        times[c] += 1
    return triples, drawn[0]


def _savings(config: Config, triples: Triples, stream: Stream) -> Numbers:
    """What every triple saves against its singles: all rise in turn until they are as good as those of the drawn basket."""
    drawn = largest(triples, DRAWS, stream)
    held = set(triples[drawn].ravel().tolist())
    worth = np.array([stream.integer(*(WORTH if v in held else LEFT)) for v in range(3 * config.n)])
    fair = worth[triples].sum(axis=1) + stream.integers(len(triples), -NOISE, NOISE)
    saved = START * fair // 100
    saved[drawn] = fair[drawn]
    saved = saved.clip(0)
    goal = most(config.n, triples, saved)
    saved = risen(config.n, triples, saved, goal, RISES, (MARGIN, MOST), stream)
    return _hidden(config, triples, saved, goal, stream)


def _hidden(config: Config, triples: Triples, saved: Numbers, goal: int, stream: Stream) -> Numbers:
    """Of the baskets within a hair of the goal, the best one, that which searches meet least often becomes the best."""
    rivals = nearly(config.n, triples, saved, goal - MARGIN)
    best = rivals[met(triples, saved, rivals, stream).argmin()]
    return saved + best * (1 + goal - best @ saved)  # type: ignore[no-any-return]
