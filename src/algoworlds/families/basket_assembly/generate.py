"""Generator of Basket Assembly: many baskets are nearly the cheapest, and the one that searches rarely reach is the cheapest.

Every item is secretly light or dark, and only triples with an even number of dark items are for sale. The number of dark
items is odd, so no set of triples delivers everything: which three items to buy singly is part of the problem, and single
prices matter. The generator draws a basket as large as triples permit. Its triples save about the sum of their items'
secret worths; all other triples start lower. Then, in random order, each triple rises until the best basket that holds it
costs just more than the drawn one. So no triple can be ruled out by its saving, nor by the best basket around it: every
triple is in a nearly optimal basket, and only exact sums separate them. Last, heuristic searches run, and the basket that
they reach least often is made the best by a narrow margin, so the optimum lies in a narrower basin than its rivals. A base
price per item hides the savings from an agent that does not read the singles.
"""

from dataclasses import dataclass

import numpy as np

from algoworlds.core.kernel import kernel, random_below, shuffle_in_place
from algoworlds.families.basket_assembly.basins import count_basket_hits
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.packing import (
    IntArray,
    Triples,
    largest_random_packing,
    max_saving,
    near_optimal_packings,
    raise_savings,
)
from algoworlds.families.declare import Promise, Range, Ranges, Stream

BASE, MAX_SAVING = (5_000, 14_000), 4_000
"""Range of single prices, and the largest saving of a triple."""
WORTH, UNCOVERED_WORTH = (100, 900), (0, 100)
"""Range of an item's worth in a triple, and of the items that the drawn basket leaves to singles."""
START, NOISE, MARGIN = 80, 50, 10
"""Initial saving of other triples in percent of their items' worth; noise; most by which their best basket stays behind."""
DRAWS, RISES = 50, (30, 50, 100)
"""Number of random baskets, the largest of which is used; percent of its lack by which a triple rises in each round."""


@dataclass(frozen=True)
class Config:
    """Items per group; the catalog sells every item singly, and `sold` triples: n^2 + n/2 - 1 where it is 0."""

    n: int
    sold: int = 0

    @property
    def triples(self) -> int:
        """The number of triples for sale."""
        return self.sold or self.n**2 + self.n // 2 - 1


LEVELS = {0: Config(4), 1: Config(6), 2: Config(8), 3: Config(9), 4: Config(10)}


def ranges(config: Config) -> Ranges:
    """Ticket prices: at least the cheapest single, at most three dearest singles without a saving."""
    return Ranges(
        {("price", "price"): Range(BASE[0], 3 * BASE[1], label="ticket prices")},
        (Promise("every item is sold singly by one ticket and no two tickets deliver the same", _sells_every_item_singly),),
    )


def _sells_every_item_singly(instance: BasketAssembly) -> bool:
    recipes = list(instance.recipes().values())
    return len(set(recipes)) == len(recipes) and {(item,) for item in instance.item} <= set(recipes)


def generate(config: Config, stream: Stream) -> BasketAssembly:
    """Draw an instance; every item is sold singly, so a cover exists."""
    base = np.array(stream.integers(3 * config.n, *BASE))
    colour, word_count = np.array(_draw_colours(config.n, stream)), 2 * config.triples + config.n  # usually enough
    triples = stream.run_with_words(word_count, lambda words: _draw_triples(words, config.n, config.triples, colour))
    price = [*base.tolist(), *(base[triples].sum(axis=1) - _draw_savings(config, triples, stream)).tolist()]
    recipes = [*((v,) for v in range(len(base))), *triples.tolist()]
    items, order = [f"i{v}" for v in range(len(base))], stream.shuffled(range(len(recipes)))
    tickets = [f"t{e}" for e in range(len(recipes))]
    return BasketAssembly.from_trusted(
        item=tuple(items),
        ticket=tuple(tickets),
        covers=frozenset((ticket, items[v]) for ticket, at in zip(tickets, order, strict=True) for v in recipes[at]),
        price=dict(zip(tickets, map(price.__getitem__, order), strict=True)),
    )


def _draw_colours(n: int, stream: Stream) -> list[int]:
    """Light (0) or dark (1) for each item: about half of each group is dark, an odd number in all."""
    dark = [n // 2 + stream.below(2) for _ in range(2)]
    dark.append(n // 2 + (sum(dark) + n // 2 + 1) % 2)
    return [colour for count in stream.shuffled(dark) for colour in stream.shuffled([1] * count + [0] * (n - count))]


@kernel
def _draw_triples(words, n, count, colour):  # type: ignore[no-untyped-def]
    """Distinct triples with an even number of dark items: the items a take turns, each with a random least used pair (b, c)."""
    triples, taken, pairs = np.empty((count, 3), np.int64), np.zeros((n, n * n), np.bool_), np.empty(n * n, np.int64)
    used, times, turn = np.zeros(1, np.int64), np.zeros(3 * n, np.int64), np.arange(n)
    for e in range(count):
        if e % n == 0:
            turn = np.arange(n)
            shuffle_in_place(words, used, turn)
        a, least, many = turn[n - 1 - e % n], 2 * count, 0
        for pair in range(n * n):
            b, c = n + pair // n, 2 * n + pair % n
            if colour[a] ^ colour[b] ^ colour[c] or taken[a, pair] or times[b] + times[c] > least:
                continue
            if times[b] + times[c] < least:
                least, many = times[b] + times[c], 0
            pairs[many] = pair
            many += 1
        pair = pairs[random_below(words, used, many)]
        b, c = n + pair // n, 2 * n + pair % n
        triples[e], taken[a, pair] = (a, b, c), True
        times[b] += 1
        times[c] += 1
    return triples, used[0]


def _draw_savings(config: Config, triples: Triples, stream: Stream) -> IntArray:
    """What each triple saves against its singles."""
    drawn = largest_random_packing(triples, DRAWS, stream)
    held = set(triples[drawn].ravel().tolist())
    worth = np.array([stream.integer(*(WORTH if v in held else UNCOVERED_WORTH)) for v in range(3 * config.n)])
    fair = worth[triples].sum(axis=1) + stream.integers(len(triples), -NOISE, NOISE)
    saved = START * fair // 100
    saved[drawn] = fair[drawn]
    saved = saved.clip(0)
    goal = max_saving(config.n, triples, saved)
    saved = raise_savings(config.n, triples, saved, goal, RISES, (MARGIN, MAX_SAVING), stream)
    # The rival that searches reach least often becomes the best basket by 1.
    rivals = near_optimal_packings(config.n, triples, saved, goal - MARGIN)
    best = rivals[count_basket_hits(triples, saved, rivals, stream).argmin()]
    return saved + best * (1 + goal - best @ saved)  # type: ignore[no-any-return]
