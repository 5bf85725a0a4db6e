"""Tables as text: right in every format, and inert whatever a cell says."""

import csv
import io
import re

import pytest

from algoworlds.grid import Grid, comma_separated, latex, markdown, one_line, plain

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


def lone(text):
    return Grid("hostile", text, ("head", text), ((text, "1"),))


def test_markdown():
    assert markdown(GRID).splitlines() == [
        "Work by level",
        "",
        "| family | range |",
        "| --- | --- |",
        "| fleet_dispatch | 1,024-2,048 |",
        "| a | 3 |",
    ]


def test_csv():
    assert comma_separated(GRID) == 'family,range\nfleet_dispatch,"1,024-2,048"\na,3'


def test_latex():
    assert latex(GRID).splitlines() == [
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


def test_latex_sets_figures_right_words_left_and_breaks_long_texts():
    rows = (("a", "1.0 [0.5, 1.5]", "-", "none", "word " * 20), ("b", "< 0.1", "[+1.0, +2.0]", "-", "2"))
    assert r"\begin{tabular}{lrrlp{0.7\linewidth}}" in latex(Grid("t", "", ("A", "B", "C", "D", "E"), rows))
    assert r"\begin{tabular}{p{0.3\linewidth}r}" in latex(Grid("t", "", ("A", "B"), (("long " * 20, "= 2,633-7,781"),)))


def test_a_row_of_another_width_is_refused():
    with pytest.raises(ValueError, match="one cell for each of its 2 columns"):
        Grid("t", "", ("a", "b"), (("1",),))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_writer_lets_a_control_character_or_terminal_escape_through(text):
    for write in (markdown, comma_separated, latex):
        written = write(lone(text))
        assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u202a-\u202e\ud800-\udfff]", written)
        assert written.encode()
    assert "31m" not in plain(text)
    assert "evil\x07" not in plain(text)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_markdown_stays_text(text):
    written = markdown(lone(text))
    assert len(written.splitlines()) == 5
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in written.splitlines()[2:])
    assert not re.search(r"[<>]", written)
    assert not re.search(r"(?<!\\)[\[\]`*~$]", written)
    assert not re.search(r"www\.|://|(?<!\w)(?<!\\)_", written)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_csv_cells_come_back_and_none_is_computed(text):
    head, row = csv.reader(io.StringIO(comma_separated(lone(text)), newline=""))
    assert head[1] == row[0]
    assert row[0].removeprefix("'") == plain(text).replace("\r\n", "\n").replace("\r", "\n")
    assert not re.match(r"\s*[=+@-]", row[0])


@pytest.mark.parametrize("number", ["-1", "+2.5", "-1,234", "1e-3", "-0.5", "12"])
def test_csv_numbers_stay_numbers(number):
    assert comma_separated(Grid("t", "", ("n",), ((number,),))) == "n\n" + (f'"{number}"' if "," in number else number)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_latex_stays_text(text):
    """Outside our own frame no command but an escape is left, and every row has its two cells."""
    cells = [line for line in latex(lone(text)).splitlines() if line.endswith(r"\\")]
    assert len(cells) == 2
    for line in cells:
        body = line.removesuffix(r" \\")
        assert len(re.findall(r"(?<!\\)&", body)) == 1
        rest = re.sub(r"\\text(backslash|asciitilde|asciicircum|less|greater|bar)\{\}|\{[\[\]*]\}|\\[&%$#_{}]", "", body)
        assert not re.search(r"[\\%$#_{}~^]", rest)


def test_one_line():
    assert one_line(" a\n\tb\x1b[1m c ") == "a b c"


def test_what_stands_out_is_bold_in_markdown_and_latex_alone():
    grid = Grid("g", "c", ("a", "b"), (("x", "1*"), ("y", "2%")), bold=frozenset({(1, 1)}))
    assert markdown(grid).splitlines()[-2:] == ["| x | 1\\* |", "| y | **2%** |"]
    assert r"y & \textbf{2\%} \\" in latex(grid)
    assert comma_separated(grid) == "a,b\nx,1*\ny,2%"
