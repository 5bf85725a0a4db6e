"""Python's cyclic garbage collector, set aside for a while."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Work without the cyclic collector, which would walk millions of small rows again and again and find nothing.

    What the rows hold is freed by counting references, as ever. Of several threads the first one out sets it going again.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
