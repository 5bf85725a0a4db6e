"""Benchmarks, run by `make bench`: two things in one run, and their ratio."""
