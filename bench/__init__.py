"""Benchmarks, run by `make bench`: each measures two things in one run and prints their ratio."""
