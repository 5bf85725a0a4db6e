"""Every path option of every command, with a path of thousands of letters: one short line that shows the path's end."""

import re
import shutil

import pytest

from tests.cli.test_cli import COMMANDS
from tests.command import run_here
from tests.runs.model_runs import build_small_suite

END = "the-end"
FLEET = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1")
ORDERS = {
    "demo --out": ("demo", "--out", "{path}"),
    "solve INSTANCE": ("solve", "{path}"),
    "build --out": ("build", "--out", "{path}", *FLEET),
    "validate SUITE": ("validate", "{path}"),
    "verify SUITE": ("verify", "{path}"),
    "commit SUITE": ("commit", "{path}"),
    "reveal SUITE": ("reveal", "{path}", "0" * 64),
    "stats SUITE": ("stats", "{path}"),
    "worlds SUITE": ("worlds", "{path}"),
    "world show --suite": ("world", "show", "fleet_dispatch-0-1", "--suite", "{path}"),
    "attack --out": ("attack", "--out", "{path}", *FLEET),
    "run SUITE": ("run", "{path}", "--agent", "greedy", "--out", "{free}"),
    "run --out": ("run", "{suite}", "--agent", "greedy", "--out", "{path}"),
    "run --model": ("run", "{suite}", "--model", "{path}", "--out", "{free}"),
    "run --agent": ("run", "{suite}", "--agent", "replay:{path}", "--out", "{free}"),
    "probe --model": ("probe", "--model", "{path}"),
    "probe --suite": ("probe", "--model", "gpt-5.6-sol", "--suite", "{path}"),
    "status DIRECTORY": ("status", "{path}"),
    "records DIRECTORY": ("records", "{path}"),
    "verify-run DIRECTORY": ("verify-run", "{path}"),
    "verify-run --suite": ("verify-run", "{run}", "--suite", "{path}"),
    "rescore DIRECTORY": ("rescore", "{path}"),
    "rescore --suite": ("rescore", "{run}", "--suite", "{path}"),
    "rescore --out": ("rescore", "{run}", "--out", "{path}"),
    "judge RUNS": ("judge", "{path}"),
    "judge --suite": ("judge", "{run}", "--suite", "{path}"),
    "pack DIRECTORY": ("pack", "{path}"),
    "pack --out": ("pack", "{run}", "--out", "{path}"),
    "unpack ARCHIVE": ("unpack", "{path}", "--out", "{free}"),
    "unpack --out": ("unpack", "{archive}", "--out", "{path}"),
    "unpack --suite": ("unpack", "{archive}", "--verify", "--suite", "{path}"),
    "export hf SUITE": ("export", "hf", "{path}", "--out", "{free}"),
    "export hf --out": ("export", "hf", "{suite}", "--out", "{path}"),
    "export hf --answers": ("export", "hf", "{suite}", "--out", "{free}", "--answers", "{path}"),
    "export atif DIRECTORY": ("export", "atif", "{path}", "--out", "{free}"),
    "export atif --out": ("export", "atif", "{run}", "--out", "{path}"),
    "export atif --suite": ("export", "atif", "{run}", "--suite", "{path}", "--out", "{free}"),
    "export eee DIRECTORY": ("export", "eee", "{path}", "--out", "{free}"),
    "export eee --out": ("export", "eee", "{run}", "--out", "{path}"),
    "export eee --suite": ("export", "eee", "{run}", "--suite", "{path}", "--out", "{free}"),
    "export otel DIRECTORY": ("export", "otel", "{path}", "--out", "{free}"),
    "export otel --out": ("export", "otel", "{run}", "--out", "{path}"),
    "export otel --suite": ("export", "otel", "{run}", "--suite", "{path}", "--out", "{free}"),
    "import atif PATHS": ("import", "atif", "{path}", "--suite", "{suite}", "--out", "{free}"),
    "import atif --suite": ("import", "atif", "{archive}", "--suite", "{path}", "--out", "{free}"),
    "import atif --out": ("import", "atif", "{trajectories}", "--suite", "{suite}", "--out", "{path}"),
    "import inspect LOG": ("import", "inspect", "{path}", "--suite", "{suite}", "--out", "{free}"),
    "import inspect --suite": ("import", "inspect", "{archive}", "--suite", "{path}", "--out", "{free}"),
    "import inspect --out": ("import", "inspect", "{archive}", "--suite", "{suite}", "--out", "{path}"),
    "show RUN": ("show", "{path}", "fleet_dispatch-0-1"),
    "show --suite": ("show", "{run}", "{world}", "--suite", "{path}"),
    "play --suite": ("play", "{world}", "--suite", "{path}"),
    "play --out": ("play", "{world}", "--suite", "{suite}", "--out", "{path}"),
    "stream --out": ("stream", "--count", "1", "--out", "{path}"),
    "panel RUNS": ("panel", "{path}", "--out", "{free}"),
    "panel --out": ("panel", "{run}", "--out", "{path}"),
    "panel --suite": ("panel", "{run}", "--suite", "{path}", "--out", "{free}"),
    "report RUNS": ("report", "{path}", "--out", "{free}"),
    "report --out": ("report", "{run}", "--out", "{path}"),
    "report --suite": ("report", "{run}", "--suite", "{path}", "--out", "{free}"),
    "board write --suite": ("board", "write", "{archive}", "--suite", "{path}", "--out", "{free}"),
    "board write --out": ("board", "write", "{archive}", "--suite", "{suite}", "--out", "{path}"),
    "board check SUBMISSION": ("board", "check", "{path}", "--suite", "{suite}"),
    "board check --suite": ("board", "check", "{archive}", "--suite", "{path}"),
    "export release DIRECTORY": ("export", "release", "{path}", "--out", "{free}"),
    "export release --suite": ("export", "release", "{run}", "--suite", "{path}", "--out", "{free}"),
    "import release DIRECTORY": ("import", "release", "{path}", "--out", "{free}"),
    "measure --out": ("measure", "--agent", "greedy", *FLEET[:2], "--out", "{path}"),
    "report --measured": ("report", "{run}", "--out", "{free}", "--measured", "{path}"),
    "thresholds MEASUREMENTS": ("thresholds", "{path}", "--out", "{free}"),
    "thresholds --out": ("thresholds", "{run}", "--out", "{path}"),
    "family new --out": ("family", "new", "parcels", "--out", "{path}"),
}

