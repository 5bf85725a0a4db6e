"""Worst regret over all completions of a decision that is feasible in each: bounds that close, by one solve or by branching.

If each number enters a decision's value at most once, one scenario is worst against every rival at once: what the decision
pays for at its dear end, all else at its cheap end (what is shared cancels). Numbers that one decision may use more than once
are dear for the decision and cheap for its rivals, which bounds its regret from above; given a rival, its own worst
corner is explicit and bounds it from below; between the two, branching on these numbers decides, one solve a node.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from math import floor, inf
from typing import Any, NamedTuple

from algoworlds.core.completions import Spot
from algoworlds.core.decision import Decision
from algoworlds.families.unknowns import Relaxed
from algoworlds.knowledge.sufficiency.agreement import agreeing
from algoworlds.knowledge.sufficiency.breaking import twinned
from algoworlds.knowledge.sufficiency.equation import UNPRICED, Priced
from algoworlds.knowledge.sufficiency.trial import Amount, Trial, Witness

MANY = 24
"""Shared numbers beyond which branching on them would not come to an end."""

PRICES = 9
"""Prices of what an evaluation told that are tried before a bound is left as it is."""

NODES = 64
"""How often a question branches before it is left undecided."""

Fixed = dict[Spot, int]
"""Shared numbers that a branch has settled."""


@dataclass(eq=False)
class Bounds:
    """What is known so far of a decision's worst regret: a witness from below, and a bound from above (None: none yet)."""

    enough: Amount = inf
    """A regret that is as good as any larger one: the search stops there."""
    witness: Witness | None = None
    high: Amount | None = None
    nodes: int = NODES
    """How often the search may still branch."""

    @property
    def low(self) -> Amount:
        """The regret that the witness proves."""
        return 0 if self.witness is None else self.witness.regret

    def done(self) -> bool:
        """Whether a larger regret would not matter any more."""
        return self.low >= self.enough

    def offer(self, trial: Trial, instance: Any, rival: Decision) -> None:
        """Take an instance and a rival as a witness, if it is one and a better one."""
        if (trial.regret(instance, rival) or 0) > self.low:
            instance = agreeing(trial, instance, rival)
            regret = None if instance is None else trial.regret(instance, rival)
            if regret is not None and regret > self.low and trial.possible(instance):
                self.witness = Witness(instance, rival, regret)


def bounded(trial: Trial, enough: Amount = inf) -> Bounds:
    """The bounds of a decision's worst regret; the decision must be feasible in every completion."""
    if not _bounded(trial):
        return guessed(trial, enough)
    bounds = _with_known_rivals(trial, enough)
    highest: Amount | None = 0
    cases = [] if bounds.done() else list(trial.unknowns.cases(trial.completions, trial.decision))
    for case in [cases[0], None] if enough == inf and None in cases else cases:  # nothing bounds it: a witness will do
        if case is not None and case is not trial.case and _impossible(replace(trial, case=case)):
            continue
        high = None if case is None else _searched(replace(trial, case=case), bounds)
        highest = None if high is None or highest is None else max(high, highest)
        if bounds.done():
            return bounds
    bounds.high = inf if bounds.low == inf else None if highest is None else max(highest, bounds.low)
    if bounds.high is None or bounds.low < bounds.high:
        _with_rivals(trial, bounds)
    return bounds


def _impossible(trial: Trial) -> bool:
    """Whether a case breaks a promise, or cannot tell what an evaluation told."""
    if next(trial.completions.ranges.broken(trial.case), None) is not None or trial.refuted(trial.extreme(+1)):
        return True
    return trial.equation is not None and not trial.equation.holds_somewhere


def guessed(trial: Trial, enough: Amount = inf) -> Bounds:
    """Bounds from below alone: the decision at its dear end, and the best rival there."""
    bounds = _with_known_rivals(trial, enough)
    for each in (trial, twinned(trial)):
        rival = None if bounds.done() else trial.bench.solved(each.scenario(trial.dear(trial.own) | each.truthful))
        if rival is not None:
            bounds.offer(each, *_corner(each, rival, {}))
            bounds.offer(each, *_corner(each, rival, each.truthful))
    return bounds


