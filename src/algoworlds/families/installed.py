"""Families from outside: distributions that offer one under the entry-point group `algoworlds.families`.

An entry point bears the family's name and leads to its value. Nothing is looked for until a name is asked for that is none
of ours, and no package is imported but the one that offers it. A package that is broken, or that two distributions fight over,
is an error in one line that names the distribution; it never stands in the way of another family.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NoReturn

from algoworlds.errors import InputError, quoted, shown
from algoworlds.families.family import Family

GROUP = "algoworlds.families"
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""What a family may be called: a world's id, a folder and a Python package are named by it."""


@cache
def offers() -> dict[str, tuple[EntryPoint, ...]]:
    """What the installed distributions offer, by name; nothing of it is imported."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for each in sorted(entry_points(group=GROUP), key=lambda one: (one.name, distribution(one))):
        found[each.name] = (*found.get(each.name, ()), each)
    return found


def distribution(offer: EntryPoint) -> str:
    """The distribution that an entry point belongs to, with its version."""
    return f"{offer.dist.name} {offer.dist.version}" if offer.dist is not None else "a nameless distribution"


@cache
def installed(name: str) -> Family[Any, Any]:
    """The family that a distribution offers under a name; InputError if it cannot be had."""
    offer, *others = offers()[name]
    if others:
        both = ", ".join(map(distribution, (offer, *others)))
        raise InputError(f"the family {shown(name)} is offered by several distributions ({both}): uninstall all but one")
    try:
        value: object = offer.load()
    except (Exception, SystemExit) as problem:  # whatever a stranger's module does when it is imported
        _refuse(offer, f"cannot be imported ({type(problem).__name__}: {problem})")
    if not isinstance(value, Family):
        _refuse(offer, f"is no Family but a {type(value).__name__}")
    if value.name != name:
        _refuse(offer, f"calls itself {quoted(value.name)}")
    return value


def _refuse(offer: EntryPoint, problem: str) -> NoReturn:
    shown = " ".join(problem.split())[:300]
    raise InputError(f"the family {offer.name} of {distribution(offer)} {shown}: repair the distribution or uninstall it")


def strangers(ours: Collection[str]) -> Iterator[str]:
    """The names that are offered beside ours, in alphabetical order."""
    return (name for name in offers() if name not in ours and NAME.fullmatch(name))


def ignored(ours: Collection[str]) -> Iterator[str]:
    """A line for everything on offer that is never looked at: names that are ours, and names that are none."""
    for name, found in offers().items():
        for each in found:
            if name in ours:
                yield f"{distribution(each)} offers a family {name}, which is one of the {len(ours)} built in: ignored"
            elif not NAME.fullmatch(name):
                yield f"{distribution(each)} offers a family {quoted(name)}, which is no name like {min(ours)}: ignored"
