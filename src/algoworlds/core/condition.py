"""Conditions: how tools show measured numbers. A condition changes what tools show, never what is true.

The hidden instance, its optimum, the prices and the value of a decision are those of the clear world at the same coordinate.
In every condition the errors end, so that the optimum can be proven. What a look shows depends on the world, the question
and the phase of the look, and on nothing else.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

from algoworlds.core.canonical import canonical_json
from algoworlds.core.column import Ints
from algoworlds.core.ranges import ColumnRef, Range, Ranges
from algoworlds.core.relation import Fact, Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call, Selection

LADDER_STEP = 8
"""Under `noisy`, every further answer to a question is this many times as exact."""


def _ladder(spread: int) -> tuple[int, ...]:
    """The widths of the errors of the first, second, ... answer: w_(n+1) = floor(w_n / 8), and 0 at the end."""
    return (spread, *_ladder(spread // LADDER_STEP)) if spread else (0,)


@dataclass(frozen=True)
class Condition:
    """A kind of source: what its errors are, and how the question states them."""

    name: str
    title: str
    meaning: str
    """One line for lists."""
    heading: str
    """The first words of the question's paragraph."""
    law: Callable[[Sequence[int], int], str]
    """The sentences of the question about the errors, from their widths and the number of calls before the change."""
    widths: Callable[[int], tuple[int, ...]]
    """The widths of the errors in every phase, from the spread; the last one is 0."""
    is_renewed: bool = False
    """Whether errors are drawn anew for every answer; otherwise a number has one error, wherever it is shown."""
    changes_once: bool = False
    """Whether the phase of all questions changes at one moment; otherwise that of each question with its repetitions."""


def _noisy_law(widths: Sequence[int], change: int) -> str:
    first, *further = [f"{width:,}" for width in widths if width]
    again = f"; if you make the same call again, by at most {', then '.join(further)}" if further else ""
    return (
        f"are shown with errors. The first time you make a call each of these numbers is off by at most {first}, up or down"
        f"{again}; from the {_ordinal(len(widths))} time on it is exact. Every error within these bounds is equally likely, "
        f"and errors are drawn anew for every number in every answer. {_SAME_CALLS}"
    )


def _stale_law(widths: Sequence[int], change: int) -> str:
    return (
        "may be old. The first answer to a call comes from an archive: each of these numbers has since changed by at most "
        f"{widths[0]:,}, up or down, every change equally likely; the archive gives the same old number in every answer. If "
        f"you make the same call again, that answer and all later ones to it show the true numbers. {_SAME_CALLS}"
    )


def _shift_law(widths: Sequence[int], change: int) -> str:
    return (
        f"change once, when {change:,} information calls have been executed. Answers before that show the old numbers, the "
        f"same in every answer; each will have changed by at most {widths[0]:,}, up or down, every change equally likely. "
        "Answers to later calls show the new numbers."
    )


_SAME_CALLS = "Two calls are the same if they ask the same tool about the same ids."


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


CONDITIONS: tuple[Condition, ...] = (
    Condition(
        name="noisy",
        title="Noisy",
        meaning="answers have errors; every repetition of a call is more exact, the last ones are exact",
        heading="How exact answers are",
        law=_noisy_law,
        widths=_ladder,
        is_renewed=True,
    ),
    Condition(
        name="stale",
        title="Stale",
        meaning="the first answer to a call shows old numbers, its repetitions the true ones",
        heading="How recent answers are",
        law=_stale_law,
        widths=lambda spread: (spread, 0),
    ),
    Condition(
        name="shift",
        title="Shift",
        meaning="numbers change once, after a stated number of calls; the new ones count",
        heading="When numbers change",
        law=_shift_law,
        widths=lambda spread: (spread, 0),
        changes_once=True,
    ),
)
"""All conditions beside the clear one, in which everything that is shown is true."""

CLEAR = ""
"""The name of the clear condition in ids and documents: it is left out."""
CLEAR_NAME = "clear"
"""What commands and reports call it."""


def find_condition(name: str) -> Condition | None:
    """The condition called `name`; None if there is none."""
    return next((condition for condition in CONDITIONS if condition.name == name), None)


def condition_title(name: str) -> str:
    """The title of the condition `name`; the clear one has the empty name."""
    condition = find_condition(name)
    return CLEAR_NAME.capitalize() if condition is None else condition.title


class Look(NamedTuple):
    """One executed information call and its phase: the only part of the past on which the answer depends."""

    call: Call
    phase: int


@dataclass(frozen=True)
class ErrorLaw:
    """The errors of one world: a condition with its widths by phase, and the call at which numbers change."""

    condition: Condition
    widths: tuple[int, ...]
    change: int = 0
    """The number of executed calls after which the phase changes, for a condition that changes once."""

    @property
    def rungs(self) -> int:
        """How often a question must be asked until its answer is exact."""
        return 1 if self.condition.changes_once else len(self.widths)

    def phase(self, times: int, tick: int) -> int:
        """The phase of a call before which `tick` calls were executed, `times` of them with the same question."""
        return int(tick >= self.change) if self.condition.changes_once else min(times, len(self.widths) - 1)

    @property
    def sentences(self) -> str:
        """What the question says of the errors."""
        return self.condition.law(self.widths, self.change)


