"""Distributions that offer families, as an installer leaves them in a folder of the import path."""

CLONE = """\
from dataclasses import replace

from algoworlds.families.fleet_dispatch import FLEET_DISPATCH
from algoworlds.families.fleet_dispatch.instance import FleetDispatch


class Clone(FleetDispatch, family="{name}"):
    pass


Clone.relations = FleetDispatch.relations
CLONE = replace(FLEET_DISPATCH, template=replace(FLEET_DISPATCH.template, title="Clone"), instance=Clone)
"""
"""A family that is another one under a new name: enough for lists and errors, not for worlds."""


def offer(folder, name, value, distribution="stranger"):
    """Say in a folder that a distribution offers a value as the family of some name."""
    info = folder / f"{distribution}-1.2.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
    points = info / "entry_points.txt"
    points.write_text((points.read_text() if points.exists() else "[algoworlds.families]\n") + f"{name} = {value}\n")


def module(folder, name, source):
    """Put a module beside the distributions."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(source)


def clone(folder, name, distribution="stranger"):
    """A distribution that offers a whole family."""
    module(folder, f"{name}_package", CLONE.format(name=name))
    offer(folder, name, f"{name}_package:CLONE", distribution)
