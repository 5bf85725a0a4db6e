"""Public ranges of Fleet Dispatch, the columns that decide feasibility, and what decisions consist of."""

from algoworlds.core.options import OptionKind, clear_flags
from algoworlds.families.fleet_dispatch.generate import ranges
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.unknowns import Unknowns

KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(binding={("capacity", "capacity"): +1, ("load", "load"): -1, ("eligible", "eligible"): +1}),
    options=(
        OptionKind(
            ("eligible", "capacity", "activation", "load", "route_cost"), clear_flags("eligible"), required_roster="job"
        ),
    ),
)
