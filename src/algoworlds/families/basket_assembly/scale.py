"""The continuous scale of Basket Assembly: items per group and triples for sale for every half bit of work."""

from algoworlds.families.basket_assembly.generate import Config
from algoworlds.families.declare import load_scale

SCALE = load_scale(__package__, Config)
