"""External agents: one evaluation as a `session`, and the adapter for Python functions (`python_agent`)."""
