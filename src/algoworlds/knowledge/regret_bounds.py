"""Bounds on the worst regret of a decision that is feasible in every completion, by one solve or by branch and bound.

If each number enters a decision's value at most once, one scenario is the worst against all rivals: the numbers that the
decision pays for at their expensive end, all others at their cheap end (shared ones cancel). Numbers that one decision may use
more than once are expensive for the decision and cheap for its rivals, which gives an upper bound. For a given rival the worst
corner is explicit, which gives a lower bound. Between the two, branching on these numbers decides, one solve per node.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count, permutations, product
from math import floor, inf
from typing import Any, NamedTuple

from algoworlds.core.completions import NumberRef, number_refs, with_numbers
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import ColumnRef, Range
from algoworlds.families.knowledge import Relaxation
from algoworlds.knowledge.infeasibility import with_substitute_rows
from algoworlds.knowledge.sensitivity import UNPRICED, Interaction, PricedScenario, ValueSensitivity
from algoworlds.knowledge.trial import Regret, Trial, Witness

MAX_ADJUSTMENT_ROUNDS = 3
"""Rounds of moving numbers: where one number multiplies others, its effect is only known afterwards."""

MAX_EVENED_NUMBERS = 5
"""Numbers with the smallest effects, of which three are moved to remove a remainder."""

MAX_EVENING_STEP = 20
"""How far two of them are moved at most."""


class Lever(NamedTuple):
    """A number that the evaluated decision pays for, with its effect on that value and on the rival's lead per unit."""

    ref: NumberRef
    span: Range
    effect: int
    lead: int

    def harm(self, missing: int) -> float:
        """Loss of the rival's lead per unit of value if the number is moved in the direction of `missing`."""
        return -self.lead / self.effect * (1 if missing > 0 else -1)


def adjust_to_evaluation(trial: Trial, instance: Any, rival: Decision) -> Any | None:
    """`instance` with numbers moved until the evaluated decision has its known value; None if the ranges do not allow it.

    Numbers that cost the rival's lead least are moved first: those that both decisions pay for cost nothing.
    """
    evaluation = trial.completions.evaluation
    if evaluation is None or trial.matches_evaluation(instance):
        return instance
    for _ in range(MAX_ADJUSTMENT_ROUNDS):
        value = trial.value(instance, evaluation.decision)
        if value is None or evaluation.value is None or value == evaluation.value:
            break
        instance = with_numbers(instance, _move_numbers(list(_levers(trial, instance, rival)), evaluation.value - value))
    return instance if trial.matches_evaluation(instance) else None


def _move_numbers(levers: list[Lever], missing: int) -> dict[NumberRef, int]:
    """New numbers that change the evaluated value by `missing`, as far as the ranges allow, cheapest for the lead first."""
    numbers: dict[NumberRef, int] = {}
    for ref, span, effect, _ in sorted(levers, key=lambda lever: (lever.harm(missing), abs(lever.effect), repr(lever.ref))):
        steps = abs(missing) // abs(effect)  # as near as possible without overshooting
        number = min(max(ref.value + (steps if (missing > 0) == (effect > 0) else -steps), span.low), span.high)
        missing -= effect * (number - ref.value)
        numbers[ref] = number
    return numbers if not missing else numbers | _remove_remainder(levers, numbers, missing)


def _remove_remainder(levers: list[Lever], numbers: dict[NumberRef, int], missing: int) -> dict[NumberRef, int]:
    """Three numbers moved a little further to remove the remainder `missing`, in the way that costs the lead least."""

    def small_steps(lever: Lever) -> list[int]:
        steps = range(-MAX_EVENING_STEP, MAX_EVENING_STEP + 1)
        return [step for step in steps if numbers[lever.ref] + step in lever.span]

    moves: dict[int, dict[NumberRef, int]] = {}
    for one, two, three in permutations(sorted(levers, key=lambda lever: abs(lever.effect))[:MAX_EVENED_NUMBERS], 3):
        if one.ref < two.ref:
            for x, y in product(small_steps(one), small_steps(two)):
                z, remainder = divmod(missing - one.effect * x - two.effect * y, three.effect)
                if not remainder and numbers[three.ref] + z in three.span:
                    gain = one.lead * x + two.lead * y + three.lead * z
                    moves.setdefault(gain, {one.ref: x, two.ref: y, three.ref: z})
    return {ref: numbers[ref] + step for ref, step in moves[max(moves)].items()} if moves else {}


