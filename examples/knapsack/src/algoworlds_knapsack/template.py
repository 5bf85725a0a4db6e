"""World template: the question, the decision, the tools and their prices, two plans, and how records are mediated."""

from algoworlds.families.declare import IdListShape, One, Template, Tool, Via, Window

STORY = """\
You load one van with goods that are stored in crates. Choose which items to take along.

Constraints
- Every item lies in exactly one crate. To take any item of a crate, the crate itself has to ride along.
- The weights of the items you take and the tares of the crates they lie in, each crate counted once, must not add up to more \
than {capacity}.

Objective: maximise the sum of the values of the items you take.

Which items lie in which crate, their weights and values, and the tares are hidden until you read them."""

_CRATE = "One crate's tare. No items."
_CONTENTS = "The items that lie in one crate, with their weights. No tare, no values."
_ITEM = "One item: the crate it lies in, its weight and its value."
_PRICES = "The values of 2 or 3 consecutive items of the list. No weights."

TEMPLATE = Template(
    title="Crate Knapsack",
    summary="take items out of crates that ride along, at the largest total value that the van can carry",
    decision=IdListShape("items", "item"),
    story=STORY,  # {capacity} is a public table; hidden tables cannot be named here
    rosters={"item": "Items", "crate": "Crates"},
    example='With items item-a, item-b, item-c, taking the first and the last is\n{"items": ["item-a", "item-c"]}',
    # A tool declares what it reveals and its argument: no handler is written. Prices come in three profiles.
    tools=(
        Tool("read_crate", (3, 4, 2), ("tare",), One("crate"), _CRATE),
        Tool("weigh_crate", (6, 8, 5), ("weight",), One("crate"), _CONTENTS),
        Tool("inspect_item", (3, 4, 4), ("weight", "value"), One("item"), _ITEM),
        Tool("read_prices", (4, 5, 6), ("value",), Window("item"), _PRICES),
    ),
    evaluate=("evaluate_packing", (6, 6, 6)),
    submit="submit_packing",
    # Two ways to learn everything. The dearer one plus one evaluation is the budget.
    plans={"items": ("read_crate", "inspect_item"), "crates": ("read_crate", "weigh_crate", "read_prices")},
    # Mediated: the crate of an item is given through a shelf, and every crate has two shelves:
    # weight(crate, item) = (crate, shelf) x (shelf, item, weight). Split: the first half comes with read_crate instead.
    mediation={
        "weight": Via(
            links={"shelf": (("crate",), 2)},
            parts=(("crate", "shelf"), ("shelf", "item", "weight")),
            split_tools=("read_crate",),
        )
    },
)
