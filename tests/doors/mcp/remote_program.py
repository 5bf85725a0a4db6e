"""A remote-controlled program: the puppet of the Python adapter, playing through MCP."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.doors.mcp.client import McpClient
from tests.doors.remote_agent import play

if __name__ == "__main__":
    play(McpClient.connect(os.environ["ALGOWORLDS_URL"]))