def _levers(trial: Trial, instance: Any, rival: Decision) -> Iterator[Lever]:
    """The uncertain numbers that the evaluated decision pays for and on which nothing but values depends."""
    evaluation, sensitivity = trial.completions.evaluation, ValueSensitivity(trial.family, instance)
    assert evaluation is not None
    structure, binding = trial.unknowns.structure - trial.unknowns.bonus_relations, trial.unknowns.binding
    for column in trial.completions.ranges.columns:
        is_unread = column[0] in trial.completions.open_relations and column[0] not in structure and column not in binding
        spans = dict(_unread_numbers(trial, instance, column)) if is_unread else {}
        if boxes := trial.completions.open_boxes(column):
            keys = len(instance.relations[column[0]].keys)
            rows = {row[:keys]: row for row in instance.rows(column[0])}
            spans |= {ref._replace(row=rows[ref.row[:keys]]): box for ref, box in boxes.items()}
        if not spans:
            continue
        effects = sensitivity.effects_of_numbers(evaluation.decision, list(spans))
        own, theirs = (sensitivity.effects_of_numbers(y, list(effects)) for y in (trial.decision, rival))
        for ref, effect in effects.items():
            yield Lever(ref, spans[ref], effect, trial.sign * (own.get(ref, 0) - theirs.get(ref, 0)))


def _unread_numbers(trial: Trial, instance: Any, column: ColumnRef) -> Iterator[tuple[NumberRef, Range]]:
    """The numbers of `column` in rows that were not read, with their ranges."""
    keys = len(instance.relations[column[0]].keys)
    unread = {row[:keys] for row in trial.completions.unread_rows(column[0])}
    for row in (row for row in instance.rows(column[0]) if row[:keys] in unread):
        spans = trial.completions.ranges.row_ranges(instance, column, row)
        yield from ((ref, span) for ref, span in zip(number_refs(instance, column, (row,)), spans, strict=True) if span.width)


MAX_SHARED_NUMBERS = 24
"""Shared numbers above which branching on them is not tried."""

MAX_PRICES = 9
"""Prices of the equation that are tried for one bound."""

MAX_NODES = 64
"""Branchings per question; after that it stays undecided."""

FixedNumbers = dict[NumberRef, int]
"""Shared numbers that a branch has fixed."""


@dataclass(eq=False)
class RegretBounds:
    """Bounds on the worst regret found so far: a witness (lower bound) and an upper bound, None if there is none yet."""

    stop_at: Regret = inf
    """The search stops at this regret: a larger one would not matter."""
    witness: Witness | None = None
    high: Regret | None = None
    nodes_left: int = MAX_NODES
    """Branchings that are left."""

    @property
    def low(self) -> Regret:
        """The regret that the witness proves."""
        return 0 if self.witness is None else self.witness.regret

    def is_done(self) -> bool:
        """Whether the search may stop."""
        return self.low >= self.stop_at

    def offer_witness(self, trial: Trial, instance: Any, rival: Decision) -> None:
        """Use `instance` and `rival` as the witness if they are one with a larger regret."""
        if (trial.regret(instance, rival) or 0) > self.low:
            instance = adjust_to_evaluation(trial, instance, rival)
            regret = None if instance is None else trial.regret(instance, rival)
            if regret is not None and regret > self.low and trial.is_completion(instance):
                self.witness = Witness(instance, rival, regret)


