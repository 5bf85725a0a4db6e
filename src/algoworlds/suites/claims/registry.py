"""The claims about one instance's worlds, each with the function that proves it; `CLAIMS` lists them.

A claim yields its units by name, with the reason of failure or None. Bundles say what to prove (plans, witnesses); nothing
they assert is trusted. What only a whole suite shows (integrity, panels, order leaks) is proven by `suites.validation`.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from operator import itemgetter
from typing import Any

from algoworlds.core.canonical import canonical_json
from algoworlds.core.condition import CLEAR, Look
from algoworlds.core.interface import Interface
from algoworlds.core.tool import Call
from algoworlds.core.work import Solution, work_band
from algoworlds.errors import InstanceError
from algoworlds.knowledge.certificate import Certificate, informative_calls, risk_by_spend
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from algoworlds.suites.bundle import Bundle, IsolatedResponse, SolvedCounterfactual, first_response, with_instance
from algoworlds.suites.claims.errors import true_numbers
from algoworlds.suites.claims.leaks import find_leak
from algoworlds.suites.counterfactual import is_optimum_refuted
from algoworlds.worlds.admission import Candidate, draw_instance, find_broken_rule
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.ties import MAX_OPTIMA, MIN_OPTIMA
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
    def family(self) -> Any:
        """The family of the instance."""
        return self.first_bundle.world.family

    @cached_property
    def solution(self) -> Solution[Any]:
        """The construction algorithm's solution."""
        return self.family.solve(self.first_bundle.instance)  # type: ignore[no-any-return]

    @property
    def optima(self) -> tuple[Any, ...]:
        """The optimal decisions: the solution's, or those that the bundle of a tied world lists, which `agreement` proves."""
        return self.first_bundle.optima if self.first_bundle.coordinate.tied else (self.solution.decision,)

    @cached_property
    def pairs(self) -> list[tuple[Bundle, World]]:
        """Each bundle with a new world around the claimed instance."""
        return [(bundle, bundle.world) for bundle in self.bundles]

    @property
    def worlds(self) -> dict[Interface, World]:
        """The worlds of the first condition, by interface."""
        first = self.first_bundle.coordinate.condition
        return {bundle.interface: world for bundle, world in self.pairs if bundle.coordinate.condition == first}

    @property
    def conditioned_worlds(self) -> list[World]:
        """The worlds that show numbers with errors."""
        return [world for _, world in self.pairs if world.law is not None]

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


def membership(case: InstanceCase) -> Iterator[UnitResult]:
    """Each coordinate yields its instance reproducibly: the first of its attempts that is admitted."""
    coordinate, attempt = case.first_bundle.coordinate, case.first_bundle.attempt
    drawn = draw_instance(coordinate, attempt)
    same = all((bundle.attempt, bundle.instance) == (attempt, drawn) for bundle in case.bundles)
    first = same and all(find_broken_rule(Candidate(coordinate, earlier)) is not None for earlier in range(attempt))
    yield coordinate.name, None if first else "the coordinate yields another instance"


def agreement(case: InstanceCase) -> Iterator[UnitResult]:
    """Construction and verification agree on the optimal decision and value, and both confirm it as unique.

    In a tied world verification counts as many optima as are listed, and all of these are different and have the optimal value.
    """
    first, solution = case.first_bundle, case.solution
    low, high = work_band(first.coordinate.level)
    problem = None
    verified = case.family.verify(first.instance)
    if first.coordinate.tied:
        problem = _tie_problem(case, verified)
    elif not solution.agrees_with(verified) or not solution.unique or first.others:
        problem = "the two algorithms do not confirm one unique optimum"
    if problem is not None:
        pass
    elif (solution.value, case.optima[0], solution.work) != (first.optimum, first.decision, first.work):
        problem = "the recorded optimum or work is another"
    elif not low <= solution.work.total <= high:
        problem = f"the work of {solution.work.total:,} lies outside its band"
    yield first.coordinate.name, problem


