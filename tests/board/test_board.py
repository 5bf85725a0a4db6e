"""`algoworlds board` by its command: what it accepts, what it refuses in one line, and the site it writes."""

import json
import shutil
import tarfile

import pytest

from tests.board.conftest import AGENTS, EFFORTS
from tests.command import run_here
from tests.json_schema import require_schema


def board(*words, suite, out):
    return run_here("board", *words, "--suite", suite, "--out", out)


def refusal(folder, suite, *more):
    """The one line with which `board check` refuses a submission."""
    done = run_here("board", "check", folder, "--suite", suite, *more)
    assert done.returncode == 1, done.stdout
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


@pytest.fixture(scope="module")
def site(board_folder, tmp_path_factory):
    """A board of three scripted agents, a model at two efforts and a damaged archive."""
    out = tmp_path_factory.mktemp("board") / "site"
    damaged = out.parent / "damaged.tar"
    damaged.write_bytes((board_folder / "greedy.tar").read_bytes()[:-1])
    archives = [board_folder / f"{name}.tar" for name in (*AGENTS, *EFFORTS)]
    done = board(*archives, damaged, suite=board_folder / "suite", out=out)
    assert done.returncode == 0, done.stderr
    assert "refused damaged.tar: " in done.stderr
    return out


def test_board_ranks_what_was_replayed(site):
    document = json.loads((site / "board.json").read_text())
    require_schema("board write", document)
    [ranked] = document["boards"]
    assert {row["label"]: row["exact"] for row in ranked["ranking"]} == {
        "oracle": 100.0, "Loopback, high effort": 100.0, "greedy": 0.0, "null": 0.0, "Loopback, low effort": 0.0,
    }  # fmt: skip
    places = {row["label"]: row["place"] for row in ranked["ranking"]}
    assert set(places.values()) == {1}  # two instances separate nothing
    assert all(row["tied_with"] == len(places) - 1 for row in ranked["ranking"])
    [refused] = document["refused"]
    assert refused["source"] == "damaged.tar"
    assert "not as long as its label says" in refused["reason"]


def test_badges_tell_the_standard_protocol(site):
    rows = {row["label"]: row for row in json.loads((site / "board.json").read_text())["boards"][0]["ranking"]}
    assert rows["Loopback, high effort"]["badges"] == ["replayed", "standard protocol"]
    assert rows["oracle"]["badges"] == ["replayed", "custom protocol"]
    assert (rows["Loopback, high effort"]["kind"], rows["oracle"]["kind"]) == ("model", "agent")
    assert rows["Loopback, high effort"]["effort"] == "high"
    assert rows["Loopback, high effort"]["cost"] > 0


def test_every_row_opens_its_evaluations(site):
    for row in json.loads((site / "board.json").read_text())["boards"][0]["ranking"]:
        page, _, address = row["evaluations"].partition("#")
        assert (site / page).is_file()
        assert address.startswith("configuration=")


def test_page_has_figures_of_cost_and_effort_and_loads_nothing(site):
    page = (site / "index.html").read_text()
    assert page.count("<figure>") == 2
    assert "<script" not in page
    assert "default-src 'none'" in page
    for row in json.loads((site / "board.json").read_text())["boards"][0]["ranking"]:
        assert row["label"] in page


def test_report_of_efforts_warns_where_reasoning_tokens_did_not_change(site):
    sheet = (site / "reports" / "board-1" / "effort.md").read_text()
    assert "low" in sheet
    assert "no more reasoning tokens a turn than at the effort before" in sheet


def test_board_replaces_an_earlier_one_and_nothing_else(board_folder, site, tmp_path):
    out = tmp_path / "site"
    shutil.copytree(site, out)
    assert board(board_folder / "null.tar", suite=board_folder / "suite", out=out).returncode == 0
    assert [row["label"] for row in json.loads((out / "board.json").read_text())["boards"][0]["ranking"]] == ["null"]
    (out / "notes.txt").write_text("mine")
    done = board(board_folder / "null.tar", suite=board_folder / "suite", out=out)
    assert done.returncode == 2
    assert "choose another --out" in done.stderr
    assert (out / "notes.txt").read_text() == "mine"


