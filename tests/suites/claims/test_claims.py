"""Mutation check: every false claim is reported by the proof that should report it, and by no accident (D1, D7)."""

from dataclasses import replace

import pytest

from algoworlds.core.canonical import canonical_text
from algoworlds.core.interface import Interface
from algoworlds.core.tool import Refusal
from algoworlds.families import FAMILIES
from algoworlds.suites import bundle as bundle_module
from algoworlds.suites.bundle import bundles
from algoworlds.suites.claims.claim import Case
from algoworlds.suites.claims.counterfactual import Search, refutes
from algoworlds.suites.claims.leaks import rejections
from algoworlds.suites.claims.listed import CLAIMS
from algoworlds.worlds.admit import Candidate, Coordinate, admit, certify, refusal
from algoworlds.worlds.episode import _FIXED, _REFUSED
from algoworlds.worlds.observation import Observation, Status
from algoworlds.worlds.world import World
from tests.certified import certified

PAIR = [Interface.DIRECT, Interface.MEDIATED]
CLAIM = {claim.check.__name__: claim for claim in CLAIMS}


@pytest.fixture(scope="module", params=["fleet_dispatch", "machine_layout", "evidence_joined_routing"])
def pair(request):
    return bundles(certified(request.param, 1, 1), PAIR)


def failing(pair):
    case = Case(tuple(pair))
    return {name for name, claim in CLAIM.items() if any(problem for _, problem in claim.check(case))}


def mutated(pair, **changes):
    return [replace(each, **{name: make(each) for name, make in changes.items()}) for each in pair]


def test_true_claims_pass_every_proof(pair):
    assert failing(pair) == set()
    units = {name: sum(1 for _ in claim.check(Case(tuple(pair)))) for name, claim in CLAIM.items()}
    family = FAMILIES[pair[0].coordinate.family]
    assert units["acquisition"] == 4
    assert units["channel_counterfactual"] == 2 * len(family.channels)
    assert units["response_isolation"] == 2 * (len(family.tools) + 1)
    assert units["membership"] == units["agreement"] == units["pairing"] == 1


def test_a_wrong_optimum_is_reported(pair):
    assert {"agreement", "decision_checking"} <= failing(mutated(pair, optimum=lambda each: each.optimum + 1))
    assert "agreement" in failing(mutated(pair, decision=lambda each: each.reference))


def test_wrong_work_is_reported(pair):
    assert failing(mutated(pair, work=lambda each: each.work._replace(update=each.work.update + 1))) == {"agreement"}


def test_another_instance_is_reported(pair):
    other = certified(pair[0].coordinate.family, 1, 2).instance
    assert "membership" in failing(mutated(pair, instance=lambda each: other))


def test_a_later_admissible_attempt_is_reported(pair):
    """A coordinate has one instance, its first admitted attempt; a later one is valid in all else."""
    place, attempt = pair[0].coordinate, pair[0].attempt
    later = next(each for each in range(attempt + 1, attempt + 50) if refusal(Candidate(place, each)) is None)
    assert failing(bundles(certify(Candidate(place, later)), PAIR)) == {"membership"}


def test_a_reference_equal_to_the_optimum_is_reported(pair):
    changed = mutated(pair, reference=lambda each: each.decision, reference_value=lambda each: each.optimum)
    assert "reference" in failing(changed)


def test_a_plan_lacking_one_call_is_reported(pair):
    def without(each):
        return {name: plan[:-1] for name, plan in each.plans.items()}

    assert failing(mutated(pair, plans=without)) == {"acquisition"}


def test_a_budget_one_too_low_is_reported(pair):
    assert {"acquisition"} <= failing(mutated(pair, budget=lambda each: each.budget - 1))


def test_a_budget_that_buys_everything_is_reported(pair):
    assert "catalog" in failing(mutated(pair, budget=lambda each: 10**6))


def test_a_counterfactual_that_changes_nothing_is_reported(pair):
    def idle(each):
        channel, moved = next(iter(each.channels.items()))
        (fact, _), *_ = moved.counterfactual.change
        return each.channels | {
            channel: replace(moved, counterfactual=replace(moved.counterfactual, change=((fact, fact.row),)))
        }

    assert failing(mutated(pair, channels=idle)) == {"channel_counterfactual"}


def test_a_missing_counterfactual_is_reported(pair):
    assert failing(mutated(pair, channels=lambda each: {})) == {"channel_counterfactual"}
    assert failing(mutated(pair, responses=lambda each: {})) == {"response_isolation"}


def test_a_response_that_shows_the_change_is_reported(pair):
    def showing(each):
        _tool, isolated = next((tool, found) for tool, found in each.responses.items() if tool == tell(each))
        (fact, _), *_ = each.channels[channel_of(each)].counterfactual.change
        call = next(call for call in each.world.catalog if fact in each.world.facts([load(each.world, call)]))
        moved = each.channels[channel_of(each)]
        return each.responses | {call.tool: replace(isolated, call=call, moved=moved)}

    assert "response_isolation" in failing(mutated(pair, responses=showing))