def _with_known_rivals(trial: Trial, enough: Amount) -> Bounds:
    """What is proven without branching; rivals at random are not worth the while if nothing less than the worst will do."""
    bounds = Bounds(enough)
    bounds.offer(trial, trial.completions.instance, trial.bench.optimum)
    if enough < inf:
        _with_rivals(trial, bounds)
    if trial.completions.told is not None and not bounds.done():
        _with_truth(trial, bounds)
    return bounds


def _with_rivals(trial: Trial, bounds: Bounds) -> None:
    """What rivals prove that are had without solving."""
    for rival in trial.rivals():
        bounds.offer(trial, *_corner(trial, rival, {}))
        if bounds.done():
            break


def _with_truth(trial: Trial, bounds: Bounds) -> None:
    """What the best rival proves where all that the evaluated decision pays for is as it is, which agrees with its value."""
    scenario = trial.scenario(trial.dear(trial.own) | trial.truthful)
    for relaxed in trial.unknowns.relaxed(trial.completions, scenario, trial.decision):
        for rival in _rivals(trial, relaxed):
            bounds.offer(trial, *_corner(trial, rival, trial.truthful))


def _bounded(trial: Trial) -> bool:
    """Whether all that is unread has a worst end: numbers, columns with a helpful side, and what the family takes care of."""
    ranked = {place[0] for place, by in trial.unknowns.ranked.items() if by not in trial.completions.open}
    cared = {place[0] for place in trial.unknowns.binding} | ranked | trial.unknowns.structure
    relations = trial.case.relations
    numeric = {place[0] for place in trial.priced}
    plain = {name for name in numeric if len(relations[name].values) == sum(place[0] == name for place in trial.priced)}
    return set(trial.completions.open) <= cared | plain


class _Node(NamedTuple):
    """A scenario that has been solved: what it bounds, and the best rival in it, by its name in the relaxed instance."""

    high: Amount
    rival: Decision | None


def _searched(trial: Trial, bounds: Bounds) -> Amount | None:
    """The least bound from above that a case allows within the limit of nodes, offering witnesses on the way."""
    if trial.value(trial.case) is None:
        rival = trial.bench.solved(trial.extreme(+1))
        if rival is not None:
            bounds.offer(trial, trial.extreme(+1), rival)
        return 0 if rival is None else None
    closed: Amount = 0
    order = count()
    waiting = [_entry(trial, bounds, {}, order)]
    while True:
        negative, _, fixed, node = heappop(waiting)
        spot = _branching(trial, bounds, fixed, node)
        if spot is None:
            closed = max(closed, -negative)
        else:
            bounds.nodes -= 1
            for end in (trial.boxes[spot].low, trial.boxes[spot].high):
                heappush(waiting, _entry(trial, bounds, fixed | {spot: end}, order))
        if bounds.done() or not waiting or -waiting[0][0] <= max(bounds.low, closed):
            return max(closed, bounds.low)


def _entry(trial: Trial, bounds: Bounds, fixed: Fixed, order: Iterator[int]) -> tuple[Amount, int, Fixed, _Node]:
    node = _solved(trial, bounds, fixed)
    return -node.high, next(order), fixed, node


def _solved(trial: Trial, bounds: Bounds, fixed: Fixed) -> _Node:
    """The bound of a scenario; where an evaluation ties numbers together, the least over some prices of the equation.

    Ends suffice for a number that branches only if the equation is not about it, so that no price may be put on one that is.
    """
    least, equation = _at_price(trial, fixed, UNPRICED), trial.equation
    if equation is None or any(map(trial.shared, equation.paid)):
        return least
    equation, rival = replace(equation, boxes=trial.boxes), least.rival
    price, low, high = Fraction(0), -Fraction(1), Fraction(1)
    for step in range(PRICES):
        if rival is None or least.high <= bounds.low or bounds.done():
            break
        bounds.offer(trial, *_corner(trial, rival, fixed))
        way = equation.way(trial.own, trial.uses.among(trial.unknowns.read(rival), list(equation.paid)), price)
        low, high = (price, high) if way > 0 else (low, price)
        if way == 0 or low == high:
            break
        price = Fraction(way) if step == 0 else (low + high) / 2
        node = _at_price(trial, fixed, equation.priced(trial.own, price))
        least, rival = min(least, node, key=lambda each: each.high), node.rival
    return least


