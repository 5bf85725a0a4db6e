"""`python -m bench.shortcuts FAMILY [LEVEL ...]`: the shortcut panel of a family as the Markdown table of its README.

Also counts how many of 1,000 fresh seeds are admitted at level 1 and at which attempt.
"""

import sys
from collections import Counter
from statistics import median

from algoworlds.suites.claims.shortcuts import Shortcuts, shortcuts
from algoworlds.worlds.admit import DEFAULT_SEED, Coordinate, admit

INDICES = range(1, 31)
FRESH_SEEDS = 1_000


def panel(name: str, level: int) -> list[Shortcuts]:
    """The panel over all indices of one family and level."""
    admitted = (admit(Coordinate(name, level, index, DEFAULT_SEED)) for index in INDICES)
    return [shortcuts(each.family, each.instance, each.solution) for each in admitted]


def line(level: int, found: list[Shortcuts]) -> list[str]:
    """One row of the table: a level's rates in per cent, work range and median reference gap."""
    work = [each.work for each in found]
    gap = median(each.reference_gap for each in found)
    rates = [100 * sum(each.exact[name] for each in found) / len(found) for name in found[0].exact]
    return [str(level), f"{min(work):,}-{max(work):,}", f"{100 * gap:.0f} %", *(f"{rate:.3g}" for rate in rates)]


def table(family: str, levels: list[int]) -> str:
    """The panel over all indices and levels, in Markdown."""
    found = {level: panel(family, level) for level in levels}
    names = list(next(iter(found.values()))[0].exact)
    head = ["level", "work", "reference gap (median)", *names]
    rows = [head, ["---"] * len(head), *(line(level, each) for level, each in found.items())]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def fresh(family: str) -> Counter[int]:
    """Attempts needed by fresh seeds at level 1."""
    return Counter(admit(Coordinate(family, 1, 1, f"fresh-{number}")).attempt for number in range(FRESH_SEEDS))


def main() -> None:
    """Print the table and the attempts of fresh seeds."""
    family, *levels = sys.argv[1:]
    print(f"Exact decisions in per cent, over indices 1-{INDICES[-1]} of each level of the development split.\n")
    print(table(family, [int(level) for level in levels] or [1, 2, 3, 4]))
    if not levels:
        tally = ", ".join(f"{count} at attempt {attempt}" for attempt, count in sorted(fresh(family).items()))
        print(f"\nFresh seeds at level 1: {FRESH_SEEDS} of {FRESH_SEEDS} admitted ({tally}).")


if __name__ == "__main__":
    main()
