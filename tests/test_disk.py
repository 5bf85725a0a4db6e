"""One writer at a time, in processes of their own."""

import sys
from pathlib import Path

from algoworlds.disk import one_at_a_time
from tests.command import started, until

SECOND = """
import sys
from pathlib import Path
from algoworlds.disk import one_at_a_time
with one_at_a_time(Path(sys.argv[1])):
    pass
"""


def waits(path):
    """Whether some process waits for a file, as the kernel tells."""
    told = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    return any(line[1] == "->" and line[-3].endswith(f":{path.stat().st_ino}") for line in told)


def test_a_second_process_waits_for_the_first_and_then_goes_on(tmp_path):
    held = tmp_path / "lock"
    with one_at_a_time(held):
        second = started(sys.executable, "-c", SECOND, held)
        until(lambda: waits(held), second)
        assert second.poll() is None
    assert second.communicate()[1] == ""
    assert second.returncode == 0
