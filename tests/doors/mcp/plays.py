"""A program of somebody's own: it plays the calls that a file lists for its task, and does as the file says."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.doors.mcp.wire import Wire


def victim(who):
    """The process of that part: this program, its shell, the leash that holds both, the run that holds the leash."""
    leash = os.getpgrp()
    parent = int(Path(f"/proc/{leash}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return {"program": os.getpid(), "shell": os.getppid(), "leash": leash, "run": parent}[who]


def cut(who, moment):
    time.sleep(moment)
    os.kill(victim(who), signal.SIGKILL)


if __name__ == "__main__":
    told = json.loads(Path(os.environ["PLAYS"]).read_text())
    wire = Wire.at(json.loads(Path(os.environ["ALGOWORLDS_MCP"]).read_text())["mcpServers"]["algoworlds"]["url"])
    assert wire.question == Path(os.environ["ALGOWORLDS_TASK"]).read_text()
    print("plays", sys.argv[1:], Path.cwd(), flush=True)
    calls = told["calls"][wire.question]
    for at, call in enumerate(calls):
        if "cut" in told and at == told["at"] % (len(calls) - 1) and not Path(told["cut"]).exists():
            Path(told["cut"]).touch()
            Thread(target=cut, args=[told["who"], told["moment"]]).start()
            wire.call(*call)
            signal.pause()
        print(wire.call(*call).text[:40], flush=True)
    if "child" in told:
        with subprocess.Popen(["sleep", "1000"]) as child:
            Path(told["child"]).write_text(f"{child.pid}")
            signal.pause()
    sys.exit(told.get("code", 0))
