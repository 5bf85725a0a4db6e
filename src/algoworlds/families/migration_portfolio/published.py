"""How a published instance of Migration Portfolio becomes one of ours."""

from algoworlds.core.canonical import JsonObject
from algoworlds.families.published import Converted, Published, find_rows, has_rows, read_ids, read_mapping


def _convert(payload: JsonObject) -> Converted:
    documents = payload["source_documents"]
    groups = read_ids(documents["group_order"], "group_id")
    catalog = find_rows(documents["catalog"], "group_id", "package_id", "base_cost")
    classification = documents["classification"]
    if has_rows(classification, "package_id", "support_domains"):
        needed = read_mapping(classification, "package_id", "support_domains")
    else:
        terms = read_mapping(classification, "cohort_id", "support_domains")
        needed = {package: terms[cohort] for package, cohort in read_mapping(classification, "package_id", "cohort_id").items()}
    charge = read_mapping(documents["support_policy"], "domain_id", "fixed_charge")
    rows = {(row["group_id"], row["package_id"]): row["base_cost"] for row in catalog}
    tables = {
        "group": groups,
        "domain": tuple(sorted(charge)),
        "package": tuple(package for _, package in rows),
        "factor": (),
        "member": frozenset(rows),
        "cost": rows,
        "requirement": {row: tuple(sorted(needed[row[1]])) for row in rows},
        "charge": charge,
        "interaction": {},
        "offset": documents["objective_offset"],
    }
    return Converted(tables)


PUBLISHED = Published(_convert, ("package", "domain"))
