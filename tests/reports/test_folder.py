"""The folder of a report: nothing is half-written or left over, and foreign files are never touched."""

from hashlib import sha256

import pytest

from algoworlds.errors import InputError
from algoworlds.reports.output_folder import FILE_LIST, check_report_folder, replace_report_files, write_files

OLD = {"tables.md": b"1", "comparisons.md": b"2", "figures/split.svg": b"3"}
NEW = {"tables.md": b"4", "report.html": b"5"}


def read_files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def file_list(files):
    return "".join(f"{sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)).encode()


def test_stale_report_files_are_deleted_and_no_others(tmp_path):
    replace_report_files(OLD, tmp_path)
    (tmp_path / "notes.md").write_bytes(b"mine")
    (tmp_path / "figures" / "own.svg").write_bytes(b"mine")
    replace_report_files(NEW, tmp_path)
    foreign = {"notes.md": b"mine", "figures/own.svg": b"mine"}
    assert read_files(tmp_path) == NEW | foreign | {FILE_LIST: file_list(NEW)}


def test_edited_report_files_are_kept(tmp_path):
    replace_report_files(OLD, tmp_path)
    (tmp_path / "comparisons.md").write_bytes(b"with my remarks")
    replace_report_files(NEW, tmp_path)
    assert read_files(tmp_path) == NEW | {"comparisons.md": b"with my remarks", FILE_LIST: file_list(NEW)}


@pytest.mark.parametrize(
    "theirs",
    [
        b"comparisons.md\ntables.md\n",
        b"",
        file_list({"comparisons.md": b"2"}) + b"tables.md\n",
        file_list({"../outside.md": b"1"}),
        file_list({"panel/run.json": b"2"}),
        file_list({"kept.txt": b"3"}),
        b"\xff\xfe",
    ],
    ids=["names", "nothing", "half", "outside", "panel", "text", "bytes"],
)
def test_folder_with_a_foreign_file_list_is_rejected(tmp_path, theirs):
    mine = {"tables.md": b"mine", "comparisons.md": b"2", FILE_LIST: theirs}
    write_files(mine, tmp_path)
    with pytest.raises(InputError, match="is neither empty nor a report: choose another --out"):
        replace_report_files(NEW, tmp_path)
    assert read_files(tmp_path) == mine


def test_foreign_files_are_not_overwritten(tmp_path):
    replace_report_files(OLD, tmp_path)
    (tmp_path / "report.html").write_bytes(b"mine")
    before = read_files(tmp_path)
    with pytest.raises(InputError, match=r"report\.html: it exists and is not a file of a report"):
        replace_report_files(NEW, tmp_path)
    assert read_files(tmp_path) == before


@pytest.mark.parametrize("own", [("run.json",), ("manifest.json", "worlds/x")], ids=["run", "suite"])
@pytest.mark.parametrize("below", ["", "report", "records/report"])
def test_folder_inside_a_run_or_suite_is_rejected(tmp_path, own, below):
    write_files(dict.fromkeys(own, b""), tmp_path / "taken")
    with pytest.raises(InputError, match="a run or a suite: choose another --out"):
        check_report_folder(tmp_path / "taken" / below)


def test_report_is_written_after_one_was_killed_at_its_start(tmp_path):
    write_files({"panel/null/run.json": b"", ".files.txt.17.partial": b""}, tmp_path)
    replace_report_files(NEW, tmp_path)
    assert NEW.items() <= read_files(tmp_path).items()


def test_files_of_an_interrupted_report_are_deleted_by_the_next(tmp_path):
    replace_report_files(OLD, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("algoworlds.reports.output_folder.write_atomic", interrupt_write)
        with pytest.raises(KeyboardInterrupt):
            replace_report_files({"comparisons.md": b"6", "usage.md": b"7"}, tmp_path)
    assert (tmp_path / "comparisons.md").read_bytes() == b"6"
    replace_report_files(NEW, tmp_path)
    assert set(read_files(tmp_path)) == {*NEW, FILE_LIST}


def interrupt_write(path, content):
    if path.name == "usage.md":
        raise KeyboardInterrupt
    path.write_bytes(content)


def test_nothing_is_written_if_a_folder_has_the_name_of_a_file(tmp_path):
    replace_report_files(OLD, tmp_path)
    (tmp_path / "tables.md").unlink()
    (tmp_path / "tables.md").mkdir()
    with pytest.raises(InputError, match=r"cannot write .*tables\.md: it is a directory; choose another place"):
        replace_report_files(NEW, tmp_path)
    assert read_files(tmp_path).keys() == OLD.keys() - {"tables.md"} | {FILE_LIST}
