"""Adapters for other harnesses and trainers: imported on demand, and never by the other packages."""
