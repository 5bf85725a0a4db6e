"""The only list of families: the ten of the paper, in its order. Others come from outside, by entry point."""

from typing import Any

from algoworlds.core.canonical import strict_loads
from algoworlds.core.instance import Instance
from algoworlds.errors import InputError, InstanceError, Malformed, quoted
from algoworlds.families.authorization_planning import AUTHORIZATION_PLANNING
from algoworlds.families.basket_assembly import BASKET_ASSEMBLY
from algoworlds.families.evidence_joined_routing import EVIDENCE_JOINED_ROUTING
from algoworlds.families.family import Family
from algoworlds.families.fleet_dispatch import FLEET_DISPATCH
from algoworlds.families.installed import ignored, installed, strangers
from algoworlds.families.machine_layout import MACHINE_LAYOUT
from algoworlds.families.migration_portfolio import MIGRATION_PORTFOLIO
from algoworlds.families.sequential_matching import SEQUENTIAL_MATCHING
from algoworlds.families.series_portfolio import SERIES_PORTFOLIO
from algoworlds.families.station_siting import STATION_SITING
from algoworlds.families.transit_routing import TRANSIT_ROUTING

_ALL: tuple[Family[Any, Any], ...] = (
    TRANSIT_ROUTING,
    BASKET_ASSEMBLY,
    STATION_SITING,
    AUTHORIZATION_PLANNING,
    SERIES_PORTFOLIO,
    MACHINE_LAYOUT,
    SEQUENTIAL_MATCHING,
    FLEET_DISPATCH,
    EVIDENCE_JOINED_ROUTING,
    MIGRATION_PORTFOLIO,
)
FAMILIES: dict[str, Family[Any, Any]] = {each.name: each for each in _ALL}


def names() -> tuple[str, ...]:
    """The names of all families there are: ours, then those that installed distributions offer."""
    return (*FAMILIES, *strangers(FAMILIES))


def family(name: str) -> Family[Any, Any]:
    """The family of that name, ours or an installed one; InputError lists the names that exist."""
    if name in FAMILIES:
        return FAMILIES[name]
    if name not in strangers(FAMILIES):
        raise InputError(f"there is no family {quoted(name)}; choose from {', '.join(names())}")
    return installed(name)


def place(name: str) -> tuple[int, str]:
    """Where a family stands in lists: ours in their order, others after them by name."""
    return (list(FAMILIES).index(name), "") if name in FAMILIES else (len(FAMILIES), name)


def available() -> tuple[list[Family[Any, Any]], list[str]]:
    """All families that can be had, and a line for each offer from outside that cannot."""
    found, problems = list(FAMILIES.values()), list(ignored(FAMILIES))
    for name in strangers(FAMILIES):
        try:
            found.append(installed(name))
        except InputError as problem:
            problems.append(str(problem))
    return found, problems


def read_instance(text: str) -> Instance:
    """An instance from JSON text that names its family and holds its tables."""
    document = _document(text)
    if not isinstance(document.get("family"), str):
        raise InputError('the instance does not say its family: add a field like "family": "fleet_dispatch"')
    instance: Instance = family(document["family"]).instance.from_json(document)
    return instance


def _document(text: str) -> dict[str, Any]:
    """Parse a JSON file that should hold one object; InputError in one line otherwise."""
    try:
        document = strict_loads(text)
    except Malformed as problem:
        raise InstanceError(f"not valid JSON: {problem}") from None
    if not isinstance(document, dict):
        raise InstanceError("expected a JSON object of tables")
    return document
