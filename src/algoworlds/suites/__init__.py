"""Suites of worlds: built as bundles under one manifest, opened for play, and proven claim by claim."""
