"""Figures: their numbers, texts that never overlap or become markup, and reproducible bytes (C7, F10)."""

import json
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, cycle, product
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from algoworlds.reports import figure_style, figures
from algoworlds.reports.aggregate import Interval
from algoworlds.reports.decision_comparison import Term, decision_differences, lower_is_better, objective_terms
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.figure_style import FIGURE_FORMATS, PHONE_SIZE, PRINT_SIZE, render_figure
from algoworlds.reports.figures import (
    ConfigurationRate,
    ExampleDecision,
    LevelRates,
    LossBar,
    RatePair,
    RiskCurve,
    StageLoss,
    SufficiencyCounts,
    SufficiencySplit,
    teaser,
)
from algoworlds.reports.result_figures import all_figures, select_example
from algoworlds.reports.results import Results
from tests.command import python
from tests.reports.synthetic import judgement, record

HOSTILE = (
    "$\\frac{1}{2}$ <b>",
    "\\input{/etc/passwd} and a label that never seems to end at all",
    "x" * 90,
    "日本 \u202eevil",
    "_^%#&~",
    " ",
)
LABELS = [f"{label}{'' if at < len(HOSTILE) else at}" for at, label in enumerate(HOSTILE * 2)]


def rates(count):
    return [ConfigurationRate(LABELS[at], at > 4, 100 - 9.0 * at, 2.0 * at, (100 - 9.0 * at,) * 3) for at in range(count)]


def splits(count):
    return [SufficiencySplit(LABELS[at], at > 4, *share) for at, share in zip(range(count), SHARES * 4, strict=False)]


SHARES = [(100.0, 0.0, 0.0, 0.0), (38.2, 50.6, 1.9, 9.3), (6.1, 6.1, 6.1, 81.7), (0.0, 0.0, 0.0, 100.0)]


def pairs(count):
    values = [(0.0, 0.0), (100.0, 100.0), (38.2, 89.9), (5.0, 2.0), (50.0, 51.0)] * 3
    return [RatePair(LABELS[at], at > 4, *values[at]) for at in range(count)]


def breakdown(count):
    """Gains and losses, undefined percentages and huge ones, and the objective."""
    values = [
        (725, 802),
        (7340, 2149),
        (500, 0),
        (-14124, -21000),
        (-7253, -7253),
        (10**15, 7),
        (0, 0),
        (1, 2),
        (3, 4),
        (5, 5),
        (6, 9),
    ]
    parts = [Term(f"part_{at}", *pair, pair[0] < pair[1]) for at, pair in zip(range(count - 1), values, strict=False)]
    return [*parts, Term("objective", 2000, 1000, False)]


def courses(count):
    """Two levels per configuration: a risk that falls to 0, and one that stays infinite for long and then high."""
    fallen, high = (None, None, 5.0, 2.0, 2.0, 0.5, 0.25, 0.0, 0.0), (None,) * 6 + (30.0, 30.0, 12.0)
    return [RiskCurve(LABELS[at], at > 4, level, risks) for at in range(count) for level, risks in ((1, fallen), (2, high))]


def lines(count):
    """Rates by level that rise, fall and stay at the ends."""
    kinds = [((1, 0.0), (2, 100.0)), ((1, 100.0), (2, 40.0), (4, 0.0)), ((3, 50.0),)] * 4
    return [LevelRates(LABELS[at], at > 4, kinds[at]) for at in range(count)]


def bars(count):
    """Losses of all stages, of merged ones, negative ones, intervals that leave the axis, and none."""
    ladders = [
        (25.0, (("compute",), 20.0), (("search",), 15.0), (("model",), 20.0), (("read",), 10.0), (("gather",), 10.0)),
        (100.0, (("compute", "search", "model"), -100.0), (("read", "gather"), 100.0)),
        (0.0, (("compute", "search", "model", "read"), 0.0), (("gather",), 100.0)),
        (1.5, (("compute",), -1.5), (("search", "model"), 45.5), (("read",), 54.5), (("gather",), 0.0)),
    ] * 3
    return [
        LossBar(LABELS[at], at > 4, solved, tuple(StageLoss(*loss, Interval(loss[1] - 30, loss[1] + 9)) for loss in losses))
        for at, (solved, *losses) in zip(range(count), ladders, strict=False)
    ]


