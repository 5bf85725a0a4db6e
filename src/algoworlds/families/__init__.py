"""The only list of built-in families: the ten of the paper, in its order. Other families are found by entry point."""

from typing import Any

from algoworlds.core.canonical import strict_loads
from algoworlds.core.instance import Instance
from algoworlds.errors import InputError, InstanceError, Malformed, quote_value
from algoworlds.families.authorization_planning import AUTHORIZATION_PLANNING
from algoworlds.families.basket_assembly import BASKET_ASSEMBLY
from algoworlds.families.evidence_joined_routing import EVIDENCE_JOINED_ROUTING
from algoworlds.families.family import Family
from algoworlds.families.fleet_dispatch import FLEET_DISPATCH
from algoworlds.families.machine_layout import MACHINE_LAYOUT
from algoworlds.families.migration_portfolio import MIGRATION_PORTFOLIO
from algoworlds.families.plugins import ignored_plugins, load_plugin, plugin_names
from algoworlds.families.sequential_matching import SEQUENTIAL_MATCHING
from algoworlds.families.series_portfolio import SERIES_PORTFOLIO
from algoworlds.families.station_siting import STATION_SITING
from algoworlds.families.transit_routing import TRANSIT_ROUTING

_BUILT_IN: tuple[Family[Any, Any], ...] = (
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
FAMILIES: dict[str, Family[Any, Any]] = {family.name: family for family in _BUILT_IN}


def family_names() -> tuple[str, ...]:
    """The names of all families: the built-in ones, then those that installed distributions offer."""
    return (*FAMILIES, *plugin_names(FAMILIES))


def load_family(name: str) -> Family[Any, Any]:
    """The built-in or installed family called `name`; InputError lists the names that exist."""
    if name in FAMILIES:
        return FAMILIES[name]
    if name not in plugin_names(FAMILIES):
        raise InputError(f"there is no family {quote_value(name)}; choose from {', '.join(family_names())}")
    return load_plugin(name)


def family_sort_key(name: str) -> tuple[int, str]:
    """Sort key for lists: built-in families in their order, then the others by name."""
    return (list(FAMILIES).index(name), "") if name in FAMILIES else (len(FAMILIES), name)


def available_families() -> tuple[list[Family[Any, Any]], list[str]]:
    """All families that can be loaded, and one line for each installed one that cannot."""
    families, problems = list(FAMILIES.values()), list(ignored_plugins(FAMILIES))
    for name in plugin_names(FAMILIES):
        try:
            families.append(load_plugin(name))
        except InputError as problem:
            problems.append(str(problem))
    return families, problems


def read_instance(text: str) -> Instance:
    """An instance from JSON text that names its family and holds its tables."""
    try:
        document = strict_loads(text)
    except Malformed as problem:
        raise InstanceError(f"not valid JSON: {problem}") from None
    if not isinstance(document, dict):
        raise InstanceError("expected a JSON object of tables")
    if not isinstance(document.get("family"), str):
        raise InputError('the instance does not say its family: add a field like "family": "fleet_dispatch"')
    instance: Instance = load_family(document["family"]).instance.from_json(document)
    return instance
