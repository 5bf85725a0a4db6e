"""Worlds for people in a browser: a small server on this machine, and one page. Nothing goes out that was not paid for."""