SERVED = {
    "serve SUITE": ("serve", "{path}", "--out", "{free}"),
    "serve --out": ("serve", "{suite}", "--out", "{path}"),
    "export harbor SUITE": ("export", "harbor", "{path}", "--out", "{free}"),
    "export harbor --out": ("export", "harbor", "{suite}", "--out", "{path}"),
    "tickets RUN": ("tickets", "{path}"),
    "tickets --suite": ("tickets", "{unfinished}", "--close", "all", "--suite", "{path}"),
}
"""Commands that need an extra; tests/doors/mcp/test_paths.py checks them in the same way."""
ELSEWHERE = {"board write SUBMISSIONS", "board check --against", "export release --out", "import release --out"}
"""A board lists what is wrong with submissions, and releases are written from valid ones: see their own tests."""


def test_every_path_option_is_tested():
    path_options = {
        f"{' '.join(words)} {param.opts[0] if param.opts[0].startswith('--') else param.name.upper()}"
        for words, command in COMMANDS.items()
        for param in command.params
        if "pathlib.Path" in str(param.type_descriptor.annotation)
    }
    text_options = {"solve INSTANCE", "run --model", "run --agent", "probe --model"}  # a file, or standard input or a name
    assert path_options | text_options == ORDERS.keys() | SERVED.keys() | ELSEWHERE


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A suite, a run, and odd files in a folder whose path has two thousand letters."""
    place = tmp_path_factory.mktemp("paths")
    build_small_suite(place / "suite")
    assert run_here("run", place / "suite", "--agent", "greedy", "--out", place / "run").returncode == 0
    assert run_here("pack", place / "run", "--out", place / "run.tar").returncode == 0
    assert run_here("export", "atif", place / "run", "--out", place / "trajectories").returncode == 0
    deep = place.joinpath(*("d" * 200 for _ in range(10)))
    (deep / f"folder-{END}").mkdir(parents=True)
    (deep / f"folder-{END}" / "something").write_text("else")
    (deep / f"file-{END}").write_bytes(b"\xff")
    return place


def places(home):
    """A name that no file system accepts, and a deep folder and a deep file that no command accepts."""
    deep = next(home.rglob(f"folder-{END}")).parent
    return home / ("x" * 3_000 + END), deep / f"folder-{END}", deep / f"file-{END}"


def one_short_line(order):
    """Run a command that fails; return the one short line that it prints."""
    done = run_here(*order)
    assert done.returncode in (1, 2), (order, done.stderr)
    assert done.stderr.count("\n") == 1, done.stderr
    assert len(done.stderr) < 500
    assert max(map(len, re.split(r"[\s'\"(),:;]+", done.stderr))) <= 80
    return done.stderr


@pytest.mark.parametrize("name", ORDERS)
def test_long_path_is_shortened(home, tmp_path, name):
    for path in places(home):
        if name != "attack --out" or path.name != f"folder-{END}":  # it accepts any folder
            require_cut(ORDERS[name], path, home, tmp_path / "free")


def require_cut(order, path, home, free):
    """Check that the command prints one short line with the end of `path`, and creates nothing."""
    values = {name: home / name for name in ("suite", "run", "trajectories", "unfinished")} | {"archive": home / "run.tar"}
    values |= {"path": path, "free": free, "world": next((home / "suite" / "worlds").glob("fleet*")).name}
    assert END in one_short_line([word.format_map(values) for word in order])
    assert not free.exists()


@pytest.mark.parametrize("broken", ["manifest.json", "sealed/suite.json", "worlds"])
def test_damaged_suite_in_a_deep_folder_gives_short_lines(home, tmp_path, broken):
    deep = shutil.copytree(home / "suite", places(home)[1].parent / broken.replace("/", "-"))
    if broken == "worlds":
        for path in (deep / broken).rglob("*.json"):
            path.write_text("{")
    else:
        (deep / broken).write_text("{")
    for order in (("stats", deep), ("run", deep, "--agent", "oracle", "--out", tmp_path / "run"), ("commit", deep)):
        assert len(one_short_line(order)) < 400
    for line in run_here("verify", deep).stderr.splitlines():
        assert len(line) < 200


def test_damaged_run_in_a_deep_folder_gives_short_lines(home, tmp_path):
    deep = places(home)[1].parent / "run"
    shutil.copytree(home / "run", deep)
    record = next((deep / "records").iterdir())
    for path, orders in (
        (record, ("records", "status", "report")),
        (deep / "run.json", ("records", "status", "rescore", "report")),
    ):
        path.write_text("{")
        for order in orders:
            one_short_line([order, deep, *(("--out", tmp_path / "report") if order == "report" else ())])


def test_long_name_of_stray_file_is_shortened(home, tmp_path):
    suite, run = (shutil.copytree(home / name, tmp_path / name) for name in ("suite", "run"))
    for folder in (suite, run / "records"):
        (folder / ("x" * 240 + END)).touch()
    for order in (("verify", suite), ("verify-run", run, "--suite", home / "suite")):
        assert END in one_short_line(order)


@pytest.mark.parametrize("name", ORDERS)
def test_cycle_of_links_is_one_line(home, tmp_path, name):
    """As a path, and as a folder on the way to it."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    values = {path: home / path for path in ("suite", "run", "trajectories", "unfinished")} | {"archive": home / "run.tar"}
    world = next((home / "suite" / "worlds").glob("fleet*")).name
    for path in (loop, loop / "inside"):
        one_short_line(
            [word.format_map(values | {"path": path, "free": tmp_path / "x", "world": world}) for word in ORDERS[name]]
        )
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]
