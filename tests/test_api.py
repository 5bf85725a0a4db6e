"""The public names: completion, short representations, runs as rows, and the examples of docs/api.md."""

import json
import re
import shutil
from pathlib import Path

import pandas
import pytest

import algoworlds as aw
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.grid import Grid
from algoworlds.runs.run import Rows
from tests.certified import certified_instance
from tests.command import ROOT, python, run_here
from tests.runs.model_runs import build_small_suite

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a small suite and two runs on it, one of them judged."""
    root = tmp_path_factory.mktemp("api")
    build_small_suite(root / "suite")
    for name in ("greedy", "null"):
        done = run_here("run", root / "suite", "--agent", name, "--out", root / "runs" / name, "--trials", 2)
        assert done.returncode == 0, done.stderr
    assert run_here("judge", root / "runs" / "greedy").returncode == 0
    return root


def test_completion_offers_the_public_names_and_nothing_heavy():
    assert set(aw.__all__) <= set(dir(aw))
    assert all(name.startswith("__") for name in set(dir(aw)) - set(aw.__all__))
    assert 35 <= len(aw.__all__) <= 42
    loaded = python("import sys, algoworlds; dir(algoworlds); print([name for name in sys.modules if 'algoworlds.' in name])")
    assert loaded == "[]\n"


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = aw.Nothing


def test_every_public_value_has_a_short_representation(place):
    admitted = certified_instance("fleet_dispatch")
    world = aw.build_world(admitted, aw.Interface.MEDIATED)
    episode = aw.Episode(world)
    observation = episode.call("read_fleet_policy")
    suite, stream = aw.open_suite(place / "suite"), aw.stream("a seed")
    entry = suite.manifest.worlds[0]
    run, oracle = aw.open_run(place / "runs" / "greedy"), aw.Oracle.from_world(world, admitted.solution.decision)
    values = [
        *(admitted, admitted.coordinate, admitted.instance, admitted.family, world, episode, observation, oracle),
        *(aw.AnswerKey.from_admitted(admitted, world), aw.ObservedCalls(()), aw.MEASURES[0], Stream("a", 1)),
        *(
            suite,
            suite.manifest,
            entry,
            aw.open_public_suite(place / "suite"),
            suite.public_world(entry.id),
            suite.play(entry.id),
        ),
        *(run, stream, stream[0], aw.Rollout(stream[0], 1, {"record": "x" * 500}), aw.Curriculum.from_families(aw.FAMILIES)),
    ]
    for value in values:
        assert len(repr(value)) <= 200, type(value)
        assert repr(value).isprintable()


def test_representations_show_no_seed():
    secret = "a seed that nobody may see"
    coordinate = aw.Coordinate("fleet_dispatch", 0, 1, secret, "0" * 32)
    for value in (coordinate, Stream(secret, "x")):
        assert secret not in repr(value)
    assert repr(aw.Coordinate("fleet_dispatch", 1, 2)) == "<Coordinate fleet_dispatch-1-2>"


def test_suite_shows_no_seed(place):
    suite = aw.open_suite(place / "suite")
    assert suite.spec.seed not in repr(suite) + repr(suite.play(suite.manifest.worlds[0].id))


# -- runs as rows ---------------------------------------------------------------------------------------------------------


def test_run_has_records_and_judgements(place):
    run = aw.open_run(str(place / "runs" / "greedy"))
    assert (run.label, run.finished, run.scheduled) == ("greedy", 8, 8)
    lines = run_here("records", run.path).stdout.splitlines()
    assert run.records() == [json.loads(line) for line in lines]
    judged = [json.loads(line) for line in run_here("records", run.path, "--judged").stdout.splitlines()]
    assert [record["judgement"] for record in judged] == list(run.judgements().values())
    assert [{name: value for name, value in record.items() if name != "judgement"} for record in judged] == run.records()
    array = json.loads(run_here("records", place / "runs" / "null", "--judged", "--json").stdout)
    assert [record["judgement"] for record in array] == [None] * 8


def test_rows_are_plain_and_fit_a_data_frame(place):
    rows = aw.read_run(place / "runs" / "greedy", judged=True)
    frame = pandas.DataFrame(rows)
    assert frame.shape[0] == 8
    assert all(isinstance(value, str | int | float | None) for row in rows for value in row.values())
    assert len({tuple(row) for row in rows}) == 1
    for name in frame:
        assert len({type(value) for value in frame[name].tolist()} - {type(None)}) <= 1, name
    assert frame["utility"].dtype == float
    assert set(frame["footing"]) <= {"justified", "lucky", "misread", "premature", "undecided", "infeasible"}
    scalars = {
        name for name, value in aw.open_run(place / "runs" / "greedy").records()[0].items() if isinstance(value, int | float)
    }
    assert scalars - {"format", "scoring"} <= set(frame)


def test_rows_of_an_unjudged_run_have_the_same_columns(place):
    judged, unjudged = (aw.read_run(place / "runs" / name, judged=True) for name in ("greedy", "null"))
    assert tuple(judged[0]) == tuple(unjudged[0])
    assert {row["footing"] for row in unjudged} == {None}
    assert "footing" not in aw.read_run(place / "runs" / "greedy")[0]


def test_unfinished_run_has_the_rows_that_exist(place, tmp_path):
    copy = shutil.copytree(place / "runs" / "greedy", tmp_path / "copy")
    min((copy / "records").iterdir()).unlink()
    (copy / "manifest.json").unlink()
    run = aw.open_run(copy)
    assert (run.finished, len(run.rows())) == (7, 7)


def test_edited_records_are_refused(place, tmp_path):
    copy = shutil.copytree(place / "runs" / "greedy", tmp_path / "copy")
    path = min((copy / "records").iterdir())
    path.chmod(0o644)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"utility": "high"}))
    with pytest.raises(InputError, match=r"utility of .* is not a finite number: algoworlds verify-run"):
        aw.read_run(copy)


@pytest.mark.parametrize("path", ["nowhere", "/dev/null", "."])
def test_what_is_not_a_run_is_refused(path):
    with pytest.raises(InputError, match="is not a run"):
        aw.open_run(path)


def test_tables_are_shown_as_html(place):
    text = Grid("t", "a <caption>", ("<b>", "two"), (("<script>", "\x1b[31m&"),))._repr_html_()
    assert text.count("<tr>") == 2
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert "\x1b" not in text
    rows = aw.read_run(place / "runs" / "greedy")
    assert rows._repr_html_().count("<tr>") == 9
    assert "<Run greedy" not in aw.open_run(place / "runs" / "greedy")._repr_html_()
    many = Rows([{"a": number} for number in range(60)])._repr_html_()
    assert (many.count("<tr>"), "10 more rows" in many) == (51, True)
    assert Rows()._repr_html_().startswith("<table>")


# -- examples -------------------------------------------------------------------------------------------------------------


def test_examples_of_the_page_run(place, tmp_path, monkeypatch):
    """All blocks of code in one session, in a folder with a suite and a run as the page says."""
    monkeypatch.chdir(tmp_path)
    for name in ("suite", "runs"):
        Path(name).symlink_to(place / name)
    shutil.copytree(place / "runs" / "greedy", tmp_path / "mine")
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    scope = {}
    for block in blocks:
        exec(compile(block, "docs/api.md", "exec"), scope)
    used = {name for name in aw.__all__ if re.search(rf"\baw\.{name}\b", "".join(blocks))}
    assert len(used) >= 30
