"""The attack panel: how far a family's worlds fall to anything cheaper than global optimization."""
