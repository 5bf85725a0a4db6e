"""How a published instance of Sequential Matching becomes one of ours."""

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import Converted, Published, find_rows, has_rows, read_ids, read_mapping, unique_table


def _convert(payload: JsonObject) -> Converted:
    documents = payload["source_documents"]
    policy, source = documents["handoff_policy"], documents["pair_source"]
    left, right = read_ids(policy["left_order"], "participant_id"), read_ids(policy["right_order"], "participant_id")
    cost = read_mapping(source, "pair_id", "cost")
    if has_rows(source, "pair_id", "left", "right"):
        rows = find_rows(source, "pair_id", "left", "right")
        ends = {row["pair_id"]: {row["left"], row["right"]} for row in rows}
    else:
        present: dict[str, set[str]] = {}
        for row in find_rows(source, "event_id", "participant_id"):
            present.setdefault(row["event_id"], set()).add(row["participant_id"])
        ends = {pair: present[event] for pair, event in read_mapping(source, "pair_id", "event_id").items()}
    pairs = read_ids(documents["pair_order"], "pair_id")
    handoffs = find_rows(policy["rows"], "from_right", "to_right", "cost")
    handoff = unique_table((((row["from_right"], row["to_right"]), row["cost"]) for row in handoffs), "handoff_policy")
    joined = {frozenset(people) for people in ends.values()}
    tables = {
        "participant": (*left, *right),
        "pair": pairs,
        "per_side": len(left),
        "member": frozenset((person, pair) for pair, people in ends.items() for person in people),
        "compatible": {(one, other): frozenset((one, other)) in joined for one in left for other in right},
        "pair_cost": {pair: cost[pair] for pair in pairs},
        "handoff": handoff,
        "rate": 1,
    }
    least = sum(min(cost[pair] for pair, people in ends.items() if person in people) for person in left)
    return Converted(tables, 1 - least - (len(left) - 1) * min(handoff.values()))


PUBLISHED = Published(_convert, ("pair",))
