"""The continuous scale of Station Siting: zones, band width, switched zones and windows for every half bit of work."""

from algoworlds.families.declare import load_scale
from algoworlds.families.station_siting.generate import Config

BOUNDS = {3: (35_000, 325_000), 4: (55_000, 425_000), 5: (65_000, 525_000)}
"""The largest reward and cost by the number of windows, as at the levels with as many."""


def config(zones: int, span: int, switched: int, windows: int) -> Config:
    """The configuration of these sizes: windows evenly along the corridor, with targets."""
    last = zones - span - 1
    starts = tuple(at * last // (windows - 1) for at in range(windows))
    return Config(zones, span, zones - switched, starts, (30, 99), *BOUNDS[windows])


SCALE = load_scale(__package__, config)
