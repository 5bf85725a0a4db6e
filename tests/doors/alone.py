"""In the environment of a door is what the door asks for and nothing else: a leftover would hide what it forgets to ask for.

`make test-door-NAME` runs this in every door's environment, and says in DOOR and ALONE what that door's line asks for.
"""

import os
import tomllib
from importlib.metadata import distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

COMMON = ("algoworlds", "pytest")
INSTALLER = {"pip"}


def asked(words):
    """What a line of pip's asks for; a folder asks for the distribution that is made there."""
    for word in words:
        if word.startswith("./"):
            yield tomllib.loads(Path(word, "pyproject.toml").read_text())["project"]["name"]
        elif word != "-e":
            yield word


def needed(requirement, extras):
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def closure(roots):
    """The names of all distributions that some requirements come to."""
    found, left = set(), [Requirement(root) for root in roots]
    while left:
        requirement = left.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (name, extras) not in found:
            found.add((name, extras))
            told = map(Requirement, distribution(name).requires or ())
            left += [each for each in told if needed(each, extras)]
    return {name for name, _ in found}


def test_an_environment_has_what_its_door_asks_for_and_nothing_of_another_s():
    wanted = closure([*COMMON, *asked(os.environ["DOOR"].split())])
    wanted |= {canonicalize_name(name) for name in os.environ["ALONE"].split()}
    there = {canonicalize_name(each.name) for each in distributions()} - INSTALLER
    assert there == wanted
