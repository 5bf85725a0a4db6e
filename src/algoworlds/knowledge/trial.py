"""One decision on trial: its value and those of its rivals in the instances that the responses leave possible."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, islice, product
from math import inf
from typing import Any, NamedTuple

from algoworlds.core.column import Ids, Int
from algoworlds.core.completions import Completions, NumberRef, number_refs, with_numbers
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import ColumnRef, Range
from algoworlds.core.relation import Row
from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.families.family import AnyFamily
from algoworlds.families.knowledge import Unknowns
from algoworlds.knowledge.missing_rows import instances_with_added_rows, relations_with_gaps
from algoworlds.knowledge.observed import ObservedCalls, WorldResponses
from algoworlds.knowledge.sensitivity import Equation, Interaction, ValueSensitivity

MAX_NEIGHBOURS = 40
"""Neighbours of the decision on trial that are tried as rivals before anything is solved."""

RANDOM_RIVALS = 5
"""Random decisions that are tried as well."""

RANDOM_CORNERS = 4
"""Random combinations of ends at which effects are measured where numbers interact."""

MAX_MULTIPLIERS = 6
"""Numbers that multiply others of which all combinations of ends are tried."""

Regret = int | float
"""A regret in objective units: a whole number, or infinite."""


class Witness(NamedTuple):
    """An instance with the same responses, a decision that is better there than the one on trial, and by how much."""

    instance: Any
    rival: Decision
    regret: Regret


STRONGEST_FIRST = (Interaction.WITHIN_COLUMNS, Interaction.BETWEEN_COLUMNS, Interaction.NONE)
"""Interaction within a group of numbers counts as stronger."""


def strongest_interaction(
    sensitivity: ValueSensitivity, decisions: Iterable[Decision], refs: Sequence[Sequence[NumberRef]]
) -> Interaction:
    """How groups of numbers interact in the values of some decisions."""
    kinds = {sensitivity.interaction(decision, refs) for decision in decisions}
    return next(kind for kind in STRONGEST_FIRST if kind in kinds or kind is Interaction.NONE)


def corners_of(spans: Mapping[NumberRef, Range], seed: str) -> list[dict[NumberRef, int]]:
    """Some combinations of ends: those farthest from 0, the least, the largest, and random ones."""
    stream = Stream("corners", seed)
    return [
        {ref: max(span.low, span.high, key=abs) for ref, span in spans.items()},
        {ref: span.low for ref, span in spans.items()},
        {ref: span.high for ref, span in spans.items()},
        *({ref: (span.low, span.high)[stream.below(2)] for ref, span in spans.items()} for _ in range(RANDOM_CORNERS)),
    ]


@dataclass
class SolverEffort:
    """Counted operations of the exact solver so far."""

    work: int = 0


@dataclass(frozen=True, eq=False)
class TrialContext:
    """What all trials in one world share: family, responses, sensitivities and rivals."""

    family: AnyFamily
    responses: WorldResponses
    sensitivity: ValueSensitivity
    optimum: Decision
    effort: SolverEffort = field(default_factory=SolverEffort, init=False, repr=False)
    bases: dict[Any, dict[NumberRef, int] | None] = field(default_factory=dict, init=False, repr=False)
    """Where the effects of decisions are measured, by decisions and unread numbers."""
    _directions: dict[Any, dict[ColumnRef, int | None]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def known_rivals(self) -> tuple[Decision, ...]:
        """The reference decision and some random ones, feasible in the world; without a sampler, the optima of some corners."""
        instance, stream = self.sensitivity.instance, Stream("rivals", self.sensitivity.instance.digest)
        rivals = self.family.hardness.samples(instance, stream, RANDOM_RIVALS) or self._optima_of_corners()
        return (self.family.reference(instance), *rivals)

    def _optima_of_corners(self) -> list[Decision]:
        """Feasible decisions that are optimal with all numbers at some ends of their ranges."""
        instance = self.sensitivity.instance
        corners = (with_numbers(instance, corner) for corner in corners_of(self.number_ranges, instance.digest))
        optima = (self.find_optimum(corner) for corner in corners if corner.valid)
        distinct = {repr(optimum): optimum for optimum in optima if optimum is not None}
        return [optimum for optimum in distinct.values() if self.family.check(instance, optimum).feasible]

    @cached_property
    def _number_columns(self) -> dict[ColumnRef, dict[NumberRef, Range]]:
        """The columns of numbers that values may depend on, with the range of every number in them that is not certain."""
        instance, ranges = self.sensitivity.instance, self.responses.ranges
        unknowns = self.family.knowledge.unknowns or Unknowns()
        columns: dict[ColumnRef, dict[NumberRef, Range]] = {}
        for column in ranges.columns:
            is_measured = column in self.responses.measured_columns
            if column not in unknowns.binding and (is_measured or column[0] not in unknowns.structure):
                spans = {
                    ref: span
                    for row in instance.rows(column[0])
                    for ref, span in zip(
                        number_refs(instance, column, (row,)), ranges.row_ranges(instance, column, row), strict=True
                    )
                }
                columns[column] = {ref: span for ref, span in spans.items() if span.width}
        return columns

    @cached_property
    def number_ranges(self) -> dict[NumberRef, Range]:
        """Every number that values may depend on and that is not certain, read or not, with its range."""
        return {ref: span for spans in self._number_columns.values() for ref, span in spans.items()}

    @cached_property
    def interaction(self) -> Interaction:
        """How the numbers that values may depend on interact, as far as the known decisions show."""
        family, instance = self.sensitivity.family, self.sensitivity.instance
        lowest = ValueSensitivity(family, instance, {ref: span.low for ref, span in self.number_ranges.items()})
        refs, known = [[*spans] for spans in self._number_columns.values() if spans], (self.optimum, *self.known_rivals[:2])
        kinds = [strongest_interaction(sensitivity, known, refs) for sensitivity in (self.sensitivity, lowest)]
        return next(kind for kind in STRONGEST_FIRST if kind in kinds)

    def directions(self, fixed: Mapping[NumberRef, int]) -> Mapping[ColumnRef, int | None]:
        """By column: 1 or -1 if values only rise or only fall with its numbers, None if both occur.

        0 if no known decision shows it; a family that samples decisions is then taken to pay for it.

        The known decisions show it, and what they show of some numbers of a column is taken to hold for all. Where numbers
        interact, all of them vary in their ranges, read or not, but those in the columns of `fixed`: a decision that is not
        among the known ones may meet numbers that these do not.
        """
        key = frozenset(fixed.items())
        if key not in self._directions:
            bases, held = [dict(fixed)], {(ref.relation, ref.position) for ref in fixed}
            if self.interaction is not Interaction.NONE:
                spans = {ref: span for ref, span in self.number_ranges.items() if (ref.relation, ref.position) not in held}
                bases += [corner | dict(fixed) for corner in corners_of(spans, self.sensitivity.instance.digest)]
            sensitivities = [
                ValueSensitivity(self.family, self.sensitivity.instance, base) if base else self.sensitivity for base in bases
            ]
            self._directions[key] = {column: self._direction(sensitivities, column, fixed) for column in self._number_columns}
        return self._directions[key]

    def _direction(
        self, sensitivities: Iterable[ValueSensitivity], column: ColumnRef, fixed: Mapping[NumberRef, int]
    ) -> int | None:
        signs = {
            1 if effect > 0 else -1
            for sensitivity in sensitivities
            for decision in (self.optimum, *self.known_rivals)
            for ref, effect in sensitivity.column_effects(decision, column).items()
            if ref in self.number_ranges and ref not in fixed
        }
        if len(signs) > 1:
            return None
        sampled = self.family.hardness.sample is not None  # what no random decision pays for is taken for a cost
        return next(iter(signs), (1 if self.family.sense is Sense.MIN else -1) if sampled else 0)

    def find_optimum(self, instance: Any) -> Decision | None:
        """The optimum of `instance`; that of the world is known already."""
        if instance is self.sensitivity.instance:
            return self.optimum
        solution = self.family.solve(instance)
        self.effort.work += solution.work.total
        return solution.decision


@dataclass(frozen=True, eq=False)
class Trial:
    """A decision, the completions it is tried in, and the case: one instance that fixes the unread structure."""

    context: TrialContext
    unknowns: Unknowns
    observed: ObservedCalls
    completions: Completions
    decision: Decision
    case: Any
    fixed: dict[NumberRef, int] = field(default_factory=dict)
    """Unread numbers that this trial takes as known: it covers the completions that have them."""

    @property
    def family(self) -> AnyFamily:
        """The family of the world."""
        return self.context.family

    @property
    def sign(self) -> int:
        """+1 if the family minimises, -1 if it maximises: loss = sign * value."""
        return 1 if self.family.sense is Sense.MIN else -1

    def value(self, instance: Any, decision: Decision | None = None) -> int | None:
        """The value of `decision`, by default the one on trial; None if it is infeasible."""
        return self.family.check(instance, self.decision if decision is None else decision).value

    def regret(self, instance: Any, rival: Decision) -> Regret | None:
        """By how much `rival` beats the decision on trial; None if `rival` is infeasible."""
        own, other = self.value(instance), self.value(instance, rival)
        if other is None:
            return None
        return inf if own is None else self.sign * (own - other)

    def is_completion(self, instance: Any) -> bool:
        """Whether `instance` is a completion: valid, within all ranges and promises, with the same response to every call."""
        world = self.context.responses.world
        if any(self.completions.ranges.violations(instance, self.completions.instance)) or not instance.valid:
            return False
        if instance.public_tables != world.public:
            return False
        answers_alike = self.completions.fits(instance) and self.context.responses.answers_alike(instance, self.observed.calls)
        return answers_alike and self.matches_evaluation(instance)

    # -- the evaluation ----------------------------------------------------------------------------------------

    def matches_evaluation(self, instance: Any) -> bool:
        """Whether the evaluated decision has the same value in `instance`."""
        evaluation = self.completions.evaluation
        return evaluation is None or self.value(instance, evaluation.decision) == evaluation.value

    def contradicts_evaluation(self, instance: Any) -> bool:
        """Whether the evaluation found a decision feasible that is infeasible in `instance`."""
        evaluation = self.completions.evaluation
        return evaluation is not None and evaluation.value is not None and self.value(instance, evaluation.decision) is None

    @property
    def is_evaluated_feasible(self) -> bool:
        """Whether the decision on trial is the evaluated one and was found feasible."""
        evaluation = self.completions.evaluation
        return evaluation is not None and evaluation.value is not None and evaluation.decision == self.decision

    @cached_property
    def certain_loss(self) -> int | None:
        """The loss of the decision on trial in every completion, if it was evaluated and no equation describes it better."""
        evaluation = self.completions.evaluation
        if evaluation is None or evaluation.value is None or not self.is_evaluated_feasible or self.equation is not None:
            return None
        is_exact = self.unknowns.bonus_relations.isdisjoint(self.completions.open_relations)
        return self.sign * evaluation.value if is_exact else None

    @cached_property
    def evaluated_numbers(self) -> dict[NumberRef, int]:
        """The true numbers that the evaluated decision pays for; they are consistent with its value."""
        evaluation = self.completions.evaluation
        return {} if evaluation is None else {ref: ref.value for ref in self.effects_of(evaluation.decision)}

    @cached_property
    def equation(self) -> Equation | None:
        """The equation over unread numbers that the evaluation gives; None if its value depends on anything else unread."""
        evaluation = self.completions.evaluation
        if evaluation is None or evaluation.value is None or not self._depends_on_numbers_only:
            return None
        if self.fixed or not self.is_monotone or self.interaction is Interaction.WITHIN_COLUMNS:
            return None
        if self.value(self.case, evaluation.decision) is None:
            return None
        effects = {
            ref: effect
            for column in self.value_columns
            for ref, effect in self.sensitivity.column_effects(evaluation.decision, column).items()
            if ref in self._unread_ranges
        }
        loss = self.sign * evaluation.value
        return Equation(self.family, self.case, evaluation.decision, self.sign, loss, effects, self._unread_ranges)

    @cached_property
    def _depends_on_numbers_only(self) -> bool:
        """Whether the evaluated value depends on nothing unread but numbers: the rest was read, or the case fixes it."""
        assert self.completions.evaluation is not None
        ids = self.family.decision.ids(self.completions.evaluation.decision)
        open_names = {column[0] for column, side in self.unknowns.binding.items() if not side} | self.unknowns.structure
        if self.unknowns.cases_fix_structure(self.completions):
            open_names -= self.unknowns.structure if self.is_evaluated_feasible else frozenset()
        else:
            open_names |= {column[0] for column in self.unknowns.ranked}
        open_names -= frozenset() if self.is_evaluated_feasible else self.unknowns.unrelated_to_evaluation(self.completions)
        return not any(
            name in self.unknowns.bonus_relations or row_concerns_decision(self.completions.instance, name, row, ids)
            for name in open_names.intersection(self.completions.open_relations)
            for row in self.completions.unread_rows(name)
        )

    @cached_property
    def _settled_ids(self) -> frozenset[str]:
        """The ids of the evaluated decision, if cases fix its ranked columns."""
        evaluation = self.completions.evaluation
        if evaluation is None or evaluation.value is None or not self.unknowns.cases_fix_structure(self.completions):
            return frozenset()
        return self.family.decision.ids(evaluation.decision)

    def candidate_rivals(self) -> Iterator[Decision]:
        """Decisions that may beat the one on trial; with unread scopes, where any decision may, its neighbours as well."""
        yield from self.context.known_rivals
        search_space = self.family.hardness.search_space
        if search_space is not None and not self.unknowns.bonus_relations.isdisjoint(self.completions.open_relations):
            yield from islice(search_space(self.completions.instance).neighbours(self.decision), MAX_NEIGHBOURS)

    @cached_property
    def gaps(self) -> frozenset[str]:
        """The relations in which a completion may have rows that the member lacks, and which `structure` does not handle."""
        unscoped = self.context.responses.unscoped_relations
        return relations_with_gaps(self.completions, self.unknowns.keys_of, unscoped) - self.unknowns.structure

    def instances_with_added_rows(self) -> Iterator[Any]:
        """Valid instances with some rows added to relations with gaps; they need not be completions."""
        rivals = (self.family.decision.ids(rival) for rival in self.context.known_rivals)
        first = self.family.decision.ids(self.decision).symmetric_difference(next(rivals, frozenset()))
        for name in sorted(self.gaps):
            yield from instances_with_added_rows(self.completions, name, self.unknowns.keys_of, first)

    # -- columns that decide feasibility ------------------------------------------------------------------------------

    @cached_property
    def open_binding_columns(self) -> list[tuple[str, str, int]]:
        """The binding columns that were not read completely: relation, column and the side that helps feasibility."""
        return [
            (*column, side) for column, side in self.unknowns.binding.items() if column[0] in self.completions.open_relations
        ]

    def extreme_case(self, side: int) -> Any:
        """The case with every unread cell of a sided column at the end that helps (+1) or hinders (-1) feasibility.

        If the best ends together break the family's rules, those that do so alone are left out.
        """
        return self._lenient_case[0] if side > 0 else self._case_with(self._rows_at_ends(-1))

    @property
    def has_lenient_case(self) -> bool:
        """Whether one instance has every unread cell of a sided column at the end that helps feasibility."""
        return self._lenient_case[1]

    @property
    def is_impossible_elsewhere(self) -> bool:
        """Whether an end that breaks the rules in this case does so in all completions, as far as the family declares."""
        idle, unscoped = self.unknowns.idle_rows, self.context.responses.unscoped_relations
        return bool(self.unknowns.structure) or (bool(idle) and idle.isdisjoint(unscoped))

    @cached_property
    def _lenient_case(self) -> tuple[Any, bool]:
        changes = self._rows_at_ends(+1)
        case = self._case_with(changes)
        if case is self.case or case.valid:
            return case, True
        possible = {
            name: {row: new for row, new in rows.items() if self._case_with({name: {row: new}}).valid}
            for name, rows in changes.items()
        }
        case = self._case_with(possible)
        return (case if case.valid else self.case), False

    def _case_with(self, changes: Mapping[str, Mapping[Row, Row]]) -> Any:
        return self.case.unchecked(**self.case.tables_with(changes)) if changes else self.case

    def _rows_at_ends(self, side: int) -> dict[str, dict[Row, Row]]:
        """Unread rows with all sided cells at one end: largest, true or all ids if that helps, or smallest, false or no ids."""
        changes: dict[str, dict[Row, Row]] = {}
        for name, column, helps in self.open_binding_columns:
            if not helps:
                continue
            at = self.case.relations[name].position(column)
            declared = self.case.relations[name].columns[at]
            if isinstance(declared, Int):
                span = self.completions.ranges.columns[name, column]
                cell: Any = span.high if side * helps > 0 else span.low
            elif isinstance(declared, Ids):
                cell = declared.parse(getattr(self.case, declared.roster_name), {}) if side * helps > 0 else ()
            else:
                cell = side * helps > 0
            rows = changes.setdefault(name, {})
            for row in self.completions.unread_rows(name):
                current = rows.get(row, row)
                rows[row] = (*current[:at], cell, *current[at + 1 :])
        return changes

    # -- numbers ------------------------------------------------------------------------------------------------------

    @cached_property
    def value_columns(self) -> tuple[ColumnRef, ...]:
        """The columns of numbers that values depend on and that are not known completely."""
        columns = (column for column in self.completions.ranges.columns if column not in self.unknowns.binding)
        return tuple(column for column in columns if self._is_unread(column) or self.completions.open_boxes(column))

    def _is_unread(self, column: ColumnRef) -> bool:
        """Whether rows of the column's relation were not read, and are not handled as structure."""
        return column[0] in self.completions.open_relations and column[0] not in self.unknowns.structure

    def open_ranges(self, column: ColumnRef) -> Mapping[NumberRef, Range]:
        """The numbers of a column that are not certain: those in unread rows with their ranges, the others with their boxes."""
        unread = self.completions.unread_ranges(column) if self._is_unread(column) else {}
        boxes = self.completions.open_boxes(column)
        return {**unread, **boxes} if unread and boxes else unread or boxes

    @cached_property
    def number_ranges(self) -> dict[NumberRef, Range]:
        """Every unread number that values depend on, with its range as far as the evaluation leaves it."""
        return self._unread_ranges if self.equation is None else self.equation.tighten_ranges()

    @cached_property
    def _unread_ranges(self) -> dict[NumberRef, Range]:
        spans = {ref: span for column in self.value_columns for ref, span in self.open_ranges(column).items()}
        return {ref: span for ref, span in spans.items() if ref not in self.fixed} if self.fixed else spans

    @cached_property
    def sensitivity(self) -> ValueSensitivity:
        """The sensitivities of decisions in this case, at numbers at which no effect vanishes by accident."""
        shared, base = self.context.sensitivity, self._base or self.fixed
        return shared if self.case is shared.instance and not base else self._own_sensitivity(base)

    @cached_property
    def interaction(self) -> Interaction:
        """How the numbers of the columns that were not read completely interact, as far as the known decisions show."""
        if self.context.interaction is Interaction.NONE:
            return Interaction.NONE
        return strongest_interaction(self._own_sensitivity(self.fixed), self._known_decisions, [*self._open_numbers.values()])

    @cached_property
    def is_monotone(self) -> bool:
        """Whether every unread number has one end that is worse for all decisions that pay for it."""
        directions = self.context.directions(self.fixed)
        return self._base is not None and all(directions[column] for column in self._open_numbers)

    @cached_property
    def _known_decisions(self) -> tuple[Decision, ...]:
        evaluation = self.completions.evaluation
        evaluated = () if evaluation is None or evaluation.value is None else (evaluation.decision,)
        return (self.decision, *evaluated, self.context.optimum, *self.context.known_rivals)

    @cached_property
    def _unread_refs(self) -> dict[ColumnRef, list[NumberRef]]:
        """The unread numbers that values depend on, by column."""
        columns = {
            column: [ref for ref in self.open_ranges(column) if ref in self._unread_ranges] for column in self.value_columns
        }
        return {column: refs for column, refs in columns.items() if refs}

    @cached_property
    def _open_numbers(self) -> dict[ColumnRef, list[NumberRef]]:
        """All numbers of the columns that were not read completely: unknown decisions may meet those that were read."""
        rows = {column: self.case.rows(column[0]) for column in self._unread_refs}
        refs = {column: number_refs(self.case, column, rows[column]) for column in rows}
        return {column: [ref for ref in numbers if ref not in self.fixed] for column, numbers in refs.items()}

    def _own_sensitivity(self, base: dict[NumberRef, int]) -> ValueSensitivity:
        return ValueSensitivity(self.family, self.case, base)

    @cached_property
    def _base(self) -> dict[NumberRef, int] | None:
        """Numbers at which every effect of the known decisions that occurs at all can be seen; None if none were found.

        If numbers multiply each other, one that is 0 would hide the effects of the others.
        """
        if self.interaction is Interaction.NONE:
            return self.fixed
        if self.fixed or self.case is not self.context.sensitivity.instance:
            return self._find_base()
        key = repr(self._known_decisions[:2]), frozenset(self._unread_ranges)
        if key not in self.context.bases:
            self.context.bases[key] = self._find_base()
        return self.context.bases[key]

    def _find_base(self) -> dict[NumberRef, int] | None:
        corners = corners_of(self._unread_ranges, self.context.sensitivity.instance.digest)
        bases = [self.fixed, *({**corner, **self.fixed} for corner in corners)]
        supports = [self._supports(base) for base in bases]
        union = [frozenset().union(*parts) for parts in zip(*supports, strict=True)]
        return next((base for base, support in zip(bases, supports, strict=True) if support == union), None)

    def _supports(self, base: dict[NumberRef, int]) -> list[frozenset[NumberRef]]:
        """For every known decision and column, the unread numbers that have an effect at `base`."""
        sensitivity, columns = self._own_sensitivity(base), self._unread_refs.values()
        return [frozenset(sensitivity.effects_of_numbers(y, refs)) for y in self._known_decisions for refs in columns]

    @cached_property
    def multiplier_corners(self) -> list[dict[NumberRef, int]] | None:
        """The ends of the fewest unread numbers that, once fixed, leave a value linear in the others; None if these are many.

        A value that is linear in each number alone has its extremes at such ends.
        """
        if self.interaction is Interaction.WITHIN_COLUMNS:
            return None
        sensitivity, columns = self._own_sensitivity(self.fixed), self._unread_refs
        for size in range(1, len(columns)):
            for chosen in sorted(combinations(columns, size), key=lambda chosen: sum(len(columns[at]) for at in chosen)):
                refs = [ref for column in chosen for ref in columns[column]]
                rest = [numbers for column, numbers in self._open_numbers.items() if column not in chosen]
                is_linear = strongest_interaction(sensitivity, self._known_decisions, rest) is Interaction.NONE
                if is_linear and len(refs) <= MAX_MULTIPLIERS:
                    spans = [self._unread_ranges[ref] for ref in refs]
                    return [dict(zip(refs, ends, strict=True)) for ends in product(*((span.low, span.high) for span in spans))]
        return None

    @cached_property
    def own_effects(self) -> dict[NumberRef, int]:
        """The unread numbers that the decision on trial pays for, with the effect of each."""
        return self.effects_of(self.decision)

    def effects_of(self, decision: Decision) -> dict[NumberRef, int]:
        """The unread numbers that `decision` pays for, with the effect of each; cached by column for the world's own case."""
        effects: dict[NumberRef, int] = {}
        for column in self.value_columns:
            if self.sensitivity is self.context.sensitivity:
                effects |= self.sensitivity.column_effects(decision, column)
            else:
                effects |= self.sensitivity.effects_of_numbers(decision, list(self.open_ranges(column)))
        return {ref: effect for ref, effect in effects.items() if ref in self._unread_ranges}

    def is_shared(self, ref: NumberRef) -> bool:
        """Whether one decision may use numbers of this column more than once."""
        return (ref.relation, self.case.relations[ref.relation].columns[ref.position].name) in self.unknowns.shared

    @cached_property
    def best_numbers(self) -> dict[NumberRef, int]:
        """Every unread number at the end that is better for decisions."""
        ends = dict(self.fixed)
        for column in self.value_columns:
            is_cost = self.sign * (self.context.directions(self.fixed)[column] or self.sign) > 0
            for ref in (ref for ref in self.open_ranges(column) if ref not in self.fixed):
                ends[ref] = self.number_ranges[ref].low if is_cost else self.number_ranges[ref].high
        return ends

    def worst_numbers(self, effects: Mapping[NumberRef, int]) -> dict[NumberRef, int]:
        """The numbers in `effects` at the end that is worse for a decision with these effects."""
        return {
            ref: self.number_ranges[ref].high if self.sign * effect > 0 else self.number_ranges[ref].low
            for ref, effect in effects.items()
        }

    def scenario(self, numbers: Mapping[NumberRef, int]) -> Any:
        """The case with unread `numbers` as given, and everything else unread as good as possible for decisions."""
        instance = with_numbers(self._best_case, numbers)
        changes = {
            column[0]: self._ranked_rows(column)
            for column in self.unknowns.ranked
            if column[0] in self.completions.open_relations
        }
        return instance.unchecked(**instance.tables_with(changes)) if changes else instance

    @cached_property
    def _best_case(self) -> Any:
        """The case with numbers and sided cells as good as possible for decisions."""
        return with_numbers(self.extreme_case(+1), self.best_numbers)

    def _ranked_rows(self, column: ColumnRef) -> dict[Row, Row]:
        """Unread rows with the worst id where they concern the decision on trial, and the best id elsewhere.

        Rows that the case fixes stay as they are.
        """
        relation, ids = self.case.relations[column[0]], self.family.decision.ids(self.decision)
        at = relation.position(column[1])
        rows = [row for row in self.completions.unread_rows(column[0]) if self._settled_ids.isdisjoint(row)]
        best, worst = self.sensitivity.best_and_worst_ids(self.decision, column, self.sign)
        return {row: (*row[:at], worst if ids.intersection(row) else best, *row[at + 1 :]) for row in rows}


def row_concerns_decision(instance: Any, name: str, row: Row, ids: frozenset[str]) -> bool:
    """Whether `row` may matter to a decision with these `ids`: it mentions one, or nothing that decisions name."""
    relation = instance.relations[name]
    named = {roster for roster in relation.rosters if not ids.isdisjoint(getattr(instance, roster))}
    return not named or any(not ids.isdisjoint(column.ids(row[at])) for at, column, _ in relation.id_columns)
