"""World template of Sequential Matching: question, seven tools, mediation through events, two plans."""

from collections.abc import Mapping

from algoworlds.families.declare import IdListShape, One, Page, Template, Tool, Via, first_calls

STORY = """\
You plan a row of {per_side} one-to-one sessions. The list of participants below has two halves: the first {per_side} are \
the left participants, in the fixed order in which their sessions take place; the last {per_side} are the right \
participants, in no particular order. Give every left participant one right participant as a partner, so that every \
participant takes part in exactly one session.

Every left participant has one pair on file with every right participant; the list of pairs below gives their ids, in no \
particular order. Every pair has a cost. Your decision is the set of the {per_side} pairs whose sessions take place; the \
order in which you name them does not matter.

Constraints
- The pairs you choose contain every participant exactly once.
- The two participants of a pair you choose must be compatible.

Objective: minimise the total cost, which is the sum of
- the cost of every pair you choose,
- for every two consecutive sessions, in the order of their left participants, the cost of the handoff from the right \
participant of the earlier session to the right participant of the later one: its minutes multiplied by the rate, which is \
the same for all handoffs. The handoff from one participant to another may take longer or shorter than the way back. There \
is no handoff before the first or after the last session.

Hidden until you read them: who belongs to which pair, who is compatible with whom, the cost of every pair, the minutes of \
every handoff and the rate. Pairs of participants who are not compatible have a cost as well; they still may not be chosen. \
Positions in the list of pairs count from 0; a page is {per_side} consecutive pairs of that list and starts at a multiple \
of {per_side}."""


class HalfPage(Page):
    """Pages half as long as the roster `size`: with all participants, as many pairs as each of them belongs to."""

    def _size(self, rosters: Mapping[str, tuple[str, ...]]) -> int:
        return max(1, super()._size(rosters) // 2)


_PARTICIPANT = "The pairs that one participant belongs to, without the partners, and whom the participant is compatible with."
_ROW = "Both participants of every pair that one participant belongs to, and whom the participant is compatible with."
_HANDOFFS = "The roster of participants, the minutes of every handoff, and the rate."
_PAGES = HalfPage("pair", size="participant", names=("start", "length"))

TEMPLATE = Template(
    title="Sequential Matching",
    summary="match a sequence of left participants with right ones, at the least total of pair and handoff costs",
    decision=IdListShape("pairs", "pair"),
    story=STORY,
    rosters={"participant": "Participants, left ones in session order, then right ones", "pair": "Pairs"},
    example="With left participants person-a, person-b and right participants person-x, person-y, where pair-1 is a with x,\n"
    "pair-2 a with y, pair-3 b with x and pair-4 b with y, matching person-a with person-y and person-b with person-x is\n"
    '{"pairs": ["pair-2", "pair-3"]}',
    tools=(
        Tool("read_participant", (2, 5, 4), ("member", "compatible"), One("participant"), _PARTICIPANT),
        Tool("read_pair", (3, 3, 3), ("pair_cost",), One("pair"), "One pair's cost."),
        Tool("read_compatibility_row", (8, 8, 8), ("member", "compatible"), One("participant"), _ROW, self_join="pair"),
        Tool("read_pair_window", (8, 8, 8), ("pair_cost",), _PAGES, "The costs of one page of the list of pairs."),
        Tool("read_handoff_policy", (2, 2, 2), ("participant", "handoff", "rate"), description=_HANDOFFS),
    ),
    evaluate=("evaluate_matching", (5, 5, 5)),
    submit="submit_matching",
    plans={
        "rows": (
            first_calls("read_compatibility_row", lambda rosters: len(rosters["participant"]) // 2 + 1),
            "read_pair_window",
            "read_handoff_policy",
        ),
        "participants": ("read_participant", "read_pair_window", "read_handoff_policy"),
    },
    mediation={
        "member": Via(
            links={"event": (("participant",), 3)},
            parts=(("pair", "event"), ("event", "participant")),
            split_tools=("read_pair", "read_pair_window"),
        )
    },
    prefixes={"participant": "person"},
)
