"""The server's half: it alone holds the hidden instances."""
