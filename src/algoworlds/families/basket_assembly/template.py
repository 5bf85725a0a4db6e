"""World template of Basket Assembly: question, six tools, mediation through recipes, two plans."""

from algoworlds.families.declare import IdListShape, One, Template, Tool, Via, Window

STORY = """\
You furnish flats and buy everything from one shop, which sells by ticket. Every item on your list must be delivered \
exactly once. The items come in three kinds of equal number: the first third of the item list below are beds, the second \
third tables, the last third lamps.

A ticket is one indivisible offer with one price. It delivers either a single item, or a set of three items: one bed, one \
table and one lamp. Each ticket can be bought once.

Constraints
- Every item is delivered by exactly one of the tickets you buy: nothing may be missing, and nothing may come twice.
- You buy whole tickets only; a delivered item cannot be refused or returned.

Objective: minimise the total price, which is the sum of the prices of the tickets you buy.

Which items a ticket delivers and what it costs are hidden until you read them. The tickets are listed in catalog order; \
positions in the catalog count from 0."""

_ITEMS = "The items that must be delivered, each exactly once. No tickets, no prices."
_BUNDLE = "The items that one ticket delivers. No price."
_PRICES = "The prices of 2 or 3 consecutive tickets of the catalog, from a position that counts from 0."

TEMPLATE = Template(
    title="Basket Assembly",
    summary="buy tickets that deliver every item exactly once, at the least total price",
    decision=IdListShape("tickets", "ticket"),
    story=STORY,
    rosters={"item": "Items, beds first, then tables, then lamps", "ticket": "Tickets, in catalog order from position 0"},
    example="Buying the tickets ticket-a, ticket-b and ticket-c is\n"
    '{"tickets": ["ticket-a", "ticket-b", "ticket-c"]}\nThe order of the tickets does not matter.',
    tools=(
        Tool("read_requirements", (2, 2, 2), ("item",), description=_ITEMS),
        Tool("read_bundle", (1, 2, 3), ("covers",), One("ticket", name="bundle"), _BUNDLE),
        Tool("read_item_index", (5, 3, 1), ("covers",), One("item"), "All tickets that deliver one item. No prices."),
        Tool("read_catalog_window", (8, 8, 8), ("ticket", "price"), Window("ticket", by_position=True), _PRICES),
    ),
    evaluate=("evaluate_basket", (16, 16, 16)),
    submit="submit_tickets",
    plans={
        "bundles": ("read_requirements", "read_bundle", "read_catalog_window"),
        "index": ("read_requirements", "read_item_index", "read_catalog_window"),
    },
    mediation={
        "covers": Via(
            links={"recipe": (("ticket",), 2)},
            parts=(("ticket", "recipe"), ("recipe", "item")),
            split_tools=("read_catalog_window",),
        )
    },
)
