"""The tool server: only it answers from hidden instances."""
