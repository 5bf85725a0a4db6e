"""A remote-controlled program: the puppet of the Python adapter, playing through MCP."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.doors.mcp.wire import Wire
from tests.doors.puppet import play

if __name__ == "__main__":
    play(Wire.at(os.environ["ALGOWORLDS_URL"]))
