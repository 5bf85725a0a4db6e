"""How a published instance of Series Portfolio becomes one of ours."""

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import Converted, Problem, Published, find_rows, has_rows, read_ids, read_mapping


def _convert(payload: JsonObject) -> Converted:
    documents = payload["source_documents"]
    titles, series = read_ids(documents["title_order"], "title_id"), read_ids(documents["series_order"], "series_id")
    lots = {row["title_id"]: {lot["lot_id"]: lot["base_value"] for lot in row["lots"]} for row in documents["titles"]}
    title_of = {lot: title for title, values in lots.items() for lot in values}
    number = {lot: at for values in lots.values() for at, lot in enumerate(sorted(values))}
    adjustments = read_mapping(documents["series_source"], "series_id", "adjustments")
    if has_rows(documents["series_source"], "series_id", "lot_pairs"):
        pairs = read_mapping(documents["series_source"], "series_id", "lot_pairs")
    else:
        licensed: dict[str, list[list[str]]] = {}
        for row in find_rows(documents["series_source"], "license_id", "zero_lot_id", "one_lot_id"):
            licensed.setdefault(row["license_id"], []).append([row["zero_lot_id"], row["one_lot_id"]])
        license_of = read_mapping(documents["series_source"], "series_id", "license_id")
        pairs = {name: licensed[key] for name, key in license_of.items()}
    position = {title: at for at, title in enumerate(titles)}
    factor = {}
    for name in series:
        members = []
        for zero, one in pairs[name]:
            if title_of[zero] != title_of[one] or (number[zero], number[one]) != (0, 1):
                raise Problem(f"the series {name} has a pair that is not the two lots of a title in order")
            members.append(title_of[zero])
        if sorted(members, key=position.__getitem__) != members:  # cells are indexed by ascending positions
            members.sort(key=position.__getitem__)
        factor[name] = (tuple(members), tuple(adjustments[name]))
    rows = [(title, lot) for title in titles for lot in lots[title]]
    tables = {
        "title": titles,
        "series": series,
        "lot": tuple(lot for _, lot in rows),
        "choice": {row: number[row[1]] for row in rows},
        "lot_value": {(title, lot): lots[title][lot] for title, lot in rows},
        "factor": factor,
    }
    return Converted(tables)


PUBLISHED = Published(_convert, ("lot",))
