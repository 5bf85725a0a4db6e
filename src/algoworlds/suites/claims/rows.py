"""The rows of the validation summary: one function a row, each proving its claim anew for the worlds of one instance.

A row yields its units by name, with the reason of failure or None. Claims say what to prove (plans, witnesses); nothing
of what they assert is believed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from algoworlds.core.canonical import canonical_text
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.core.work import BANDS, Solution
from algoworlds.errors import InstanceError
from algoworlds.suites.claims.claims import Claims, Isolated, Moved, response, with_instance
from algoworlds.suites.claims.counterfactual import refutes
from algoworlds.suites.claims.leaks import leaks
from algoworlds.worlds.admit import Candidate, instance_at, refusal
from algoworlds.worlds.episode import Episode, Status
from algoworlds.worlds.world import CALL_CAP, World

Unit = tuple[str, str | None]


@dataclass(frozen=True, eq=False)
class Case:
    """The claims of all worlds of one instance, with what several rows need computed once."""

    claims: tuple[Claims, ...]

    @property
    def first(self) -> Claims:
        """Any of the worlds; instance-level claims are the same in all."""
        return self.claims[0]

    @cached_property
    def family(self) -> Any:
        """The family of the instance."""
        return self.first.world.family

    @cached_property
    def solution(self) -> Solution[Any]:
        """The construction algorithm's word on the instance."""
        return self.family.solve(self.first.instance)  # type: ignore[no-any-return]

    @cached_property
    def worlds(self) -> dict[Interface, World]:
        """The worlds, built anew from the claimed instance."""
        return {each.interface: each.world for each in self.claims}

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


def membership(case: Case) -> Iterator[Unit]:
    """Each predetermined coordinate yields its reproducible instance: the first of its attempts that is admitted."""
    place, attempt = case.first.coordinate, case.first.attempt
    drawn = instance_at(place, attempt).text
    same = all(each.instance.text == drawn and each.attempt == attempt for each in case.claims)
    first = same and all(refusal(Candidate(place, earlier)) is not None for earlier in range(attempt))
    yield place.name, None if first else "the coordinate yields another instance"


def agreement(case: Case) -> Iterator[Unit]:
    """Construction and verification agree on the optimal decision and value, and both confirm it as unique."""
    first, solution = case.first, case.solution
    low, high = BANDS.get(first.coordinate.level, (1, 2**13))
    problem = None
    if not solution.agrees(case.family.verify(first.instance)) or not solution.unique:
        problem = "the two algorithms do not confirm one unique optimum"
    elif (solution.value, solution.decision, solution.work) != (first.optimum, first.decision, first.work):
        problem = "the recorded optimum or work is another"
    elif not low <= solution.work.total <= high:
        problem = f"the work of {solution.work.total:,} lies outside its band"
    yield first.coordinate.name, problem


def decision_checking(case: Case) -> Iterator[Unit]:
    """The checker accepts the verified optimal decision and reproduces its objective value."""
    for each, world in zip(case.claims, case.worlds.values(), strict=True):
        verdict = case.family.check(each.instance, each.decision)
        right = verdict.feasible and verdict.value == each.optimum == case.solution.value
        yield world.id, None if right else "the checker does not reproduce the optimum"


def reference(case: Case) -> Iterator[Unit]:
    """The reference is feasible and has a positive gap."""
    for each, world in zip(case.claims, case.worlds.values(), strict=True):
        verdict = case.family.check(each.instance, each.reference)
        problem = None
        if not verdict.feasible or verdict.value != each.reference_value:
            problem = "the reference is not feasible at its recorded value"
        elif not case.family.sense.better(case.solution.value, than=verdict.value):
            problem = "the reference is optimal"
        yield world.id, problem


def acquisition(case: Case) -> Iterator[Unit]:
    """A plan's responses rebuild the instance, span several channels, and fit within budget and cap with the reserve."""
    for each, world in zip(case.claims, case.worlds.values(), strict=True):
        for name, plan in each.plans.items():
            yield f"{world.id} {name}", _plan_problem(case, each, world, name, plan)


def _plan_problem(case: Case, claims: Claims, world: World, name: str, plan: tuple[Call, ...]) -> str | None:
    evaluate = world.prices[world.family.template.closing.evaluate]
    episode = Episode(world, plan)
    if any(observation.status is not Status.EXECUTED for observation in episode.observations):
        return "a call of the plan is not executed"
    if world.cost(plan) + evaluate > claims.budget or claims.budget != world.budget:
        return "the plan and the evaluation do not fit within the budget"
    if len(plan) + 1 > CALL_CAP:
        return "the plan does not fit within the call cap"
    facts = episode.facts
    if facts != claims.sets.get(name) or facts != claims.instance.facts or case.rebuilt(world, facts) != claims.instance:
        return "the responses do not rebuild the instance"
    channels = {claims.instance.relations[fact.relation].channel for fact in facts} - {None}
    return None if len(channels) > 1 else "the facts come from a single channel"