def bound_regret(trial: Trial, enough: Regret = inf) -> RegretBounds:
    """Bounds on the worst regret; the decision must be feasible in every completion. `enough` is a regret to stop at."""
    corners = [dict[NumberRef, int]()] if trial.is_monotone else trial.multiplier_corners
    if corners is None or not _has_worst_ends(trial):
        return bound_from_below(trial, enough)
    bounds = _start_bounds(trial, enough)
    if bounds.is_done():
        return bounds
    highest: Regret | None = 0
    cases = list(trial.unknowns.cases(trial.completions, trial.decision))
    if enough == inf and None in cases:  # no upper bound, so look for a witness in one case only
        cases = [cases[0], None]
    for case, fixed in product(cases, corners):
        tried = replace(trial, case=trial.case if case is None else case, fixed=fixed)
        if case is not None and case is not trial.case and _is_impossible(tried):
            continue
        high = None if case is None or not tried.is_monotone else _branch_and_bound(tried, bounds)
        highest = None if high is None or highest is None else max(high, highest)
        if bounds.is_done():
            return bounds
    bounds.high = inf if bounds.low == inf else None if highest is None else max(highest, bounds.low)
    if bounds.high is None or bounds.low < bounds.high:
        _try_rivals(trial, bounds)
    return bounds


def _is_impossible(trial: Trial) -> bool:
    """Whether the case breaks a promise or contradicts the evaluation."""
    broken = next(trial.completions.ranges.violations(trial.case), None) is not None
    if broken or trial.contradicts_evaluation(trial.extreme_case(+1)):
        return True
    return trial.equation is not None and not trial.equation.is_satisfiable


def bound_from_below(trial: Trial, enough: Regret = inf) -> RegretBounds:
    """A lower bound only: the decision at its expensive end, and the best rival there."""
    bounds = _start_bounds(trial, enough)
    for variant in (trial, with_substitute_rows(trial)):
        if bounds.is_done():
            break
        numbers = trial.worst_numbers(trial.own_effects) | variant.evaluated_numbers
        rival = trial.context.find_optimum(variant.scenario(numbers))
        if rival is not None:
            bounds.offer_witness(variant, *_worst_corner(variant, rival, {}))
            bounds.offer_witness(variant, *_worst_corner(variant, rival, variant.evaluated_numbers))
    if not bounds.low:
        _try_added_rows(trial, bounds)
    return bounds


def _try_added_rows(trial: Trial, bounds: RegretBounds) -> None:
    """Offer witnesses that have rows which the member lacks."""
    for instance in trial.instances_with_added_rows() if trial.gaps else ():
        rivals = [rival for rival in trial.context.known_rivals if (trial.regret(instance, rival) or 0) > 0]
        for rival in rivals or filter(None, [trial.context.find_optimum(instance)]):
            bounds.offer_witness(trial, instance, rival)
        if bounds.low:
            break


def _start_bounds(trial: Trial, enough: Regret) -> RegretBounds:
    """Lower bounds without branching; the rivals found without solving are only tried first if some regret is `enough`."""
    bounds = RegretBounds(enough)
    bounds.offer_witness(trial, trial.completions.instance, trial.context.optimum)
    if enough < inf:
        _try_rivals(trial, bounds)
    if trial.completions.evaluation is not None and not bounds.is_done():
        _try_true_numbers(trial, bounds)
    return bounds


def _try_rivals(trial: Trial, bounds: RegretBounds) -> None:
    """Offer witnesses with the rivals that are found without solving."""
    for rival in trial.candidate_rivals():
        bounds.offer_witness(trial, *_worst_corner(trial, rival, {}))
        if bounds.is_done():
            break


def _try_true_numbers(trial: Trial, bounds: RegretBounds) -> None:
    """Offer witnesses in which the evaluated decision pays for the true numbers, which are consistent with its value."""
    scenario = trial.scenario(trial.worst_numbers(trial.own_effects) | trial.evaluated_numbers)
    for relaxation in trial.unknowns.relaxations(trial.completions, scenario, trial.decision):
        for rival in _best_rivals(trial, relaxation):
            bounds.offer_witness(trial, *_worst_corner(trial, rival, trial.evaluated_numbers))


