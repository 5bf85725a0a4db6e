"""Contracts: what a family promises, and how it is checked, by `algoworlds family check` and by the tests."""
