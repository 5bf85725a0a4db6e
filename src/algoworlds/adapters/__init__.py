"""Doors for other people's harnesses and trainers: each is imported on demand and never by the other rooms."""
