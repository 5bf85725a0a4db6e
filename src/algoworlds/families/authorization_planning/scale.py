"""The continuous scale of Authorization Planning: sizes for every half bit of work."""

from algoworlds.families.authorization_planning.generate import Config
from algoworlds.families.declare import load_scale


def config(stages: int, width: int, degree: int, modulus: int) -> Config:
    """The configuration of these sizes; a small modulus needs more draws of clearances to choose from."""
    return Config(stages, width, degree, modulus, draws=16 if stages >= 10 and modulus <= 32 else 4 if modulus <= 8 else 1)


SCALE = load_scale(__package__, config)
