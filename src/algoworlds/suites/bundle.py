"""Bundles: everything a released world asserts about itself, in memory and as files.

Builds create bundles, claims prove them. Public files hold what an agent may see and a canary. Sealed files hold the instance,
the scoring record and the validation records, each with a salt, so that the digest of a small secret cannot be guessed.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import groupby, product
from operator import itemgetter
from typing import Any

from algoworlds.core.canonical import JsonObject, canonical_json
from algoworlds.core.condition import CLEAR
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact, Row
from algoworlds.core.tool import Call
from algoworlds.core.work import Work
from algoworlds.errors import AlgoWorldsError
from algoworlds.families import load_family
from algoworlds.knowledge.certificate import Certificate, find_certificate
from algoworlds.suites.counterfactual import QUICK_TRIES, THOROUGH_TRIES, Counterfactual, CounterfactualSearch
from algoworlds.worlds.admission import AdmittedInstance, Coordinate
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World, build_world


@dataclass(frozen=True)
class SolvedCounterfactual:
    """A counterfactual, with the optimum of the changed instance."""

    counterfactual: Counterfactual
    optimum: int
    decision: Any


@dataclass(frozen=True)
class IsolatedResponse:
    """A call, and a counterfactual that changes the optimum but not the response to this call."""

    call: Call
    solved: SolvedCounterfactual


@dataclass(frozen=True)
class Bundle:
    """What is asserted about one world."""

    coordinate: Coordinate
    attempt: int
    interface: Interface
    question: str
    tools: list[JsonObject]
    prices: dict[str, int]
    budget: int
    instance: Any
    optimum: int
    decision: Any
    reference: Any
    reference_value: int
    work: Work
    plans: dict[str, tuple[Call, ...]]
    sufficient_sets: dict[str, frozenset[Fact]]
    channels: dict[str, SolvedCounterfactual]
    responses: dict[str, IsolatedResponse]
    certificate: Certificate | None = None
    """The minimum cost of knowing the optimum, if the suite has certificates and the family supports them."""
    others: tuple[Any, ...] = ()
    """In a tied world, the optimal decisions beside `decision`."""

    @property
    def optima(self) -> tuple[Any, ...]:
        """All optimal decisions, by canonical text."""
        return (self.decision, *self.others)

    @property
    def world(self) -> World:
        """A new world around the asserted instance."""
        return World(self.coordinate, self.instance, self.interface)


def build_bundles(
    admitted: AdmittedInstance,
    interfaces: Sequence[Interface],
    certificates: bool = False,
    conditions: Sequence[str] = (CLEAR,),
) -> list[Bundle]:
    """The bundles of an admitted instance, one per condition and interface; they share one search for counterfactuals.

    Worlds of the continuous scale are used once and have none: in the smallest ones every answer may show every change.
    """
    if admitted.coordinate.tenths:
        return build_plain_bundles(admitted, list(interfaces))
    search = CounterfactualSearch(admitted.family, admitted.instance, admitted.solution.decision, *admitted.others)
    channels = {name: _with_solution(search, search.find(name)) for name in admitted.family.channels}
    shown = [replace(admitted, coordinate=replace(admitted.coordinate, condition=condition)) for condition in conditions]
    bundles = [_build_bundle(one, build_world(one, interface), channels, search) for one in shown for interface in interfaces]
    if not certificates:
        return bundles
    # A call reveals the same facts in every interface but split, so the others share one certificate. Only clear worlds have
    # one: elsewhere the cheapest looks are not searched.
    by_split: dict[bool, Certificate | None] = {}
    for bundle in (bundle for bundle in bundles if bundle.coordinate.condition == CLEAR):
        is_split = bundle.interface is Interface.SPLIT
        if is_split not in by_split:
            by_split[is_split] = find_certificate(bundle.world, bundle.decision)
    return [
        replace(bundle, certificate=by_split[bundle.interface is Interface.SPLIT])
        if bundle.coordinate.condition == CLEAR
        else bundle
        for bundle in bundles
    ]


def _with_solution(search: CounterfactualSearch, counterfactual: Counterfactual) -> SolvedCounterfactual:
    _, solution = search.changed_solution(counterfactual)
    assert solution.value is not None
    return SolvedCounterfactual(counterfactual, solution.value, solution.decision)


def build_plain_bundles(admitted: AdmittedInstance, interfaces: list[Interface]) -> list[Bundle]:
    """The bundles of an instance without counterfactuals, which not every instance has."""
    return [_describe_world(admitted, build_world(admitted, interface)) for interface in interfaces]


def _build_bundle(
    admitted: AdmittedInstance, world: World, channels: dict[str, SolvedCounterfactual], search: CounterfactualSearch
) -> Bundle:
    stream, family = world.stream.child("isolation"), world.family
    # Responses to isolate: a random admissible call of every information tool, and an evaluation of the reference decision.
    calls = [
        Call.from_arguments(tool.name, stream.choice(tool.argument.domain(world.public))) for tool in family.template.tools
    ]
    arguments = family.decision.arguments(admitted.reference)
    calls.append(Call.from_arguments(family.template.decision_tools.evaluate, arguments))
    responses = {call.tool: _isolate(world, call, channels, search) for call in calls}
    return replace(_describe_world(admitted, world), channels=channels, responses=responses)


def _describe_world(admitted: AdmittedInstance, world: World) -> Bundle:
    """The bundle of a world, still without counterfactuals."""
    return Bundle(
        coordinate=admitted.coordinate,
        attempt=admitted.attempt,
        interface=world.interface,
        question=world.question,
        tools=world.tools,
        prices=dict(world.prices),
        budget=world.budget,
        instance=admitted.instance,
        optimum=admitted.optimum,
        decision=admitted.solution.decision,
        reference=admitted.reference,
        reference_value=admitted.reference_value,
        work=admitted.solution.work,
        plans=dict(world.plans),
        sufficient_sets={name: world.facts(map(world.revealed_rows, plan)) for name, plan in world.plans.items()},
        channels={},
        responses={},
        others=admitted.others,
    )


def first_response(world: World, call: Call) -> str:
    """The response to `call` as the first call of an episode; under a condition, with its records in the last phase."""
    text = Episode(world, [call]).observations[0].text
    return text if world.law is None or call.tool not in world.family.tools else f"{text} {world.records(call)}"


def _isolate(
    world: World, call: Call, channels: dict[str, SolvedCounterfactual], search: CounterfactualSearch
) -> IsolatedResponse:
    """A counterfactual that the response to `call` does not show: one of `channels` if possible, otherwise a new one."""
    text = first_response(world, call)

    def is_unseen(changed: Any) -> bool:
        return first_response(with_instance(world, changed), call) == text

    for solved in channels.values():
        if is_unseen(search.changed_solution(solved.counterfactual)[0]):
            return IsolatedResponse(call, solved)
    for tries, channel in product((QUICK_TRIES, THOROUGH_TRIES), world.family.channels):
        with suppress(AlgoWorldsError):
            return IsolatedResponse(call, _with_solution(search, search.find(channel, is_unseen, tries)))
    raise AlgoWorldsError(f"{world.id}: every change of the optimum shows in the response of {call.tool}")


def with_instance(world: World, instance: Any) -> World:
    """The same world around another instance; plans and budget depend on the public tables only and are reused if equal."""
    other = World(world.coordinate, instance, world.interface)
    if instance.public_tables == world.public:
        vars(other).update(plans=world.plans, budget=world.budget)
    return other


CANARY = "ALGOWORLDS-CANARY-5d0c3a52-7f0e-4b27-9f6c-1d1f0c8e2a94: benchmark data, not for training corpora"

PUBLIC_FILES = ("question.json", "tools.json", "README.md")
SEALED_FILES = ("sealed/instance.json", "sealed/scoring.json", "sealed/validation.json")
CERTIFICATE_FILE = "sealed/certificate.json"
"""A sealed file that exists only in suites with certificates."""

_README = """\
# {id}