def draw_teaser(count, *size, **mark):
    informed = SufficiencyCounts(LABELS[1], 10**6, 647_123, 269_000, 364_000)
    exemplar = ExampleDecision(LABELS[1], "Evidence-Joined Routing", True, 124, breakdown(count), count % 2 == 0)
    return teaser(rates(count), informed, exemplar, *size, **mark)


DRAWINGS = {
    "teaser": draw_teaser,
    "workload_levels": lambda count, *size, **mark: figures.workload_levels(lines(count), *size, **mark),
    "interface_rates": lambda count, *size, **mark: figures.interface_rates(pairs(count), *size, **mark),
    "stage_losses": lambda count, *size, **mark: figures.stage_losses(bars(count), *size, **mark),
    "information_prices": lambda count, *size, **mark: figures.information_prices(courses(count), *size, **mark),
    "exact_optimality_rates": lambda count, *size, **mark: figures.exact_optimality_rates(rates(count), *size, **mark),
    "sufficiency_split": lambda count, *size, **mark: figures.sufficiency_split(splits(count), *size, **mark),
    "sufficiency_against_exactness": lambda count, *size, **mark: figures.sufficiency_against_exactness(
        pairs(count), *size, **mark
    ),
    "objective_breakdown": lambda count, *size, **mark: figures.objective_breakdown(
        "A title " * 30, breakdown(count), True, *size, **mark
    ),
}


@dataclass
class VisibleText:
    text: str
    box: object


def visible_texts(figure):
    """Every visible text of a figure with its bounding box."""
    canvas = FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    boxes = [VisibleText(text.get_text(), text.get_window_extent(canvas.get_renderer())) for text in texts]
    return [box for box in boxes if box.box.width]


MARK = "UNVERIFIED RECORDS · PARTIAL: 1,234 of 5,040"
FEW_AND_MANY = ((1, "", PRINT_SIZE), (12, MARK, PHONE_SIZE))


@pytest.mark.parametrize(
    ("count", "mark", "size"),
    [
        pytest.param(*case, marks=() if case in FEW_AND_MANY else pytest.mark.full)
        for case in product((1, 7, 12), ("", MARK), (PRINT_SIZE, PHONE_SIZE))
    ],
)
@pytest.mark.parametrize("name", DRAWINGS)
def test_texts_neither_overlap_nor_leave_the_figure(name, mark, count, size):
    figure = DRAWINGS[name](count, size, mark=mark)
    found, frame = visible_texts(figure), figure.bbox
    assert (MARK in {label.text for label in found}) == bool(mark)
    for label in found:
        inside = label.box.x0 >= -1 and label.box.y0 >= -1 and label.box.x1 <= frame.x1 + 1 and label.box.y1 <= frame.y1 + 1
        assert inside, label.text
    for one, other in combinations(found, 2):
        wide = min(one.box.x1, other.box.x1) - max(one.box.x0, other.box.x0)
        high = min(one.box.y1, other.box.y1) - max(one.box.y0, other.box.y0)
        assert wide <= 1 or high <= 1, (one.text, other.text)


WAYS = [f"{name}.{form}" for name in DRAWINGS for form in FIGURE_FORMATS]
SOME = [f"{name}.{form}" for name, form in zip(DRAWINGS, cycle(FIGURE_FORMATS), strict=False)]


@pytest.mark.parametrize("ways", [SOME, pytest.param(WAYS, marks=pytest.mark.full)], ids=["a format each", "every format"])
def test_the_same_numbers_give_the_same_bytes_whatever_the_hash_seed_the_settings_and_what_was_drawn_before(ways):
    code = (
        "import matplotlib; matplotlib.rcParams.update({'font.size': 30, 'svg.hashsalt': 'x', 'text.color': 'red'})\n"
        "from tests.reports.test_figures import *\n"
        f"print(json.dumps(digests(everything({ways[::-1]!r}))))"
    )
    drawn = everything(ways)
    assert json.loads(python(code, PYTHONHASHSEED="1")) == digests(drawn)
    stamps = (b"Matplotlib v", b"CreationDate", b"<dc:date", b"Software")
    assert [way for way, content in drawn.items() if any(stamp in content for stamp in stamps)] == []


@pytest.mark.parametrize("form", FIGURE_FORMATS)
def test_a_figure_that_is_laid_out_is_drawn_once_a_file(form, monkeypatch):
    figure, draw, drawn = DRAWINGS["sufficiency_split"](3, PRINT_SIZE), Figure.draw, []
    monkeypatch.setattr(Figure, "draw", lambda *given: drawn.append(form) or draw(*given))
    render_figure(figure, form)
    assert drawn == [form]