def _tie_problem(case: InstanceCase, verified: Solution[Any]) -> str | None:
    first, to_json = case.first_bundle, case.family.decision.arguments
    texts = [canonical_json(to_json(decision)) for decision in first.optima]
    if any(bundle.optima != first.optima for bundle in case.bundles) or texts != sorted(set(texts)):
        return "the optima are not listed once each, in the order of their texts"
    if not case.solution.agrees_with(verified) or not MIN_OPTIMA <= verified.optima == len(texts) <= MAX_OPTIMA:
        return f"the two algorithms do not confirm {len(texts)} optima"
    values = {case.family.check(first.instance, decision).value for decision in first.optima}
    return None if values == {verified.value} else "a listed optimum has another value"


def decision_checking(case: InstanceCase) -> Iterator[UnitResult]:
    """The checker accepts the verified optimal decision and reproduces its objective value."""
    for bundle, world in case.pairs:
        verdict = case.family.check(bundle.instance, bundle.decision)
        right = verdict.feasible and verdict.value == bundle.optimum == case.solution.value
        yield world.id, None if right else "the checker does not reproduce the optimum"


def reference(case: InstanceCase) -> Iterator[UnitResult]:
    """The reference decision is feasible and has a positive gap."""
    for bundle, world in case.pairs:
        verdict = case.family.check(bundle.instance, bundle.reference)
        problem = None
        if not verdict.feasible or verdict.value != bundle.reference_value:
            problem = "the reference is not feasible at its recorded value"
        elif not case.family.sense.is_better(case.solution.value, than=verdict.value):
            problem = "the reference is optimal"
        yield world.id, problem


def acquisition(case: InstanceCase) -> Iterator[UnitResult]:
    """A plan's responses rebuild the instance, span several channels, and fit within budget and cap with one evaluation.

    Under a condition, measured calls are repeated until they are exact.
    """
    for bundle, world in case.pairs:
        for name, plan in bundle.plans.items():
            yield f"{world.id} {name}", _plan_problem(case, bundle, world, name, plan)


def _plan_problem(case: InstanceCase, bundle: Bundle, world: World, name: str, plan: tuple[Call, ...]) -> str | None:
    evaluate, law = world.prices[world.family.template.decision_tools.evaluate], world.law
    calls = world.exact_calls(plan)
    episode = Episode(world, calls)
    if any(observation.status is not Status.EXECUTED for observation in episode.observations):
        return "a call of the plan is not executed"
    if world.cost(calls) + evaluate > bundle.budget or bundle.budget != world.budget:
        return "the plan and the evaluation do not fit within the budget"
    if len(calls) + 1 > world.call_cap:
        return "the plan does not fit within the call cap"
    facts, instance = episode.facts, bundle.instance
    if not facts == bundle.sufficient_sets.get(name) == instance.facts or world.instance_from_facts(facts) != instance:
        return "the responses do not rebuild the instance"
    # Where numbers change once, the plan with most calls before its measured ones makes everything known.
    becomes_exact = law is not None and (not law.condition.changes_once or calls == world.safe_plan)
    if becomes_exact and (any(box.width for box in episode.boxes.values()) or episode.estimated_facts != facts):
        return "the responses do not become exact"
    channels = {instance.relations[relation].channel for relation in {fact.relation for fact in facts}} - {None}
    return None if len(channels) > 1 else "the facts come from a single channel"


def catalog(case: InstanceCase) -> Iterator[UnitResult]:
    """Issuing every request of the finite fact-revealing catalog exceeds the budget."""
    for bundle, world in case.pairs:
        measured = [call for call in world.catalog if call.tool in world.family.measuring_tools]
        cost = world.cost(world.catalog) + ((1 if world.law is None else world.law.rungs) - 1) * world.cost(measured)
        yield world.id, None if cost > bundle.budget else "the budget buys the whole catalog"


def channel_counterfactual(case: InstanceCase) -> Iterator[UnitResult]:
    """For every channel, a change in it alone changes the verified optimal decision."""
    for bundle, world in case.pairs:
        for channel in case.family.channels:
            solved = bundle.channels.get(channel)
            problem = "no counterfactual" if solved is None else _counterfactual_problem(case, channel, solved)
            yield f"{world.id} {channel}", problem