A world of the {title} family, {interface} interface. `question.json` holds the question and `tools.json` the tools, prices,
budget and caps: all that an agent may see. The files under `sealed/` are for scoring and validation only and must not reach
an agent.

{canary}
"""


def encode_bundle(bundle: Bundle) -> dict[str, str]:
    """The files of a bundle, by path."""
    own = (bundle.interface.value, *filter(None, [bundle.coordinate.condition, "tied" if bundle.coordinate.tied else ""]))
    salt = bundle.coordinate.stream.child("salt", *own)
    sealed = {
        "sealed/instance.json": {"instance": bundle.instance.json},
        "sealed/scoring.json": _scoring_document(bundle),
        "sealed/validation.json": _validation_document(bundle),
    } | ({} if bundle.certificate is None else {CERTIFICATE_FILE: asdict(bundle.certificate)})
    return {
        **encode_public_files(bundle.world),
        **{path: _to_text({"salt": f"{salt.word():016x}{salt.word():016x}"} | content) for path, content in sealed.items()},
    }


def encode_public_files(world: World) -> dict[str, str]:
    """The public files of a world's bundle; they depend only on its id and what an agent may see."""
    prices, caps = dict(world.prices), {"call_cap": world.call_cap, "attempt_cap": world.attempt_cap}
    return {
        "question.json": _to_text({"canary": CANARY, "question": world.question}),
        "tools.json": _to_text({"canary": CANARY, "tools": world.tools, "prices": prices, "budget": world.budget} | caps),
        "README.md": _README.format(id=world.id, title=world.family.title, interface=world.interface.value, canary=CANARY),
    }