def test_submission_that_holds(submit, board_folder):
    folder = submit("mine", "high.tar", "model", links=["https://example.org/model"], notes="Thinks for long.")
    done = run_here("board", "check", folder, "--suite", board_folder / "suite", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    require_schema("board check", document)
    assert document["badges"] == ["replayed", "standard protocol"]


def test_oracle_under_the_name_of_a_model_is_refused(submit, board_folder):
    line = refusal(submit("forged", "oracle.tar", "model"), board_folder / "suite")
    assert "stated to be of kind model, but its archive holds a run of kind agent" in line


def test_model_without_journals_is_refused(submit, board_folder, tmp_path):
    run_here("pack", board_folder / "runs" / "model" / "high", "--public", "--out", tmp_path / "public.tar")
    folder = submit("mine", "high.tar", "model")
    shutil.copy(tmp_path / "public.tar", folder / "run.tar")
    assert "its journals are left out" in refusal(folder, board_folder / "suite")


def test_copy_of_another_submission_is_refused(submit, board_folder):
    submit("first", "high.tar", "model")
    copy = submit("second", "high.tar", "model", by="Somebody else", date="2020-01-01")
    assert "it duplicates" in refusal(copy, board_folder / "suite", "--against", copy.parent)


def test_foreign_suite_is_refused(submit, board_folder, tmp_path):
    done = run_here("build", "--out", tmp_path / "other", "--families", "fleet_dispatch", "--levels", "0", "--instances", "2")
    assert done.returncode == 0
    assert "not on one of this board" in refusal(submit("mine", "oracle.tar", "agent"), tmp_path / "other")


def forge(board_folder, tmp_path, change):
    """An archive of the greedy agent whose files were changed by `change(folder)` and packed by hand again."""
    folder = tmp_path / "forged"
    done = run_here("unpack", board_folder / "greedy.tar", "--out", folder)
    assert done.returncode == 0
    change(folder)
    return folder


def test_forged_record_is_refused(submit, board_folder, tmp_path):
    """A record that claims the optimum, in a run whose manifest and archive are consistent with it."""
    from algoworlds.runs.archive import pack_run
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.suites.record import encode_record

    def claim_optimum(folder):
        path = sorted((folder / "records").iterdir())[0]
        record = json.loads(path.read_bytes())
        gap = record["reference_gap"]
        forged = {"decision": record["optimal_decision"], "objective": record["optimum"], "gap": 0, "exact": 1, "regret": 0.0}
        path.chmod(0o600)
        path.write_bytes(encode_record(record | forged | {"utility": 100.0}))
        assert gap > 0
        (folder / "manifest.json").unlink()
        RunDirectory(folder).write_manifest()

    forged = forge(board_folder, tmp_path, claim_optimum)
    folder = submit("forged", "greedy.tar", "agent")
    (folder / "run.tar").unlink()
    pack_run(RunDirectory(forged), folder / "run.tar", False, {})
    assert "its replay differs" in refusal(folder, board_folder / "suite")


def test_edited_journal_is_refused(submit, board_folder):
    folder = submit("edited", "high.tar", "model")
    content = (folder / "run.tar").read_bytes()
    assert b"step 1" in content
    (folder / "run.tar").write_bytes(content.replace(b"step 1", b"step 9", 1))
    assert "is altered" in refusal(folder, board_folder / "suite")


def test_archive_bomb_is_refused_before_it_is_read(submit, board_folder):
    folder = submit("bomb", "greedy.tar", "agent")
    with (folder / "run.tar").open("r+b") as file:
        file.truncate(5 * 2**40)  # sparse: takes no room
    assert "this board reads at most 1,024" in refusal(folder, board_folder / "suite")


def test_archive_of_another_format_is_refused(submit, board_folder, tmp_path):
    folder = submit("packed", "greedy.tar", "agent")
    with tarfile.open(folder / "run.tar", "w:gz") as file:
        file.add(board_folder / "suite")
    assert "is damaged or not an archive of a run" in refusal(folder, board_folder / "suite")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("format = 2", "must have the line: format = 1"),
        ('format = 1\nby = "x"', "lacks date, kind, archive"),
        ('format = 1\nby = "x"\ndate = "tomorrow"\nkind = "agent"\narchive = "run.tar"', "must be like 2026-11-19"),
        ('format = 1\nby = "x"\ndate = 2026-11-19\nkind = "robot"\narchive = "run.tar"', "must be one of"),
        ('format = 1\nby = "x"\ndate = 2026-11-19\nkind = "agent"\narchive = "../run.tar"', "a file beside it"),
        ('format = 1\nby = "x"\ndate = 2026-11-19\nkind = "agent"\narchive = "run.tar"\nscore = 100', "unknown field"),
        ('format = 1\nby = "x"\ndate = 2026-11-19\nkind = "agent"\narchive = "run.tar"\nlinks = ["javascript:a"]', "https://"),
        ('format = 1\nby = "\\u001b[2J"\ndate = 2026-11-19\nkind = "agent"\narchive = "run.tar"', "printable"),
        ("format = [", "is not TOML"),
    ],
)
def test_bad_statement_is_refused(submit, board_folder, line, complaint):
    folder = submit("mine", "oracle.tar", "agent")
    (folder / "submission.toml").write_text(line + "\n")
    assert complaint in refusal(folder, board_folder / "suite")


def test_part_of_a_suite_has_a_ranking_of_its_own(board_folder, tmp_path):
    words = ("--agent", "oracle", "--trials", 1, "--worlds", "fleet*")
    assert run_here("run", board_folder / "suite", *words, "--out", tmp_path / "part").returncode == 0
    assert run_here("pack", tmp_path / "part", "--out", tmp_path / "part.tar").returncode == 0
    done = board(board_folder / "null.tar", tmp_path / "part.tar", suite=board_folder / "suite", out=tmp_path / "site")
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "site" / "board.json").read_text())
    assert [(one["worlds"], [row["label"] for row in one["ranking"]]) for one in document["boards"]] == [
        (4, ["null"]),
        (2, ["oracle"]),
    ]


def test_nothing_accepted_is_an_error_code(board_folder, tmp_path):
    (tmp_path / "empty.tar").write_bytes(b"")
    done = board(tmp_path / "empty.tar", suite=board_folder / "suite", out=tmp_path / "site")
    assert done.returncode == 1
    assert "No submission was accepted" in (tmp_path / "site" / "index.html").read_text()
