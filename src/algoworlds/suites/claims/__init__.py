"""Offline validation: every claim about a world, recomputed."""
