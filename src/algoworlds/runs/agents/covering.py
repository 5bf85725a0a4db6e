"""The cheapest calls that tell everything: what an agent must be able to afford whatever it reads first."""

from itertools import chain, combinations

from algoworlds.core.interface import Interface
from algoworlds.core.tool import Call, Refusal, expand
from algoworlds.runs.agents.imagining import hidden_relations
from algoworlds.worlds.world import CALL_CAP, World


def told(world: World, tool: str) -> frozenset[str]:
    """The tables that a tool tells rows of."""
    return frozenset(name for name in world.family.tools[tool].reveals if isinstance(name, str))


def cover(world: World) -> tuple[Call, ...]:
    """The cheapest calls that tell everything: of the steps of both plans, those that tell every table at least cost."""
    wanted, choices = frozenset(hidden_relations(world)), list(world.plans.values())
    plans = [
        [(told(world, step.tool) & wanted, expand((step,), world.family.tools, world.public)) for step in plan]
        for plan in world.family.template.plans.values()
    ]
    once = all(sum(len(tables) for tables, _ in plan) == len(wanted) for plan in plans)  # each table by one step, so in full
    if world.interface is not Interface.SPLIT and once:
        parts = [(tables, cheapest(world, tables, calls)) for plan in plans for tables, calls in plan if tables]
        steps = [(tables, calls) for calls, tables in {calls: tables for tables, calls in parts}.items()]
        some = chain.from_iterable(combinations(steps, size) for size in range(1, len(steps) + 1))
        telling = [each for each in some if wanted.issubset(chain.from_iterable(tables for tables, _ in each))]
        choices += [tuple(chain.from_iterable(calls for _, calls in each)) for each in telling]
    return min((calls for calls in choices if len(calls) <= CALL_CAP), key=world.cost)


def cheapest(world: World, tables: frozenset[str], calls: tuple[Call, ...]) -> tuple[Call, ...]:
    """The cheapest calls that tell of some tables, and of the entities that given calls ask about, in any mix of tools.

    Calls ask about entities that follow each other in their roster, so that what covers its beginning best is a recurrence:
    f(i) = min(f(i - 1) if nobody asks about entity i, f(a) + price of a call about the entities a + 1 .. b with a < i <= b).
    """
    asked = world.family.tools[calls[0].tool]
    if asked.argument.roster is None:
        return calls
    place = {entity: at for at, entity in enumerate(world.public[asked.argument.roster])}
    wanted = {place[entity] for call in calls for entity in _entities(world, call)}
    spans = []
    for name, tool in world.family.tools.items():
        if (tool.argument.roster, tool.through) == (asked.argument.roster, asked.through) and tables <= told(world, name):
            listed = (Call.make(name, each) for each in tool.argument.domain(world.public))
            spans += [([place[entity] for entity in _entities(world, call)], call) for call in listed]
    best: list[tuple[int, int, tuple[Call, ...]]] = [(0, 0, ())]
    for at in range(len(place)):
        ways = [(*best[min(span)], call) for span, call in spans if min(span) <= at <= max(span)]
        bought = [(cost + world.prices[call.tool], count + 1, (*some, call)) for cost, count, some, call in ways]
        best.append(min(bought if at in wanted else [best[at], *bought]))
    return best[-1][2]


def _entities(world: World, call: Call) -> frozenset[str]:
    selection = world.selection(call)
    return frozenset() if selection is None or isinstance(selection, Refusal) else selection