def tell(each):
    return next(iter(each.responses))


def channel_of(each):
    return next(iter(each.channels))


def load(world, call):
    import json

    return json.loads(world.records(call))


def test_a_leaked_value_is_reported(pair):
    assert "leak_audit" in failing(mutated(pair, question=lambda each: each.question + f"\nHint: {each.optimum}\n"))


@pytest.mark.parametrize("secret", ["optimum", "reference_value"])
def test_a_response_that_tells_a_secret_is_reported(pair, monkeypatch, secret):
    """A note of the value in one response of one world."""
    honest = World.records

    def records(self, call):
        text = honest(self, call)
        return text[:-1] + f',"note":{abs(getattr(pair[0], secret))}}}' if call == self.catalog[-1] else text

    monkeypatch.setattr(World, "records", records)
    case = Case(tuple(pair))
    told = [problem for _, problem in CLAIM["leak_audit"].check(case)]
    assert all(problem is not None and problem.startswith("a response of ") for problem in told)


def test_a_response_that_spells_the_decision_out_is_reported(pair, monkeypatch):
    honest, family = World.records, FAMILIES[pair[0].coordinate.family]
    spelled = canonical_text(family.decision.arguments(pair[0].decision))

    def records(self, call):
        text = honest(self, call)
        return text if isinstance(text, Refusal) else text[:-1] + f',"note":{spelled}}}'

    monkeypatch.setattr(World, "records", records)
    told = [problem for _, problem in CLAIM["leak_audit"].check(Case(tuple(pair)))]
    assert all(problem is not None and problem.endswith(" tells the optimal decision") for problem in told)


@pytest.mark.parametrize("kind", [Status.UNKNOWN_TOOL, Status.BAD_ARGUMENTS, Status.EVALUATION_USED, Status.MALFORMED_DECISION])
def test_an_error_text_that_tells_a_secret_is_reported(pair, monkeypatch, kind):
    text = f'{{"error":"no, {pair[0].optimum} it is"}}'
    monkeypatch.setitem(_FIXED, kind, Observation(kind, 0, text))
    monkeypatch.setitem(_REFUSED, Refusal.SCHEMA, _FIXED[Status.BAD_ARGUMENTS])  # the same text, looked up by reason
    told = [problem for _, problem in CLAIM["leak_audit"].check(Case(tuple(pair)))]
    assert set(told) == {"an error text tells more than a price"}


def test_an_error_text_that_names_an_id_is_reported(pair, monkeypatch):
    text = '{"error":"did you mean job-0123456789?"}'
    monkeypatch.setitem(_REFUSED, Refusal.UNKNOWN_ID, Observation(Status.UNKNOWN_ID, 0, text))
    assert "leak_audit" in failing(pair)


def test_every_kind_of_rejection_is_looked_at(pair):
    texts = set(rejections(pair[0].world))
    fixed = {observation.text for status, observation in _FIXED.items() if status is not Status.BAD_WINDOW}
    assert fixed - texts == set()
    assert any("costs more" in text for text in texts)


def test_interfaces_that_show_the_direct_key_are_reported(pair, monkeypatch):
    """A mediation that keeps the direct record's columns together is none."""
    family = FAMILIES[pair[0].coordinate.family]
    direct = replace(family, template=replace(family.template, mediation={}))
    monkeypatch.setitem(FAMILIES, family.name, direct)
    assert "pairing" in failing(pair)


def test_a_second_optimum_is_reported():
    """An instance with two optima fails agreement and uniqueness."""
    found = bundles(certified("fleet_dispatch", 1, 1), PAIR)
    instance = found[0].instance
    tied = instance.replace(route_cost=dict.fromkeys(instance.route_cost, 1), activation=dict.fromkeys(instance.vehicle, 0))
    assert "agreement" in failing(mutated(found, instance=lambda each: tied))


def test_claims_search_says_when_it_cannot(monkeypatch):
    monkeypatch.setattr(bundle_module, "response", lambda world, call: object())
    from algoworlds.errors import AlgoWorldsError

    with pytest.raises(AlgoWorldsError, match="every change of the optimum shows"):
        bundles(certified("fleet_dispatch", 0, 1), [Interface.DIRECT])


def test_a_sample_that_is_the_optimum_does_not_make_every_change_too_small():
    """In this warm-up a random decision of the search is the optimum itself; steps of one would change nothing."""
    place = Coordinate("migration_portfolio", 0, 1, "a seed for doors, long enough", "00112233445566778899aabbccddeeff")
    admitted = admit(place)
    search = Search(admitted.family, admitted.instance, admitted.solution.decision)
    drawn = search._decisions("catalog")
    assert admitted.optimum in {admitted.family.check(admitted.instance, each).value for each in drawn}
    found = search.find("catalog")
    assert refutes(admitted.family, found.apply(admitted.instance), admitted.solution.decision, found.witness)