def catalog(case: Case) -> Iterator[Unit]:
    """Issuing every request of the finite fact-revealing catalog exceeds the budget."""
    for each, world in zip(case.claims, case.worlds.values(), strict=True):
        yield world.id, None if world.cost(world.catalog) > each.budget else "the budget buys the whole catalog"


def channel_counterfactual(case: Case) -> Iterator[Unit]:
    """Other channels' observations stay as they are while the verified optimal decision changes."""
    for each, world in zip(case.claims, case.worlds.values(), strict=True):
        for channel in case.family.channels:
            moved = each.channels.get(channel)
            yield f"{world.id} {channel}", "no counterfactual" if moved is None else _moved_problem(case, channel, moved)


def _moved_problem(case: Case, channel: str, moved: Moved) -> str | None:
    """Why a counterfactual proves nothing, if so; found once for all units that rest on the same one."""
    key = (channel, moved.counterfactual.change, canonical_text([moved.counterfactual.witness, moved.optimum, moved.decision]))
    if key not in case.problems:
        case.problems[key] = _refuted(case, channel, moved)
    return case.problems[key]


def _refuted(case: Case, channel: str, moved: Moved) -> str | None:
    instance, relations = case.first.instance, case.first.instance.relations
    after = case.changed(moved)
    if after is None:
        return "the change does not fit the instance"
    changed, solution = after
    if any(relations[fact.relation].channel != channel for fact, _ in moved.counterfactual.change):
        return "the change reaches another channel"
    others = [name for name, each in relations.items() if each.channel != channel]
    if any(getattr(instance, name) != getattr(changed, name) for name in others):
        return "facts of another channel changed"
    if not refutes(case.family, changed, case.solution.decision, moved.counterfactual.witness):
        return "the witness does not refute the old optimum"
    if (solution.value, solution.decision) != (moved.optimum, moved.decision) or solution.decision == case.solution.decision:
        return "the optimal decision does not change as recorded"
    return None


def response_isolation(case: Case) -> Iterator[Unit]:
    """A response stays as it is while an unrevealed fact and the verified optimal decision change."""
    for each, world in zip(case.claims, case.worlds.values(), strict=True):
        for tool in world.prices:
            isolated = each.responses.get(tool)
            if isolated is None:
                yield f"{world.id} {tool}", "no counterfactual"
                continue
            yield f"{world.id} {tool}", _isolation_problem(case, world, isolated)


def _isolation_problem(case: Case, world: World, isolated: Isolated) -> str | None:
    problem = _moved_problem(case, isolated.moved.counterfactual.channel, isolated.moved)
    after = case.changed(isolated.moved)
    if after is None or problem is not None:
        return problem
    fixed = response(world, isolated.call) == response(with_instance(world, after[0]), isolated.call)
    return None if fixed else "the response changes"


def pairing(case: Case) -> Iterator[Unit]:
    """Complete private records rebuild the same instance while their relational structures differ."""
    worlds = list(case.worlds.values())
    shared = {canonical_text([world.question, world.tools, dict(world.prices), world.budget]) for world in worlds}
    claimed = {canonical_text([each.question, each.tools, each.prices, each.budget]) for each in case.claims}
    collections = [world.store.everything for world in worlds]
    problem = None
    if len(shared) != 1 or claimed != shared:
        problem = "the worlds differ in question, tools, prices or budget"
    elif any(
        world.rebuild(world.facts([each])) != case.first.instance for world, each in zip(worlds, collections, strict=True)
    ):
        problem = "a record collection does not rebuild the instance"
    elif len(worlds) > 1 and set(collections[0]) == set(collections[1]):
        problem = "the interfaces present the same relational structure"
    yield case.first.coordinate.name, problem


def leak_audit(case: Case) -> Iterator[Unit]:
    """Nothing public tells the optimum, the decision, the work, the seed or a hidden value."""
    for each, world in zip(case.claims, case.worlds.values(), strict=True):
        yield world.id, leaks(each, world)


@dataclass(frozen=True)
class Row:
    """A line of the validation summary."""

    name: str
    unit: str
    check: Callable[[Case], Iterator[Unit]]


ROWS = (
    Row("Fixed construction membership", "Hidden instance", membership),
    Row("Optimum agreement and uniqueness", "Hidden instance", agreement),
    Row("Decision checking", "Algorithmic world", decision_checking),
    Row("Reference decision", "Algorithmic world", reference),
    Row("Sufficient information acquisition", "Acquisition plan", acquisition),
    Row("Full-catalog budget", "Algorithmic world", catalog),
    Row("Channel counterfactual", "World-channel pair", channel_counterfactual),
    Row("Response isolation", "Selected response", response_isolation),
    Row("Paired-interface equivalence", "Direct-Mediated pair", pairing),
    Row("Leak audit", "World, file or order", leak_audit),
)
"""The rows that one case at a time can prove; integrity, the shortcut panel and order leaks look at a whole suite."""
