"""World template of Machine Layout: question, eight tools, mediation through cells and anchors, two plans."""

from algoworlds.families.declare import AssignmentShape, One, Template, Tool, Via, Window, first_calls
from algoworlds.families.machine_layout.knowledge import deduce

STORY = """\
You lay out a workshop. Place every machine in exactly one slot, so that every slot holds exactly one machine; any \
machine may go to any slot.

The slots stand along one straight aisle, each one unit from the next, so the distance between two slots is the number \
of steps from one to the other. The order in which they are listed below is not their order along the aisle. Every \
two machines exchange goods; their flow is one number for the pair, whichever comes first.

Objective: minimise the total cost, which is the sum of
- for every two machines, counted once: their flow times the distance between their slots,
- for every machine: the adjustment of placing it in its slot, which depends on both.

Flows, distances and adjustments are hidden until you read them. Because the slots form a line without gaps, the distances \
from a few slots to all others can settle the remaining ones. Positions in the two lists below count from zero."""

_REGISTER = "The floor's register: machines, slots and how they are labelled. No flows, distances or adjustments."
_FLOWS = "The flows between one machine and all others."
_DISTANCES = "The distances between one slot and all others."
_ADJUSTMENTS = "The adjustments of placing one machine in each of the slots."
_SOME_FLOWS = "The flows between each of 2 or 3 consecutive machines of the list and all others."
_SOME_DISTANCES = "The distances between each of 2 or 3 consecutive slots of the list and all others."
_SOME_ADJUSTMENTS = "The adjustments of placing each of 2 or 3 consecutive machines of the list in each of the slots."
_MACHINES, _SLOTS = (Window(roster, names=("start_index", "span"), by_position=True) for roster in ("machine", "slot"))

TEMPLATE = Template(
    title="Machine Layout",
    summary="place every machine in its own slot of a line, at the least total of flow times distance and adjustments",
    decision=AssignmentShape("assignment", "machine", "slot"),
    story=STORY,
    rosters={"machine": "Machines", "slot": "Slots, not in aisle order"},
    example="With machines machine-a, machine-b, machine-c and slots slot-x, slot-y, slot-z, one complete layout is\n"
    '{"assignment": {"machine-a": "slot-y", "machine-b": "slot-z", "machine-c": "slot-x"}}',
    tools=(
        Tool("survey_floor", (2, 2, 2), ("machine", "slot"), description=_REGISTER, navigation=True),
        Tool("read_flow_row", (3, 8, 4), ("flow",), One("machine", "machine_id"), _FLOWS),
        Tool("read_distance_row", (5, 8, 5), ("distance",), One("slot", "slot_id"), _DISTANCES),
        Tool("read_settlement_row", (4, 10, 5), ("adjustment",), One("machine", "machine_id"), _ADJUSTMENTS),
        Tool("read_flow_block", (12, 10, 8), ("flow",), _MACHINES, _SOME_FLOWS),
        Tool("read_distance_block", (12, 10, 62), ("distance",), _SLOTS, _SOME_DISTANCES),
        Tool("read_settlement_block", (15, 13, 8), ("adjustment",), _MACHINES, _SOME_ADJUSTMENTS),
    ),
    evaluate=("evaluate_layout", (7, 7, 7)),
    submit="submit_layout",
    plans={
        "rows": ("survey_floor", first_calls("read_flow_row", -1), first_calls("read_distance_row", 2), "read_settlement_row"),
        "blocks": ("survey_floor", "read_flow_block", first_calls("read_distance_block", 1), "read_settlement_block"),
    },
    mediation={
        "adjustment": Via(
            links={"cell": (("machine",), 3), "anchor": (("slot",), 2)},
            parts=(("machine", "cell"), ("cell", "anchor", "adjustment"), ("anchor", "slot")),
            split_tools=("survey_floor",),
            split_part=2,
        )
    },
    deduce=deduce,
)
