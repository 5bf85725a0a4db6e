"""Tests run without progress lines: whether one is printed would depend on the speed of the machine."""

import os

os.environ["ALGOWORLDS_PROGRESS_SECONDS"] = "1000000"
