"""The tool server, which alone answers from hidden instances."""
