"""The development split on this machine: built into the cache directory when it is first needed."""

import os
import sys
from pathlib import Path

from algoworlds.batch import open_executor
from algoworlds.cache import cache_directory
from algoworlds.errors import format_value
from algoworlds.suites.build import build_suite
from algoworlds.suites.manifest import MANIFEST_NAME, default_manifest
from algoworlds.suites.suite import default_suite

MAX_BUILD_JOBS = 8


def development_split() -> Path:
    """The folder of the development split. Its name holds the root, so another edition is another folder.

    If two processes need it first, one of them builds it and the other ends with an InputError that says so.
    """
    folder = cache_directory() / "algoworlds" / "suites" / f"default-{default_manifest().root[:16]}"
    if not (folder / MANIFEST_NAME).is_file():
        print(f"algoworlds: building the development split into {format_value(folder)}, once", file=sys.stderr)
        with open_executor(min(os.cpu_count() or 1, MAX_BUILD_JOBS), None) as workers:
            build_suite(default_suite(), folder, workers, lambda done, total: None)
    return folder