def _counterfactual_problem(case: InstanceCase, channel: str, solved: SolvedCounterfactual) -> str | None:
    """Why a counterfactual proves nothing, or None."""
    instance, relations = case.first_bundle.instance, case.first_bundle.instance.relations
    after = case.solve_changed(solved)
    if after is None:
        return "the change does not fit the instance"
    changed, solution = after
    if any(relations[fact.relation].channel != channel for fact, _ in solved.counterfactual.change):
        return "the change reaches another channel"
    others = [name for name, relation in relations.items() if relation.channel != channel]
    if any(getattr(instance, name) != getattr(changed, name) for name in others):
        return "facts of another channel changed"
    witness = solved.counterfactual.witness
    if not all(is_optimum_refuted(case.family, changed, optimum, witness) for optimum in case.optima):
        return "the witness does not refute the old optimum"
    if (solution.value, solution.decision) != (solved.optimum, solved.decision) or solution.decision in case.optima:
        return "the optimal decision does not change as recorded"
    return None


def response_isolation(case: InstanceCase) -> Iterator[UnitResult]:
    """A response stays the same while an unrevealed fact and the verified optimal decision change."""
    for bundle, world in case.pairs:
        for tool in world.prices:
            isolated = bundle.responses.get(tool)
            yield f"{world.id} {tool}", "no counterfactual" if isolated is None else _isolation_problem(case, world, isolated)


def _isolation_problem(case: InstanceCase, world: World, isolated: IsolatedResponse) -> str | None:
    problem = _counterfactual_problem(case, isolated.solved.counterfactual.channel, isolated.solved)
    after = case.solve_changed(isolated.solved)
    if after is None or problem is not None:
        return problem
    fixed = first_response(world, isolated.call) == first_response(with_instance(world, after[0]), isolated.call)
    return None if fixed else "the response changes"


def pairing(case: InstanceCase) -> Iterator[UnitResult]:
    """Complete private records rebuild the same instance while their relational structures differ.

    Under a condition, the worlds show the same readings, and questions are those of the clear world but for what differs.
    """
    for condition in dict.fromkeys(bundle.coordinate.condition for bundle in case.bundles):
        pairs = [(bundle, world) for bundle, world in case.pairs if bundle.coordinate.condition == condition]
        yield pairs[0][0].coordinate.name, _pairing_problem(case, [*map(itemgetter(0), pairs)], [*map(itemgetter(1), pairs)])


def _pairing_problem(case: InstanceCase, bundles: list[Bundle], worlds: list[World]) -> str | None:
    public = {canonical_json([world.question, world.tools, dict(world.prices), world.budget]) for world in worlds}
    claimed = {canonical_json([bundle.question, bundle.tools, bundle.prices, bundle.budget]) for bundle in bundles}
    collections = [world.store.all_record_sets for world in worlds]
    rebuilt = [world.instance_from_facts(world.facts([sets])) for world, sets in zip(worlds, collections, strict=True)]
    instance, problem = case.first_bundle.instance, None
    if len(public) != 1 or claimed != public:
        problem = "the worlds differ in question, tools, prices or budget"
    elif any(other != instance for other in rebuilt):
        problem = "a record collection does not rebuild the instance"
    elif len(worlds) > 1 and set(collections[0]) == set(collections[1]):
        problem = "the interfaces present the same relational structure"
    elif any(bundle.instance != instance for bundle in bundles):
        problem = "the conditions show different instances"
    elif _plain_question(worlds[0]) != _plain_question(replace_condition(worlds[0])):
        problem = "the question differs from that of the clear world in more than errors, budget and caps"
    elif any(len({canonical_json(_readings_json(world, call)) for world in worlds}) > 1 for call in worlds[0].catalog):
        problem = "the interfaces show different readings"
    return problem


def replace_condition(world: World) -> World:
    """The clear world of the same instance and interface."""
    return World(replace(world.coordinate, condition=CLEAR), world.instance, world.interface)


def _plain_question(world: World) -> str:
    """The question without what a condition may change: the paragraph on errors, budget and caps."""
    text = world.question.replace(f"\n\n{world.errors_paragraph}", "", 1) if world.errors_paragraph else world.question
    lines = [line for line in text.splitlines() if not line.startswith("- At most ")]
    caps = f"after {world.attempt_cap} calls of any kind", f"budget is {world.budget}."
    return "\n".join(lines).replace(caps[0], "", 1).replace(caps[1], "", 1)


