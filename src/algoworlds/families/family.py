"""What a family is: a frozen value that ties a formal problem to its algorithms and its world template."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property, wraps
from importlib.resources import files as package_files
from types import MappingProxyType
from typing import Any, Generic, Literal, TypeVar

from algoworlds.core.column import Int, Ints
from algoworlds.core.decision import CLAIM_ARGUMENT, ChoiceKind, DecisionShape, Verdict
from algoworlds.core.instance import Instance
from algoworlds.core.interface import DeductionRule, Interface, Layout, Via, build_layout
from algoworlds.core.kernel import require_exact_sums
from algoworlds.core.ranges import Ranges
from algoworlds.core.stream import Stream
from algoworlds.core.tool import DecisionTools, PartialRelation, PlanStep, Tool, tiling_calls
from algoworlds.core.work import Bits, Sense, Solution, interpolate_geometric, level_fraction
from algoworlds.errors import DeclarationError
from algoworlds.families.conditions import Conditions
from algoworlds.families.hardness import Hardness, steepest_descent
from algoworlds.families.knowledge import Knowledge

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter
Y = TypeVar("Y")
C = TypeVar("C")


@dataclass(frozen=True)
class Template:
    """What an agent sees of a family: question, decision, tools and prices, mediation and acquisition plans."""

    title: str
    summary: str
    """The task in one clause, for lists of families."""
    decision: DecisionShape
    story: str
    """The task in plain words: decision, constraints and objective; {name} stands for a public number."""
    rosters: Mapping[str, str]
    """Headings under which the question lists public rosters."""
    example: str
    """A tiny worked example of the decision format, with made-up ids."""
    tools: tuple[Tool, ...]
    evaluate: tuple[str, tuple[int, int, int]]
    """The tool that evaluates one decision: its name, and its prices by profile."""
    submit: str
    """The name of the tool that submits the decision; it is free."""
    plans: Mapping[str, Sequence[str | PlanStep]]
    """The two acquisition plans by name. A tool's name means the fewest calls that cover its roster."""
    mediation: Mapping[str, Via]
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """Short id prefixes for rosters and links whose names are long."""
    deduce: DeductionRule | None = None

    def __post_init__(self) -> None:
        _freeze_mappings(self, "rosters", "plans", "mediation", "prefixes")

    @cached_property
    def decision_tools(self) -> DecisionTools:
        """The two tools that take a whole decision."""
        return DecisionTools(*self.evaluate, self.submit)

    @cached_property
    def steps(self) -> Mapping[str, tuple[PlanStep, ...]]:
        """The steps of both plans, with tool names expanded."""
        return MappingProxyType(
            {
                name: tuple(tiling_calls(step) if isinstance(step, str) else step for step in plan)
                for name, plan in self.plans.items()
            }
        )


def interpolate(low: Any, high: Any, part: Fraction) -> Any:
    """The value at `part` of the way from `low` to `high`: positive integers geometrically, tuples entry by entry.

    Anything else, such as a flag, is taken from the nearer end.
    """
    if isinstance(low, tuple) and isinstance(high, tuple) and len(low) == len(high):
        return tuple(interpolate(one, other, part) for one, other in zip(low, high, strict=True))
    if type(low) is int and type(high) is int and min(low, high) > 0:
        return interpolate_geometric(low, high, part)
    return low if part < Fraction(1, 2) else high


def interpolate_config(lower: C, upper: C, part: Fraction) -> C:
    """The configuration at `part` of the way between two, field by field."""
    ends = ((getattr(lower, field.name), getattr(upper, field.name)) for field in fields(lower))  # type: ignore[arg-type]
    return type(lower)(*(interpolate(low, high, part) for low, high in ends))


