"""Mutation check: every false claim is reported by the proof that should report it (D1, D7)."""

import json
from dataclasses import replace

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.core.interface import Interface
from algoworlds.core.tool import Refusal
from algoworlds.errors import AlgoWorldsError
from algoworlds.families import FAMILIES
from algoworlds.suites import bundle as bundle_module
from algoworlds.suites.bundle import build_bundles
from algoworlds.suites.claims.leaks import refusal_texts
from algoworlds.suites.claims.registry import CLAIMS, InstanceCase
from algoworlds.suites.counterfactual import CounterfactualSearch, is_optimum_refuted
from algoworlds.worlds.admission import Candidate, Coordinate, admit, certify, find_broken_rule
from algoworlds.worlds.episode import _FIXED_OBSERVATIONS, _REFUSAL_OBSERVATIONS
from algoworlds.worlds.observation import Observation, Status
from algoworlds.worlds.world import World
from tests.certified import certified_instance

PAIR = [Interface.DIRECT, Interface.MEDIATED]
CLAIM = {claim.check.__name__: claim for claim in CLAIMS}


@pytest.fixture(scope="module", params=["fleet_dispatch", "machine_layout", "evidence_joined_routing"])
def pair(request):
    return build_bundles(certified_instance(request.param, 1, 1), PAIR)


def failing_claims(pair):
    case = InstanceCase(tuple(pair))
    return {name for name, claim in CLAIM.items() if any(problem for _, problem in claim.check(case))}


def mutate(pair, **changes):
    return [replace(bundle, **{name: change(bundle) for name, change in changes.items()}) for bundle in pair]


def test_true_claims_pass_every_proof(pair):
    assert failing_claims(pair) == set()
    units = {name: sum(1 for _ in claim.check(InstanceCase(tuple(pair)))) for name, claim in CLAIM.items()}
    family = FAMILIES[pair[0].coordinate.family]
    assert units["acquisition"] == 4
    assert units["channel_counterfactual"] == 2 * len(family.channels)
    assert units["response_isolation"] == 2 * (len(family.tools) + 1)
    assert units["membership"] == units["agreement"] == units["pairing"] == 1


def test_reports_a_wrong_optimum(pair):
    assert {"agreement", "decision_checking"} <= failing_claims(mutate(pair, optimum=lambda bundle: bundle.optimum + 1))
    assert "agreement" in failing_claims(mutate(pair, decision=lambda bundle: bundle.reference))


def test_reports_wrong_work(pair):
    changed = mutate(pair, work=lambda bundle: bundle.work._replace(update=bundle.work.update + 1))
    assert failing_claims(changed) == {"agreement"}


def test_reports_another_instance(pair):
    other = certified_instance(pair[0].coordinate.family, 1, 2).instance
    assert "membership" in failing_claims(mutate(pair, instance=lambda bundle: other))


def test_reports_a_later_admissible_attempt(pair):
    """The instance of a coordinate is its first admitted attempt; a later one is valid in all other claims."""
    place, attempt = pair[0].coordinate, pair[0].attempt
    later = next(later for later in range(attempt + 1, attempt + 50) if find_broken_rule(Candidate(place, later)) is None)
    assert failing_claims(build_bundles(certify(Candidate(place, later)), PAIR)) == {"membership"}


def test_reports_a_reference_equal_to_the_optimum(pair):
    changed = mutate(pair, reference=lambda bundle: bundle.decision, reference_value=lambda bundle: bundle.optimum)
    assert "reference" in failing_claims(changed)


def test_reports_a_plan_that_lacks_a_call(pair):
    def shorten(bundle):
        return {name: plan[:-1] for name, plan in bundle.plans.items()}

    assert failing_claims(mutate(pair, plans=shorten)) == {"acquisition"}


def test_reports_a_budget_one_too_low(pair):
    assert {"acquisition"} <= failing_claims(mutate(pair, budget=lambda bundle: bundle.budget - 1))


def test_reports_a_budget_that_buys_everything(pair):
    assert "catalog" in failing_claims(mutate(pair, budget=lambda bundle: 10**6))


def test_reports_a_counterfactual_that_changes_nothing(pair):
    def without_change(bundle):
        channel, solved = next(iter(bundle.channels.items()))
        (fact, _), *_ = solved.counterfactual.change
        counterfactual = replace(solved.counterfactual, change=((fact, fact.row),))
        return bundle.channels | {channel: replace(solved, counterfactual=counterfactual)}

    assert failing_claims(mutate(pair, channels=without_change)) == {"channel_counterfactual"}


def test_reports_a_missing_counterfactual(pair):
    assert failing_claims(mutate(pair, channels=lambda bundle: {})) == {"channel_counterfactual"}
    assert failing_claims(mutate(pair, responses=lambda bundle: {})) == {"response_isolation"}


def test_reports_a_response_that_shows_the_change(pair):
    def reveal(bundle):
        isolated, solved = next(iter(bundle.responses.values())), next(iter(bundle.channels.values()))
        (fact, _), *_ = solved.counterfactual.change
        world = bundle.world
        call = next(call for call in world.catalog if fact in world.facts([json.loads(world.records(call))]))
        return bundle.responses | {call.tool: replace(isolated, call=call, solved=solved)}

    assert "response_isolation" in failing_claims(mutate(pair, responses=reveal))


