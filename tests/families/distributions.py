"""Distributions that offer families, written to a folder of the import path as an installer would."""

CLONE = """\
from dataclasses import replace

from algoworlds.families.fleet_dispatch import FLEET_DISPATCH
from algoworlds.families.fleet_dispatch.instance import FleetDispatch


class Clone(FleetDispatch, family="{name}"):
    pass


Clone.relations = FleetDispatch.relations
CLONE = replace(FLEET_DISPATCH, template=replace(FLEET_DISPATCH.template, title="Clone"), instance=Clone)
"""
"""A copy of another family under a new name: enough for lists and errors, not for worlds."""


def offer_family(folder, name, value, distribution="stranger"):
    """Add an entry point to a distribution in `folder` that offers `value` as the family `name`."""
    info = folder / f"{distribution}-1.2.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
    points = info / "entry_points.txt"
    points.write_text((points.read_text() if points.exists() else "[algoworlds.families]\n") + f"{name} = {value}\n")


def install_module(folder, name, source):
    """Write a module into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(source)


def install_clone(folder, name, distribution="stranger"):
    """Install a distribution that offers a complete family."""
    install_module(folder, f"{name}_package", CLONE.format(name=name))
    offer_family(folder, name, f"{name}_package:CLONE", distribution)
