"""Tracks: the same worlds with one more aid (a sandboxed interpreter, a solver, the exact optimum). Knows no hidden data."""
