"""How a published instance of Basket Assembly becomes one of ours."""

from collections import Counter

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import (
    Converted,
    Problem,
    Published,
    find_rows,
    has_rows,
    read_ids,
    read_mapping,
    unique_table,
)


def _convert(payload: JsonObject) -> Converted:
    documents = payload["source_documents"]
    needed = read_mapping(documents["requirements"], "item_id", "quantity")
    if set(needed.values()) != {1}:
        raise Problem("it requires an item more than once")
    price = read_mapping(documents["catalog"], "bundle_id", "price")
    tickets = read_ids(documents["catalog_order"], "bundle_id")
    if has_rows(documents["catalog"], "bundle_id", "quantities"):
        held = [
            (name, item, n)
            for name, items in read_mapping(documents, "bundle_id", "quantities").items()
            for item, n in items.items()
        ]
    else:
        bundle = unique_table(
            ((r["recipe_id"], r["bundle_id"]) for r in find_rows(documents, "bundle_id", "recipe_id")), "recipes"
        )
        held = [
            (bundle[r["recipe_id"]], r["item_id"], r["quantity"])
            for r in find_rows(documents, "recipe_id", "item_id", "quantity")
        ]
    if any(count != 1 for *_, count in held):
        raise Problem("a ticket holds an item more than once")
    covers = frozenset((ticket, item) for ticket, item, _ in held)
    if set(price) != set(tickets):
        raise Problem("its catalog and its catalog order list different tickets")
    groups = _three_groups(sorted(needed), covers)
    tables = {
        "item": tuple(item for group in range(3) for item in sorted(needed) if groups[item] == group),
        "ticket": tickets,
        "covers": covers,
        "price": {ticket: price[ticket] for ticket in tickets},
    }
    return Converted(tables)


def _three_groups(items: list[str], covers: frozenset[tuple[str, str]]) -> dict[str, int]:
    """Split the items into three groups of one size so that every triple holds one of each; the release does not name them."""
    held: dict[str, set[str]] = {}
    for ticket, item in covers:
        held.setdefault(ticket, set()).add(item)
    beside: dict[str, set[str]] = {item: set() for item in items}
    for members in held.values():
        for item in members:
            beside[item] |= members - {item}
    size, group, count = len(items) // 3, dict[str, int](), Counter[int]()

    def place() -> bool:
        free = [item for item in items if item not in group]
        if not free:
            return True
        taken = {item: {group[other] for other in beside[item] if other in group} for item in free}
        item = max(free, key=lambda item: (len(taken[item]), len(beside[item]), item))
        for choice in range(min(3, max(group.values(), default=-1) + 2)):  # unused groups are alike
            if choice not in taken[item] and count[choice] < size:
                group[item] = choice
                count[choice] += 1
                if place():
                    return True
                count[choice] -= 1
                del group[item]
        return False

    if len(items) % 3 or not place():
        raise Problem("its items cannot be split into three groups of which every triple holds one each")
    return group


PUBLISHED = Published(_convert, ("ticket", "item"))
