"""Worlds for people in a browser: a small server on this machine and one page, which see only what was paid for."""
