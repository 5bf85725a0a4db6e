"""How a published instance of Transit Routing becomes one of ours."""

from itertools import pairwise

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import Converted, Problem, Published, has_rows, read_ids, read_mapping, unique_table


def _convert(payload: JsonObject) -> Converted:
    stations, lines = read_ids(payload["stations"], "station_id"), read_ids(payload["lines"], "line_id")
    following = dict(pairwise(stations))
    legs = unique_table(((leg["leg_id"], leg) for leg in payload["legs"]), "legs")
    if wrong := [name for name, leg in legs.items() if following.get(leg["from_station"]) != leg["to_station"]]:
        raise Problem(f"the leg {wrong[0]} does not lead to the next station")
    if has_rows(payload, "leg_id", "line_id"):
        line_of = read_mapping(payload, "leg_id", "line_id")
    else:
        platform, line_at = read_mapping(payload, "leg_id", "from_platform"), read_mapping(payload, "platform_id", "line_id")
        line_of = {leg: line_at[at] for leg, at in platform.items()}
    cost = unique_table(
        (((r["from_line_id"], r["to_line_id"]), r["cost"]) for r in payload["transfer_costs"]), "transfer_costs"
    )
    at = {name: (leg["from_station"], name) for name, leg in legs.items()}
    if set(line_of) != set(legs):
        raise Problem("it does not name the line of every leg")
    tables = {
        "station": stations[:-1],
        "line": lines,
        "leg": tuple(legs),
        "time": {at[name]: leg["travel_time"] for name, leg in legs.items()},
        "residue": {at[name]: leg["ticket_residue"] for name, leg in legs.items()},
        "membership": {at[name]: line_of[name] for name in legs},
        "transfer": {line: tuple(cost[line, other] for other in lines) for line in lines},
        "target": payload["required_ticket_residue"],
        "modulus": payload["checksum_modulus"],
    }
    return Converted(tables, -payload["objective_offset"])


PUBLISHED = Published(_convert, ("leg",))
