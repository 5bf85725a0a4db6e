"""The environment of an adapter holds exactly its requirements: a leftover would hide a missing one.

`make test-door-NAME` runs this in every adapter's environment, with the requirements in the variables DOOR and ALONE.
"""

import os
import tomllib
from importlib.metadata import distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

COMMON = ("algoworlds", "pytest")
INSTALLER = {"pip"}


def required_names(words):
    """The requirements in pip's arguments `words`; a folder stands for its distribution."""
    for word in words:
        if word.startswith("./"):
            yield tomllib.loads(Path(word, "pyproject.toml").read_text())["project"]["name"]
        elif word != "-e":
            yield word


def is_needed(requirement, extras):
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def closure(roots):
    """The names of all distributions that `roots` require, directly or not."""
    visited, left = set(), [Requirement(root) for root in roots]
    while left:
        requirement = left.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (name, extras) not in visited:
            visited.add((name, extras))
            requirements = map(Requirement, distribution(name).requires or ())
            left += [requirement for requirement in requirements if is_needed(requirement, extras)]
    return {name for name, _ in visited}


def test_environment_holds_exactly_the_required_packages():
    wanted = closure([*COMMON, *required_names(os.environ["DOOR"].split())])
    wanted |= {canonicalize_name(name) for name in os.environ["ALONE"].split()}
    installed = {canonicalize_name(package.name) for package in distributions()} - INSTALLER
    assert installed == wanted
