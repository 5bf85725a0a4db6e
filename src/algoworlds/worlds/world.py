"""Worlds: one instance behind tools with prices, and exactly what an agent may see of it.

Everything here is a pure function of the instance, the index and the interface; what depends on earlier calls belongs to
the episode.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from algoworlds.core.canonical import JsonObject, strict_loads
from algoworlds.core.condition import CLEAR, CONDITIONS, ErrorLaw, Look, Spot, find_condition
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface, Normalizer, Response
from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.relation import Fact
from algoworlds.core.stream import Stream
from algoworlds.core.tool import (
    MAX_ARGUMENT_CHARS,
    PRICE_PROFILE_COUNT,
    Call,
    Refusal,
    Selection,
    build_catalog,
    count_plan_calls,
    expand_plan,
)
from algoworlds.errors import InputError, Malformed, quote_value
from algoworlds.families import load_family
from algoworlds.families.family import AnyFamily
from algoworlds.tracks.track import BARE, Track
from algoworlds.worlds.admission import DEFAULT_SEED, SPLITS, AdmittedInstance, Coordinate, admit
from algoworlds.worlds.render import TIED, render_errors, render_question, render_ranges, tool_schemas
from algoworlds.worlds.store import RecordStore

CALL_CAP = 255
"""Information calls that an episode may execute; a conditioned world allows as many for every further rung."""

ATTEMPT_CAP = 512
"""Calls of any kind, rejected ones included, after which an episode ends; a conditioned world allows more likewise."""


@dataclass(frozen=True, eq=False)
class World:
    """A question, a hidden instance, tools with prices and a budget, in one interface. Immutable."""

    coordinate: Coordinate
    instance: Any
    interface: Interface
    track: Track = BARE
    """What an agent may use beside the tools."""
    _selections: dict[Call, Selection] = field(default_factory=dict, init=False, repr=False)
    """Cached selections of admissible calls, so that arguments are parsed once."""
    _records: dict[Call | Look, str] = field(default_factory=dict, init=False, repr=False)
    """Cached records of calls or looks whose text was read."""

    def __repr__(self) -> str:
        return f"<World {self.id}>"

    @cached_property
    def family(self) -> AnyFamily:
        """The instance's family."""
        return load_family(self.coordinate.family)

    @property
    def stream(self) -> Stream:
        """The source of link ids and of the order of records; the worlds of a pair draw from different branches."""
        return self.coordinate.stream.child("world", self.interface.value)

    @property
    def id(self) -> str:
        """The world's id inside its suite."""
        return f"{self.coordinate.name}-{self.interface.value}"

    # -- prices, plans and budget -------------------------------------------------------------------------------------

    @cached_property
    def prices(self) -> Mapping[str, int]:
        """The price of every information tool, including the evaluation."""
        profile, closing = (self.coordinate.index - 1) % PRICE_PROFILE_COUNT, self.family.template.decision_tools
        prices = {tool.name: tool.prices[profile] for tool in self.family.template.tools}
        return MappingProxyType(prices | {closing.evaluate: closing.prices[profile]})

    @cached_property
    def plans(self) -> Mapping[str, tuple[Call, ...]]:
        """The two acquisition plans as ordered calls."""
        plans = self.family.template.steps
        return MappingProxyType({name: expand_plan(plan, self.family.tools, self.public) for name, plan in plans.items()})

    @cached_property
    def catalog(self) -> tuple[Call, ...]:
        """Every admissible call that can reveal facts, once."""
        return build_catalog(self.family.template.tools, self.public)

    def cost(self, calls: Iterable[Call]) -> int:
        """The total price of some information calls."""
        return sum(self.prices[call.tool] for call in calls)

    @cached_property
    def budget(self) -> int:
        """The access budget: the more expensive plan, its measured calls until they are exact, and one evaluation."""
        measuring, rungs = self.family.measuring_tools, self._rungs
        dearest = max(
            sum(self.prices[tool] * count * (rungs if tool in measuring else 1) for tool, count in plan)
            for plan in self._plan_counts
        )
        return dearest + self.prices[self.family.template.decision_tools.evaluate]

    @property
    def _plan_counts(self) -> list[list[tuple[str, int]]]:
        """For every plan, the tool of each step and how many calls it makes."""
        steps, tools = self.family.template.steps.values(), self.family.tools
        return [list(count_plan_calls(plan, tools, self.public)) for plan in steps]

    @property
    def call_cap(self) -> int:
        """Information calls that an episode may execute."""
        return CALL_CAP * self._rungs

    @property
    def attempt_cap(self) -> int:
        """Calls of any kind, rejected ones included, after which an episode ends."""
        return ATTEMPT_CAP * self._rungs

    # -- the condition ------------------------------------------------------------------------------------------------

    @cached_property
    def law(self) -> ErrorLaw | None:
        """The errors of measured numbers, by family, level and public tables; None if all that is shown is true."""
        condition = find_condition(self.coordinate.condition)
        if condition is None:
            return None
        widths, measuring = (
            condition.widths(self.family.conditions.spread_at(self.coordinate.difficulty)),
            self.family.measuring_tools,
        )
        change = max(sum(count for tool, count in plan if tool not in measuring) for plan in self._plan_counts)
        return ErrorLaw(condition, widths, change if condition.changes_once else 0)

    @property
    def _rungs(self) -> int:
        return 1 if self.law is None else self.law.rungs

    def exact_calls(self, plan: Iterable[Call]) -> tuple[Call, ...]:
        """The calls of a plan, with its measured ones repeated until their answers are exact.

        Where numbers change once, its measured calls come last. That makes them exact for the plan with most other calls.
        """
        calls, measuring = list(plan), self.family.measuring_tools
        stable, measured = (
            [call for call in calls if (call.tool in measuring) is is_measured] for is_measured in (False, True)
        )
        if self.law is not None and self.law.condition.changes_once:
            return (*stable, *measured)
        return (*calls, *measured * (self._rungs - 1))

    @property
    def safe_plan(self) -> tuple[Call, ...]:
        """The calls that make everything known: the cheapest, or where numbers change once, those of the latest plan."""
        if self.law is None or not self.law.condition.changes_once:
            return min(map(self.exact_calls, self.plans.values()), key=self.cost)
        measuring = self.family.measuring_tools
        return self.exact_calls(max(self.plans.values(), key=lambda plan: sum(call.tool not in measuring for call in plan)))

    def readings(self, look: Look) -> dict[Spot, Range]:
        """For every measured number that a look shows, the interval that it leaves."""
        selection = self.selection(look.call)
        if self.law is None or isinstance(selection, Refusal):
            return {}
        return self.store.readings(self.family.tools[look.call.tool], selection, look.phase)

    # -- what an agent may see ----------------------------------------------------------------------------------------

    @cached_property
    def public(self) -> Mapping[str, Any]:
        """The public rosters and numbers that the question states."""
        return MappingProxyType(self.instance.public_tables)

    @cached_property
    def ranges(self) -> Ranges | None:
        """The ranges of hidden numbers, by family and level; None if the family declares none or the instance is imported."""
        return None if self.coordinate.imported else self.family.ranges_at(self.coordinate.difficulty)

    @property
    def ranges_paragraph(self) -> str:
        """The question's paragraph on ranges and promises; empty if the family declares none."""
        return render_ranges(self.family, self.ranges)

    @property
    def errors_paragraph(self) -> str:
        """The question's paragraph on errors; empty in a clear world."""
        return render_errors(self.family, self.ranges, self.law)

    @cached_property
    def question(self) -> str:
        """The question: the same text in every interface, free of hidden data."""
        paragraphs = (self.ranges_paragraph, self.errors_paragraph, TIED if self.coordinate.tied else "")
        question = render_question(
            self.family, self.public, self.prices, self.budget, self.call_cap, self.attempt_cap, paragraphs
        )
        return self.track.extend_question(question, self.family.instance.relations)

    @property
    def tools(self) -> list[JsonObject]:
        """The tool schemas: name, description and JSON schema of the arguments; a new list on every access."""
        return [*tool_schemas(self.family), *self.track.tools]

    def selection(self, call: Call) -> Selection | Refusal:
        """The entities that an information call selects, or why it is refused; needs public data only."""
        if call in self._selections:
            return self._selections[call]
        try:
            arguments = strict_loads(call.arguments, MAX_ARGUMENT_CHARS)
        except Malformed:
            return Refusal.SCHEMA
        if not isinstance(arguments, dict):
            return Refusal.SCHEMA
        return self.family.tools[call.tool].argument.select(arguments, self.public)

    def refusal(self, call: Call) -> Refusal | None:
        """Why an information call is refused; None if it is admissible. Needs public data only; caches the selection."""
        selection = self.selection(call)
        if isinstance(selection, Refusal):
            return selection
        self._selections[call] = selection
        return None

    def records(self, asked: Call | Look) -> str | Refusal:
        """The records that answer an information call, or a look in a conditioned world, as JSON text.

        A call without a phase is answered with the true numbers.
        """
        call, phase = asked if isinstance(asked, Look) else (asked, -1)
        refusal = self.refusal(call)
        if refusal is not None:
            return refusal
        if asked not in self._records:
            self._records[asked] = self.store.response_text(self.family.tools[call.tool], self._selections[call], phase)
        return self._records[asked]

    @cached_property
    def store(self) -> RecordStore:
        """The private records behind the tools."""
        layout = self.family.layouts[self.interface]
        prefixes, errors = self.family.template.prefixes, self.coordinate.stream.child("condition", self.coordinate.condition)
        return RecordStore(self.instance, layout, self.stream, prefixes, self.law, self.family.conditions.measured, errors)

    # -- back to facts ------------------------------------------------------------------------------------------------

    def new_normalizer(self) -> Normalizer:
        """A new NF without any response."""
        return Normalizer(self.family.layouts[self.interface], self.public, self.family.template.deduce)

    def revealed_rows(self, call: Call) -> Response:
        """The records of an information call as unordered sets, for joining; empty if it is refused."""
        selection = self.selection(call)
        if isinstance(selection, Refusal):
            return {}
        return self.store.response_rows(self.family.tools[call.tool], selection)

    def facts(self, responses: Iterable[Response]) -> frozenset[Fact]:
        """NF: the instance facts that some responses reveal."""
        normalizer = self.new_normalizer()
        for response in responses:
            normalizer.add(response)
        return normalizer.facts

    def instance_from_facts(self, facts: frozenset[Fact]) -> Instance:
        """Rebuild the instance from facts and the question; InstanceError if facts are missing."""
        return self.family.instance.from_facts(facts, self.public)  # type: ignore[no-any-return]


