"""Folders that one test worker builds and all workers use."""

import os

from algoworlds.disk import lock_file


def once(factory, name, build):
    """Return a shared folder that the first worker fills by `build(folder)` while the others wait; tests only read it."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    with lock_file(shared / f"{name}.lock"):
        if not (shared / name).exists():
            folder = factory.mktemp(name)
            build(folder)
            folder.rename(shared / name)
    return shared / name
