"""A progress callback that prints nothing."""


def silent(*news):
    """Ignore a progress message."""
