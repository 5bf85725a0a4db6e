"""Bundles as files, and back: public files for agents, sealed files for scoring and validation.

Public files hold what an agent may see and a canary. Sealed files hold the instance, the scoring record and the validation
records, each with a salt, so that the digest of a small secret cannot be guessed.
"""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from algoworlds.core.canonical import canonical_json
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact, Row
from algoworlds.core.tool import Call
from algoworlds.core.work import Work
from algoworlds.families import load_family
from algoworlds.knowledge.certificate import Certificate
from algoworlds.suites.bundle import Bundle, IsolatedResponse, SolvedCounterfactual
from algoworlds.suites.counterfactual import Counterfactual
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.world import ATTEMPT_CAP, CALL_CAP, World

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

Json = dict[str, Any]


def encode_bundle(bundle: Bundle) -> dict[str, str]:
    """The files of a bundle, by path."""
    salt = bundle.coordinate.stream.child("salt", bundle.interface.value)
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
    prices, caps = dict(world.prices), {"call_cap": CALL_CAP, "attempt_cap": ATTEMPT_CAP}
    return {
        "question.json": _to_text({"canary": CANARY, "question": world.question}),
        "tools.json": _to_text({"canary": CANARY, "tools": world.tools, "prices": prices, "budget": world.budget} | caps),
        "README.md": _README.format(id=world.id, title=world.family.title, interface=world.interface.value, canary=CANARY),
    }


def _to_text(document: Json) -> str:
    return canonical_json(document) + "\n"


def _scoring_document(bundle: Bundle) -> Json:
    to_json = load_family(bundle.coordinate.family).decision.arguments
    return {
        "attempt": bundle.attempt,
        "optimum": bundle.optimum,
        "decision": to_json(bundle.decision),
        "reference": to_json(bundle.reference),
        "reference_value": bundle.reference_value,
        "reference_gap": abs(bundle.reference_value - bundle.optimum),
        "work": bundle.work._asdict(),
    }


def _validation_document(bundle: Bundle) -> Json:
    to_json = load_family(bundle.coordinate.family).decision.arguments
    sets = bundle.sufficient_sets

    def solved_json(solved: SolvedCounterfactual) -> Json:
        change = [[fact.relation, fact.row, row] for fact, row in solved.counterfactual.change]
        witness = solved.counterfactual.witness
        return {
            "channel": solved.counterfactual.channel,
            "change": change,
            "witness": None if witness is None else to_json(witness),
            "optimum": solved.optimum,
            "decision": to_json(solved.decision),
        }

    return {
        "plans": {name: [list(call) for call in plan] for name, plan in bundle.plans.items()},
        "sufficient_sets": [
            {"plans": [name for name, facts in sets.items() if facts == distinct], "facts": _facts_by_relation(distinct)}
            for distinct in dict.fromkeys(sets.values())
        ],
        "channels": {name: solved_json(solved) for name, solved in bundle.channels.items()},
        "responses": {
            tool: {"arguments": isolated.call.arguments, "counterfactual": solved_json(isolated.solved)}
            for tool, isolated in bundle.responses.items()
        },
    }


def _facts_by_relation(facts: frozenset[Fact]) -> dict[str, list[Row]]:
    by_relation: dict[str, list[Row]] = {}
    for name, row in sorted(facts):
        by_relation.setdefault(name, []).append(row)
    return by_relation


def decode_bundle(coordinate: Coordinate, interface: Interface, files: Json, instance: Any = None) -> Bundle:
    """The bundle that the parsed `files` describe, the inverse of `encode_bundle`; `instance` skips reading the instance."""
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
        instance=instance if instance is not None else family.instance.from_json(files["sealed/instance.json"]["instance"]),
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
    )


def read_certificate(document: Json) -> Certificate:
    """The certificate in a sealed document."""
    calls, risks = (Call(*call) for call in document["calls"]), ((spend, risk) for spend, risk in document["outlay"])
    return Certificate(tuple(calls), document["cost"], document["least"], tuple(risks))


def read_facts(by_relation: dict[str, list[Any]]) -> frozenset[Fact]:
    """The facts in a document that groups their rows by relation."""
    return frozenset(Fact(name, _row(cells)) for name, rows in by_relation.items() for cells in rows)


def _read_solved(parse: Callable[[Any], Any], document: Json) -> SolvedCounterfactual:
    change = tuple((Fact(name, _row(old)), None if new is None else _row(new)) for name, old, new in document["change"])
    witness = None if document["witness"] is None else parse(document["witness"])
    counterfactual = Counterfactual(document["channel"], change, witness)
    return SolvedCounterfactual(counterfactual, document["optimum"], parse(document["decision"]))


def _row(cells: list[Any]) -> Row:
    return tuple([tuple(cell) if type(cell) is list else cell for cell in cells])
