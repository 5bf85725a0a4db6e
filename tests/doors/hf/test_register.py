"""Stream registers as parquet: the rows of the JSON lines, byte-identical however often written."""

import json

import pytest
from pyarrow import parquet

import algoworlds as aw
from algoworlds.suites import register as module
from algoworlds.suites.register import COLUMNS, write_register
from tests.silence import silent

COUNT = 12


@pytest.fixture
def write_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "WORLDS_PER_PART", 5)

    def write(name, progress=silent):
        write_register(aw.stream("parquet", "fleet_dispatch", levels=(0, 0.5)), COUNT, tmp_path / name, None, progress)
        return tmp_path / name

    return write


def test_parquet_holds_the_rows_of_the_json_lines(write_rows):
    rows = [json.loads(line) for line in write_rows("register.jsonl").read_text().splitlines()]
    table = parquet.read_table(write_rows("register.parquet"))
    assert table.column_names == list(COLUMNS)
    assert table.to_pylist() == rows


def test_interrupted_parquet_ends_up_the_same(write_rows):
    def stop(done, total):
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_rows("cut.parquet", stop)
    assert write_rows("cut.parquet").read_bytes() == write_rows("whole.parquet").read_bytes()
