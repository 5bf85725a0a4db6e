"""The continuous scale of Sequential Matching: participants per side and degree for every half bit of work."""

from algoworlds.families.declare import load_scale
from algoworlds.families.sequential_matching.generate import Config

SCALE = load_scale(__package__, Config)