def _readings_json(world: World, call: Call) -> list[Any]:
    phases = range(0 if world.law is None else len(world.law.widths))
    readings = (sorted(world.readings(Look(call, phase)).items()) for phase in phases)
    return [[[*spot], box.low, box.high] for reading in readings for spot, box in reading]


def error_law(case: InstanceCase) -> Iterator[UnitResult]:
    """Under a condition, every answer is within its width, and what is not drawn anew is the same in all answers."""
    for world in case.conditioned_worlds:
        yield world.id, _law_problem(world)


def _law_problem(world: World) -> str | None:
    law, seen, true = world.law, dict[Any, int](), dict(true_numbers(world))
    assert law is not None
    if law.widths[-1] != 0 or law.widths != law.condition.widths(
        world.family.conditions.spread_at(world.coordinate.difficulty)
    ):
        return "the errors do not end as the law says"
    calls = [call for call in world.catalog if call.tool in world.family.measuring_tools]
    shown = set[Any]()
    for call, phase in product(calls, range(len(law.widths))):
        for spot, box in world.readings(Look(call, phase)).items():
            width, reading = law.widths[phase], box.low + law.widths[phase]
            shown.add(spot)
            if abs(reading - true[spot]) > width:
                return f"an answer of {call.tool} is off by more than {width:,}"
            if not law.condition.is_renewed and seen.setdefault((spot, phase), reading) != reading:
                return f"an answer of {call.tool} shows another old number than an earlier one"
    return None if shown == true.keys() else "a measured number is never shown"


def leak_audit(case: InstanceCase) -> Iterator[UnitResult]:
    """Nothing public reveals the optimum, the decision, the work, the seed, the pepper or a hidden value."""
    for bundle, world in case.pairs:
        yield world.id, find_leak(bundle, world)


def certification(case: InstanceCase) -> Iterator[UnitResult]:
    """The oracle confirms that the calls of a certificate determine the optimum; that they are cheapest is not proven again."""
    for bundle, world in case.pairs:
        if bundle.certificate is not None:
            yield world.id, _certificate_problem(bundle.certificate, world, case)


def _certificate_problem(certificate: Certificate, world: World, case: InstanceCase) -> str | None:
    calls = certificate.calls
    if not set(calls) <= set(informative_calls(world)) or len(set(calls)) < len(calls):
        return "the certificate holds a call twice, or one that reveals nothing"
    if world.cost(calls) != certificate.cost or not 0 <= certificate.least <= certificate.cost:
        return "the certificate states another cost than its calls have"
    oracle = Oracle.from_world(world, case.solution.decision)
    if oracle.optimum_risk(ObservedCalls(calls)).determination is not Determination.DETERMINED:
        return "the certificate does not make the optimum known"
    assert world.ranges is not None  # it has a certificate
    risks = risk_by_spend(world, case.solution.decision, calls, world.ranges)
    return None if certificate.outlay == risks else "the certificate states other risks than its calls leave"


CLAIMS: tuple[Claim, ...] = (
    Claim("Fixed construction membership", "Hidden instance", membership),
    Claim("Optimum agreement and uniqueness", "Hidden instance", agreement),
    Claim("Decision checking", "Algorithmic world", decision_checking),
    Claim("Reference decision", "Algorithmic world", reference),
    Claim("Sufficient information acquisition", "Acquisition plan", acquisition),
    Claim("Full-catalog budget", "Algorithmic world", catalog),
    Claim("Channel counterfactual", "World-channel pair", channel_counterfactual),
    Claim("Response isolation", "Selected response", response_isolation),
    Claim("Paired-interface equivalence", "Direct-Mediated pair", pairing),
    Claim("Leak audit", "World, file, order or range", leak_audit),
    Claim("Certificate", "Algorithmic world", certification),
    Claim("Law of errors", "Conditioned world", error_law),
)
"""In the order of the paper's validation summary, which has no certificates and conditions."""
