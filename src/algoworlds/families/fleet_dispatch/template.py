"""World template of Fleet Dispatch: question, seven tools, mediation through shifts, two plans."""

from algoworlds.families.declare import AssignmentShape, One, Template, Tool, Via, Window

STORY = """\
You dispatch a fleet for one day. Assign every job to exactly one vehicle.

Constraints
- A job may only go to a vehicle that is eligible for it.
- Every job has a positive load; the loads of the jobs given to one vehicle must not exceed its capacity.

Objective: minimise the total cost, which is the sum of
- the route cost of every (vehicle, job) pair you use,
- the activation cost of every vehicle that carries at least one job, paid once per vehicle,
- a fixed offset of {offset}, the same for every plan.

Loads, eligibility, capacities, route costs and activation costs are hidden until you read them. A route cost may be \
listed for a pair that is not eligible; such a pair still may not be used."""

_POLICY = "The complete vehicle and job rosters and every vehicle's capacity."
_JOB = "One job's load and which vehicles are eligible for it. No route costs."
_CONTRACT = "One vehicle's activation cost. No capacity, no jobs."
_WINDOW = "Loads, eligibility and the route costs of all vehicles for 2 or 3 consecutive jobs of the list."

TEMPLATE = Template(
    title="Fleet Dispatch",
    summary="assign every job to an eligible vehicle with room, at the least total of route and activation costs",
    decision=AssignmentShape("assignment", "job", "vehicle"),
    story=STORY,
    rosters={"job": "Jobs, in dispatch order", "vehicle": "Vehicles"},
    example="With jobs job-a, job-b, job-c and vehicles vehicle-x, vehicle-y, giving the first two jobs to vehicle-x is\n"
    '{"assignment": {"job-a": "vehicle-x", "job-b": "vehicle-x", "job-c": "vehicle-y"}}',
    tools=(
        Tool("read_fleet_policy", (2, 2, 2), ("vehicle", "job", "capacity"), description=_POLICY),
        Tool("read_job", (1, 3, 4), ("load", "eligible"), One("job"), _JOB),
        Tool("read_vehicle_contract", (4, 4, 4), ("activation",), One("vehicle"), _CONTRACT),
        Tool("read_route_row", (3, 6, 7), ("route_cost",), One("vehicle"), "The route costs between one vehicle and all jobs."),
        Tool("read_dispatch_window", (14, 8, 7), ("load", "eligible", "route_cost"), Window("job"), _WINDOW),
    ),
    evaluate=("evaluate_assignment", (5, 5, 5)),
    submit="submit_assignment",
    plans={
        "rows": ("read_fleet_policy", "read_job", "read_vehicle_contract", "read_route_row"),
        "windows": ("read_fleet_policy", "read_vehicle_contract", "read_dispatch_window"),
    },
    mediation={
        "route_cost": Via(
            links={"shift": (("vehicle",), 3)},
            parts=(("vehicle", "shift"), ("shift", "job", "route_cost")),
            split_tools=("read_vehicle_contract",),
        )
    },
)
