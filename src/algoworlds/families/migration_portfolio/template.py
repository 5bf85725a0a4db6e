"""World template of Migration Portfolio: question, eight tools, mediation through cohorts, two plans."""

from algoworlds.families.declare import Argument, IdListShape, One, Page, PairShape, Template, Tool, Via, Window

STORY = """\
You plan how a company moves its software to a new platform. The software falls into component groups. For every group \
you buy exactly one migration package, and for the whole company you decide which support domains to activate.

Constraints
- Every package belongs to one group; take exactly one package of every group.
- A package may require support domains, several or none. Every domain that a chosen package requires must be \
activated. One activation serves all packages, and you may activate domains that no chosen package requires.

Objective: minimise the total cost, which is the sum of
- the cost of every package you take,
- the activation charge of every domain you activate, paid once per domain,
- one entry of every interaction table, chosen by which domains are activated (see below),
- minus the offset, plus 1. The offset is a fixed number in the support policy, the same for every plan.

Interactions: an interaction has a scope, which is an ordered list of domains, and a table of costs, which may be \
negative. Write 1 for an activated domain of the scope and 0 for any other, in the order of the scope, and read this as a \
binary number: it is the zero-based position of the entry that counts. For a scope of two domains the four entries stand \
for: neither activated, only the second, only the first, both. An interaction counts whether or not its domains are activated.

The packages of every group, their costs and required domains, the activation charges, the interactions and the offset are \
hidden until you read them. The group list below is numbered from position 0; page k covers positions 16k to 16k+15."""


def _readers(size: str, prices: tuple[int, int, int], argument: Argument, owner: str, scope: str) -> tuple[Tool, Tool]:
    """The catalog and the classification of as many groups as the argument selects."""
    packages, classes = "packages and their costs; no required domains.", "the domains that every package requires; no costs."
    return (
        Tool(f"read_catalog_{size}", prices, ("member", "cost"), argument, f"{owner} {packages}"),
        Tool(f"read_classification_{size}", prices, ("requirement",), argument, f"{scope} {classes}"),
    )


_POLICY = "Every domain's activation charge, every interaction with its scope and table, and the offset."
_SOME, _PAGE = "For 2 or 3 consecutive groups of the list,", "For one page of 16 groups of the list,"

TEMPLATE = Template(
    title="Migration Portfolio",
    summary="choose one package per group and activate what it needs, at the least total of packages, domains and interactions",
    decision=PairShape(IdListShape("packages", "package", per="group"), IdListShape("domains", "domain")),
    story=STORY,
    rosters={"group": "Component groups, from position 0", "domain": "Support domains"},
    example="With groups group-a, group-b, taking package-x for the first and package-y for the second and activating "
    'domain-q is\n{"packages": ["package-x", "package-y"], "domains": ["domain-q"]}',
    tools=(
        *_readers("group", (2, 4, 3), One("group"), "One group's", "For one group,"),
        *_readers("window", (5, 9, 7), Window("group", by_position=True), f"{_SOME} their", _SOME),
        *_readers("page", (25, 55, 40), Page("group", 16), f"{_PAGE} their", _PAGE),
        Tool("read_support_policy", (2, 2, 2), ("charge", "interaction", "offset"), description=_POLICY),
    ),
    evaluate=("evaluate_portfolio", (5, 5, 5)),
    submit="submit_portfolio",
    plans={
        "windows": ("read_support_policy", "read_catalog_window", "read_classification_window"),
        "pages": ("read_support_policy", "read_catalog_page", "read_classification_page"),
    },
    mediation={
        "requirement": Via(
            links={"cohort": (("required_domains",), 2)},
            parts=(("group", "package", "cohort"), ("cohort", "required_domains")),
            split_tools=("read_catalog_group", "read_catalog_window", "read_catalog_page"),
        )
    },
)
