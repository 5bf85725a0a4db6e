"""The folder of a report: nothing half-written, nothing left over, nothing of others touched."""

import pytest

from algoworlds.errors import InputError
from algoworlds.reports.folder import LIST, replace_files, write_files

OLD = {"tables.md": b"1", "comparisons.md": b"2", "figures/split.svg": b"3"}
NEW = {"tables.md": b"4", "report.html": b"5"}


def found(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_of_an_earlier_report_go_and_no_others(tmp_path):
    replace_files(OLD, tmp_path)
    (tmp_path / "notes.md").write_bytes(b"mine")
    (tmp_path / "figures" / "own.svg").write_bytes(b"mine")
    replace_files(NEW, tmp_path)
    kept = {"notes.md": b"mine", "figures/own.svg": b"mine"}
    assert found(tmp_path) == NEW | kept | {LIST: b"report.html\ntables.md\n"}


def test_a_list_cannot_name_what_is_not_a_reports(tmp_path):
    folder = tmp_path / "report"
    others = {"../outside.md": b"1", "panel/run.json": b"2", "kept.txt": b"3", "figures/../../outside.csv": b"4"}
    write_files(others | {"figures/x.svg": b""}, folder)
    (folder / LIST).write_text("\n".join([*others, str(tmp_path / "outside.md"), "figures/x.svg", "", "gone.md"]))
    replace_files(NEW, folder)
    assert all((folder / name).read_bytes() == content for name, content in others.items())
    assert not (folder / "figures/x.svg").exists()


def test_a_file_of_an_interrupted_report_is_taken_away_by_the_next(tmp_path, monkeypatch):
    replace_files(OLD, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pathlib.Path.unlink", interrupted)
        with pytest.raises(KeyboardInterrupt):
            replace_files(NEW, tmp_path)
    replace_files(NEW, tmp_path)
    assert set(found(tmp_path)) == {*NEW, LIST}


def interrupted(path, missing_ok=False):
    if path.name == "comparisons.md":
        raise KeyboardInterrupt


def test_nothing_is_written_if_a_folder_stands_in_the_way(tmp_path):
    (tmp_path / "report.html").mkdir()
    with pytest.raises(InputError, match=r"cannot write .*report\.html: it is a directory; choose another place"):
        replace_files(NEW, tmp_path)
    assert found(tmp_path) == {}
