"""What a claim is: a function that proves an assertion again for the worlds of one instance.

A claim yields its units by name, with the reason of failure or None. Bundles say what to prove (plans, witnesses); nothing
they assert is trusted.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.work import Solution
from algoworlds.errors import InstanceError
from algoworlds.suites.bundle import Bundle, SolvedCounterfactual
from algoworlds.worlds.world import World

UnitResult = tuple[str, str | None]
"""The name of a unit, and why it fails, or None."""


@dataclass(frozen=True, eq=False)
class InstanceCase:
    """The bundles of all worlds of one instance, with a cache for what several claims need."""

    bundles: tuple[Bundle, ...]

    @property
    def first_bundle(self) -> Bundle:
        """The first bundle; claims about the instance are the same in all."""
        return self.bundles[0]

    @cached_property
    def instances(self) -> list[Any]:
        """The distinct instance objects of the bundles."""
        return list({id(bundle.instance): bundle.instance for bundle in self.bundles}.values())

    @cached_property
    def family(self) -> Any:
        """The family of the instance."""
        return self.first_bundle.world.family

    @cached_property
    def solution(self) -> Solution[Any]:
        """The construction algorithm's solution."""
        return self.family.solve(self.first_bundle.instance)  # type: ignore[no-any-return]

    @property
    def rivals(self) -> list[Any]:
        """Decisions that are optimal after some change; where one beats the optimum, solving is unnecessary."""
        responses = self.first_bundle.responses.values()
        solved = [*self.first_bundle.channels.values(), *(response.solved for response in responses)]
        return [counterfactual.decision for counterfactual in solved]

    @cached_property
    def worlds(self) -> dict[Interface, World]:
        """New worlds around the claimed instance, by interface."""
        return {bundle.interface: bundle.world for bundle in self.bundles}

    @property
    def pairs(self) -> list[tuple[Bundle, World]]:
        """Each bundle with its world."""
        return list(zip(self.bundles, self.worlds.values(), strict=True))

    @cached_property
    def _instances_by_facts(self) -> dict[frozenset[Fact], Any]:
        return {}

    def rebuild(self, world: World, facts: frozenset[Fact]) -> Any:
        """The instance that `facts` determine; cached, since all worlds of the case have the same question."""
        if facts not in self._instances_by_facts:
            self._instances_by_facts[facts] = world.instance_from_facts(facts)
        return self._instances_by_facts[facts]

    @cached_property
    def counterfactual_problems(self) -> dict[Any, str | None]:
        """What is wrong with each counterfactual checked so far."""
        return {}

    @cached_property
    def _changed_solutions(self) -> dict[Any, tuple[Any, Solution[Any]] | None]:
        return {}

    def solve_changed(self, solved: SolvedCounterfactual) -> tuple[Any, Solution[Any]] | None:
        """The instance after a counterfactual with its solution, cached; None if the change does not fit or is invalid."""
        change = solved.counterfactual.change
        if change not in self._changed_solutions:
            facts, instance = self.first_bundle.instance.facts, None
            if all(fact in facts for fact, _ in change):
                with suppress(InstanceError):
                    instance = solved.counterfactual.apply(self.first_bundle.instance)
            self._changed_solutions[change] = None if instance is None else (instance, self.family.solve(instance))
        return self._changed_solutions[change]


@dataclass(frozen=True)
class Claim:
    """A line of the validation summary: the claim, its kind of unit, and the function that proves it."""

    name: str
    unit: str
    check: Callable[[InstanceCase], Iterator[UnitResult]]