def _to_text(document: JsonObject) -> str:
    return canonical_json(document) + "\n"


def _scoring_document(bundle: Bundle) -> JsonObject:
    to_json = load_family(bundle.coordinate.family).decision.arguments
    return {
        "attempt": bundle.attempt,
        "optimum": bundle.optimum,
        "decision": to_json(bundle.decision),
        "reference": to_json(bundle.reference),
        "reference_value": bundle.reference_value,
        "reference_gap": abs(bundle.reference_value - bundle.optimum),
        "work": bundle.work._asdict(),
    } | ({"optima": list(map(to_json, bundle.optima))} if bundle.others else {})


def _validation_document(bundle: Bundle) -> JsonObject:
    to_json = load_family(bundle.coordinate.family).decision.arguments
    sets = bundle.sufficient_sets

    def solved_json(solved: SolvedCounterfactual) -> JsonObject:
        change = [[fact.relation, fact.row, row] for fact, row in solved.counterfactual.change]
        witness = solved.counterfactual.witness
        return {
            "channel": solved.counterfactual.channel,
            "change": change,
            "witness": None if witness is None else to_json(witness),
            "optimum": solved.optimum,
            "decision": to_json(solved.decision),
        }

    def by_relation(facts: frozenset[Fact]) -> dict[str, list[Row]]:
        return {name: [row for _, row in group] for name, group in groupby(sorted(facts), key=itemgetter(0))}

    return {
        "plans": {name: [list(call) for call in plan] for name, plan in bundle.plans.items()},
        "sufficient_sets": [
            {"plans": [name for name, facts in sets.items() if facts == distinct], "facts": by_relation(distinct)}
            for distinct in dict.fromkeys(sets.values())
        ],
        "channels": {name: solved_json(solved) for name, solved in bundle.channels.items()},
        "responses": {
            tool: {"arguments": isolated.call.arguments, "counterfactual": solved_json(isolated.solved)}
            for tool, isolated in bundle.responses.items()
        },
    }


def decode_bundle(coordinate: Coordinate, interface: Interface, files: JsonObject) -> Bundle:
    """The bundle that the parsed `files` describe, the inverse of `encode_bundle`."""
    family = load_family(coordinate.family)
    tools, scoring, validation = files["tools.json"], files["sealed/scoring.json"], files["sealed/validation.json"]
    parse = family.decision.parse
    sufficient_sets = [(entry["plans"], read_facts(entry["facts"])) for entry in validation["sufficient_sets"]]
    return Bundle(
        coordinate=coordinate,
        attempt=scoring["attempt"],
        interface=interface,
        question=files["question.json"]["question"],
        tools=tools["tools"],
        prices=tools["prices"],
        budget=tools["budget"],
        instance=family.instance.from_json(files["sealed/instance.json"]["instance"]),
        optimum=scoring["optimum"],
        decision=parse(scoring["decision"]),
        reference=parse(scoring["reference"]),
        reference_value=scoring["reference_value"],
        work=Work(**scoring["work"]),
        plans={name: tuple(Call(*call) for call in plan) for name, plan in validation["plans"].items()},
        sufficient_sets={name: facts for plans, facts in sufficient_sets for name in plans},
        channels={name: _read_solved(parse, document) for name, document in validation["channels"].items()},
        responses={
            tool: IsolatedResponse(Call(tool, document["arguments"]), _read_solved(parse, document["counterfactual"]))
            for tool, document in validation["responses"].items()
        },
        certificate=read_certificate(files[CERTIFICATE_FILE]) if CERTIFICATE_FILE in files else None,
        others=tuple(map(parse, scoring.get("optima", ())))[1:],
    )


def read_certificate(document: JsonObject) -> Certificate:
    """The certificate in a sealed document."""
    calls, risks = (Call(*call) for call in document["calls"]), ((spend, risk) for spend, risk in document["outlay"])
    return Certificate(tuple(calls), document["cost"], document["least"], tuple(risks))


def read_facts(by_relation: dict[str, list[Any]]) -> frozenset[Fact]:
    """The facts in a document that groups their rows by relation."""
    return frozenset(Fact(name, _row(cells)) for name, rows in by_relation.items() for cells in rows)


def _read_solved(parse: Callable[[Any], Any], document: JsonObject) -> SolvedCounterfactual:
    change = tuple((Fact(name, _row(old)), None if new is None else _row(new)) for name, old, new in document["change"])
    witness = None if document["witness"] is None else parse(document["witness"])
    counterfactual = Counterfactual(document["channel"], change, witness)
    return SolvedCounterfactual(counterfactual, document["optimum"], parse(document["decision"]))


def _row(cells: list[Any]) -> Row:
    return tuple([tuple(cell) if type(cell) is list else cell for cell in cells])
