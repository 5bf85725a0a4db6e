"""The continuous scale of Station Siting: zones, band width, switched zones and windows for every half bit of work."""

from collections.abc import Mapping

from algoworlds.families.station_siting.generate import Config

SIZES = {
    71: (4, 2, 2, 3), 73: (4, 3, 2, 3), 82: (5, 3, 2, 3), 84: (5, 4, 2, 3),
    90: (6, 3, 2, 3), 95: (6, 4, 3, 3), 100: (7, 5, 2, 3), 105: (8, 5, 2, 3), 110: (8, 4, 4, 3), 115: (8, 6, 3, 3),
    120: (8, 7, 4, 3), 125: (9, 8, 3, 3), 130: (10, 7, 3, 3), 136: (10, 7, 4, 3), 140: (12, 6, 4, 3), 145: (12, 7, 4, 3),
    150: (12, 8, 4, 3), 155: (12, 8, 5, 3), 160: (14, 9, 4, 3), 164: (13, 9, 5, 3), 170: (15, 11, 4, 3), 175: (17, 9, 5, 4),
    180: (14, 11, 6, 3), 185: (16, 10, 6, 4), 190: (16, 11, 6, 4), 195: (16, 11, 8, 4), 200: (16, 12, 8, 4),
    205: (16, 14, 8, 4), 210: (17, 13, 8, 4), 215: (17, 15, 8, 4), 220: (20, 15, 6, 5), 225: (20, 17, 6, 5),
    230: (23, 14, 7, 5), 235: (23, 15, 7, 5), 240: (20, 17, 8, 5), 245: (23, 17, 7, 5), 250: (22, 16, 9, 5),
    255: (22, 17, 9, 5), 260: (24, 16, 10, 5), 265: (22, 19, 10, 5), 270: (23, 18, 12, 5), 275: (24, 18, 12, 5),
}  # fmt: skip
"""By tenths of a bit: (zones, span, switched zones, windows)."""


BOUNDS = {3: (35_000, 325_000), 4: (55_000, 425_000), 5: (65_000, 525_000)}
"""The largest reward and cost by the number of windows, as at the levels with as many."""


def config(zones: int, span: int, switched: int, windows: int) -> Config:
    """The configuration of these sizes: windows evenly along the corridor, with targets."""
    last = zones - span - 1
    starts = tuple(at * last // (windows - 1) for at in range(windows))
    return Config(zones, span, zones - switched, starts, (30, 99), *BOUNDS[windows])


SCALE: Mapping[int, Config] = {tenths: config(*sizes) for tenths, sizes in SIZES.items()}
