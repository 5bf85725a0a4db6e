"""After a game: the player's decision beside greedy's and the optimum, and what the player could have known."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.core.decision import ArgumentSpec, ChoiceKind, Decision
from algoworlds.knowledge.oracle import Determination
from algoworlds.measures.hindsight import Hindsight, Judge
from algoworlds.measures.judging import judge_evaluation
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.scoring import score
from algoworlds.reports.decision_comparison import OBJECTIVE_TERM, owners_by_id
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World


class ComparisonRow(NamedTuple):
    """One row of the comparison; None where a decision has nothing."""

    label: str
    yours: Any
    greedy: Any
    optimum: Any


class Debrief(NamedTuple):
    """A finished game: its measures, the objective term by term, and by argument the decisions entry by entry."""

    record: JsonObject
    terms: tuple[ComparisonRow, ...]
    decisions: dict[str, tuple[ComparisonRow, ...]]

    @property
    def document(self) -> JsonObject:
        """The debrief as JSON."""
        return {"record": self.record, "terms": self.terms, "decisions": self.decisions}


def debrief(episode: Episode, key: AnswerKey) -> Debrief:
    """Score a game and compare its decision. Greedy is the myopic decision with full information; nothing is solved here."""
    world = episode.world
    record = {"world": world.id, "family": world.family.name, "reference": key.reference_value} | score(episode, key)
    sides = (episode.decision, world.family.reference(world.instance), key.decision)
    decisions = {spec.argument: _decision_rows(world, spec, sides) for spec in world.family.decision.argument_specs}
    return Debrief(record, _term_rows(world, sides), decisions)


_Sides = tuple[Decision | None, Decision, Decision]


def _term_rows(world: World, sides: _Sides) -> tuple[ComparisonRow, ...]:
    verdicts = [None if side is None else world.family.check(world.instance, side) for side in sides]
    parts = [
        {} if verdict is None or not verdict.feasible else {**verdict.parts, OBJECTIVE_TERM: verdict.value}
        for verdict in verdicts
    ]
    names = [name for name in dict.fromkeys(name for part in reversed(parts) for name in part) if name != OBJECTIVE_TERM]
    return tuple(
        ComparisonRow(name, *(part.get(name, 0 if part else None) for part in parts)) for name in (*names, OBJECTIVE_TERM)
    )


def _decision_rows(world: World, spec: ArgumentSpec, sides: _Sides) -> tuple[ComparisonRow, ...]:
    """One row for each position of one argument."""
    shape, owners = world.family.decision, owners_by_id(world)
    entries = [{} if side is None else _by_position(spec, shape.arguments(side)[spec.argument], owners) for side in sides]
    public = [str(owner) for owner in world.public.get(spec.per, ())]
    positions = dict.fromkeys([*public, *(position for side in entries for position in side)])
    return tuple(ComparisonRow(position, *(side.get(position) for side in entries)) for position in positions)


def _by_position(spec: ArgumentSpec, value: Any, owners: Mapping[str, tuple[str, ...]]) -> JsonObject:
    """The `value` of one argument by owner, by number in an order, or by entity in a subset."""
    if spec.kind is ChoiceKind.ASSIGN:
        return dict(value)
    if spec.kind is ChoiceKind.ORDER:
        return {str(number): item for number, item in enumerate(value, 1)}
    if spec.kind is ChoiceKind.SUBSET:
        return {f"{item} ({', '.join(owners[item])})" if item in owners else item: "taken" for item in value}
    by_owner: JsonObject = {}
    for item in value:
        owner = owners.get(item, ("elsewhere",))[0]
        by_owner[owner] = f"{by_owner[owner]}, {item}" if owner in by_owner else item
    return by_owner


def compute_hindsight(episode: Episode, key: AnswerKey) -> JsonObject:
    """Judge a game with the sufficiency oracle, which may take a while; adds a sentence for the player."""
    judgement = judge_evaluation(Hindsight(episode, key, judge=Judge.from_world(episode.world, key)))
    return {"sentence": knowledge_sentence(score(episode, key), judgement), **judgement}


def knowledge_sentence(record: Mapping[str, Any], judgement: Mapping[str, Any]) -> str:
    """What you could have known, as a sentence."""
    match judgement["knowledge"]:
        case Determination.DETERMINED.value:
            index, later_spend = judgement["determined_at"], judgement["wasted_spend"]
            calls = f"after call {index:,} of {record['attempted_calls']:,}" if index else "from the beginning"
            when = "at the end" if index is None else calls
            waste = f" What you read after that, for {later_spend:,}, could not change it." if later_spend else ""
            if record["exact"]:
                return f"You could be sure: what you had read proves the optimum {when}.{waste}"
            return f"You had read enough: the best decision followed from it {when}.{waste}"
        case Determination.NOT_DETERMINED.value if record["exact"]:
            return "You guessed right: what you had read left another decision possible that would have been better."
        case Determination.NOT_DETERMINED.value:
            return "What you had read did not settle which decision is best: you would have had to read more."
        case Determination.UNDECIDED.value:
            return "Nobody could prove whether what you had read settles which decision is best."
    return "For this family nobody can say what is known when."
