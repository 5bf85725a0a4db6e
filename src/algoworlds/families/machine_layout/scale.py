"""The continuous scale of Machine Layout: one more machine doubles the work, so its steps are a bit and more wide."""

from collections.abc import Mapping
from fractions import Fraction

from algoworlds.families.declare import interpolate
from algoworlds.families.machine_layout.generate import LEVELS, Config

LARGEST = Config(24, 5_000, 40_000)
"""The bounds that sizes beyond the highest level are interpolated to."""

SIZES = {
    60: (3,), 74: (4,), 86: (5,), 99: (6,), 111: (7,), 123: (8,), 134: (9,), 146: (10,), 157: (11,), 168: (12,), 179: (13,),
    190: (14,), 200: (15,), 212: (16,), 222: (17,), 233: (18,), 244: (19,), 255: (20,), 265: (21,), 275: (22,),
}  # fmt: skip
"""By tenths of a bit: (machines,)."""


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


SCALE: Mapping[int, Config] = {tenths: config(*sizes) for tenths, sizes in SIZES.items()}
