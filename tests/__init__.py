"""The tests, which no line of progress disturbs: how long a command takes is the machine's business."""

import os

os.environ["ALGOWORLDS_PROGRESS_SECONDS"] = "1000000"
