"""What one worker of the tests makes and all of them use."""

import os

from algoworlds.disk import one_at_a_time


def once(factory, name, make):
    """A directory that is made by whichever worker comes first, while the others wait; nobody may change it."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with one_at_a_time(shared / f"{name}.lock"):
        if not (shared / name).exists():
            made = factory.mktemp(name)
            make(made)
            made.rename(shared / name)
    return shared / name
