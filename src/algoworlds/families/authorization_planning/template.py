"""World template of Authorization Planning: question, seven tools, mediation through approvals, two plans."""

from algoworlds.families.declare import IdListShape, One, Template, Tool, Via, Window

STORY = """\
You plan a regulated project that runs through a fixed sequence of stages. At every stage exactly one work package is \
carried out, chosen among the packages that this stage offers. Every package belongs to one stage.

Constraints
- The first package needs an opening authorization: only packages listed as openings of the first stage may start.
- Every later package must be authorized to follow the package chosen at the stage just before it. Authorizations have a \
direction and exist only between neighbouring stages; a pair that is not listed may not be used.
- Every package carries a clearance, an integer from 0 up to but not including {modulus}. The clearances of all chosen \
packages together must leave the required clearance as remainder when divided by {modulus}.

Objective: minimise the total cost, which is the sum of
- the base price of every chosen package,
- the adjustment of every chosen package's policy code, charged once for each package that bears the code,
- the handoff cost of every two consecutive packages (the opening costs nothing).

Packages with their base prices, policy codes and clearances, openings, authorized pairs with their handoff costs, the \
adjustments and the required clearance are hidden until you read them. Authorized pairs are filed under the stage that \
they enter, the stage of the successor. The adjustments come as one list of integers, in the order in which the policy \
codes stand below. Positions in the list of stages count from zero."""

_PACKAGES = "The packages that one stage offers: base prices, policy codes and clearances."
_ENTRIES = "The authorized pairs that enter one stage, with handoff costs; for the first stage its openings."
_SOME_PACKAGES = "The packages of 2 or 3 consecutive stages: base prices, policy codes and clearances."
_SOME_ENTRIES = "The authorized pairs that enter 2 or 3 consecutive stages, with handoff costs, and openings."
_POLICY = "The required clearance and the adjustments of all policy codes, in the order of their list."
_CATALOG = ("base_price", "policy_code", "clearance")
_STAGES = Window("stage", by_position=True)

TEMPLATE = Template(
    title="Authorization Planning",
    summary="choose one package per stage along authorized transitions, clearances meeting a residue, at the least cost",
    decision=IdListShape("plays", "package", ordered=True, per="stage"),
    story=STORY,
    rosters={"stage": "Stages, in project order", "code": "Policy codes"},
    example='"plays" lists one package id per stage, in the order of the stages. With three stages, carrying out package-a,\n'
    "then package-b, then package-c is\n"
    '{"plays": ["package-a", "package-b", "package-c"]}',
    tools=(
        Tool("read_catalog_stage", (2, 3, 4), _CATALOG, One("stage"), _PACKAGES),
        Tool("read_authorization_stage", (2, 3, 4), ("opening", "handoff"), One("stage"), _ENTRIES),
        Tool("read_catalog_window", (7, 7, 7), _CATALOG, _STAGES, _SOME_PACKAGES),
        Tool("read_authorization_window", (7, 7, 7), ("opening", "handoff"), _STAGES, _SOME_ENTRIES),
        Tool("read_override_policy", (3, 3, 3), ("policy",), description=_POLICY),
    ),
    evaluate=("evaluate_package", (5, 5, 5)),
    submit="submit_package",
    plans={
        "stages": ("read_override_policy", "read_catalog_stage", "read_authorization_stage"),
        "windows": ("read_override_policy", "read_catalog_window", "read_authorization_window"),
    },
    mediation={
        "handoff": Via(
            links={"approval": (("predecessor",), 3)},
            parts=(("stage", "predecessor", "approval"), ("approval", "successor", "handoff_cost")),
            split_tools=("read_catalog_stage", "read_catalog_window"),
        )
    },
)
