"""Generator of Basket Assembly: nothing planted, but colours that nobody sees decide what triples can cover together.

Every item is secretly light or dark and only triples with an even number of dark items are for sale. If the dark items
of all three groups number an odd total, no set of triples covers everything and which items to buy singly is part of the
contest; if even, covers by triples alone exist and singles only fill gaps. Triples are dealt so that every item is in
about as many as any other, and prices follow hidden item values with noise, so neither number nor price tells the optimum.
"""

from dataclasses import dataclass

from algoworlds.core.stream import Stream
from algoworlds.families.basket_assembly.instance import BasketAssembly

Triple = tuple[int, ...]


@dataclass(frozen=True)
class Config:
    """Items per group; the catalog holds every item singly, and n^2 + n/2 - 1 triples."""

    n: int

    @property
    def triples(self) -> int:
        """How many triples are for sale."""
        return self.n**2 + self.n // 2 - 1


LEVELS = {0: Config(4), 1: Config(6), 2: Config(8), 3: Config(9), 4: Config(10)}


def generate(config: Config, stream: Stream) -> BasketAssembly:
    """Draw an instance; every item can be bought singly, so a cover always exists."""
    n = config.n
    value = stream.integers(3 * n, 1_000, 9_999)
    recipes = [(v,) for v in range(3 * n)] + _triples(config, _colours(n, stream), stream)
    recipes = stream.shuffled(recipes)
    tickets, items = [f"t{e}" for e in range(len(recipes))], [f"i{v}" for v in range(3 * n)]
    return BasketAssembly(
        item=items,
        ticket=tickets,
        covers=frozenset((ticket, items[v]) for ticket, recipe in zip(tickets, recipes, strict=True) for v in recipe),
        price={ticket: _price([value[v] for v in recipe], stream) for ticket, recipe in zip(tickets, recipes, strict=True)},
    )


def _colours(n: int, stream: Stream) -> list[int]:
    """Light (0) or dark (1) for every item: about half of each group, with a total that is odd or even by chance."""
    colours = []
    for _ in range(3):
        dark = n // 2 + stream.below(2)
        colours += stream.shuffled([1] * dark + [0] * (n - dark))
    return colours


def _triples(config: Config, colour: list[int], stream: Stream) -> list[Triple]:
    """Distinct triples with an even number of dark items; items of A take turns, B and C give their least used."""
    n, used, found, turn = config.n, [0] * (3 * config.n), dict[Triple, None](), list[int]()
    while len(found) < config.triples:
        turn = turn or stream.shuffled(range(n))
        a = turn.pop()
        open_pairs = [
            (b, c)
            for b in range(n, 2 * n)
            for c in range(2 * n, 3 * n)
            if (colour[a] + colour[b] + colour[c]) % 2 == 0 and (a, b, c) not in found
        ]
        least = min(used[b] + used[c] for b, c in open_pairs)
        b, c = stream.choice([(b, c) for b, c in open_pairs if used[b] + used[c] == least])
        found[a, b, c] = None
        used[b] += 1
        used[c] += 1
    return list(found)


def _price(values: list[int], stream: Stream) -> int:
    """A triple costs its items' values within 8 %; an item alone costs up to 60 % more than its value."""
    return sum(values) * (stream.integer(920, 1_080) if len(values) == 3 else stream.integer(1_000, 1_600)) // 1_000