def everything(ways):
    """The bytes of each of `ways`, drawn one after another."""
    return {way: render_figure(DRAWINGS[way.split(".")[0]](3, PRINT_SIZE), way.split(".")[1]) for way in ways}


def digests(drawn):
    return {way: sha256(content).hexdigest() for way, content in drawn.items()}


def test_labels_are_text_and_not_markup():
    svg = render_figure(figures.exact_optimality_rates(rates(6), PRINT_SIZE), "svg", text_as_paths=False)
    texts = ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "$\\frac{1}{2}$ <b>" in texts
    assert "_^%#&~" in texts
    assert "(no name)" in texts
    assert not any("\u202e" in text for text in texts)


@pytest.mark.parametrize("costs", [(0.02, 0.02), (0.02, 0.09), (0.02, 340.0)])
def test_a_logarithmic_axis_is_labelled_with_numbers(costs):
    points = [figures.ScorePoint(LABELS[at], cost, 40.0, None) for at, cost in enumerate(costs)]
    figure = figures.score_over(points, "Cost", "USD")
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels(which="both") if label.get_text()]
    assert [f"{float(label):g}" for label in labels] == labels
    assert labels


def test_teaser_of_the_paper_example():
    """Travel time -9.6 %, transfers +241.5 %, objective +63.3 %."""
    found = [
        Term("travel", 9_040, 10_000, True),
        Term("transfers", 34_150, 10_000, False),
        Term("objective", 16_330, 10_000, False),
    ]
    assert [term.change_text for term in found] == ["\N{MINUS SIGN}9.6 %", "+241.5 %", "+63.3 %"]
    assert Term("offset", -14_124, -21_000, False).change_text == "+32.7 %"
    assert Term("activations", 500, 0, False).change_text == "+500"
    assert Term("activations", 0, 0, False).change_text == "0 %"
    texts = [label.text for label in visible_texts(figures.objective_breakdown("Transit", found, True))]
    assert {"\N{MINUS SIGN}9.6 %", "+241.5 %", "+63.3 %"} <= set(texts)


def place(level=1):
    return ("transit_routing", level, 1, "direct")


def test_figures_show_numbers_of_tables():
    """Three of four trials-worlds solved by the model, none by the agent."""
    records = [
        record("m", place(1), 1),
        record("m", place(2), 1, "suboptimal", gap=5),
        record("m", place(1), 2),
        record("m", place(2), 2, "infeasible", sufficient=False),
        record("a", place(1), 1, "suboptimal", gap=3, kind="agent"),
        record("a", place(2), 1, "no_decision", kind="agent"),
    ]
    found = all_figures(Results.from_records(records))
    assert {"50.00 ± 0.00", "0.00"} <= {
        label.text.replace("\N{FIGURE SPACE}", "") for label in visible_texts(found["exact_optimality_rates"])
    }
    split = [label.text for label in visible_texts(found["sufficiency_split"])]
    assert split.count("25.0") == 2  # suboptimal; insufficient
    assert split.count("50.0") == 3  # the model's optimal; the agent's suboptimal and failed
    assert {"75.0", "100.0", "0.0"} <= {label.text for label in visible_texts(found["sufficiency_against_exactness"])}
    assert "objective_breakdown" in found
    assert "objective_breakdown" not in all_figures(Results.from_records(records[:1]))


def test_information_prices_are_medians_of_risk_curves():
    """Spend in eighths of a budget of 310: what was risked last at or below each; a median that is infinite is not drawn."""
    curves = [[[20, 2.0], [150, 0.0]], [[100, 4.0], [200, 1.0]], [[300, 3.0]]]
    places = [("transit_routing", 1, index, "direct") for index in (1, 2, 3)]
    judged = [(record, curve) for record, curve in zip((record("m", place, 1) for place in places), curves, strict=True)]
    least = {"hindsight_curve": [[0, 5.0], [100, 0.0]]}
    read = [
        Evaluation.from_record(record).with_judgement(judgement(record, risk_curve=curve, **least)) for record, curve in judged
    ]
    (axes,) = all_figures(Results.from_evaluations(read))["information_prices"].axes
    (shares, risks), (_, hindsight) = [line.get_data() for line in axes.get_lines() if len(line.get_xdata()) == 9]
    assert list(shares) == [12.5 * at for at in range(9)]
    assert [None if np.isnan(risk) else risk for risk in risks] == [None, None, None, 4.0, 4.0, 4.0, 1.0, 1.0, 1.0]
    assert list(hindsight) == [5.0] * 3 + [0.0] * 6
    assert "information_prices" not in all_figures(Results.from_records([record("m", places[0], 1)]))


