"""World template of Series Portfolio: question, seven tools, mediation through licences, two plans."""

from algoworlds.families.declare import IdListShape, One, Page, PartialRelation, Template, Tool, Via, Window

STORY = """\
A publisher sells its catalogue as a portfolio. Every title comes in two lots, numbered 0 and 1; take exactly one lot of \
every title. There are no other constraints.

Titles also belong to series. A series covers one or more titles, its scope, and has a table of signed adjustments, one \
cell for every way to choose lots of the titles in its scope. Exactly one cell of each series counts, and it may be \
negative. To find it, write down the lot numbers (0 or 1) that you took of the scope's titles, in the order in which the \
scope lists them, and read them as a binary number, the first title being the most significant bit: that is the cell's \
zero-based position in the table. With a scope of three titles, lots 1, 0, 1 select position 5 of the eight cells; with \
two titles, lots 1, 0 select position 2 of the four.

Objective: maximise the settled value, which is
- the sum of the values of the lots you take,
- plus the cell that counts of every series,
- minus the sum, over all titles, of the smaller of the title's two lot values (the same for every portfolio, so it \
changes no comparison).

The lots of a title, their numbers ("choice") and their values, and the scope and the table of every series are hidden \
until you read them. The order of a scope need not be the order of the catalogue. A title may be in many series, and each \
series is settled once. The series list is in no meaningful order; its pages are positions 0-23, 24-47 and so on, and the \
last page holds what is left."""

_TITLE = "One title's two lots, with their numbers and values."
_INDEX = "Which series have one title in their scope. No lots, no scopes, no tables."
_WINDOW = "The lots of 2 or 3 consecutive titles of the list, with their numbers and values."

TEMPLATE = Template(
    title="Series Portfolio",
    summary="take one of two lots of every title, at the largest value with all series adjustments",
    decision=IdListShape("lots", "lot", per="title"),
    story=STORY,
    rosters={"title": "Titles, in catalogue order", "series": "Series, in page order"},
    example="With titles title-a, title-b and title-c, taking lot-p of the first, lot-s of the second and lot-u of the third, "
    "listed in any order, is\n"
    '{"lots": ["lot-p", "lot-s", "lot-u"]}',
    tools=(
        Tool("read_title", (2, 3, 4), ("choice", "lot_value"), One("title"), _TITLE),
        Tool("read_series", (3, 3, 3), ("factor",), One("series"), "One series: its scope and its table."),
        Tool(
            "read_series_page",
            (12, 12, 12),
            ("factor",),
            Page("series", 24, names=("start", "length")),
            description="Scopes and tables of one page of the series list; start is 0, 24, 48, ..., "
            "length 24, or what is left on the last page.",
        ),
        Tool("read_title_index", (4, 4, 4), (PartialRelation("factor", ("series",)),), One("title"), _INDEX, navigation=True),
        Tool("read_catalog_window", (8, 8, 8), ("choice", "lot_value"), Window("title"), _WINDOW),
    ),
    evaluate=("evaluate_portfolio", (1000, 1000, 1000)),
    submit="submit_portfolio",
    plans={"titles": ("read_title", "read_series_page"), "windows": ("read_catalog_window", "read_series_page")},
    mediation={
        "factor": Via(
            links={"licence": (("scope",), 1)},
            parts=(("licence", "scope"), ("series", "licence", "table")),
            split_tools=("read_title", "read_catalog_window"),
        )
    },
)
