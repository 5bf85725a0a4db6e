"""An external program: it makes the calls that a script file lists for its task, and behaves as the script says."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.doors.mcp.client import McpClient


def process_id(part):
    """The process id of a part: this program, its shell, their watchdog, or the run."""
    watchdog = os.getpgrp()
    parent = int(Path(f"/proc/{watchdog}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return {"program": os.getpid(), "shell": os.getppid(), "watchdog": watchdog, "run": parent}[part]


def kill_later(part, delay):
    time.sleep(delay)
    os.kill(process_id(part), signal.SIGKILL)


if __name__ == "__main__":
    script = json.loads(Path(os.environ["SCRIPT"]).read_text())
    client = McpClient.connect(json.loads(Path(os.environ["ALGOWORLDS_MCP"]).read_text())["mcpServers"]["algoworlds"]["url"])
    assert client.question == Path(os.environ["ALGOWORLDS_TASK"]).read_text()
    print("plays", sys.argv[1:], Path.cwd(), flush=True)
    calls = script["calls"][client.question]
    for at, call in enumerate(calls):
        if "cut" in script and at == script["at"] % (len(calls) - 1) and not Path(script["cut"]).exists():
            Path(script["cut"]).touch()
            Thread(target=kill_later, args=[script["part"], script["delay"]]).start()
            client.call(*call)
            signal.pause()
        print(client.call(*call).text[:40], flush=True)
    if "child" in script:
        with subprocess.Popen(["sleep", "1000"]) as child:
            Path(script["child"]).write_text(f"{child.pid}")
            signal.pause()
    sys.exit(script.get("code", 0))