def _has_worst_ends(trial: Trial) -> bool:
    """Whether everything unread has a worst end: numbers, columns with a helpful side, and what the family declares."""
    ranked = {column[0] for column, by in trial.unknowns.ranked.items() if by not in trial.completions.open_relations}
    declared = {column[0] for column in trial.unknowns.binding} | ranked | trial.unknowns.structure
    number_columns = Counter(column[0] for column in trial.value_columns)
    numeric = {name for name, columns in number_columns.items() if len(trial.case.relations[name].values) == columns}
    signs = {(ref.relation, ref.position, effect > 0) for ref, effect in trial.own_effects.items()}
    if len({sign[:2] for sign in signs}) < len(signs):  # a column of both costs and rewards has no better end for all rivals
        return False
    if not trial.has_lenient_case and not trial.is_impossible_elsewhere:
        return False
    return not trial.gaps and set(trial.completions.open_relations) <= declared | numeric


class _Node(NamedTuple):
    """A solved scenario: its upper bound, and the best rival, as a decision of the relaxed instance."""

    high: Regret
    rival: Decision | None


def _branch_and_bound(trial: Trial, bounds: RegretBounds) -> Regret | None:
    """The smallest upper bound for the case within the limit of nodes, offering witnesses on the way."""
    if trial.value(trial.case) is None:
        rival = trial.context.find_optimum(trial.extreme_case(+1))
        if rival is not None:
            bounds.offer_witness(trial, trial.extreme_case(+1), rival)
        return 0 if rival is None else None
    closed: Regret = 0
    order = count()

    def open_node(fixed: FixedNumbers) -> tuple[Regret, int, FixedNumbers, _Node]:
        node = _solve_node(trial, bounds, fixed)
        return -node.high, next(order), fixed, node

    waiting = [open_node({})]
    while True:
        negative, _, fixed, node = heappop(waiting)
        ref = _branching_number(trial, bounds, fixed, node)
        if ref is None:
            closed = max(closed, -negative)
        else:
            bounds.nodes_left -= 1
            for end in (trial.number_ranges[ref].low, trial.number_ranges[ref].high):
                heappush(waiting, open_node(fixed | {ref: end}))
        if bounds.is_done() or not waiting or -waiting[0][0] <= max(bounds.low, closed):
            return max(closed, bounds.low)


def _solve_node(trial: Trial, bounds: RegretBounds, fixed: FixedNumbers) -> _Node:
    """The bound of a scenario; with an equation the smallest over some prices.

    Branching on the ends of a number is only complete if the equation does not contain it, so an equation over shared numbers
    is not priced.
    """
    best, equation = _solve_at_price(trial, fixed, UNPRICED), trial.equation
    if equation is None or trial.interaction is not Interaction.NONE or any(map(trial.is_shared, equation.effects)):
        return best
    equation, rival = replace(equation, number_ranges=trial.number_ranges), best.rival
    price, low, high = Fraction(0), -Fraction(1), Fraction(1)
    for step in range(MAX_PRICES):
        if rival is None or best.high <= bounds.low or bounds.is_done():
            break
        bounds.offer_witness(trial, *_worst_corner(trial, rival, fixed))
        theirs = trial.sensitivity.effects_of_numbers(
            trial.unknowns.real_decision(trial.completions, rival), list(equation.effects)
        )
        direction = equation.price_direction(trial.own_effects, theirs, price)
        low, high = (price, high) if direction > 0 else (low, price)
        if direction == 0 or low == high:
            break
        price = Fraction(direction) if step == 0 else (low + high) / 2
        node = _solve_at_price(trial, fixed, equation.at_price(trial.own_effects, price))
        best, rival = min(best, node, key=lambda node: node.high), node.rival
    return best


def _solve_at_price(trial: Trial, fixed: FixedNumbers, priced: PricedScenario) -> _Node:
    """The best rival with the decision at its expensive end, and shared numbers cheap for rivals unless they are fixed."""
    high, rival = -inf, None
    for lead, candidate in _leads(trial, fixed, priced):
        high, rival = (lead, candidate) if lead > high else (high, rival)
    return _Node(high if rival is not None else 0, rival)


