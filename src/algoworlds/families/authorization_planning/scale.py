"""The continuous scale of Authorization Planning: sizes for every half bit of work."""

from collections.abc import Mapping

from algoworlds.families.authorization_planning.generate import Config

SIZES = {
    60: (3, 3, 2, 2), 70: (4, 3, 2, 3), 75: (5, 3, 2, 3), 78: (6, 3, 2, 3), 85: (8, 3, 2, 3), 90: (7, 4, 2, 4),
    95: (9, 4, 2, 4), 100: (7, 5, 3, 5), 105: (9, 5, 3, 5), 110: (9, 6, 3, 6), 115: (9, 7, 3, 7), 120: (12, 7, 3, 7),
    125: (13, 8, 3, 8), 130: (13, 9, 4, 8), 135: (14, 10, 4, 9), 140: (17, 11, 4, 9), 145: (20, 12, 4, 10),
    150: (22, 13, 5, 10), 155: (24, 14, 5, 12), 160: (24, 14, 5, 16), 165: (27, 14, 5, 21), 170: (25, 15, 5, 29),
    175: (27, 15, 5, 39), 180: (24, 15, 6, 53), 185: (26, 15, 6, 72), 190: (25, 16, 6, 97), 195: (27, 16, 6, 131),
    200: (28, 16, 6, 176), 205: (31, 16, 6, 227), 210: (32, 17, 6, 292), 215: (30, 17, 7, 377), 220: (33, 17, 7, 486),
    225: (35, 18, 7, 627), 230: (38, 18, 7, 809), 235: (41, 18, 7, 1066), 240: (41, 19, 7, 1405), 245: (40, 19, 8, 1851),
    250: (41, 20, 8, 2440), 255: (44, 20, 8, 3180), 260: (46, 21, 8, 4075), 265: (44, 22, 9, 5224), 270: (47, 22, 9, 6695),
    275: (46, 23, 10, 8582), 280: (49, 24, 10, 11000),
}  # fmt: skip
"""By tenths of a bit: (stages, width, degree, modulus)."""


def config(stages: int, width: int, degree: int, modulus: int) -> Config:
    """The configuration of these sizes; a small modulus needs more draws of clearances to choose from."""
    return Config(stages, width, degree, modulus, draws=16 if stages >= 10 and modulus <= 32 else 4 if modulus <= 8 else 1)


SCALE: Mapping[int, Config] = {tenths: config(*sizes) for tenths, sizes in SIZES.items()}
