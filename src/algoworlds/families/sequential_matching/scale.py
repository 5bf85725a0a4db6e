"""The continuous scale of Sequential Matching: participants per side and degree for every half bit of work."""

from collections.abc import Mapping

from algoworlds.families.sequential_matching.generate import Config

SIZES = {
    58: (3, 2), 65: (3, 3), 77: (4, 3), 85: (5, 3), 95: (5, 4), 99: (5, 5), 105: (6, 4), 110: (6, 5), 115: (7, 4),
    120: (7, 5), 125: (7, 6), 131: (8, 5), 135: (8, 6), 140: (8, 7), 147: (9, 6), 150: (9, 7), 153: (9, 8), 160: (10, 7),
    166: (10, 9), 170: (11, 6), 175: (11, 8), 179: (11, 10), 185: (12, 8), 190: (12, 10), 196: (13, 8), 200: (13, 10),
    204: (13, 12), 210: (14, 9), 215: (14, 12), 220: (15, 9), 225: (15, 12), 228: (15, 14), 235: (16, 11), 240: (16, 15),
    245: (17, 11), 250: (17, 14), 255: (18, 11), 261: (18, 15), 264: (18, 17), 270: (19, 14), 275: (19, 18), 281: (20, 14),
}  # fmt: skip
"""By tenths of a bit: (per side, degree)."""

SCALE: Mapping[int, Config] = {tenths: Config(*sizes) for tenths, sizes in SIZES.items()}
