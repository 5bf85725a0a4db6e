"""The continuous scale of Series Portfolio: titles and span for every half bit of work."""

from collections.abc import Mapping

from algoworlds.families.series_portfolio.generate import Config

SIZES = {
    62: (4, 2), 66: (5, 2), 70: (6, 2), 75: (9, 2), 80: (12, 2), 85: (6, 3), 90: (8, 3), 95: (11, 3), 100: (7, 4),
    105: (9, 4), 110: (12, 4), 116: (9, 5), 120: (52, 3), 125: (76, 3), 133: (50, 4), 138: (66, 4), 142: (92, 4),
    145: (46, 5), 150: (66, 5), 155: (92, 5), 160: (53, 6), 165: (34, 7), 170: (45, 7), 175: (63, 7), 180: (41, 8),
    185: (56, 8), 190: (78, 8), 195: (49, 9), 200: (69, 9), 205: (97, 9), 210: (62, 10), 215: (86, 10), 220: (122, 10),
    225: (78, 11), 230: (110, 11), 235: (72, 12), 240: (101, 12), 245: (70, 13), 250: (96, 13), 255: (132, 13),
    260: (87, 14), 265: (123, 14), 270: (82, 15), 275: (115, 15), 280: (82, 16),
}  # fmt: skip
"""By tenths of a bit: (titles, span).

From 2^12 on with enough titles for reading everything to cost more than the budget, which pays for an evaluation of 1,000.
"""

SCALE: Mapping[int, Config] = {tenths: Config(*sizes) for tenths, sizes in SIZES.items()}
