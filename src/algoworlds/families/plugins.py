"""Installed families: distributions that offer one under the entry-point group `algoworlds.families`.

The entry point is named like the family and leads to its value. Entry points are read only when a name is not built in, and
only the package that offers the name is imported. A broken package, or a name that two distributions offer, is a one-line
error that names the distribution; it never blocks another family.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NoReturn

from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.families.family import Family

ENTRY_POINT_GROUP = "algoworlds.families"
FAMILY_NAME_PATTERN = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""Valid family names: world ids, folders and Python packages contain them."""


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
def load_plugin(name: str) -> Family[Any, Any]:
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


def plugin_names(built_in: Collection[str]) -> Iterator[str]:
    """The offered names that are valid and not `built_in`, in alphabetical order."""
    return (name for name in offered_families() if name not in built_in and FAMILY_NAME_PATTERN.fullmatch(name))


def ignored_plugins(built_in: Collection[str]) -> Iterator[str]:
    """One line for every offer that is ignored because its name is `built_in` or not a valid name."""
    for name, offers in offered_families().items():
        for label in map(distribution_label, offers):
            if name in built_in:
                yield f"{label} offers a family {name}, which is one of the {len(built_in)} built in: ignored"
            elif not FAMILY_NAME_PATTERN.fullmatch(name):
                yield f"{label} offers a family {quote_value(name)}, which is not a name like {min(built_in)}: ignored"
