"""What a claim is: a function that proves it anew for the worlds of one instance.

A claim yields its units by name, with the reason of failure or None. Bundles say what to prove (plans, witnesses); nothing of
what they assert is believed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.work import Solution
from algoworlds.errors import InstanceError
from algoworlds.suites.bundle import Bundle, Moved
from algoworlds.worlds.world import World

Unit = tuple[str, str | None]
"""One unit of a claim by name, and why it fails, if it does."""


@dataclass(frozen=True, eq=False)
class Case:
    """The bundles of all worlds of one instance, with what several claims need computed once."""

    bundles: tuple[Bundle, ...]

    @property
    def first(self) -> Bundle:
        """Any of the worlds; instance-level claims are the same in all."""
        return self.bundles[0]

    @cached_property
    def instances(self) -> list[Any]:
        """The instances that the worlds carry; one that several were read to share stands here once."""
        return list({id(each.instance): each.instance for each in self.bundles}.values())

    @cached_property
    def family(self) -> Any:
        """The family of the instance."""
        return self.first.world.family

    @cached_property
    def solution(self) -> Solution[Any]:
        """The construction algorithm's word on the instance."""
        return self.family.solve(self.first.instance)  # type: ignore[no-any-return]

    @property
    def rivals(self) -> list[Any]:
        """Decisions that are optimal after some change: wherever one beats the optimum, nobody needs to solve."""
        moved = [*self.first.channels.values(), *(each.moved for each in self.first.responses.values())]
        return [each.decision for each in moved]

    @cached_property
    def worlds(self) -> dict[Interface, World]:
        """The worlds, built anew from the claimed instance."""
        return {each.interface: each.world for each in self.bundles}

    @cached_property
    def _solved(self) -> dict[Any, tuple[Any, Solution[Any]] | None]:
        return {}

    @cached_property
    def rebuilt(self) -> Callable[[World, frozenset[Fact]], Any]:
        """The instance that some facts determine: the same for every world of the case, since the question is."""
        known: dict[frozenset[Fact], Any] = {}

        def rebuild(world: World, facts: frozenset[Fact]) -> Any:
            if facts not in known:
                known[facts] = world.rebuild(facts)
            return known[facts]

        return rebuild

    @cached_property
    def problems(self) -> dict[Any, str | None]:
        """What was found wrong with each counterfactual."""
        return {}

    def changed(self, moved: Moved) -> tuple[Any, Solution[Any]] | None:
        """The instance after a counterfactual, and its optimum, solved once for all units; None if it is no instance."""
        key = moved.counterfactual.change
        if key not in self._solved:
            self._solved[key] = self._change(moved)
        return self._solved[key]

    def _change(self, moved: Moved) -> tuple[Any, Solution[Any]] | None:
        facts = self.first.instance.facts
        if not all(fact in facts for fact, _ in moved.counterfactual.change):
            return None
        try:
            instance = moved.counterfactual.apply(self.first.instance)
        except InstanceError:
            return None
        return instance, self.family.solve(instance)


@dataclass(frozen=True)
class Claim:
    """A line of the validation summary: what is claimed, of what, and the function that proves it unit by unit."""

    name: str
    unit: str
    check: Callable[[Case], Iterator[Unit]]
