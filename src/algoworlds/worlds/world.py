"""Worlds: one instance behind tools with prices, and exactly what an agent may see of it.

Everything here is a pure function of the instance, the index and the interface; what depends on earlier calls is the
episode's business.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from algoworlds.core.canonical import strict_loads
from algoworlds.core.given import LONGEST_ARGUMENTS
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface, Response
from algoworlds.core.normalize import Gathering
from algoworlds.core.ranges import Ranges
from algoworlds.core.relation import Fact
from algoworlds.core.stream import Stream
from algoworlds.core.tool import PROFILES, Call, Refusal, Selection, catalog, counts, expand
from algoworlds.errors import InputError, Malformed, quoted
from algoworlds.families import family as family_named
from algoworlds.families.family import Family
from algoworlds.worlds.admit import DEFAULT_SEED, SPLITS, Admitted, Coordinate, admit
from algoworlds.worlds.render import question, reliance, tool_schemas
from algoworlds.worlds.store import Store

CALL_CAP = 255
"""Executed information calls that a trajectory may make."""

ATTEMPT_CAP = 512
"""Calls of any kind, rejected ones included, after which an episode ends."""


@dataclass(frozen=True, eq=False)
class World:
    """A question, a hidden instance, tools with prices and a budget, in one interface. Nobody can change it."""

    coordinate: Coordinate
    instance: Any
    interface: Interface

    @cached_property
    def family(self) -> Family[Any, Any]:
        """The family that the instance belongs to."""
        return family_named(self.coordinate.family)

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
        """The price of every information tool, the evaluating one included."""
        profile, closing = (self.coordinate.index - 1) % PROFILES, self.family.template.closing
        listed = {tool.name: tool.prices[profile] for tool in self.family.template.tools}
        return MappingProxyType(listed | {closing.evaluate: closing.prices[profile]})

    @cached_property
    def plans(self) -> Mapping[str, tuple[Call, ...]]:
        """The two acquisition plans as ordered calls."""
        plans = self.family.template.plans
        return MappingProxyType({name: expand(plan, self.family.tools, self.public) for name, plan in plans.items()})

    @cached_property
    def catalog(self) -> tuple[Call, ...]:
        """Every admissible request that can return facts, once."""
        return catalog(self.family.template.tools, self.public)

    def cost(self, calls: Iterable[Call]) -> int:
        """What a list of information calls costs."""
        return sum(self.prices[call.tool] for call in calls)

    @cached_property
    def budget(self) -> int:
        """The access budget: the dearer plan, whose calls need only be counted, and one evaluation."""
        template, tools = self.family.template, self.family.tools
        counted = (counts(plan, tools, self.public) for plan in template.plans.values())
        dearer = max(sum(self.prices[tool] * count for tool, count in plan) for plan in counted)
        return dearer + self.prices[template.closing.evaluate]

    # -- what an agent may see ----------------------------------------------------------------------------------------

    @cached_property
    def public(self) -> Mapping[str, Any]:
        """The public rosters and numbers that the question states."""
        return MappingProxyType(self.instance.public_tables)

    @cached_property
    def ranges(self) -> Ranges | None:
        """What may be relied on before anything is read, by family and level; None if the family does not say."""
        return self.family.ranges_at(self.coordinate.difficulty)

    @property
    def reliance(self) -> str:
        """The question's paragraph on what may be relied on; empty if the family does not say."""
        return reliance(self.family, self.ranges)

    @cached_property
    def question(self) -> str:
        """The textual question: the same in every interface, and free of hidden data."""
        return question(self.family, self.public, self.prices, self.budget, CALL_CAP, ATTEMPT_CAP, self.reliance)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tool schemas: name, description and JSON schema of the arguments; a new document whenever it is asked for."""
        return tool_schemas(self.family)

    def selection(self, call: Call) -> Selection | Refusal:
        """What an information call asks about, or why it is refused; needs public data only."""
        if call in self._selections:
            return self._selections[call]
        try:
            arguments = strict_loads(call.arguments, LONGEST_ARGUMENTS)
        except Malformed:
            return Refusal.SCHEMA
        if not isinstance(arguments, dict):
            return Refusal.SCHEMA
        return self.family.tools[call.tool].argument.select(arguments, self.public)

    def refusal(self, call: Call) -> Refusal | None:
        """Why an information call is refused; None if it is not, and then what it selects is held. Needs public data only."""
        selection = self.selection(call)
        if isinstance(selection, Refusal):
            return selection
        self._selections[call] = selection
        return None

    def records(self, call: Call) -> str | Refusal:
        """The records that answer an information call, as JSON text."""
        refused = self.refusal(call)
        if refused is not None:
            return refused
        if call not in self._answers:
            self._answers[call] = self.store.text(self.family.tools[call.tool], self._selections[call])
        return self._answers[call]

    @cached_property
    def _selections(self) -> dict[Call, Selection]:
        """What admissible calls ask about, so that arguments are read once."""
        return {}

    @cached_property
    def _answers(self) -> dict[Call, str]:
        """The records of calls whose answers were read."""
        return {}

    @cached_property
    def store(self) -> Store:
        """The private records behind the tools."""
        layout = self.family.layouts[self.interface]
        return Store(self.instance, layout, self.stream, self.family.template.prefixes)

    # -- back to facts ------------------------------------------------------------------------------------------------

    def gathering(self) -> Gathering:
        """NF with nothing taken in yet."""
        return Gathering(self.family.layouts[self.interface], self.public, self.family.template.deduce)

    def revealed(self, call: Call) -> Response:
        """The response rows of an information call in no order, for who joins them; none of a call that is refused."""
        selection = self.selection(call)
        if isinstance(selection, Refusal):
            return {}
        return self.store.chosen(self.family.tools[call.tool], selection)

    def facts(self, responses: Iterable[Response]) -> frozenset[Fact]:
        """NF: the instance facts that the records of some responses amount to."""
        gathering = self.gathering()
        for response in responses:
            gathering.add(response)
        return gathering.facts

    def rebuild(self, facts: frozenset[Fact]) -> Instance:
        """The instance that some facts and the question determine; InstanceError while they do not."""
        return self.family.instance.from_facts(facts, self.public)  # type: ignore[no-any-return]


def build(admitted: Admitted, interface: Interface) -> World:
    """The world that presents an admitted instance through an interface."""
    return World(admitted.coordinate, admitted.instance, interface)


_ID = re.compile(
    r"([^-]*)-([0-9]{1,9}(?:\.[0-9]{1,2})?)-([0-9]{1,9})"
    rf"(?:-({'|'.join(SPLITS)})(-[0-9a-z]{{10}})?)?(?:-({'|'.join(each.value for each in Interface)}))?"
)
"""Family, level or difficulty, and index; the split of a stream's world and its tag; the interface."""


def parse_id(text: str, seed: str | None = None) -> tuple[Coordinate, Interface | None]:
    """The coordinate of a world id (in the development split unless a seed is given), and the interface if it names one.

    A world of a stream is known by the seed of the stream; the tag in its id, which may be left out, must be that seed's.
    """
    found = _ID.fullmatch(text)
    if found is None or ("." in found[2] and not found[4]):
        raise InputError(f"{quoted(text)} is no world id; one looks like fleet_dispatch-1-1 or fleet_dispatch-1-1-direct")
    family, level, index, split, tag, interface = found.groups()
    place = int(index), seed or DEFAULT_SEED
    coordinate = Coordinate.at(family, float(level), *place, split) if split else Coordinate(family, int(level), *place)
    if tag is not None and not coordinate.name.endswith(tag):
        raise InputError(f"{quoted(text)} is a world of another seed: name the seed of its stream")
    return coordinate, None if interface is None else Interface(interface)


def world(text: str, interface: Interface = Interface.DIRECT, seed: str | None = None) -> World:
    """The world with that id, of the development split or of a seed's; the interface counts where the id names none."""
    coordinate, named = parse_id(text, seed)
    return build(admit(coordinate), named or interface)
