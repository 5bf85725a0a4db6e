"""Registers of streams as parquet: the rows of the JSON lines, the same bytes whenever and however they are made."""

import json

import pytest
from pyarrow import parquet

import algoworlds as aw
from algoworlds.suites import register as module
from algoworlds.suites.register import COLUMNS, register
from tests.silence import silent

COUNT = 12


@pytest.fixture
def written(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "PART", 5)

    def write(name, progress=silent):
        register(aw.stream("parquet", "fleet_dispatch", levels=(0, 0.5)), COUNT, tmp_path / name, None, progress)
        return tmp_path / name

    return write


def test_parquet_holds_the_rows_of_the_lines(written):
    rows = [json.loads(line) for line in written("register.jsonl").read_text().splitlines()]
    table = parquet.read_table(written("register.parquet"))
    assert table.column_names == list(COLUMNS)
    assert table.to_pylist() == rows


def test_parquet_that_was_interrupted_comes_out_the_same(written):
    def stop(done, total):
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written("cut.parquet", stop)
    assert written("cut.parquet").read_bytes() == written("whole.parquet").read_bytes()