def load_scale(package: str, make: Callable[..., C]) -> dict[int, C]:
    """The configurations of a continuous scale: `make` of the sizes in the file scale.txt of `package`, by tenths of a bit."""
    text = (package_files(package) / "scale.txt").read_text(encoding="utf-8")
    rows = (line.split(":") for line in text.splitlines() if not line.startswith("#"))
    return {int(tenths): make(*map(int, sizes.split())) for tenths, sizes in rows}


@dataclass(frozen=True)
class Family(Generic[I, Y]):
    """One formally specified optimization family: eight fields make it playable, the optional ones can be added later."""

    instance: type[I]
    """The tables of the formal problem, with its name and sense."""
    levels: Mapping[int, Any]
    """The generator's configuration of every level."""
    generate: Callable[[Any, Stream], I]
    solve: Callable[[I], Solution[Y]]
    verify: Callable[[I], Solution[Y]]
    check: Callable[[I, Y], Verdict]
    reference: Callable[[I], Y]
    """The natural myopic decision: feasible, suboptimal, the zero of reference utility."""
    template: Template
    between: Callable[[Any, Any, Fraction], Any] = interpolate_config
    """The configuration between those of two levels; needed where sizes depend on each other."""
    scale: Mapping[int, Any] = field(default_factory=dict)
    """The configurations of the continuous scale, by tenths of a bit of work; `algoworlds measure` needs them."""
    tiny: Callable[[Stream], I] | None = None
    """A tiny random instance, ties and degenerate sizes included, for a check by brute force."""
    hardness: Hardness[I, Y] = field(default_factory=Hardness)
    """For admission by blind solvers, the shortcut claims, `algoworlds attack` and two scripted agents."""
    knowledge: Knowledge = field(default_factory=Knowledge)
    """For the ranges in the question, `algoworlds judge`, `build --certificates` and agents that prove what they submit."""
    conditions: Conditions = field(default_factory=Conditions)
    """For worlds whose numbers are shown with errors: `build --conditions`."""

    def __repr__(self) -> str:
        return f"<Family {self.name}: {self.summary}>"

    def __post_init__(self) -> None:
        _freeze_mappings(self, "levels", "scale")
        for problem in _declaration_problems(self):
            raise DeclarationError(f"{self.name}: {problem}")
        object.__setattr__(self, "solve", _guard(self.solve))
        object.__setattr__(self, "verify", _guard(self.verify))
        neighbourhood = self.hardness.neighbourhood
        if neighbourhood is not None and self.hardness.descend is None:

            def descend(instance: I, start: Y) -> Y:
                return steepest_descent(lambda y: self.check(instance, y), self.sense, start, neighbourhood(instance))

            object.__setattr__(self, "hardness", replace(self.hardness, descend=descend))

    @property
    def name(self) -> str:
        """The family's name, which is that of its folder."""
        return self.instance.family

    @property
    def sense(self) -> Sense:
        """Whether smaller or larger objective values are better."""
        return self.instance.sense

    @property
    def title(self) -> str:
        """The family's name for readers."""
        return self.template.title

    @property
    def summary(self) -> str:
        """The task in one clause."""
        return self.template.summary

    @property
    def decision(self) -> DecisionShape:
        """The shape of a decision, as an agent submits it."""
        return self.template.decision

    def lacking(self, block: Literal["hardness", "knowledge", "conditions"], *names: str, purpose: str) -> str:
        """Which of the fields `names` of an optional block are undeclared and how to add them; empty if all are declared."""
        declared, constructor = getattr(self, block), block.capitalize()
        missing = [name for name in names if not getattr(declared, name)]
        if not missing:
            return ""
        arguments = ", ".join(f"{name}=..." for name in missing)
        if declared == type(declared)():
            return f"{self.name} declares no {block} block: add Family({block}={constructor}({arguments})) to {purpose}"
        return f"{self.name} declares no {' and no '.join(missing)}: add {constructor}({arguments}) to {purpose}"

    def config(self, level: float) -> Any:
        """The configuration of a level, or of bits of work; between two levels, what `between` makes of theirs."""
        if isinstance(level, Bits):
            return self.scale[level.tenths]
        if level in self.levels:
            return self.levels[int(level)]
        lower, upper = max(one for one in self.levels if one < level), min(one for one in self.levels if one > level)
        return self.between(self.levels[lower], self.levels[upper], level_fraction(level, lower, upper))

    def ranges_at(self, level: float) -> Ranges | None:
        """The declared ranges of hidden numbers at a level; None if the family declares none."""
        return self.knowledge.ranges_for(self.config(level))

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The information tools by name, without the evaluating one."""
        return MappingProxyType({tool.name: tool for tool in self.template.tools})

    @cached_property
    def carriers(self) -> frozenset[str]:
        """The tools that show the linking half of a relation in the split interface."""
        return frozenset(name for via in self.template.mediation.values() for name in via.split_tools)

    @cached_property
    def revealing_tools(self) -> frozenset[str]:
        """The tools whose records NF joins; a navigation tool counts only if it carries links, which are not facts."""
        return frozenset(name for name, tool in self.tools.items() if not tool.navigation or name in self.carriers)

    @cached_property
    def measuring_tools(self) -> frozenset[str]:
        """The tools that show measured numbers, in every interface."""
        relations = {name for name, _ in self.conditions.measured}
        return frozenset(name for name, tool in self.tools.items() if not relations.isdisjoint(tool.reveals))

    @cached_property
    def layouts(self) -> Mapping[Interface, Layout]:
        """The record layout of every interface."""
        tools, mediation = self.template.tools, self.template.mediation
        return MappingProxyType({one: build_layout(self.instance, tools, mediation, one) for one in Interface})

    @cached_property
    def channels(self) -> tuple[str, ...]:
        """The information channels that facts are grouped into."""
        return tuple(dict.fromkeys(relation.channel for relation in self.instance.relations.values() if relation.channel))


AnyFamily = Family[Any, Any]
"""A family whose instances and decisions the reader does not look into."""


def _freeze_mappings(declared: Family[Any, Any] | Template, *names: str) -> None:
    """Replace the mappings called `names` in a declaration by read-only copies."""
    for name in names:
        object.__setattr__(declared, name, MappingProxyType(dict(getattr(declared, name))))


def _guard(algorithm: Callable[[I], Solution[Y]]) -> Callable[[I], Solution[Y]]:
    """An exact algorithm that first refuses invalid tables, and values whose sums could overflow."""

    @wraps(algorithm)
    def checked_algorithm(instance: I) -> Solution[Y]:
        require_exact_sums(instance.validate())
        return algorithm(instance)

    return checked_algorithm


def _declaration_problems(family: Family[Any, Any]) -> Iterator[str]:
    """How a family's declaration contradicts itself; a later check may rely on all earlier ones."""
    relations, template = family.instance.relations, family.template
    if not hasattr(family.instance, "sense"):
        kind = family.instance.__name__
        yield f"its sense is missing: class {kind}(Instance, family={family.name!r}, sense='min'), or 'max'"
    if len(template.plans) != 2:
        yield f"{len(template.plans)} plans instead of two"
    if CLAIM_ARGUMENT in family.decision.schema()["properties"]:
        yield f"a decision must not have an argument {CLAIM_ARGUMENT!r}: submissions add one"
    for piece in family.decision.argument_specs:
        if piece.kind is ChoiceKind.PICK and not (piece.per in relations and relations[piece.per].public):
            yield f"a decision takes one {piece.entity} per {piece.per!r}, which is not a public roster"
    for tool in template.tools:
        for problem in _tool_problems(family, tool):
            yield f"{tool.name} {problem}"
    facts = {name for name, relation in relations.items() if relation.fact}
    revealed = {name for tool in template.tools if not tool.navigation for name in tool.reveals}
    for name in sorted(facts - revealed):
        yield f"no tool reveals {name!r}"
    for name in sorted({name for kind in family.knowledge.options for name in kind.relations} - facts):
        yield f"options rest on the unknown fact {name!r}"
    for step in (step for plan in template.steps.values() for step in plan):
        if step.tool not in family.tools:
            yield f"a plan uses the unknown tool {step.tool!r}"
    for name, via in template.mediation.items():
        if name not in relations:
            yield f"the mediated {name} is not a relation"
        for split_tool in via.split_tools:
            if split_tool not in family.tools:
                yield f"{name} is split through the unknown tool {split_tool!r}"
    for ranges in (family.ranges_at(level) for level in family.levels):
        if ranges is not None:
            yield from ranges.declaration_problems(family.instance)
    for layout in family.layouts.values():
        shapes = [part.columns for parts in layout.parts.values() for part in parts]
        for shape in set(shapes):
            if shapes.count(shape) > 1:
                yield f"the record shape {shape} is not distinct"
    yield from _condition_problems(family)


