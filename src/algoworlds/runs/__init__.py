"""Agents, and the runs that evaluate them on the worlds of a suite."""
