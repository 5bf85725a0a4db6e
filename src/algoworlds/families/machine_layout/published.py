"""How a published instance of Machine Layout becomes one of ours."""

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import Converted, Published, find_rows, has_rows, read_ids, read_mapping, unique_table


def _convert(payload: JsonObject) -> Converted:
    machines, slots = read_ids(payload["machines"], "machine_id"), read_ids(payload["slots"], "slot_id")
    settlement = payload["settlement"]
    if has_rows(settlement, "machine_id", "slot_id", "adjustment"):
        rows = find_rows(settlement, "machine_id", "slot_id", "adjustment")
        adjustment = unique_table((((row["machine_id"], row["slot_id"]), row["adjustment"]) for row in rows), "settlement")
    else:
        slot_of, anchor_of = read_mapping(settlement, "anchor_id", "slot_id"), read_mapping(settlement, "cell_id", "anchor_id")
        rows = find_rows(settlement, "machine_id", "cell_id", "adjustment")
        entries = (((row["machine_id"], slot_of[anchor_of[row["cell_id"]]]), row["adjustment"]) for row in rows)
        adjustment = unique_table(entries, "settlement")
    flow = unique_table((((r["machine_a"], r["machine_b"]), r["throughput"]) for r in payload["flows"]), "flows")
    distance = unique_table((((r["slot_a"], r["slot_b"]), r["distance"]) for r in payload["distances"]), "distances")
    tables = {"machine": machines, "slot": slots, "flow": flow, "distance": distance, "adjustment": adjustment}
    return Converted(tables, -payload["flow_normalization_offset"])


PUBLISHED = Published(_convert)
