"""The continuous scale of Transit Routing: stages, legs per stage and modulus for every half bit of work."""

from algoworlds.families.declare import load_scale
from algoworlds.families.transit_routing.generate import Config


def config(stages: int, legs: int, modulus: int) -> Config:
    """The configuration of these sizes; few stages or a small modulus need more draws of residues to choose from."""
    return Config(stages, legs, legs + 2, modulus, draws=max(1, (24 if stages >= 10 else 8) // modulus))


SCALE = load_scale(__package__, config)
