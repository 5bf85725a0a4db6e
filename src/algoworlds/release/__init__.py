"""Releases: suites of worlds as bundles on disk, bound by one manifest."""