def build_world(admitted: AdmittedInstance, interface: Interface) -> World:
    """Build the world that presents an admitted instance through an interface."""
    return World(admitted.coordinate, admitted.instance, interface)


_ID = re.compile(
    r"([^-]*)-(b?[0-9]{1,9}(?:\.[0-9]{1,2})?)-([0-9]{1,19})"
    rf"(?:-({'|'.join(SPLITS)}))?(-[0-9a-z]{{10}})?(?:-({'|'.join(condition.name for condition in CONDITIONS)}))?"
    rf"(-tied)?(?:-({'|'.join(interface.value for interface in Interface)}))?"
)
"""Groups: family, level or difficulty or bits, index, split and tag of a stream's world, condition, ties, interface."""


def parse_world_id(text: str, seed: str | None = None) -> tuple[Coordinate, Interface | None]:
    """Parse a world id to its coordinate (in the development split unless `seed` is given) and interface, if it has one.

    A world of a stream needs the stream's `seed`; the tag in its id, which may be left out, must match that seed.
    """
    match = _ID.fullmatch(text)
    if match is None or not _is_consistent(match[2], match[4], match[5]):
        raise InputError(f"{quote_value(text)} is not a world id like fleet_dispatch-1-1 or fleet_dispatch-1-1-direct")
    family, level, index, split, tag, condition, tied, interface = match.groups()
    seed = seed or DEFAULT_SEED
    if level.startswith("b"):
        coordinate = Coordinate.from_bits(family, float(level[1:]), int(index), seed)
    elif split:
        coordinate = Coordinate.from_difficulty(family, float(level), int(index), seed, split)
    else:
        coordinate = Coordinate(family, int(level), int(index), seed)
    if tag is not None and not coordinate.name.endswith(tag):
        raise InputError(f"{quote_value(text)} is a world of another seed: name the seed of its stream")
    coordinate = replace(coordinate, condition=condition or CLEAR, tied=tied is not None)
    return coordinate, None if interface is None else Interface(interface)


def _is_consistent(level: str, split: str | None, tag: str | None) -> bool:
    """Whether the parts of an id fit: bits have no split, a tag needs one of the two, and so does a fraction."""
    on_scale = level.startswith("b")
    return not (on_scale and split) and (on_scale or bool(split) or (tag is None and "." not in level))


def load_world(text: str, interface: Interface = Interface.DIRECT, seed: str | None = None) -> World:
    """Load the world with id `text`, of the development split or of `seed`; `interface` applies if the id has none."""
    coordinate, named = parse_world_id(text, seed)
    return build_world(admit(coordinate), named or interface)
