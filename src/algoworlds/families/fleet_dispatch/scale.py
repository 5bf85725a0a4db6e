"""The continuous scale of Fleet Dispatch: vehicles, jobs and total load for every half bit of work."""

from collections.abc import Mapping
from fractions import Fraction

from algoworlds.families.fleet_dispatch.generate import Config

SIZES = {
    60: (3, 3, 6), 70: (3, 4, 8), 80: (4, 4, 8), 85: (4, 5, 11), 90: (4, 5, 12), 100: (4, 6, 14), 105: (4, 6, 10),
    112: (4, 7, 10), 116: (4, 7, 15), 122: (4, 8, 15), 124: (4, 9, 14), 128: (5, 8, 12), 135: (5, 8, 19), 140: (5, 9, 16),
    145: (5, 10, 19), 152: (5, 11, 16), 156: (5, 10, 22), 162: (5, 12, 23), 165: (5, 13, 23), 170: (5, 15, 26),
    175: (5, 16, 28), 181: (5, 17, 26), 185: (5, 15, 36), 190: (5, 20, 35), 195: (5, 21, 37), 200: (5, 19, 42),
    205: (5, 20, 44), 210: (5, 21, 50), 215: (6, 21, 40), 220: (6, 24, 42), 226: (6, 21, 50), 230: (7, 22, 42),
    235: (7, 20, 48), 240: (7, 25, 38), 245: (7, 24, 53), 250: (7, 23, 55), 255: (7, 25, 60), 260: (7, 26, 57),
    265: (7, 27, 59), 270: (7, 29, 64), 275: (7, 29, 70), 280: (7, 29, 74),
}  # fmt: skip
"""By tenths of a bit: (vehicles, jobs, total load)."""


def config(vehicles: int, jobs: int, total: int) -> Config:
    """The configuration of these sizes: the fleet is full without its largest vehicle, whose capacity is one more than any.

    The others share the load nearly equally. A little more than half of the jobs are heavy, by as much as the load asks for.
    """
    others = vehicles - 1
    small = [(total + at) // others for at in range(others)]
    if others >= 3 and min(small) >= 3:
        small[0], small[-1] = small[0] - 1, small[-1] + 1
    heavy, load = (4 * jobs + 3) // 7, Fraction(total, jobs)
    weights = (1, 3) if load < Fraction(33, 20) else (2, 3) if load < Fraction(41, 20) else (2, 4)
    return Config((*small, max(small) + 1), ((heavy, *weights), (jobs - heavy, 1, 2)), total, min(others, 4))


SCALE: Mapping[int, Config] = {tenths: config(*sizes) for tenths, sizes in SIZES.items()}
