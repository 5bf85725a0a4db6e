"""Agents and harnesses of others: one evaluation through a door (`visit`), and the door for functions in Python."""
