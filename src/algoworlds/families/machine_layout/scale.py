"""The continuous scale of Machine Layout: one more machine doubles the work, so its steps are a bit and more wide."""

from fractions import Fraction

from algoworlds.families.declare import interpolate, load_scale
from algoworlds.families.machine_layout.generate import LEVELS, Config

LARGEST = Config(24, 5_000, 40_000)
"""The bounds that sizes beyond the highest level are interpolated to."""


def _machines(config: Config) -> int:
    return config.machines


def config(machines: int) -> Config:
    """The configuration of so many machines; the largest flow and adjustment follow from the levels around."""
    smaller = max((level for level in LEVELS.values() if level.machines <= machines), key=_machines, default=LEVELS[0])
    larger = min((level for level in LEVELS.values() if level.machines >= machines), key=_machines, default=LARGEST)
    part = Fraction(max(0, machines - smaller.machines), max(1, larger.machines - smaller.machines))
    return Config(
        machines, *(interpolate(getattr(smaller, name), getattr(larger, name), part) for name in ("flow", "adjustment"))
    )


SCALE = load_scale(__package__, config)
