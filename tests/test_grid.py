"""Tables as text: correct in every format, and inert whatever a cell contains."""

import csv
import io
import re

import pytest

from algoworlds.grid import Grid, strip_control_chars, to_csv, to_latex, to_markdown, to_one_line

GRID = Grid("work", "Work by level", ("family", "range"), (("fleet_dispatch", "1,024-2,048"), ("a", "3")))
HOSTILE = [
    "<script>alert(1)</script>",
    '" onmouseover="x',
    "]]>",
    "{{7*7}}",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://evil\x07click\x1b]8;;\x07",
    "\x9b2Jx",
    "=cmd()",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    r"\input{/etc/passwd}",
    "$x_1^2$ & 50 % #1 ~ {}",
    "[click](javascript:alert(1))",
    "![x](http://evil)",
    "a|b",
    "a\nb\r\nc\x85d\u2028e",
    "\u202egnp.exe",
    "\x00\x07\x08\x7f",
    "\ud800",
    "`code` *bold* _em_ ~~gone~~ # head www.evil.com http://evil",
]


def grid_of(text):
    return Grid("hostile", text, ("head", text), ((text, "1"),))


def test_markdown():
    assert to_markdown(GRID).splitlines() == [
        "Work by level",
        "",
        "| family | range |",
        "| --- | --- |",
        "| fleet_dispatch | 1,024-2,048 |",
        "| a | 3 |",
    ]


def test_csv():
    assert to_csv(GRID) == 'family,range\nfleet_dispatch,"1,024-2,048"\na,3'


def test_latex():
    assert to_latex(GRID).splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"family & range \\",
        r"\midrule",
        r"fleet\_dispatch & 1,024--2,048 \\",
        r"a & 3 \\",
        r"\bottomrule",
        r"\end{tabular}}",
        r"\caption{Work by level}",
        r"\label{tab:work}",
        r"\end{table}",
    ]


def test_latex_aligns_numbers_right_and_breaks_long_texts():
    rows = (("a", "1.0 [0.5, 1.5]", "-", "none", "word " * 20), ("b", "< 0.1", "[+1.0, +2.0]", "-", "2"))
    assert r"\begin{tabular}{lrrlp{0.7\linewidth}}" in to_latex(Grid("t", "", ("A", "B", "C", "D", "E"), rows))
    assert r"\begin{tabular}{p{0.3\linewidth}r}" in to_latex(Grid("t", "", ("A", "B"), (("long " * 20, "= 2,633-7,781"),)))


def test_rejects_row_of_another_width():
    with pytest.raises(ValueError, match="every row must have 2 cells"):
        Grid("t", "", ("a", "b"), (("1",),))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_writer_emits_control_characters(text):
    for write in (to_markdown, to_csv, to_latex):
        output = write(grid_of(text))
        assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u202a-\u202e\ud800-\udfff]", output)
        assert output.encode()
    assert "31m" not in strip_control_chars(text)
    assert "evil\x07" not in strip_control_chars(text)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_markdown_stays_text(text):
    output = to_markdown(grid_of(text))
    assert len(output.splitlines()) == 5
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in output.splitlines()[2:])
    assert not re.search(r"[<>]", output)
    assert not re.search(r"(?<!\\)[\[\]`*~$]", output)
    assert not re.search(r"www\.|://|(?<!\w)(?<!\\)_", output)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_csv_cells_round_trip_and_are_not_computed(text):
    head, row = csv.reader(io.StringIO(to_csv(grid_of(text)), newline=""))
    assert head[1] == row[0]
    assert row[0].removeprefix("'") == strip_control_chars(text).replace("\r\n", "\n").replace("\r", "\n")
    assert not re.match(r"\s*[=+@-]", row[0])


@pytest.mark.parametrize("number", ["-1", "+2.5", "-1,234", "1e-3", "-0.5", "12"])
def test_csv_numbers_stay_numbers(number):
    assert to_csv(Grid("t", "", ("n",), ((number,),))) == "n\n" + (f'"{number}"' if "," in number else number)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_latex_stays_text(text):
    """Cells hold no command but escapes, and every row has two cells."""
    cells = [line for line in to_latex(grid_of(text)).splitlines() if line.endswith(r"\\")]
    assert len(cells) == 2
    for line in cells:
        body = line.removesuffix(r" \\")
        assert len(re.findall(r"(?<!\\)&", body)) == 1
        rest = re.sub(r"\\text(backslash|asciitilde|asciicircum|less|greater|bar)\{\}|\{[\[\]*]\}|\\[&%$#_{}]", "", body)
        assert not re.search(r"[\\%$#_{}~^]", rest)


def test_one_line():
    assert to_one_line(" a\n\tb\x1b[1m c ") == "a b c"


def test_bold_cells_in_markdown_and_latex():
    grid = Grid("g", "c", ("a", "b"), (("x", "1*"), ("y", "2%")), bold=frozenset({(1, 1)}))
    assert to_markdown(grid).splitlines()[-2:] == ["| x | 1\\* |", "| y | **2%** |"]
    assert r"y & \textbf{2\%} \\" in to_latex(grid)
    assert to_csv(grid) == "a,b\nx,1*\ny,2%"
