"""World template of Transit Routing: question, seven tools, mediation through platforms, two plans."""

from algoworlds.families.declare import IdListShape, One, Template, Tool, Via, Window

STORY = """\
You plan one journey through a transit network. It passes the stations listed below in that order; from each of them you \
take exactly one of the legs that depart there, and that leg brings you to the next station on the list (from the last \
one, to your destination). Choose one leg per station.

Constraint
- Every leg carries a ticket residue, a whole number of at least 0 and below {modulus}. The residues of all chosen legs \
must add up to the target residue modulo {modulus}.

Objective: minimise the total cost, which is the sum of
- the travel time of every chosen leg,
- the transfer cost between the lines of every two consecutive legs.
Every leg runs on one line. Transfer costs depend on both lines and on the direction: changing from line A to line B may \
cost more or less than changing from B to A. Nothing is charged before the first leg or after the last.

The departing legs, their travel times, residues and lines, the transfer costs and the target residue are hidden until you \
read them. The transfer costs of a line are a list of numbers, one for every line in the order of the list of lines below: \
the n-th number is the cost of changing from that line to the n-th line, and the line's own place holds the cost of \
staying on it."""

_LEGS = "The legs that depart from one station, with travel times and residues. No lines."
_MEMBERSHIPS = "The lines of the legs that depart from one station. No travel times, no residues."
_TRANSFERS = "The costs of changing from one line to every line, in the order of the list of lines."
_SOME_LEGS = "The departing legs with travel times and residues for 2 or 3 consecutive stations of the list."
_SPAN = Window("station", names=("start_station_id", "span"))

TEMPLATE = Template(
    title="Transit Routing",
    summary="choose one leg per station with a prescribed sum of residues, at the least total of travel times and transfers",
    decision=IdListShape("legs", "leg", ordered=True, per="station"),
    story=STORY,
    rosters={"station": "Departure stations, in travel order", "line": "Lines, in the order of transfer costs"},
    example="With three departure stations, taking leg-a from the first, leg-b from the second and leg-c from the third is\n"
    '{"legs": ["leg-a", "leg-b", "leg-c"]}',
    tools=(
        Tool("survey_route", (2, 2, 3), ("target",), description="The target residue that the journey must meet."),
        Tool("read_departures", (2, 6, 4), ("time", "residue"), One("station", "station_id"), _LEGS),
        Tool("read_stage_memberships", (3, 3, 3), ("membership",), One("station", "station_id"), _MEMBERSHIPS),
        Tool("read_transfer_costs", (4, 4, 5), ("transfer",), One("line", "line_id"), _TRANSFERS),
        Tool("read_station_window", (12, 7, 9), ("time", "residue"), _SPAN, _SOME_LEGS),
    ),
    evaluate=("evaluate_route", (250, 250, 250)),
    submit="submit_route",
    plans={
        "stations": ("survey_route", "read_departures", "read_stage_memberships", "read_transfer_costs"),
        "windows": ("survey_route", "read_station_window", "read_stage_memberships", "read_transfer_costs"),
    },
    mediation={
        "membership": Via(
            links={"platform": (("line",), 3)},
            parts=(("station", "leg", "platform"), ("platform", "line")),
            split_tools=("read_departures", "read_station_window"),
        )
    },
)
