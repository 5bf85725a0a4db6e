"""World template of Station Siting: question, five tools, mediation through connectors, two plans."""

from algoworlds.families.declare import IdListShape, One, Template, Tool, Via, Window

STORY = """\
You plan the stations of a rail corridor. The corridor runs through zones, listed below in order. Every zone offers two \
candidate sites, one of option 0 (a plain station) and one of option 1 (an extended station). Choose exactly one site in \
every zone.

Constraint: at most {limit} of the chosen sites may be of option 1.

Objective: maximise the net benefit, which is
- the reward of every demand whose two required sites are both chosen (one of the two alone earns nothing),
- minus the operating cost of every chosen site,
- plus a fixed grant of {grant}, the same for every plan.

A demand requires one site in each of two different zones, at most {span} places apart in the list. Either site may be of \
option 0 or of option 1, and demands may disagree about a zone. Which end of a demand is called from and which to has no \
meaning. The order of the demand list has none either.

The sites of every zone, their options and operating costs, and the required sites and reward of every demand are hidden \
until you read them."""

_ZONE = "The two sites of one zone with their options and operating costs. No rewards."
_DEMAND = "The two required sites of one demand, with their zones, and its reward. No options or costs."
_WINDOW = "The sites of 2 or 3 consecutive zones of the list with their options and operating costs."

TEMPLATE = Template(
    title="Station Siting",
    summary="choose one site per zone, few of them extended, for the most demand reward less operating cost",
    decision=IdListShape("sites", "site", per="zone"),
    story=STORY,
    rosters={"zone": "Zones, in corridor order", "demand": "Demands"},
    example="With zones zone-a, zone-b, zone-c, of whose sites site-p lies in the first, site-s in the second and site-t in\n"
    'the third, choosing these three (in any order) is\n{"sites": ["site-p", "site-s", "site-t"]}',
    tools=(
        Tool("read_zone", (2, 4, 6), ("option", "cost"), One("zone"), _ZONE),
        Tool("read_demand", (3, 3, 3), ("need",), One("demand"), _DEMAND),
        Tool("read_zone_window", (7, 7, 7), ("option", "cost"), Window("zone"), _WINDOW),
    ),
    evaluate=("evaluate_layout", (5, 5, 5)),
    submit="submit_sites",
    plans={"zones": ("read_zone", "read_demand"), "windows": ("read_zone_window", "read_demand")},
    mediation={
        "need": Via(
            links={f"{end}_connector": ((f"{end}_zone", f"{end}_site"), 2) for end in ("from", "to")},
            parts=(
                ("from_connector", "from_zone", "from_site"),
                ("demand", "from_connector", "to_connector", "reward"),
                ("to_connector", "to_zone", "to_site"),
            ),
            split_tools=("read_zone", "read_zone_window"),
        )
    },
    prefixes={"from_connector": "connector", "to_connector": "connector"},
)
