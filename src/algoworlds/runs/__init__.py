"""Agents and the runs in which they are evaluated."""
