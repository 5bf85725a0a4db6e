"""The continuous scale of Evidence-Joined Routing: relay layers, their width and the modulus for every half bit of work."""

from algoworlds.families.declare import load_scale
from algoworlds.families.evidence_joined_routing.generate import Config

SCALE = load_scale(__package__, Config)
