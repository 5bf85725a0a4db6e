"""The price of information in hindsight: a certificate's calls in the order of what each is missed for.

Whoever knew everything would buy first what is missed most. What the optimum risks after each part of that outlay bounds from
above the least that anybody can risk for the same spend; no order of these calls ends later.
"""

from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Ranges
from algoworlds.core.tool import Call
from algoworlds.knowledge.sufficiency.observed import Observed
from algoworlds.knowledge.sufficiency.oracle import Oracle
from algoworlds.worlds.world import World

PARTS = 8
"""Into how many parts a budget is cut when risks are told along the spend."""


def stations(spent: list[int], budget: int) -> list[int]:
    """Of places in rising sums of money the last one within each part of the budget."""
    return sorted({PARTS * each // budget: at for at, each in enumerate(spent)}.values())


def missed_first(world: World, optimum: Decision, calls: tuple[Call, ...], ranges: Ranges) -> tuple[Call, ...]:
    """The calls, those first whose absence alone risks most for their price."""
    oracle = Oracle.of(world, optimum, ranges)

    def missed(call: Call) -> float:
        risk = oracle.worst_regret(optimum, Observed(tuple(each for each in calls if each != call)))
        return risk.low / world.prices[call.tool]

    return tuple(sorted(calls, key=missed, reverse=True))


def outlay(world: World, optimum: Decision, calls: tuple[Call, ...], ranges: Ranges) -> tuple[tuple[int, int], ...]:
    """By spend, what the optimum risks when the calls are bought in turn; nothing where it may be infeasible or undecided."""
    oracle, spent = Oracle.of(world, optimum, ranges), [world.cost(calls[:at]) for at in range(len(calls) + 1)]
    risks = [(spent[at], oracle.worst_regret(optimum, Observed(calls[:at])).regret) for at in stations(spent, world.budget)]
    return tuple((spend, int(risk)) for spend, risk in risks if risk is not None and risk != float("inf"))
