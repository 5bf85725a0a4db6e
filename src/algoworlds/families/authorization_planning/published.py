"""How a published instance of Authorization Planning becomes one of ours."""

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import Converted, Published, find_rows, has_rows, read_ids, read_mapping, unique_table


def _convert(payload: JsonObject) -> Converted:
    documents = payload["source_documents"]
    catalog = find_rows(documents["catalog"], "stage_id", "play_id", "base_cost", "override_code", "clearance_residue")
    source, stages = documents["source_id"], read_ids(documents["stage_order"], "stage_id")
    authorization = documents["authorization"]
    if has_rows(authorization, "stage_id", "predecessor_id", "successor_id", "handoff_cost"):
        rows = find_rows(authorization, "stage_id", "predecessor_id", "successor_id", "handoff_cost")
        handoffs = [(row["stage_id"], row["predecessor_id"], row["successor_id"], row["handoff_cost"]) for row in rows]
    else:
        before = read_mapping(authorization, "approval_id", "predecessor_id")
        rows = find_rows(authorization, "approval_id", "stage_id", "successor_id", "handoff_cost")
        handoffs = [(r["stage_id"], before[r["approval_id"]], r["successor_id"], r["handoff_cost"]) for r in rows]
    openings = {later: price for stage, earlier, later, price in handoffs if earlier == source and stage == stages[0]}
    code_of = {row["play_id"]: row["override_code"] for row in catalog}
    adjustment = read_mapping(documents["override_policy"], "override_code", "cost_adjustment")
    codes = tuple(sorted(adjustment))
    checksum = documents["checksum"]
    at = {row["play_id"]: (row["stage_id"], row["play_id"]) for row in catalog}
    tables = {
        "stage": stages,
        "code": codes,
        "package": tuple(code_of),
        # Our openings have no price: the handoff from the source is part of the base price of the package that it enters.
        "base_price": {at[row["play_id"]]: row["base_cost"] + openings.get(row["play_id"], 0) for row in catalog},
        "policy_code": {at[play]: code for play, code in code_of.items()},
        "clearance": {at[row["play_id"]]: row["clearance_residue"] for row in catalog},
        "opening": frozenset((stages[0], play) for play in openings),
        "handoff": unique_table(
            (((stage, earlier, later), price) for stage, earlier, later, price in handoffs if earlier != source),
            "authorization",
        ),
        "policy": (checksum["required_residue"], tuple(adjustment[code] for code in codes)),
        "modulus": checksum["modulus"],
    }
    return Converted(tables)


PUBLISHED = Published(_convert, ("package", "code"))
