"""Bundles as files: the claims of one world, public and sealed ones apart, and back.

Public files hold what an agent may see and a canary; sealed ones hold the instance, the scoring record and the
validation records, each with a salt, so that no digest of a small secret can be guessed.
"""

from dataclasses import asdict
from typing import Any

from algoworlds.core.canonical import canonical_text
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact, Row
from algoworlds.core.tool import Call
from algoworlds.core.work import Work
from algoworlds.families import family as family_named
from algoworlds.knowledge.certificate import Certificate
from algoworlds.suites.bundle import Bundle, Isolated, Moved
from algoworlds.suites.claims.counterfactual import Counterfactual
from algoworlds.worlds.admit import Coordinate
from algoworlds.worlds.world import ATTEMPT_CAP, CALL_CAP, World

CANARY = "ALGOWORLDS-CANARY-5d0c3a52-7f0e-4b27-9f6c-1d1f0c8e2a94: benchmark data, not for training corpora"

PUBLIC = ("question.json", "tools.json", "README.md")
SEALED = ("sealed/instance.json", "sealed/scoring.json", "sealed/validation.json")
CERTIFICATE = "sealed/certificate.json"
"""The sealed file that a world has only in suites with certificates."""

_README = """\
# {id}

A world of the {title} family, {interface} interface. `question.json` holds the question and `tools.json` the tools, prices,
budget and caps: all that an agent may see. The files under `sealed/` are for scoring and validation only and must not reach
an agent.

{canary}
"""


def documents(bundle: Bundle) -> dict[str, str]:
    """The files of a world's bundle, by path inside it."""
    salt = bundle.coordinate.stream.child("salt", bundle.interface.value)
    sealed = {
        "sealed/instance.json": {"instance": bundle.instance.json},
        "sealed/scoring.json": _scoring(bundle),
        "sealed/validation.json": _validation(bundle),
    } | ({} if bundle.certificate is None else {CERTIFICATE: asdict(bundle.certificate)})
    return {
        **public_documents(bundle.world),
        **{path: _text({"salt": f"{salt.word():016x}{salt.word():016x}"} | content) for path, content in sealed.items()},
    }


def public_documents(world: World) -> dict[str, str]:
    """The public files of a bundle: functions of what an agent may see and of the world's id."""
    tools = {
        "tools": world.tools,
        "prices": dict(world.prices),
        "budget": world.budget,
        "call_cap": CALL_CAP,
        "attempt_cap": ATTEMPT_CAP,
    }
    readme = _README.format(id=world.id, title=world.family.title, interface=world.interface.value, canary=CANARY)
    return {
        "question.json": _text({"canary": CANARY, "question": world.question}),
        "tools.json": _text({"canary": CANARY} | tools),
        "README.md": readme,
    }


def _text(document: dict[str, Any]) -> str:
    return canonical_text(document) + "\n"


def _scoring(bundle: Bundle) -> dict[str, Any]:
    spelled = family_named(bundle.coordinate.family).decision.arguments
    return {
        "attempt": bundle.attempt,
        "optimum": bundle.optimum,
        "decision": spelled(bundle.decision),
        "reference": spelled(bundle.reference),
        "reference_value": bundle.reference_value,
        "reference_gap": abs(bundle.reference_value - bundle.optimum),
        "work": bundle.work._asdict(),
    }


def _validation(bundle: Bundle) -> dict[str, Any]:
    distinct = list(dict.fromkeys(bundle.sets.values()))
    return {
        "plans": {name: [list(call) for call in plan] for name, plan in bundle.plans.items()},
        "sufficient_sets": [
            {"plans": [name for name, facts in bundle.sets.items() if facts == each], "facts": _facts(each)}
            for each in distinct
        ],
        "channels": {name: _moved(bundle, moved) for name, moved in bundle.channels.items()},
        "responses": {
            tool: {"arguments": isolated.call.arguments, "counterfactual": _moved(bundle, isolated.moved)}
            for tool, isolated in bundle.responses.items()
        },
    }


def read_certificate(document: dict[str, Any]) -> Certificate:
    """The certificate that a document spells."""
    calls, risks = (Call(*call) for call in document["calls"]), ((spend, risk) for spend, risk in document["outlay"])
    return Certificate(tuple(calls), document["cost"], document["least"], tuple(risks))


def _facts(facts: frozenset[Fact]) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = {}
    for name, row in sorted(facts):
        grouped.setdefault(name, []).append(row)
    return grouped


def _moved(bundle: Bundle, moved: Moved) -> dict[str, Any]:
    spelled = family_named(bundle.coordinate.family).decision.arguments
    found = moved.counterfactual
    return {
        "channel": found.channel,
        "change": [[fact.relation, fact.row, row] for fact, row in found.change],
        "witness": None if found.witness is None else spelled(found.witness),
        "optimum": moved.optimum,
        "decision": spelled(moved.decision),
    }


def read(coordinate: Coordinate, interface: Interface, files: dict[str, Any], instance: Any = None) -> Bundle:
    """The bundle that parsed files spell, the inverse of `documents`; an instance already read may be given."""
    family = family_named(coordinate.family)
    scoring, validation = files["sealed/scoring.json"], files["sealed/validation.json"]
    parse = family.decision.parse
    told = [(each["plans"], read_facts(each["facts"])) for each in validation["sufficient_sets"]]
    sets = {name: facts for plans, facts in told for name in plans}
    return Bundle(
        coordinate=coordinate,
        attempt=scoring["attempt"],
        interface=interface,
        question=files["question.json"]["question"],
        tools=files["tools.json"]["tools"],
        prices=files["tools.json"]["prices"],
        budget=files["tools.json"]["budget"],
        instance=instance if instance is not None else family.instance.from_json(files["sealed/instance.json"]["instance"]),
        optimum=scoring["optimum"],
        decision=parse(scoring["decision"]),
        reference=parse(scoring["reference"]),
        reference_value=scoring["reference_value"],
        work=Work(**scoring["work"]),
        plans={name: tuple(Call(*call) for call in plan) for name, plan in validation["plans"].items()},
        sets=sets,
        channels={name: _read_moved(parse, each) for name, each in validation["channels"].items()},
        responses={
            tool: Isolated(Call(tool, each["arguments"]), _read_moved(parse, each["counterfactual"]))
            for tool, each in validation["responses"].items()
        },
        certificate=read_certificate(files[CERTIFICATE]) if CERTIFICATE in files else None,
    )


def read_facts(grouped: dict[str, list[Any]]) -> frozenset[Fact]:
    """The facts that a document groups by relation."""
    return frozenset(Fact(name, _row(row)) for name, rows in grouped.items() for row in rows)


def _read_moved(parse: Any, document: dict[str, Any]) -> Moved:
    change = tuple((Fact(name, _row(old)), None if new is None else _row(new)) for name, old, new in document["change"])
    witness = None if document["witness"] is None else parse(document["witness"])
    return Moved(Counterfactual(document["channel"], change, witness), document["optimum"], parse(document["decision"]))


def _row(cells: list[Any]) -> Row:
    return tuple([tuple(cell) if type(cell) is list else cell for cell in cells])