def _at_price(trial: Trial, fixed: Fixed, priced: Priced) -> _Node:
    """Solve for the best rival where the decision is at its dear end, and shared numbers cheap for rivals unless fixed."""
    high, rival = -inf, None
    for lead, each in _leads(trial, fixed, priced):
        high, rival = (lead, each) if lead > high else (high, rival)
    return _Node(high if rival is not None else 0, rival)


def _leads(trial: Trial, fixed: Fixed, priced: Priced) -> Iterator[tuple[int, Decision]]:
    """By how much rivals may lead, each with its name in the relaxed instance."""
    dear = trial.dear(trial.own) | priced.numbers | fixed
    once = {spot: end for spot, end in dear.items() if spot in fixed or not trial.shared(spot)}
    scenario = trial.scenario(fixed if trial.certain is not None else once)
    more = floor(priced.more)
    if len(once) < len(dear) and trial.certain is None:
        more += _worth(trial, trial.scenario(dear)) - _worth(trial, scenario)
    for relaxed in trial.unknowns.relaxed(trial.completions, scenario, trial.decision):
        trial.bench.effort.work += relaxed.work
        there = scenario if trial.value(relaxed.instance) is None else relaxed.instance
        own = _worth(trial, there) + more if trial.certain is None else trial.certain
        for each in _rivals(trial, relaxed):
            yield own - _worth(trial, relaxed.instance, each) + relaxed.bonus, each


def _worth(trial: Trial, instance: Any, decision: Decision | None = None) -> int:
    """What a feasible decision loses, whatever the sense."""
    value = trial.value(instance, decision)
    assert value is not None
    return trial.sign * value


def _rivals(trial: Trial, relaxed: Relaxed) -> Iterator[Decision]:
    """The best decision; if it is the one on trial and any other has a bonus, the best without each of its options."""
    best, ids = trial.bench.solved(relaxed.instance), trial.family.decision.ids
    if best is not None and (not relaxed.bonus or ids(best) != ids(trial.decision)):
        yield best
    elif best is not None:
        others = map(trial.bench.solved, _without(trial, relaxed.instance))
        yield from (other for other in others if other is not None)


def _without(trial: Trial, instance: Any) -> Iterator[Any]:
    """The instance without one option of the decision on trial, for every one of them."""
    ids = trial.family.decision.ids(trial.decision)
    for kind in trial.family.knowledge.options:
        named = {roster for roster in instance.relations if instance.relations[roster].is_roster and roster != kind.each}
        for option in kind.of(instance):
            if any(not ids.isdisjoint(option.entities.get(roster, ())) for roster in named):
                yield kind.exclude(instance, [option])


def _branching(trial: Trial, bounds: Bounds, fixed: Fixed, node: _Node) -> Spot | None:
    """Offer what a node proves, and name the shared number that keeps its bound from what it proves; None if there is none."""
    if node.rival is None:
        return None
    bounds.offer(trial, *_corner(trial, node.rival, fixed))
    if node.high <= bounds.low or bounds.done() or not trial.unknowns.shared or bounds.nodes <= 0:
        return None
    left = [spot for spot in trial.own if trial.shared(spot) and spot not in fixed]
    theirs = trial.uses.among(trial.unknowns.read(node.rival), left) if len(left) <= MANY else {}
    return max(theirs, key=lambda spot: abs(theirs[spot]) * trial.boxes[spot].width, default=None)


def _corner(trial: Trial, rival: Decision, fixed: Fixed) -> tuple[Any, Decision]:
    """The worst completion for the decision on trial against one rival, as far as explicit ends tell; and the rival in it."""
    numbers = trial.dear(trial.own)
    both = [spot for spot in trial.own if trial.shared(spot)]
    if both:
        theirs = trial.uses.among(trial.unknowns.read(rival), both)
        more = {spot: trial.own[spot] - theirs.get(spot, 0) for spot in both}
        numbers |= trial.dear({spot: times for spot, times in more.items() if times})
    return trial.unknowns.made(trial.completions, trial.scenario(numbers | fixed), trial.decision, rival)
