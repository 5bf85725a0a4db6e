"""A kernel is compiled by one process and loaded by the others."""

from contextlib import contextmanager

import pytest

from algoworlds.core import kernel


def doubled(x):
    return 2 * x


@pytest.fixture
def empty_cache(monkeypatch, tmp_path):
    monkeypatch.setattr(kernel, "_cache_directory", lambda folder, compiler: str(tmp_path / "kernels"))


def test_who_waited_for_a_compiling_process_loads_what_it_has_kept(empty_cache, monkeypatch):
    """The lock is had when somebody else has compiled the kernel meanwhile."""
    other = kernel.kernel(doubled).compiled
    waits = []

    @contextmanager
    def lock(path):
        monkeypatch.undo()
        waits.append(path.name)
        other(4)
        yield

    own = kernel.kernel(doubled).compiled
    monkeypatch.setattr(kernel, "one_at_a_time", lock)
    assert own(4) == other(4) == 8
    assert waits == ["tests.core.test_kernel.doubled.lock"]
    assert [sum(each.stats.cache_misses.values()) for each in (other, own)] == [1, 0]
    assert sum(own.stats.cache_hits.values()) == 1
