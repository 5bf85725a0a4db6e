"""File locks between processes."""

import sys
from pathlib import Path

from algoworlds.disk import lock_file
from tests.command import start_process, until

WAITING_PROCESS = """
import sys
from pathlib import Path
from algoworlds.disk import lock_file
with lock_file(Path(sys.argv[1])):
    pass
"""


def has_waiter(path):
    """Whether a process waits for the lock on `path`, according to the kernel."""
    locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return any(line[1] == "->" and line[-3].endswith(f":{path.stat().st_ino}") for line in locks)


def test_second_process_waits_for_the_lock(tmp_path):
    lock = tmp_path / "lock"
    with lock_file(lock):
        second = start_process(sys.executable, "-c", WAITING_PROCESS, lock)
        until(lambda: has_waiter(lock), second)
        assert second.poll() is None
    assert second.communicate()[1] == ""
    assert second.returncode == 0
