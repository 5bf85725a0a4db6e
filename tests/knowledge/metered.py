"""A family from outside: its objective multiplies numbers that may be 0, and hidden tables may be empty. With tiny universes.

Choose some options. An option costs its base, its units times the rate, and a surcharge if it has one.
"""

from itertools import combinations, product

from algoworlds.core.decision import Verdict
from algoworlds.core.tool import Nothing
from algoworlds.core.work import Solution
from algoworlds.families.declare import Family, IdListShape, Instance, Knowledge, One, Template, Tool, relation, roster
from algoworlds.families.knowledge import Unknowns
from tests.knowledge.universes import fill_table, universe

OPTIONS = ("a", "b", "c")


def instance_class(name, direction):
    """What each option costs, how many units it takes at which rate, and which options are barred."""

    class Metered(Instance, family=name, sense=direction):
        option = roster()
        ground = roster()
        base = relation("option", value="base", channel="price", complete=True)
        units = relation("option", value="units", channel="meter", complete=True)
        rate = relation(value="rate", channel="rate")
        surcharge = relation("option", value="surcharge", channel="policy")
        barred = relation("ground", "option", channel="policy")
        picks = relation(value="picks", low=1, public=True)

    return Metered


def check(instance, decision):
    if len(decision) != instance.picks or len(set(decision)) != instance.picks or not set(decision) <= set(instance.option):
        return Verdict.infeasible("not as many options as asked for")
    if any(option in decision for _, option in instance.barred):
        return Verdict.infeasible("an option is barred")
    return Verdict.from_parts(
        base=sum(instance.base[option] for option in decision),
        metered=sum(instance.units[option] * instance.rate for option in decision),
        surcharge=sum(instance.surcharge.get(option, 0) for option in decision),
    )


def decisions(instance):
    return combinations(instance.option, instance.picks)


def solve(instance):
    values = {choice: check(instance, choice).value for choice in decisions(instance)}
    values = {choice: value for choice, value in values.items() if value is not None}
    if not values:
        return Solution.infeasible()
    best = (min if instance.sense.value == "min" else max)(values.values())
    optima = [choice for choice, value in values.items() if value == best]
    return Solution(best, optima[0], min(2, len(optima)))


TOOLS = (
    Tool("read_base", (1, 1, 1), ("base",), One("option")),
    Tool("read_units", (1, 1, 1), ("units",), One("option")),
    Tool("read_rate", (1, 1, 1), ("rate",), Nothing()),
    Tool("read_policy", (1, 1, 1), ("surcharge",), One("option")),
    Tool("read_bars", (1, 1, 1), ("barred",), Nothing()),
)
PLAN = tuple(tool.name for tool in TOOLS)


def declare(kind, **unknowns):
    """The family of `kind` with these `unknowns`."""
    return Family(
        instance=kind,
        levels={0: None},
        generate=lambda config, stream: None,
        solve=solve,
        verify=solve,
        check=check,
        reference=lambda instance: next(choice for choice in decisions(instance) if check(instance, choice).feasible),
        template=Template(
            title="Metered Choice",
            summary="choose options",
            decision=IdListShape("options", "option"),
            story="Choose {picks} options.",
            rosters={"option": "Options", "ground": "Grounds"},
            example="",
            tools=TOOLS,
            evaluate=("evaluate_choice", (1, 1, 1)),
            submit="submit_choice",
            plans={"all": PLAN, "again": PLAN},
            mediation={},
        ),
        knowledge=Knowledge(unknowns=Unknowns(**unknowns)),
    )


DECLARED = {"binding": {("barred", ""): 0}, "shared": frozenset({("rate", "rate")})}
KINDS = instance_class("metered_choice", "min"), instance_class("metered_yield", "max")
OUTSIDE = {kind.family: declare(kind, **DECLARED) for kind in KINDS}
"""The families by name."""

METERED = {}
"""Their universes."""


def small_universe(family, *always, **spans):
    """Declare a universe of a family with these ranges; columns that are not named hold 1, or no rows."""
    spans = {"base": (1, 1), "units": (1, 1), "rate": (1, 1), "surcharge": (1, 1)} | spans
    return universe(family, *always, registry=METERED, **{f"{name}__{name}": ends for name, ends in spans.items()})


def shops(picks, bases, units, rates, surcharges=(None,), bars=((),), options=OPTIONS):
    tables = [list(fill_table(options, *cells)) for cells in (bases, units, surcharges)]
    for base, unit, surcharge, rate, barred in product(*tables, rates, bars):
        yield {
            "option": options,
            "base": base,
            "units": unit,
            "rate": rate,
            "surcharge": {option: more for option, more in surcharge.items() if more is not None},
            "ground": ("g",),
            "barred": frozenset(("g", option) for option in barred),
            "picks": picks,
        }


CLOSED = ("read_policy", "read_bars")
"""The tools whose tables are the same in all instances of a universe."""


def register():
    """Register the universes; their families must be known by name."""

    @small_universe("metered_choice", *CLOSED, base=(0, 2), units=(0, 2), rate=(0, 2))
    def one_option_that_may_be_free():
        return shops(1, (0, 1, 2), (0, 1, 2), (0, 1, 2))

    @small_universe("metered_choice", *CLOSED, base=(0, 1), units=(0, 2), rate=(0, 2))
    def two_options_that_may_be_free():
        return shops(2, (0, 1), (0, 1, 2), (0, 1, 2))

    @small_universe("metered_yield", *CLOSED, base=(0, 1), units=(-1, 1), rate=(-1, 1))
    def yields_of_either_sign():
        return shops(1, (0, 1), (-1, 0, 1), (-1, 0, 1))

    @small_universe("metered_yield", *CLOSED, units=(0, 1), rate=(0, 3))
    def two_yields():
        return shops(2, (1,), (0, 1), (0, 1, 2, 3))

    @small_universe("metered_choice", "read_bars", base=(1, 2), units=(0, 1), rate=(0, 1), surcharge=(-1, 1))
    def surcharges_of_some():
        return shops(1, (1, 2), (0, 1), (0, 1), (None, -1, 0, 1), options=OPTIONS[:2])

    @small_universe("metered_choice", "read_policy", base=(1, 2), units=(0, 1), rate=(0, 1))
    def options_that_may_be_barred():
        bars = [barred for size in range(3) for barred in combinations(OPTIONS, size)]
        return shops(1, (1, 2), (0, 1), (0, 1), bars=bars)
