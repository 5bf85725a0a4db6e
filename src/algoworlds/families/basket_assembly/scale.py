"""The continuous scale of Basket Assembly: items per group and triples for sale for every half bit of work."""

from collections.abc import Mapping

from algoworlds.families.basket_assembly.generate import Config

SIZES = {
    79: (3, 4), 85: (3, 6), 90: (3, 8), 95: (3, 12), 100: (4, 8), 107: (4, 12), 110: (4, 17), 116: (4, 20), 120: (4, 24),
    125: (5, 16), 130: (5, 20), 135: (5, 26), 140: (5, 35), 146: (6, 24), 150: (6, 27), 155: (6, 34), 160: (6, 44),
    165: (7, 30), 170: (7, 33), 174: (7, 41), 180: (7, 51), 185: (8, 35), 192: (8, 45), 195: (8, 50), 199: (8, 60),
    205: (8, 75), 210: (9, 50), 215: (9, 62), 220: (9, 70), 224: (9, 84), 226: (9, 95), 235: (10, 65), 240: (10, 85),
    244: (10, 95), 249: (10, 115), 255: (11, 75), 260: (11, 90), 265: (11, 110), 268: (11, 127),
}  # fmt: skip
"""By tenths of a bit: (items per group, triples)."""

SCALE: Mapping[int, Config] = {tenths: Config(*sizes) for tenths, sizes in SIZES.items()}