def test_legend_of_information_prices_matches_the_lines():
    """Every line has an entry of its colour, opacity, style and width; the legend has no other entry but the hindsight's."""
    curves = [
        figures.RiskCurve("model", False, 1, (2.0, 1.0), (1.0, 0.0)),
        figures.RiskCurve("model", False, 3, (2.0, 1.0)),
        figures.RiskCurve("greedy", True, 1, (2.0, 0.0)),
    ]

    def look(line):
        return line.get_color(), round(line.get_alpha() or 1, 6), line.get_linestyle(), line.get_linewidth()

    for rows in (curves, curves[1:], curves[2:]):
        figure = figures.information_prices(rows)
        drawn = {look(line) for axes in figure.axes for line in axes.get_lines()}
        (legend,) = figure.legends
        entries = {look(line) for line in legend.get_lines()}
        solid = {line for line in drawn if line[2] == "-"}
        assert {line for line in entries if line[2] == "-"} == solid
        assert any(line[2] == ":" for line in entries) == any(row.hindsight for row in rows)
        assert len(legend.get_lines()) == len(entries)


def test_example_gains_on_one_term_and_loses_on_another():
    dull = record("m", place(1), 1, "suboptimal", gap=5)
    telling = record("m", place(2), 1, "suboptimal", gap=5)
    telling |= {"parts": {"time": 500, "transfers": telling["objective"] - 500}}
    telling |= {"optimal_parts": {"time": 800, "transfers": telling["optimum"] - 800}}
    results = Results.from_records(
        [dull, telling, record("a", place(1), 1, kind="agent"), record("a", place(2), 1, kind="agent")]
    )
    assert select_example(results.evaluations).world == telling["world"]
    assert [objective_term.is_better for objective_term in objective_terms(telling)] == [True, False, False]
    assert objective_terms(telling)[-1].name == "objective"


def test_larger_terms_are_better_if_a_family_maximizes():
    assert lower_is_better("transit_routing")
    assert not lower_is_better("station_siting")
    high = record("m", ("station_siting", 1, 1, "direct"), 1, "suboptimal", gap=5)
    high |= {
        "objective": high["optimum"] - 5,
        "parts": {"rewards": high["optimum"] - 5},
        "optimal_parts": {"rewards": high["optimum"]},
    }
    assert [(objective_term.change_text, objective_term.is_better) for objective_term in objective_terms(high)] == [
        ("\N{MINUS SIGN}0.5 %", False)
    ] * 2


def test_decisions_are_compared_entry_by_entry():
    base = record("m", place(), 1)
    legs = base | {"decision": {"legs": ["a", "c"]}, "optimal_decision": {"legs": ["a", "b", "c"]}}
    assert [tuple(decision_difference)[1:] for decision_difference in decision_differences(legs)] == [
        ("1", "a", "a"),
        ("2", "c", "b"),
        ("3", None, "c"),
    ]
    tickets = base | {
        "family": "basket_assembly",
        "decision": {"tickets": ["c", "a"]},
        "optimal_decision": {"tickets": ["a", "b"]},
    }
    assert [tuple(decision_difference)[1:] for decision_difference in decision_differences(tickets)] == [
        ("", "a", "a"),
        ("", None, "b"),
        ("", "c", None),
    ]
    undecided = base | {"decision": None, "optimal_decision": {"assignment": {"j": "v"}}}
    assert [tuple(entry) for entry in decision_differences(undecided)] == [("assignment", "j", None, "v")]


# -- colour vision --------------------------------------------------------------------------------------------------------

SEEN = {  # Machado, Oliveira and Fernandes 2009, severity 1
    "all": np.eye(3),
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour, sight):
    channels = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    x, y, z = (XYZ @ np.clip(np.array(SEEN[sight]) @ linear, 0, 1)) / XYZ.sum(axis=1)
    fx, fy, fz = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


@pytest.mark.parametrize("sight", SEEN)
def test_colours_differ_for_every_kind_of_colour_vision(sight):
    for one, other in combinations((figure_style.TEAL, figure_style.GOLD, figure_style.CORAL, figure_style.REST), 2):
        assert np.linalg.norm(lab(one, sight) - lab(other, sight)) > 20, (one, other)
