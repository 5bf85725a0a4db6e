"""World template of Evidence-Joined Routing: question, seven tools, mediation through relays, two plans."""

from algoworlds.families.declare import IdListShape, One, Template, Tool, Via, Window

STORY = """\
You book a shipment through a network of handling points, from the origin {source} to the destination {target}. A route \
is a chain of arcs: the first leaves the origin, each next one starts where the one before it ended, and the last ends at \
the destination. Arcs are filed by stage, in travel order; every route uses one arc of each stage.

Constraint
- Every arc adds a residue, an integer from 0 up to but not including {modulus}. The residues of all arcs of the route \
together must leave the required residue as remainder when divided by {modulus}.

Objective: minimise the total charge, the sum over the arcs of the route of
- the arc's quantity times the rate of the arc's exception class.

Three sources must be joined. The manifest tells where each arc starts (tail) and ends (head), its quantity and its \
residue. The exceptions tell each arc's exception class. The tariff card of the component tells the rate of every \
exception class, and the required residue. All of it is hidden until you read it."""

_ARCS = "The arcs of one stage: tail, head, quantity and residue. No exception classes."
_CLASSES = "The exception class of every arc of one stage."
_SOME_ARCS = "The arcs of 2 or 3 consecutive stages of the list: tail, head, quantity and residue."
_SOME_CLASSES = "The exception classes of the arcs of 2 or 3 consecutive stages of the list."
_TARIFF = "The rate of every exception class, and the required residue."

TEMPLATE = Template(
    title="Evidence-Joined Routing",
    summary="find the cheapest path whose charges join manifest, exceptions and tariffs, residues meeting a target",
    decision=IdListShape("edges", "arc", ordered=True, per="stage"),
    story=STORY,
    rosters={"stage": "Stages, in travel order", "component": "Component"},
    example='"edges" lists arc ids in travel order, one per stage. With three stages, travelling by arc-a, then arc-b, then\n'
    "arc-c is\n"
    '{"edges": ["arc-a", "arc-b", "arc-c"]}',
    tools=(
        Tool("read_manifest_stage", (3, 4, 3), ("ends", "freight"), One("stage"), _ARCS),
        Tool("read_exceptions_stage", (3, 4, 4), ("exception",), One("stage"), _CLASSES),
        Tool("read_manifest_window", (10, 7, 8), ("ends", "freight"), Window("stage"), _SOME_ARCS),
        Tool("read_exceptions_window", (10, 7, 9), ("exception",), Window("stage"), _SOME_CLASSES),
        Tool("read_tariff_card", (2, 2, 2), ("tariff", "required"), One("component"), _TARIFF),
    ),
    evaluate=("evaluate_path", (250, 250, 250)),
    submit="submit_path",
    plans={
        "stages": ("read_tariff_card", "read_manifest_stage", "read_exceptions_stage"),
        "windows": ("read_tariff_card", "read_manifest_window", "read_exceptions_window"),
    },
    mediation={
        "ends": Via(
            links={"relay": (("stage", "tail"), 3)},
            parts=(("stage", "tail", "relay"), ("relay", "arc", "head")),
            split_tools=("read_exceptions_stage", "read_exceptions_window"),
        )
    },
    prefixes={"tariff_class": "class"},
)
