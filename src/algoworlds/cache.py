"""The cache directory for compiled kernels. If it cannot be written: a temporary one, with one line of warning."""

import atexit
import os
import sys
from functools import cache
from multiprocessing import parent_process
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryFile, mkdtemp

from algoworlds.errors import AlgoWorldsError, format_value


@cache
def cache_directory() -> Path:
    """Return NUMBA_CACHE_DIR, XDG_CACHE_HOME or ~/.cache if it can be written, otherwise a temporary directory.

    Worker processes inherit the variables that are set here, so they share the temporary directory.
    """
    wanted = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        directory = Path(wanted).expanduser()
        (directory / "algoworlds").mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=directory / "algoworlds"):
            return directory
    except (OSError, RuntimeError):  # RuntimeError: there is no home directory
        pass
    try:
        temporary = mkdtemp(prefix="algoworlds-")
    except OSError:
        raise AlgoWorldsError("no directory can be written for compiled code: set XDG_CACHE_HOME or TMPDIR to one") from None
    atexit.register(rmtree, temporary, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = temporary
    os.environ.setdefault("MPLCONFIGDIR", temporary)  # matplotlib caches its list of fonts there
    if parent_process() is None and sys.stderr is not None:
        advice = "kernels are compiled again; set XDG_CACHE_HOME to a directory that can be"
        print(f"algoworlds: {format_value(wanted)} cannot be written, so {advice}", file=sys.stderr)
    return Path(temporary)
