"""The continuous scale of Transit Routing: stages, legs per stage and modulus for every half bit of work."""

from collections.abc import Mapping

from algoworlds.families.transit_routing.generate import Config

SIZES = {
    60: (3, 2, 2), 65: (3, 3, 2), 70: (4, 2, 2), 76: (5, 3, 2), 80: (4, 3, 3), 85: (5, 3, 3), 90: (6, 3, 3), 94: (8, 3, 3),
    100: (8, 4, 3), 105: (11, 4, 3), 110: (12, 5, 3), 115: (15, 5, 3), 120: (18, 6, 3), 125: (19, 7, 3), 130: (17, 8, 4),
    135: (21, 10, 3), 140: (23, 12, 3), 145: (23, 15, 3), 150: (23, 19, 3), 155: (26, 23, 3), 160: (22, 25, 4),
    165: (26, 25, 5), 170: (26, 26, 6), 175: (28, 27, 8), 180: (25, 28, 11), 185: (27, 29, 14), 190: (28, 30, 18),
    195: (28, 31, 24), 200: (29, 32, 31), 206: (33, 33, 38), 210: (36, 34, 47), 215: (38, 35, 59), 220: (41, 36, 72),
    225: (43, 38, 89), 230: (47, 39, 111), 235: (53, 40, 137), 240: (52, 42, 174), 245: (58, 43, 221), 250: (62, 45, 280),
    255: (62, 47, 355), 260: (66, 49, 447), 265: (71, 50, 560), 270: (75, 52, 702), 275: (72, 54, 878), 280: (77, 56, 1100),
}  # fmt: skip
"""By tenths of a bit: (stages, legs, modulus)."""


def config(stages: int, legs: int, modulus: int) -> Config:
    """The configuration of these sizes; few stages or a small modulus need more draws of residues to choose from."""
    return Config(stages, legs, legs + 2, modulus, draws=max(1, (24 if stages >= 10 else 8) // modulus))


SCALE: Mapping[int, Config] = {tenths: config(*sizes) for tenths, sizes in SIZES.items()}