class Spot(NamedTuple):
    """The address of a number: its column, the keys of its row, and its index if the column holds lists."""

    relation: str
    column: str
    keys: Row
    list_index: int | None = None


Boxes = Mapping[Spot, Range]
"""For numbers that were shown, the interval in which they lie."""


@dataclass(frozen=True, eq=False)
class MeasurementErrors:
    """The errors that one relation's rows are shown with. They depend on keys and question, never on the numbers."""

    law: ErrorLaw
    relation: Relation
    stream: Stream
    """The stream of the world's condition and of this relation."""
    positions: tuple[int, ...]
    """The positions of the measured columns."""

    def show(self, rows: Iterable[Row], tool: str, selection: Selection, phase: int) -> Iterable[Row]:
        """The rows, which may be extended by links, as a look shows them."""
        width = self.law.widths[phase]
        if not width:
            return rows
        keys, question = len(self.relation.keys), ""
        if self.law.condition.is_renewed:
            ids = None if selection is None else sorted(selection)
            question = f",{canonical_json([tool, ids, phase])[1:-1]}"
        shown = []
        for row in rows:
            new = list(row)
            for at in self.positions:
                address = canonical_json([self.relation.columns[at].name, *row[:keys]])
                text, cell = f"{address[:-1]}{question}]", row[at]
                if type(cell) is tuple:
                    new[at] = tuple(
                        map(sum, zip(cell, self.stream.keyed_integers(text, len(cell), -width, width), strict=True))
                    )
                else:
                    new[at] = cell + self.stream.keyed_integers(text, 1, -width, width)[0]
            shown.append(tuple(new))
        return shown

    def readings(self, rows: Sequence[Row], tool: str, selection: Selection, phase: int) -> dict[Spot, Range]:
        """For every measured number of `rows`, the interval that a look leaves of it."""
        width, keys, boxes = self.law.widths[phase], len(self.relation.keys), dict[Spot, Range]()
        for row in self.show(rows, tool, selection, phase):
            for at in self.positions:
                name, cell = self.relation.columns[at].name, row[at]
                numbers = enumerate(cell) if type(cell) is tuple else zip(repeat(None), (cell,), strict=False)
                for index, number in numbers:
                    boxes[Spot(self.relation.name, name, row[:keys], index)] = Range(number - width, number + width)
        return boxes


def narrow(boxes: dict[Spot, Range], readings: Boxes, ranges: Ranges | None) -> bool:
    """Intersect `boxes` with what a look leaves, starting from the declared `ranges`; return whether any became narrower."""
    is_narrower = False
    for spot, reading in readings.items():
        box = boxes.get(spot) or (None if ranges is None else ranges.columns[spot[:2]])
        low, high = (reading.low, reading.high) if box is None else (max(box.low, reading.low), min(box.high, reading.high))
        if spot not in boxes or (low, high) != (boxes[spot].low, boxes[spot].high):
            is_narrower, boxes[spot] = True, Range(low, high)
    return is_narrower


Change = Callable[[int, Range], int]
"""A new number, from the old one and its box."""


def estimate_facts(facts: Iterable[Fact], relations: Mapping[str, Relation], boxes: Boxes) -> frozenset[Fact]:
    """`facts` with every number in `boxes` at the middle of its box, rounded down."""
    changes: dict[ColumnRef, Change] = {
        (spot.relation, spot.column): lambda _, box: (box.low + box.high) // 2 for spot in boxes
    }
    names = {name for name, _ in changes}
    return frozenset(
        Fact(fact.relation, _change_row(relations[fact.relation], fact.row, changes, boxes)) if fact.relation in names else fact
        for fact in facts
    )


def midpoint_instance(instance: Any, measured: Collection[ColumnRef], counted: Collection[ColumnRef], boxes: Boxes) -> Any:
    """`instance`, unchecked, in half units: measured numbers are the sum of the ends of their box, other counted ones doubled.

    Values are linear in measured numbers, so the value of a decision is twice its expected value, but for a constant, if all
    numbers in a box are equally likely. The optimum is the decision that is best in expectation.
    """
    changes: dict[ColumnRef, Change] = dict.fromkeys(counted, lambda number, _: 2 * number)
    changes |= dict.fromkeys(measured, lambda _, box: box.low + box.high)
    tables = {}
    for name in {name for name, _ in changes}:
        relation = instance.relations[name]
        tables[name] = relation.from_rows([_change_row(relation, row, changes, boxes) for row in instance.rows(name)])
    return instance.unchecked(**tables)


def _change_row(relation: Relation, row: Row, changes: Mapping[ColumnRef, Change], boxes: Boxes) -> Row:
    """A row with new numbers in the columns of `changes`; a number without a box is certain."""
    cells, keys = list(row), row[: len(relation.keys)]
    for at, column in enumerate(relation.columns):
        change = changes.get((relation.name, column.name))
        if change is not None:
            numbers = row[at] if isinstance(column, Ints) else (row[at],)
            spot = Spot(relation.name, column.name, keys)
            spots = [spot._replace(list_index=index) if isinstance(column, Ints) else spot for index in range(len(numbers))]
            new = [
                change(number, boxes.get(spot) or Range(number, number)) for spot, number in zip(spots, numbers, strict=True)
            ]
            cells[at] = tuple(new) if isinstance(column, Ints) else new[0]
    return tuple(cells)
