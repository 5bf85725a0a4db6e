"""The continuous scale of Migration Portfolio: groups and domains for every half bit of work."""

from collections.abc import Mapping

from algoworlds.families.migration_portfolio.generate import LEVELS, Config

SIZES = {
    60: (2, 3), 65: (4, 3), 70: (6, 3), 75: (9, 3), 80: (13, 3), 85: (11, 4), 90: (19, 4), 95: (25, 4), 100: (22, 5),
    105: (32, 5), 110: (49, 5), 115: (41, 6), 120: (58, 6), 125: (46, 7), 130: (66, 7), 135: (103, 7), 140: (78, 8),
    145: (113, 8), 150: (79, 9), 155: (56, 10), 160: (95, 10), 165: (66, 11), 170: (90, 11), 175: (155, 11), 180: (101, 12),
    185: (143, 12), 190: (119, 13), 195: (180, 13), 200: (127, 14), 205: (175, 14), 210: (118, 15), 215: (210, 15),
    220: (132, 16), 225: (184, 16), 230: (129, 17), 235: (227, 17), 240: (150, 18), 245: (195, 18), 250: (130, 19),
    255: (217, 19), 260: (140, 20), 266: (260, 20), 270: (160, 21), 275: (240, 21), 280: (150, 22),
}  # fmt: skip
"""By tenths of a bit: (groups, domains)."""


def config(groups: int, domains: int) -> Config:
    """The configuration of these sizes: five packages for two groups, loads as at the lowest level with as many domains."""
    levels = LEVELS.values()
    like = next((level for level in levels if level.domains >= domains), LEVELS[max(LEVELS)])
    return Config(groups, 5 * groups // 2, domains, like.dimensions, like.length)


SCALE: Mapping[int, Config] = {tenths: config(*sizes) for tenths, sizes in SIZES.items()}
