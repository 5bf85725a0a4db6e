"""How a published instance of Station Siting becomes one of ours."""

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import Converted, Published, find_rows, has_rows, read_ids, read_mapping, unique_table


def _convert(payload: JsonObject) -> Converted:
    public, documents = payload["public"], payload["source_documents"]
    rows = find_rows(documents["site_rows"], "zone_id", "site_id", "option", "operating_cost")
    catalog = documents["coverage_catalog"]
    reward = read_mapping(catalog, "demand_id", "reward")
    if has_rows(catalog, "demand_id", "required_sites"):
        needed = read_mapping(catalog, "demand_id", "required_sites")
    else:
        sites: dict[str, list[str]] = {}
        for row in find_rows(catalog, "connector_id", "site_id"):
            sites.setdefault(row["connector_id"], []).append(row["site_id"])
        needed = {demand: sites[connector] for demand, connector in read_mapping(catalog, "demand_id", "connector_id").items()}
    zones, demands = read_ids(public["zone_handles"]), read_ids(public["demand_handles"])
    home, position = {row["site_id"]: row["zone_id"] for row in rows}, {zone: at for at, zone in enumerate(zones)}
    need = {}
    for demand in demands:
        one, other = sorted(needed[demand], key=lambda site: position[home[site]])
        need[demand] = (home[one], one, home[other], other, reward[demand])
    tables = {
        "zone": zones,
        "demand": demands,
        "site": tuple(home),
        "option": unique_table((((r["zone_id"], r["site_id"]), r["option"]) for r in rows), "site_rows"),
        "cost": {(row["zone_id"], row["site_id"]): row["operating_cost"] for row in rows},
        "need": need,
        "limit": public["max_extended_sites"],
        "span": public["interaction_bandwidth"],
        "grant": -payload["objective_baseline_raw_value"],
    }
    return Converted(tables)


PUBLISHED = Published(_convert, ("site",))
