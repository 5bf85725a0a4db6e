"""Tables fit a terminal of 80 columns, and no word is cut."""

import io
import json
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import algoworlds
from algoworlds.cli.tables import print_table
from algoworlds.families import FAMILIES
from algoworlds.grid import Grid
from tests.command import ROOT, run_here

WORD = st.text("abcdefgh_0123456789", min_size=1, max_size=38)
CELL = st.lists(WORD, min_size=1, max_size=8).map(" ".join)


def render(grid, width=80):
    text = io.StringIO()
    print_table(Console(file=text, width=width, force_terminal=True, color_system=None, highlight=False), grid)
    return text.getvalue()


@settings(max_examples=25)
@given(st.integers(1, 9).flatmap(lambda columns: st.lists(st.tuples(*[CELL] * columns), min_size=1, max_size=5)))
def test_any_table_fits_and_keeps_every_word(rows):
    head, *rest = rows
    text = render(Grid("any", "", head, tuple(rest)))
    assert max(map(len, text.splitlines())) <= 80
    assert {word for row in rows for cell in row for word in cell.split()} <= set(text.split())


def test_table_that_fits_is_one_table():
    grid = Grid("small", "", ("family", "level"), (("fleet_dispatch", "1"), ("transit_routing", "2")))
    lines = [line.rstrip() for line in render(grid).splitlines()]
    assert lines == ["family          level", "fleet_dispatch  1", "transit_routing 2", ""]


def test_wide_table_is_split_and_repeats_its_first_column():
    grid = Grid("wide", "", ("name", *(f"column_number_{number:02}" for number in range(9))), (("here", *"abcdefghi"),))
    text = render(grid)
    assert (text.count("name"), text.count("here")) == (3, 3)


def test_commands_fit_80_columns():
    fleet = {"family": "fleet_dispatch", "vehicle": ["v" * 40, "w"], "job": ["j" * 30], "capacity": {"v" * 40: 1, "w": 1}}
    costs = {"activation": {"v" * 40: 1, "w": 2}, "load": {"j" * 30: 1}, "route_cost": {"v" * 40: {"j" * 30: 4}}}
    for words in (("families",), ("solve", "-", "--verify")):
        done = run_here(*words, stdin=json.dumps(fleet | costs), COLUMNS="80")
        assert done.returncode == 0, done.stderr
        assert max(map(len, done.stdout.splitlines())) <= 80
        assert {*FAMILIES} <= set(done.stdout.split()) or "v" * 40 in done.stdout.split()


def test_only_print_table_and_the_game_draw_tables():
    """Commands and benchmarks use `print_table`; only the game in the terminal has tables of its own."""
    sources = [*Path(algoworlds.__file__).parent.rglob("*.py"), *(ROOT / "bench").glob("*.py")]
    with_tables = {path.name for path in sources if re.search(r"from rich\.table import|import rich\.table", path.read_text())}
    assert with_tables <= {"tables.py", "terminal.py"}
