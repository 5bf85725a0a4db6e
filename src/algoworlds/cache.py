"""Where compiled kernels are kept between runs; a temporary place, with one line of warning, where nothing can be written."""

import atexit
import os
import sys
from functools import cache
from multiprocessing import parent_process
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryFile, mkdtemp

from algoworlds.errors import AlgoWorldsError, shown


@cache
def cache_directory() -> Path:
    """The directory for what is costly to make again: NUMBA_CACHE_DIR, XDG_CACHE_HOME or the user's own, if it can be written.

    Otherwise a temporary one, for this process and for the worker processes that it starts, which inherit the variables.
    """
    wanted = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        directory = Path(wanted).expanduser()
        (directory / "algoworlds").mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=directory / "algoworlds"):
            return directory
    except (OSError, RuntimeError):  # the latter says that there is no home
        return _temporary(wanted)


def _temporary(wanted: str) -> Path:
    try:
        made = mkdtemp(prefix="algoworlds-")
    except OSError:
        raise AlgoWorldsError("no directory can be written for compiled code: set XDG_CACHE_HOME or TMPDIR to one") from None
    atexit.register(rmtree, made, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = made
    os.environ.setdefault("MPLCONFIGDIR", made)  # matplotlib keeps its list of fonts beside
    if parent_process() is None and sys.stderr is not None:
        advice = "everything is compiled anew; set XDG_CACHE_HOME to a directory that can be"
        print(f"algoworlds: {shown(wanted)} cannot be written, so {advice}", file=sys.stderr)
    return Path(made)
