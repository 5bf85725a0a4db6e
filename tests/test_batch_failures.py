"""Scripts that start workers without a main guard, and clusters that go away: one message that says what to do."""

import subprocess
import sys
import textwrap
from contextlib import ExitStack

import pytest

from algoworlds.batch import open_executor, run_tasks
from algoworlds.errors import AlgoWorldsError
from tests.command import PATIENCE, until
from tests.suites.test_dask import free_port, is_open, start


def run_script(folder, text):
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text))
    return subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_script_without_a_main_guard_is_told_to_have_one(tmp_path):
    result = run_script(
        tmp_path,
        """
        from algoworlds.batch import open_executor, run_tasks
        with open_executor(2, None) as pool:
            print(list(run_tasks(abs, [-1], pool)))
        """,
    )
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert "a worker process was killed" in last
    assert 'must start workers under if __name__ == "__main__":' in last


def test_documented_script_with_a_local_cluster_runs(tmp_path):
    result = run_script(
        tmp_path,
        """
        from distributed import LocalCluster
        from algoworlds.batch import open_executor, run_tasks

        if __name__ == "__main__":
            with (
                LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
                open_executor(1, cluster.scheduler_address.replace("tcp", "dask")) as pool,
            ):
                print(list(run_tasks(abs, [-1], pool)))
        """,
    )
    assert (result.returncode, result.stdout) == (0, "[(-1, 1)]\n"), result.stderr


@pytest.mark.filterwarnings("ignore")
def test_cluster_that_goes_away_ends_the_work_in_one_line():
    with ExitStack() as stack:
        port = free_port()
        scheduler = start(stack, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        until(lambda: is_open(port), scheduler)
        options = ("--nthreads", 1, "--no-nanny", "--no-dashboard")
        worker = start(stack, "worker", f"tcp://127.0.0.1:{port}", *options)
        text = f"the Dask scheduler at dask://127.0.0.1:{port} or its workers are gone"

        def work():
            with open_executor(1, f"dask://127.0.0.1:{port}") as executor:
                for task, result in run_tasks(abs, range(-1, -100_000, -1), executor, max_pending=10):
                    assert result == -task
                    scheduler.kill()
                    worker.kill()

        with pytest.raises(AlgoWorldsError, match=text):
            work()
