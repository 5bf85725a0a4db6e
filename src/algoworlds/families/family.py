"""What a family is: a frozen value that ties a formal problem to its algorithms and its world template."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, wraps
from types import MappingProxyType
from typing import Any, Generic, Literal, TypeVar

from algoworlds.core.decision import CLAIM, Manner, Shape, Verdict
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Deduce, Interface, Layout, Via, layout
from algoworlds.core.kernel import exact
from algoworlds.core.ranges import Ranges
from algoworlds.core.scale import share
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Closing, Partial, Step, Tool
from algoworlds.core.work import Sense, Solution
from algoworlds.errors import DeclarationError
from algoworlds.families.difficulty import interpolated
from algoworlds.families.hardness import Hardness
from algoworlds.families.knowledge import Knowledge

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter
Y = TypeVar("Y")


@dataclass(frozen=True)
class Template:
    """What an agent sees of a family: question, decision, tools and prices, mediation and acquisition plans."""

    title: str
    summary: str
    """The task in one clause, for lists of families."""
    decision: Shape
    story: str
    """The task in plain words: decision, constraints and objective; {name} stands for a public number."""
    rosters: Mapping[str, str]
    """Headings under which the question lists public rosters."""
    example: str
    """A tiny worked example of the decision format, with made-up ids."""
    tools: tuple[Tool, ...]
    closing: Closing
    plans: Mapping[str, tuple[Step, ...]]
    """The two acquisition plans, by name."""
    mediation: Mapping[str, Via]
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """Short id prefixes for rosters and links whose names are long."""
    deduce: Deduce | None = None

    def __post_init__(self) -> None:
        _freeze(self, "rosters", "plans", "mediation", "prefixes")


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
    between: Callable[[Any, Any, Fraction], Any] = interpolated
    """The configuration that lies so far between those of two levels: the sizes themselves are, unless they hang together."""
    tiny: Callable[[Stream], I] | None = None
    """A tiny instance at random, ties and degenerate sizes included, for a check by brute force."""
    hardness: Hardness[I, Y] = field(default_factory=Hardness)
    """For admission by blind solvers, the shortcut claims, `algoworlds attack` and two scripted agents."""
    knowledge: Knowledge = field(default_factory=Knowledge)
    """For the ranges in the question, `algoworlds judge`, `build --certificates` and agents that prove what they submit."""

    def __post_init__(self) -> None:
        _freeze(self, "levels")
        if problems := _problems(self):
            raise DeclarationError(f"{self.name}: {problems[0]}")
        object.__setattr__(self, "solve", _guarded(self.solve))
        object.__setattr__(self, "verify", _guarded(self.verify))

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
    def decision(self) -> Shape:
        """The shape of a decision, as an agent submits it."""
        return self.template.decision

    def lacking(self, block: Literal["hardness", "knowledge"], *names: str, purpose: str) -> str:
        """Which of the fields `names` of an optional block are undeclared and how to add them; empty if all are declared."""
        declared, constructor = getattr(self, block), block.capitalize()
        missing = [name for name in names if not getattr(declared, name)]
        if not missing:
            return ""
        fields = ", ".join(f"{name}=..." for name in missing)
        if declared == type(declared)():
            return f"{self.name} declares no {block} block: add Family({block}={constructor}({fields})) to {purpose}"
        return f"{self.name} declares no {' and no '.join(missing)}: add {constructor}({fields}) to {purpose}"

    def config(self, level: float) -> Any:
        """The configuration of a level; between two levels it is what the family says lies between theirs."""
        if level in self.levels:
            return self.levels[int(level)]
        lower, upper = max(each for each in self.levels if each < level), min(each for each in self.levels if each > level)
        return self.between(self.levels[lower], self.levels[upper], share(level, lower, upper))

    def ranges_at(self, level: float) -> Ranges | None:
        """What may be relied on at a level; None if the family does not say."""
        ranges = self.knowledge.ranges
        return None if ranges is None else ranges(self.config(level))

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """The information tools by name, without the evaluating one."""
        return MappingProxyType({tool.name: tool for tool in self.template.tools})

    @cached_property
    def carriers(self) -> frozenset[str]:
        """The tools that show the linking half of a relation in the split interface."""
        return frozenset(name for via in self.template.mediation.values() for name in via.carriers)

    @cached_property
    def revealing(self) -> frozenset[str]:
        """The tools whose records NF joins; a navigation tool counts only if it carries links, no facts by themselves."""
        return frozenset(name for name, tool in self.tools.items() if not tool.navigation or name in self.carriers)

    @cached_property
    def layouts(self) -> Mapping[Interface, Layout]:
        """The record layout of every interface."""
        tools, mediation = self.template.tools, self.template.mediation
        return MappingProxyType({each: layout(self.instance, tools, mediation, each) for each in Interface})

    @cached_property
    def channels(self) -> tuple[str, ...]:
        """The information channels that facts are grouped into."""
        return tuple(dict.fromkeys(each.channel for each in self.instance.relations.values() if each.channel))


def _freeze(declared: Family[Any, Any] | Template, *mappings: str) -> None:
    """Put copies that nobody can change in the place of some mappings of a declaration."""
    for name in mappings:
        object.__setattr__(declared, name, MappingProxyType(dict(getattr(declared, name))))


def _guarded(algorithm: Callable[[I], Solution[Y]]) -> Callable[[I], Solution[Y]]:
    """An exact algorithm that refuses tables which are no instance, and values which it could not add exactly."""

    @wraps(algorithm)
    def guarded(instance: I) -> Solution[Y]:
        exact(instance.validate())
        return algorithm(instance)

    return guarded


def _problems(family: Family[Any, Any]) -> list[str]:
    """What contradicts itself in a family's declaration."""
    relations, template, tools = family.instance.relations, family.template, family.tools
    if not hasattr(family.instance, "sense"):
        kind = family.instance.__name__
        return [f"its sense is missing: class {kind}(Instance, family={family.name!r}, sense=Sense.MIN), or Sense.MAX"]
    found = [f"{len(template.plans)} plans instead of two"] if len(template.plans) != 2 else []
    found += (
        [f"a decision has no argument {CLAIM!r}: it stands beside one"]
        if CLAIM in family.decision.schema()["properties"]
        else []
    )
    found += [
        f"a decision takes one {piece.entity} per {piece.per!r}, which is no public roster"
        for piece in family.decision.pieces
        if piece.manner is Manner.PICK and not (piece.per in relations and relations[piece.per].public)
    ]
    for tool in template.tools:
        named = [each.relation if isinstance(each, Partial) else each for each in tool.reveals]
        found += [f"{tool.name} reveals no known relation {name!r}" for name in named if name not in relations]
        found += [f"{tool.name}: {problem}" for problem in _argument_problems(family, tool, named)]
        columns = {column.name for name in named if name in relations for column in relations[name].columns}
        found += (
            [f"{tool.name} goes through the unknown column {tool.through!r}"] if tool.through not in {None, *columns} else []
        )
    revealed = {name for tool in template.tools if not tool.navigation for name in tool.reveals}
    facts = {name for name, each in relations.items() if each.fact}
    found += [
        f"the navigation tool {tool.name} carries links and must not reveal the fact {name!r}"
        for tool in template.tools
        if tool.navigation and tool.name in family.carriers
        for name in tool.reveals
        if name in facts
    ]
    found += [f"no tool reveals {name!r}" for name in sorted(facts - revealed)]
    resting = {name for kind in family.knowledge.options for name in kind.relations}
    found += [f"options rest on no known fact {name!r}" for name in sorted(resting - facts)]
    found += [
        f"a plan uses the unknown tool {step.tool!r}"
        for plan in template.plans.values()
        for step in plan
        if step.tool not in tools
    ]
    for name, via in template.mediation.items():
        found += [f"{name} is mediated but no relation"] if name not in relations else []
        found += [f"{name} is split through the unknown tool {each!r}" for each in via.carriers if each not in tools]
    stated = [declared for level in family.levels if (declared := family.ranges_at(level)) is not None]
    found += [problem for each in stated for problem in each.problems(family.instance)]
    found += [] if found else [problem for each in Interface for problem in _layout_problems(family, each)]
    return found


def _argument_problems(family: Family[Any, Any], tool: Tool, named: list[str]) -> list[str]:
    relations, roster = family.instance.relations, tool.argument.roster
    if roster is None:
        return []
    if roster not in relations or not relations[roster].public:
        return [f"its argument ranges over {roster!r}, which is no public roster"]
    return [
        f"{name} has no column of the roster {roster!r}"
        for name in named
        if name in relations and all(column.of != roster for column in relations[name].columns)
    ]


def _layout_problems(family: Family[Any, Any], interface: Interface) -> list[str]:
    shapes = [part.columns for parts in family.layouts[interface].parts.values() for part in parts]
    return [f"the record shape {shape} is not distinct" for shape in set(shapes) if shapes.count(shape) > 1]