def _leads(trial: Trial, fixed: FixedNumbers, priced: PricedScenario) -> Iterator[tuple[int, Decision]]:
    """Upper bounds on the lead of rivals, each with the rival as a decision of the relaxed instance."""
    expensive = trial.worst_numbers(trial.own_effects) | priced.numbers | fixed
    unshared = {ref: end for ref, end in expensive.items() if ref in fixed or not trial.is_shared(ref)}
    scenario = trial.scenario(fixed if trial.certain_loss is not None else unshared)
    bonus = floor(priced.lead_bonus)
    if len(unshared) < len(expensive) and trial.certain_loss is None:
        bonus += _loss(trial, trial.scenario(expensive)) - _loss(trial, scenario)
    for relaxation in trial.unknowns.relaxations(trial.completions, scenario, trial.decision):
        trial.context.effort.work += relaxation.work
        base = scenario if trial.value(relaxation.instance) is None else relaxation.instance
        own = _loss(trial, base) + bonus if trial.certain_loss is None else trial.certain_loss
        for rival in _best_rivals(trial, relaxation):
            yield own - _loss(trial, relaxation.instance, rival) + relaxation.bonus, rival


def _loss(trial: Trial, instance: Any, decision: Decision | None = None) -> int:
    """The loss of a feasible decision, by default the one on trial."""
    value = trial.value(instance, decision)
    assert value is not None
    return trial.sign * value


def _best_rivals(trial: Trial, relaxation: Relaxation) -> Iterator[Decision]:
    """The best decision; if it is the one on trial and rivals have a bonus, the best without each of its options."""
    instance, ids = relaxation.instance, trial.family.decision.ids(trial.decision)
    best = trial.context.find_optimum(instance)
    if best is None:
        return
    if not relaxation.bonus or trial.family.decision.ids(best) != ids:
        yield best
        return
    for kind in trial.family.knowledge.options:
        rosters = [name for name, relation in instance.relations.items() if relation.is_roster and name != kind.required_roster]
        for option in kind.find_options(instance):
            if any(not ids.isdisjoint(option.entities.get(roster, ())) for roster in rosters):
                rival = trial.context.find_optimum(kind.exclude(instance, [option]))
                if rival is not None:
                    yield rival


def _branching_number(trial: Trial, bounds: RegretBounds, fixed: FixedNumbers, node: _Node) -> NumberRef | None:
    """Offer the witness of a node, and return the shared number to branch on; None if the node is closed."""
    if node.rival is None:
        return None
    bounds.offer_witness(trial, *_worst_corner(trial, node.rival, fixed))
    if node.high <= bounds.low or bounds.is_done() or not trial.unknowns.shared or bounds.nodes_left <= 0:
        return None
    shared = [ref for ref in trial.own_effects if trial.is_shared(ref) and ref not in fixed]
    if len(shared) > MAX_SHARED_NUMBERS:
        return None
    theirs = trial.sensitivity.effects_of_numbers(trial.unknowns.real_decision(trial.completions, node.rival), shared)
    return max(theirs, key=lambda ref: abs(theirs[ref]) * trial.number_ranges[ref].width, default=None)


def _worst_corner(trial: Trial, rival: Decision, fixed: FixedNumbers) -> tuple[Any, Decision]:
    """The worst instance for the decision on trial against `rival` as far as explicit ends tell, and the rival in it."""
    numbers = trial.worst_numbers(trial.own_effects)
    shared = [ref for ref in trial.own_effects if trial.is_shared(ref)]
    if shared:
        theirs = trial.sensitivity.effects_of_numbers(trial.unknowns.real_decision(trial.completions, rival), shared)
        differences = {ref: trial.own_effects[ref] - theirs.get(ref, 0) for ref in shared}
        numbers |= trial.worst_numbers({ref: effect for ref, effect in differences.items() if effect})
    return trial.unknowns.complete_for_rival(trial.completions, trial.scenario(numbers | fixed), trial.decision, rival)
