"""The server: only it holds the hidden instances."""
