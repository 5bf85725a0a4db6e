"""How a published instance of Fleet Dispatch becomes one of ours."""

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import Converted, Published, find_rows, has_rows, read_ids, read_mapping, unique_table


def _convert(payload: JsonObject) -> Converted:
    documents = payload["source_documents"]
    vehicles, jobs = read_ids(documents["vehicle_order"], "vehicle_id"), read_ids(documents["job_order"], "job_id")
    capacity = read_mapping(documents["contract_rows"], "vehicle_id", "capacity")
    fixed = read_mapping(documents["contract_rows"], "vehicle_id", "fixed_contract_cost")
    load = read_mapping(documents["job_rows"], "job_id", "load")
    catalog = documents["eligibility_catalog"]
    if has_rows(catalog, "vehicle_id", "job_id", "route_cost"):
        rows = find_rows(catalog, "vehicle_id", "job_id", "route_cost")
        route = unique_table((((row["vehicle_id"], row["job_id"]), row["route_cost"]) for row in rows), "eligibility_catalog")
    else:
        vehicle_of = unique_table(
            ((r["shift_id"], r["vehicle_id"]) for r in find_rows(catalog, "shift_id", "vehicle_id")), "shifts"
        )
        rows = find_rows(catalog, "shift_id", "job_id", "route_cost")
        entries = (((vehicle_of[row["shift_id"]], row["job_id"]), row["route_cost"]) for row in rows)
        route = unique_table(entries, "eligibility_catalog")
    total, used, carried = sum(load.values()), 0, 0
    for amount in sorted(capacity.values(), reverse=True):
        if carried >= total:
            break
        carried, used = carried + amount, used + 1
    least = sum(min(price for (_, at), price in route.items() if at == job) for job in jobs)
    tables = {
        "vehicle": vehicles,
        "job": jobs,
        "capacity": {vehicle: capacity[vehicle] for vehicle in vehicles},
        "activation": {vehicle: fixed[vehicle] for vehicle in vehicles},
        "load": {job: load[job] for job in jobs},
        "eligible": {(vehicle, job): (vehicle, job) in route for vehicle in vehicles for job in jobs},
        "route_cost": route,
        "offset": 1 - least - sum(sorted(fixed.values())[:used]),
    }
    return Converted(tables)


PUBLISHED = Published(_convert)
