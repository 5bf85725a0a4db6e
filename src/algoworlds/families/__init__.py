"""The only list of families."""

from typing import Any

from algoworlds.errors import InputError
from algoworlds.families.authorization_planning import AUTHORIZATION_PLANNING
from algoworlds.families.family import Family
from algoworlds.families.fleet_dispatch import FLEET_DISPATCH
from algoworlds.model.instance import Instance, read_document

FAMILIES: dict[str, Family[Any, Any]] = {each.name: each for each in (AUTHORIZATION_PLANNING, FLEET_DISPATCH)}


def family(name: str) -> Family[Any, Any]:
    """The family of that name; InputError lists the names that exist."""
    if name not in FAMILIES:
        raise InputError(f"there is no family {name!r}; choose from {', '.join(FAMILIES)}")
    return FAMILIES[name]


def read_instance(text: str) -> Instance:
    """An instance from JSON text that names its family and holds its tables."""
    document = read_document(text)
    if not isinstance(document.get("family"), str):
        raise InputError('the instance does not say its family: add a field like "family": "fleet_dispatch"')
    instance: Instance = family(document["family"]).instance.from_json(document)
    return instance