def _condition_problems(family: Family[Any, Any]) -> Iterator[str]:
    """Why numbers that are declared as measured cannot be shown with errors."""
    declared, relations, template = family.conditions, family.instance.relations, family.template
    unknowns = family.knowledge.unknowns
    if not declared.measured:
        return
    if not declared.spreads or min(declared.spreads.values()) < 1 or not declared.spreads.keys() <= family.levels.keys():
        yield "spreads must name at least one level, each with an error of at least 1"
    for ref in dict.fromkeys((*declared.measured, *declared.counted)):
        columns = relations[ref[0]].values if ref[0] in relations else ()
        if not any(isinstance(column, Int | Ints) and column.name == ref[1] for column in columns):
            yield f"{'.'.join(ref)} is not a column of numbers"
            return
    for ref in declared.measured:
        (name, column), text = ref, ".".join(ref)
        if relations[name].public or not relations[name].fact or ref not in declared.counted:
            yield f"the measured {text} must be hidden, a fact and counted"
        if unknowns is not None and (ref in unknowns.binding or ref in unknowns.shared):
            yield f"the measured {text} must not be binding or shared"
        if any(ref not in ranges.columns for ranges in map(family.ranges_at, family.levels) if ranges is not None):
            yield f"the measured {text} has no range"
        via = template.mediation.get(name)
        if via is not None and any(column in keys for keys, _ in via.links.values()):
            yield f"a link is keyed by the measured {text}"
        if via is not None and (sum(column in part for part in via.parts) != 1 or column in via.parts[via.split_part]):
            yield f"the measured {text} must be in one part only, and not in the one that another tool returns"
        for tool in template.tools:
            partial = (one for one in tool.reveals if isinstance(one, PartialRelation) and one.relation == name)
            if any(column in one.columns for one in partial) or (tool.navigation and name in tool.reveals):
                yield f"{tool.name} shows the measured {text} without a whole row"


def _tool_problems(family: Family[Any, Any], tool: Tool) -> Iterator[str]:
    relations, roster = family.instance.relations, tool.argument.roster
    names = [reveal.relation if isinstance(reveal, PartialRelation) else reveal for reveal in tool.reveals]
    for name in names:
        if name not in relations:
            yield f"reveals the unknown relation {name!r}"
    if roster is not None:
        if roster not in relations or not relations[roster].public:
            yield f"has an argument over {roster!r}, which is not a public roster"
        for name in names:
            if all(column.roster_name != roster for column in relations[name].columns):
                yield f"reveals {name}, which has no column of the roster {roster!r}"
    if tool.self_join not in {None, *(column.name for name in names for column in relations[name].columns)}:
        yield f"goes through the unknown column {tool.self_join!r}"
    if tool.navigation and tool.name in family.carriers:
        for name in (name for name in tool.reveals if isinstance(name, str)):
            if relations[name].fact:
                yield f"is a navigation tool that carries links: it must not reveal the fact {name!r}"
