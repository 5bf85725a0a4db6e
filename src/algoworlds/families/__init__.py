"""The only list of built-in families: the ten of the paper, in its order; and families that installed distributions offer.

A distribution offers a family under the entry-point group `algoworlds.families`. The entry point is named like the family
and leads to its value. Entry points are read only when a name is not built in, and only the package that offers the name is
imported. A broken package, or a name that two distributions offer, is a one-line error that names the distribution; it
never blocks another family.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import NoReturn

from algoworlds.core.canonical import strict_loads
from algoworlds.core.instance import Instance
from algoworlds.errors import InputError, InstanceError, Malformed, format_value, quote_value
from algoworlds.families.authorization_planning import AUTHORIZATION_PLANNING
from algoworlds.families.basket_assembly import BASKET_ASSEMBLY
from algoworlds.families.evidence_joined_routing import EVIDENCE_JOINED_ROUTING
from algoworlds.families.family import AnyFamily, Family
from algoworlds.families.fleet_dispatch import FLEET_DISPATCH
from algoworlds.families.machine_layout import MACHINE_LAYOUT
from algoworlds.families.migration_portfolio import MIGRATION_PORTFOLIO
from algoworlds.families.sequential_matching import SEQUENTIAL_MATCHING
from algoworlds.families.series_portfolio import SERIES_PORTFOLIO
from algoworlds.families.station_siting import STATION_SITING
from algoworlds.families.transit_routing import TRANSIT_ROUTING

_BUILT_IN: tuple[AnyFamily, ...] = (
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
FAMILIES: dict[str, AnyFamily] = {family.name: family for family in _BUILT_IN}

ENTRY_POINT_GROUP = "algoworlds.families"
FAMILY_NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""Valid family names: world ids, folders and Python packages contain them."""


def family_names() -> tuple[str, ...]:
    """The names of all families: the built-in ones, then those that installed distributions offer."""
    return (*FAMILIES, *plugin_names())


def load_family(name: str) -> AnyFamily:
    """The built-in or installed family called `name`; InputError lists the names that exist."""
    if name in FAMILIES:
        return FAMILIES[name]
    if name not in plugin_names():
        raise InputError(f"there is no family {quote_value(name)}; choose from {', '.join(family_names())}")
    return load_plugin(name)


def family_sort_key(name: str) -> tuple[int, str]:
    """Sort key for lists: built-in families in their order, then the others by name."""
    return (list(FAMILIES).index(name), "") if name in FAMILIES else (len(FAMILIES), name)


def available_families() -> tuple[list[AnyFamily], list[str]]:
    """All families that can be loaded, and one line for each installed one that cannot."""
    families, problems = list(FAMILIES.values()), list(ignored_plugins())
    for name in plugin_names():
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


@cache
def offered_families() -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points of installed distributions by family name; nothing is imported."""
    offers: dict[str, tuple[EntryPoint, ...]] = {}
    for entry_point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda one: (one.name, distribution_label(one))):
        offers[entry_point.name] = (*offers.get(entry_point.name, ()), entry_point)
    return offers


def distribution_label(offer: EntryPoint) -> str:
    """The name and version of the distribution that an entry point belongs to."""
    return f"{offer.dist.name} {offer.dist.version}" if offer.dist is not None else "a nameless distribution"


@cache
def load_plugin(name: str) -> AnyFamily:
    """Import the family that a distribution offers as `name`; InputError if that fails."""
    offer, *others = offered_families()[name]
    if others:
        labels = ", ".join(map(distribution_label, (offer, *others)))
        raise InputError(
            f"the family {format_value(name)} is offered by several distributions ({labels}): uninstall all but one"
        )
    try:
        value: object = offer.load()
    except (Exception, SystemExit) as problem:  # importing foreign code can raise anything
        _refuse(offer, f"cannot be imported ({type(problem).__name__}: {problem})")
    if not isinstance(value, Family):
        _refuse(offer, f"is not a Family but a {type(value).__name__}")
    if value.name != name:
        _refuse(offer, f"calls itself {quote_value(value.name)}")
    return value


def _refuse(offer: EntryPoint, problem: str) -> NoReturn:
    short = " ".join(problem.split())[:300]
    raise InputError(f"the family {offer.name} of {distribution_label(offer)} {short}: repair the distribution or uninstall it")


def plugin_names() -> Iterator[str]:
    """The offered names that are valid and not built in, in alphabetical order."""
    return (name for name in offered_families() if name not in FAMILIES and FAMILY_NAME_PATTERN.fullmatch(name))


def ignored_plugins() -> Iterator[str]:
    """One line for every offer that is ignored because its name is built in or not a valid name."""
    for name, offers in offered_families().items():
        for label in map(distribution_label, offers):
            if name in FAMILIES:
                yield f"{label} offers a family {name}, which is one of the {len(FAMILIES)} built in: ignored"
            elif not FAMILY_NAME_PATTERN.fullmatch(name):
                yield f"{label} offers a family {quote_value(name)}, which is not a name like {min(FAMILIES)}: ignored"