def test_reports_a_leaked_value(pair):
    assert "leak_audit" in failing_claims(mutate(pair, question=lambda bundle: bundle.question + f"\nHint: {bundle.optimum}\n"))


@pytest.mark.parametrize("secret", ["optimum", "reference_value"])
def test_reports_a_response_with_a_secret(pair, monkeypatch, secret):
    """The value is noted in one response of one world."""
    read_records = World.records

    def records(self, call):
        text = read_records(self, call)
        return text[:-1] + f',"note":{abs(getattr(pair[0], secret))}}}' if call == self.catalog[-1] else text

    monkeypatch.setattr(World, "records", records)
    problems = [problem for _, problem in CLAIM["leak_audit"].check(InstanceCase(tuple(pair)))]
    assert all(problem is not None and problem.startswith("a response of ") for problem in problems)


def test_reports_a_response_with_the_decision(pair, monkeypatch):
    read_records, family = World.records, FAMILIES[pair[0].coordinate.family]
    decision = canonical_json(family.decision.arguments(pair[0].decision))

    def records(self, call):
        text = read_records(self, call)
        return text if isinstance(text, Refusal) else text[:-1] + f',"note":{decision}}}'

    monkeypatch.setattr(World, "records", records)
    problems = [problem for _, problem in CLAIM["leak_audit"].check(InstanceCase(tuple(pair)))]
    assert all(problem is not None and problem.endswith(" reveals the optimal decision") for problem in problems)


@pytest.mark.parametrize(
    "status", [Status.UNKNOWN_TOOL, Status.BAD_ARGUMENTS, Status.EVALUATION_USED, Status.MALFORMED_DECISION]
)
def test_reports_an_error_text_with_a_secret(pair, monkeypatch, status):
    text = f'{{"error":"no, {pair[0].optimum} it is"}}'
    monkeypatch.setitem(_FIXED_OBSERVATIONS, status, Observation(status, 0, text))
    # The same text is also looked up by reason.
    monkeypatch.setitem(_REFUSAL_OBSERVATIONS, Refusal.SCHEMA, _FIXED_OBSERVATIONS[Status.BAD_ARGUMENTS])
    problems = [problem for _, problem in CLAIM["leak_audit"].check(InstanceCase(tuple(pair)))]
    assert set(problems) == {"an error text reveals more than a price"}


def test_reports_an_error_text_with_an_id(pair, monkeypatch):
    text = '{"error":"did you mean job-0123456789?"}'
    monkeypatch.setitem(_REFUSAL_OBSERVATIONS, Refusal.UNKNOWN_ID, Observation(Status.UNKNOWN_ID, 0, text))
    assert "leak_audit" in failing_claims(pair)


OTHER_REFUSALS = (Status.BAD_WINDOW, Status.OVER_COMPUTE)
"""Reasons that no world has: each window names its own range, and only tracks let agents compute."""


def test_refusal_texts_cover_every_reason(pair):
    texts = set(refusal_texts(pair[0].world))
    fixed = {observation.text for status, observation in _FIXED_OBSERVATIONS.items() if status not in OTHER_REFUSALS}
    assert fixed - texts == set()
    assert any("costs more" in text for text in texts)


def test_reports_interfaces_with_equal_records(pair, monkeypatch):
    """Without mediation both interfaces present the same records."""
    family = FAMILIES[pair[0].coordinate.family]
    direct = replace(family, template=replace(family.template, mediation={}))
    monkeypatch.setitem(FAMILIES, family.name, direct)
    assert "pairing" in failing_claims(pair)


def test_reports_a_second_optimum():
    bundles = build_bundles(certified_instance("fleet_dispatch", 1, 1), PAIR)
    instance = bundles[0].instance
    tied = instance.replace(route_cost=dict.fromkeys(instance.route_cost, 1), activation=dict.fromkeys(instance.vehicle, 0))
    assert "agreement" in failing_claims(mutate(bundles, instance=lambda bundle: tied))


def test_search_fails_when_every_change_shows(monkeypatch):
    monkeypatch.setattr(bundle_module, "first_response", lambda world, call: object())
    with pytest.raises(AlgoWorldsError, match="every change of the optimum shows"):
        build_bundles(certified_instance("fleet_dispatch", 0, 1), [Interface.DIRECT])


def test_a_rival_equal_to_the_optimum_does_not_make_steps_too_small():
    """In this warm-up one random rival is the optimum itself; steps of one would change nothing."""
    place = Coordinate("migration_portfolio", 0, 1, "a seed for doors, long enough", "00112233445566778899aabbccddeeff")
    admitted = admit(place)
    search = CounterfactualSearch(admitted.family, admitted.instance, admitted.solution.decision)
    rivals = search._sample_rivals("catalog")
    assert admitted.optimum in {admitted.family.check(admitted.instance, rival).value for rival in rivals}
    counterfactual = search.find("catalog")
    changed = counterfactual.apply(admitted.instance)
    assert is_optimum_refuted(admitted.family, changed, admitted.solution.decision, counterfactual.witness)
