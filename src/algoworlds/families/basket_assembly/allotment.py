"""One option for every holder out of those that it may have: distinct ones if they must be, and all that are needed among them.

A matching by augmenting paths; where options must also make up a whole, all ways to do so, if they are few. What is tried first
depends on names alone, so that equal questions have equal answers.
"""

from collections.abc import Callable, Iterator, Mapping, Set
from itertools import islice, product
from math import prod

FEW = 64
"""Combinations of options that are looked at one by one."""
WAYS = 50
"""Ways to make up a whole that are looked at."""
STEPS = 5_000
"""Steps of the search for them."""

Option = tuple[str, ...]
Allotment = dict[str, Option]
Offers = Mapping[str, frozenset[Option]]
"""What each holder may have."""


def few(offers: Offers) -> bool:
    """Whether all that holders may have together can be looked at."""
    return prod(map(len, offers.values())) <= FEW


def combinations(offers: Offers) -> Iterator[Allotment]:
    """What holders may have together, as far as each by itself may."""
    return (dict(zip(offers, chosen, strict=True)) for chosen in product(*map(sorted, offers.values())))


def allotted(offers: Offers, wished: Mapping[str, Option], needed: Set[Option], distinct: bool) -> Allotment | None:
    """An option for every holder, all that are needed among them, as wished where that can be; None if there is no way."""
    holders = {wished[holder]: holder for holder, offered in offers.items() if wished[holder] in offered}
    kept = {holder: option for option, holder in holders.items()}
    for option in sorted(needed - holders.keys()):
        if not _placed(option, offers, kept, needed, set()):
            return None
    filled = (holder in kept or _filled(holder, offers, kept, distinct, set()) for holder in offers)
    return kept if all(filled) else None


def indispensable(offers: Offers, needed: frozenset[Option]) -> Iterator[str]:
    """The holders without which some option that is needed would be held by none."""
    kept: Allotment = {}
    for option in sorted(needed):
        _placed(option, offers, kept, needed, set())
    yield from (holder for holder in kept if not _placed(kept[holder], offers, dict(kept), needed, {holder}))


def _placed(option: Option, offers: Offers, kept: Allotment, needed: Set[Option], passed: set[str]) -> bool:
    """Give an option to a holder that may have it; if that has another that is needed, this one finds a place first."""
    for holder in sorted(offers, key=lambda each: kept.get(each) in needed):
        if holder not in passed and option in offers[holder]:
            passed.add(holder)
            now = kept.get(holder, ())
            if now not in needed or _placed(now, offers, kept, needed, passed):
                kept[holder] = option
                return True
    return False


def _filled(holder: str, offers: Offers, kept: Allotment, distinct: bool, passed: set[Option]) -> bool:
    """Give a holder something; if another one has it and no two may, that finds something else first."""
    holders = {option: other for other, option in kept.items()} if distinct else {}
    for option in sorted(offers[holder], key=lambda each: (each in holders, each)):
        if option not in passed:
            passed.add(option)
            if option not in holders or _filled(holders[option], offers, kept, distinct, passed):
                kept[holder] = option
                return True
    return False


def shares(offers: Offers, whole: frozenset[str], can: Callable[[int, frozenset[str]], bool]) -> tuple[list[Allotment], bool]:
    """Ways in which the options of all holders make up a whole, every part of it once, and whether these are all.

    Ways are not looked for where so many holders cannot do it.
    """
    steps = iter(range(STEPS))
    ways = list(islice(_shares(list(offers), whole, offers, can, steps), WAYS + 1))
    return ways, len(ways) <= WAYS and next(steps, None) is not None


def _shares(
    holders: list[str], rest: frozenset[str], offers: Offers, can: Callable[[int, frozenset[str]], bool], steps: Iterator[int]
) -> Iterator[Allotment]:
    if next(steps, None) is None or not can(len(holders), rest):
        return
    if not holders:
        yield {}
    for option in sorted(offers[holders[0]]) if holders else ():
        if rest.issuperset(option):
            for way in _shares(holders[1:], rest.difference(option), offers, can, steps):
                yield {holders[0]: option} | way
