"""Better algorithms as attackers: they merge equal states, bound what is open, and decompose, and so need fewer evaluations.

They use the same search spaces and the same counted budget as the shortcuts of `attackers`. What an algorithm prepares counts
too: one evaluation for each step that a bound relaxes (an arc, a pair, a cell) or each relaxed decision that it prices.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial as bind
from heapq import heappop, heappush
from itertools import count, product
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algoworlds.families.residues import Choices
from algoworlds.families.search_space import BooleanSearchSpace, ChainSearchSpace, SearchSpace
from algoworlds.hardness.attackers import Attack, Attacker

MERGED_BEAM_WIDTHS = (10, 30, 100, 300, 1_000)


def merged_beam(width: int, attack: Attack) -> None:
    """Extend the `width` best partial decisions together; of those in one state only the best is kept."""
    for space in _bounded_parts(attack):
        layer: dict[Hashable, tuple[int, Choices]] = {space.state(()): (0, ())}
        while layer:
            extended: dict[Hashable, tuple[int, Choices]] = {}
            for loss, partial in layer.values():
                ways = list(attack.extensions(partial, space))
                if not ways and (decision := space.to_decision(partial)) is not None:
                    attack.loss(decision)
                for way, added in ways:
                    state, total = space.state(way), loss + added
                    if state not in extended or total < extended[state][0]:
                        extended[state] = (total, way)
            ranked = sorted(extended.items(), key=lambda entry: (entry[1][0] + space.estimate(entry[1][1]), entry[1][1]))
            layer = dict(ranked[:width])


def best_first(attack: Attack) -> None:
    """A*: the partial decision with the least bound first, each state once."""
    order, queue = count(), list[tuple[int, int, int, Choices, SearchSpace[Any]]]()
    for space in _bounded_parts(attack):
        heappush(queue, (space.constant_loss + space.tight_bound(()), next(order), 0, (), space))
    closed: defaultdict[int, set[Hashable]] = defaultdict(set)
    while queue:
        _, _, loss, partial, space = heappop(queue)
        state, done = (len(partial), space.state(partial)), closed[id(space)]
        if state in done:
            continue
        done.add(state)
        ways = list(attack.extensions(partial, space))
        if not ways and (decision := space.to_decision(partial)) is not None:
            attack.loss(decision)
        for way, added in ways:
            if (len(way), space.state(way)) not in done:
                bound = space.constant_loss + loss + added + space.tight_bound(way)
                heappush(queue, (bound, next(order), loss + added, way, space))


def _bounded_parts(attack: Attack) -> list[SearchSpace[Any]]:
    """The parts of the search space in the order of their bounds, which are counted."""
    parts = list(attack.space.parts())
    for part in parts:
        attack.spend(part.bound_steps)
    return sorted(parts, key=lambda part: part.constant_loss + part.tight_bound(()))


Choice = str | None
"""A choice of a chain; None before the first."""
State = tuple[Choice, int]
"""A choice, and the residue of the choices up to it (from the end: of those behind it)."""
Arcs = dict[Choice, list[tuple[Choice, int, int]]]
"""By choice the choices beside it, with the residue and the loss of the step between them."""


class _HalfRoutes:
    """Routes that grow from one end of a chain, by the least bound of a whole route; each state (choice, residue) once.

    Every choice has its arcs in the order of the bounds, so a route is priced only when it is the next one.
    """

    def __init__(self, arcs: Arcs, ends: Iterable[Choice], potential: Callable[[Choice], int], modulus: int) -> None:
        self._potential, self._modulus = potential, modulus
        self._arcs = {choice: sorted(ways, key=lambda way: 2 * way[2] + potential(way[0])) for choice, ways in arcs.items()}
        self.loss: dict[State, int] = {(end, 0): 0 for end in ends}
        self.reached = set(ends)
        self._parent: dict[State, State] = {}
        self._queue = list[tuple[int, int, State, int]]()
        self._number = count()
        for end in ends:
            self._push((end, 0), 0)

    @property
    def next_bound(self) -> float:
        """Twice a bound on the loss of the next half route, shifted by the potential; infinite if there is none."""
        return self._queue[0][0] if self._queue else inf

    def _push(self, state: State, at: int) -> None:
        """Queue the extension of `state` by its arc at position `at`."""
        if at < len(self._arcs[state[0]]):
            choice, _, loss = self._arcs[state[0]][at]
            bound = 2 * (self.loss[state] + loss) + self._potential(choice)
            heappush(self._queue, (bound, next(self._number), state, at))

    def extend(self) -> State | None:
        """Price the next half route and return its state; None if a cheaper one to the same state was priced before."""
        _, _, state, at = heappop(self._queue)
        choice, residue, loss = self._arcs[state[0]][at]
        self._push(state, at + 1)
        after = choice, (state[1] + residue) % self._modulus
        if after in self.loss:
            return None
        self.loss[after], self._parent[after] = self.loss[state] + loss, state
        self.reached.add(choice)
        self._push(after, 0)
        return after

    def joins(self, state: State, other: "_HalfRoutes", target: int) -> Iterator[tuple[float, State]]:
        """The losses of the routes that one arc makes of `state` and half routes of the `other` side, and those halves.

        An arc to a choice that the other side has reached is tried whether or not the residues fit; then its loss is infinite.
        """
        for choice, residue, loss in self._arcs[state[0]]:
            if choice in other.reached:
                rest = choice, (target - state[1] - residue) % self._modulus
                yield self.loss[state] + loss + other.loss.get(rest, inf), rest

    def choices(self, state: State) -> list[str]:
        """The choices of the half route to `state`, that of `state` first."""
        path = [state]
        while path[-1] in self._parent:
            path.append(self._parent[path[-1]])
        return [choice for choice, _ in path if choice is not None]


def join_routes(attack: Attack) -> None:
    """Bidirectional A* through a residue chain: half routes by their residue-blind bounds, joined where residues fit."""
    space = attack.space
    if not isinstance(space, ChainSearchSpace):
        return
    arcs: Arcs = space.arcs()
    ahead, so_far, behind = _least_losses(arcs, space.is_final)
    attack.spend(len(ahead) + len(so_far))
    able = [choice for choice in arcs if choice in ahead and choice in so_far]
    potential = {choice: ahead[choice] - so_far[choice] for choice in able}
    arcs, behind = (
        {choice: [way for way in ways[choice] if way[0] in potential] for choice in able} for ways in (arcs, behind)
    )
    ends = [choice for choice in able if space.is_final(choice)]
    front = _HalfRoutes(arcs, [None], potential.__getitem__, space.modulus)
    back = _HalfRoutes(behind, ends, lambda choice: -potential[choice], space.modulus)
    best = inf
    while front.next_bound + back.next_bound < 2 * best:
        side, other = (front, back) if front.next_bound <= back.next_bound else (back, front)
        attack.spend(1)
        if (state := side.extend()) is None:
            continue
        for total, meeting in side.joins(state, other, space.target_residue):
            attack.spend(1)
            if total < best:
                best, halves = total, {side: state, other: meeting}
                attack.loss((*reversed(front.choices(halves[front])), *back.choices(halves[back])))


def _least_losses(arcs: Arcs, is_final: Callable[[Choice], bool]) -> tuple[dict[Choice, int], dict[Choice, int], Arcs]:
    """By choice the least loss from it to the end and from the start to it, residues ignored; and the arcs reversed."""
    ahead: dict[Choice, int] = {}
    so_far: dict[Choice, int] = {None: 0}
    behind: Arcs = {choice: [] for choice in arcs}
    for before, ways in reversed(arcs.items()):
        onward = [loss + ahead[choice] for choice, _, loss in ways if choice in ahead]
        if onward or is_final(before):
            ahead[before] = min(onward, default=0)
    for before, ways in arcs.items():
        for choice, residue, loss in ways:
            behind[choice].append((before, residue, loss))
            if before in so_far:
                so_far[choice] = min(so_far[before] + loss, so_far.get(choice, so_far[before] + loss))
    return ahead, so_far, behind


MAX_FACTORS = 5
"""Hidden factors that are looked for in the couplings of switches."""
MAX_HALF_SWITCHES = 12
"""Switches of one half whose combinations are all priced."""
_DIAGONAL_ROUNDS = 50


def match_halves(attack: Attack) -> None:
    """Price all combinations of each half of the switches; then whole decisions by a few factors fitted to the couplings.

    The nearest pairs of halves are looked up in the space of the factors, which counts as sorting; each pair that is priced
    with the true objective counts as an evaluation.
    """
    space = attack.space
    if not isinstance(space, BooleanSearchSpace) or (quadratic := space.quadratic_form()) is None:
        return
    linear, joint = quadratic
    n, cut = len(linear), len(linear) // 2
    if n - cut > MAX_HALF_SWITCHES:
        return
    most_off = n if space.most_on is None else n - space.most_on  # a limit that matters is met exactly
    halves = (np.array(list(product((0, 1), repeat=size)), np.int64) for size in (cut, n - cut))
    first, second = (half[half.shape[1] - half.sum(axis=1) <= most_off] for half in halves)
    attack.spend(len(first) + len(second))
    factors, weights = _fit_factors(joint)
    predicted = (first @ factors[:cut] * weights) @ (second @ factors[cut:]).T
    predicted += _own_loss(first, linear[:cut], joint[:cut, :cut])[:, None] + _own_loss(second, linear[cut:], joint[cut:, cut:])
    if space.most_on is not None:
        predicted[first.sum(axis=1)[:, None] + second.sum(axis=1) != space.most_on] = inf
    tried = min(attack.budget, predicted.size) - 1
    nearest = np.argpartition(predicted, tried, axis=None)[: tried + 1]
    for at in nearest[np.argsort(predicted.flat[nearest], kind="stable")].tolist():
        decision = space.decision_from_bits((*first[at // len(second)].tolist(), *second[at % len(second)].tolist()))
        if decision is not None:
            attack.loss(decision)


def _own_loss(x: NDArray[np.int64], linear: NDArray[np.float64], joint: NDArray[np.float64]) -> NDArray[np.float64]:
    """The loss of every row of switches by itself."""
    own: NDArray[np.float64] = x @ linear + (x @ joint * x).sum(axis=1) / 2
    return own


def _fit_factors(joint: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Factors F and weights w such that F w F^T is near to `joint` off the diagonal, as many as halve the rest each time."""
    best, least = (np.zeros((len(joint), 1)), np.zeros(1)), inf
    for rank in range(1, MAX_FACTORS + 1):
        filled = joint.copy()
        for _ in range(_DIAGONAL_ROUNDS):  # the diagonal of the couplings is unknown: take it from the fit
            values, vectors = np.linalg.eigh(filled)
            order = np.argsort(-abs(values))[:rank]
            fitted = (vectors[:, order] * values[order]) @ vectors[:, order].T
            np.fill_diagonal(filled, fitted.diagonal())
        rest = float(np.square(filled - fitted).sum())
        if rest < least / 2:
            best, least = (vectors[:, order], values[order]), rest
    return best


ALGORITHMS = (
    *(
        Attacker(
            f"merged beam {width}",
            f"the {width} best states of partial decisions together, ranked by an estimate",
            bind(merged_beam, width),
        )
        for width in MERGED_BEAM_WIDTHS
    ),
    Attacker("best first", "A*: the partial decision with the least bound first, each state once", best_first),
    Attacker(
        "matched halves", "all combinations of two halves of the switches, matched by factors of their couplings", match_halves
    ),
    Attacker("joined routes", "half routes from both ends by residue-blind bounds, joined where residues fit", join_routes),
)
"""Better algorithms: exact or nearly so, but cheaper than the certified one."""
