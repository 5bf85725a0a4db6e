"""Looking back on one's own game: the decision beside the myopic one and the optimum, and what could have been known."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from algoworlds.core.decision import Decision, Manner, Piece
from algoworlds.knowledge.sufficiency.oracle import Knowledge
from algoworlds.measures.hindsight import Hindsight, Judge
from algoworlds.measures.judging import judged
from algoworlds.measures.key import Key
from algoworlds.measures.scoring import score
from algoworlds.reports.page.scene import owners
from algoworlds.reports.terms import OBJECTIVE
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World


class Beside(NamedTuple):
    """One line of the comparison: what it is about, and what stands there; None where there is nothing."""

    about: str
    yours: Any
    greedy: Any
    optimum: Any


class Debrief(NamedTuple):
    """A finished game: its record's measures, the objective term by term, and the decisions place by place."""

    record: dict[str, Any]
    terms: tuple[Beside, ...]
    decisions: dict[str, tuple[Beside, ...]]
    """By argument of the decision."""

    @property
    def document(self) -> dict[str, Any]:
        """The same as JSON."""
        return {"record": self.record, "terms": self.terms, "decisions": self.decisions}


def debrief(episode: Episode, key: Key) -> Debrief:
    """What a game came to. Greedy is the myopic decision with everything known; nothing is solved for this."""
    world = episode.world
    found = {"world": world.id, "family": world.family.name, "reference": key.reference_value} | score(episode, key)
    sides = (episode.decision, world.family.reference(world.instance), key.decision)
    decisions = {piece.argument: tuple(_placed(world, piece, sides)) for piece in world.family.decision.pieces}
    return Debrief(found, tuple(_terms(world, sides)), decisions)


def _terms(world: World, sides: tuple[Decision | None, Decision, Decision]) -> list[Beside]:
    verdicts = [None if each is None else world.family.check(world.instance, each) for each in sides]
    parts = [{} if each is None or not each.feasible else {**each.parts, OBJECTIVE: each.value} for each in verdicts]
    names = [name for name in dict.fromkeys(name for each in reversed(parts) for name in each) if name != OBJECTIVE]
    return [Beside(name, *(each.get(name, 0 if each else None) for each in parts)) for name in (*names, OBJECTIVE)]


def _placed(world: World, piece: Piece, sides: tuple[Decision | None, Decision, Decision]) -> list[Beside]:
    """The three decisions, one line for each place of one argument."""
    shape, filed = world.family.decision, owners(world)
    told = [{} if each is None else _by_place(piece, shape.arguments(each)[piece.argument], filed) for each in sides]
    known = [str(owner) for owner in world.public.get(piece.per, ())]
    about = dict.fromkeys([*known, *(place for each in told for place in each)])
    return [Beside(place, *(each.get(place) for each in told)) for place in about]


def _by_place(piece: Piece, taken: Any, filed: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """What one argument of a decision puts into each place: by owner, by turn, or each entity for itself."""
    if piece.manner is Manner.ASSIGN:
        return dict(taken)
    if piece.manner is Manner.ORDER:
        return {str(at): each for at, each in enumerate(taken, 1)}
    if piece.manner is Manner.SUBSET:
        return {f"{each} ({', '.join(filed[each])})" if each in filed else each: "taken" for each in taken}
    found: dict[str, Any] = {}
    for each in taken:
        owner = filed.get(each, ("elsewhere",))[0]
        found[owner] = f"{found[owner]}, {each}" if owner in found else each
    return found


# -- what could have been known -------------------------------------------------------------------------------------------


def hindsight(episode: Episode, key: Key) -> dict[str, Any]:
    """What the oracle says of a game: every judged measure, and a sentence for whoever played. This may take a while."""
    judgement = judged(Hindsight(episode, key, judge=Judge.of(episode.world, key)))
    return {"sentence": knowable(score(episode, key), judgement), **judgement}


def knowable(record: Mapping[str, Any], judgement: Mapping[str, Any]) -> str:
    """What you could have known, in words."""
    match judgement["knowledge"]:
        case Knowledge.DETERMINED.value:
            return _determined(record, judgement)
        case Knowledge.NOT_DETERMINED.value if record["exact"]:
            return "You guessed right: what you had read left another decision possible that would have been better."
        case Knowledge.NOT_DETERMINED.value:
            return "What you had read did not settle which decision is best: you would have had to read more."
        case Knowledge.UNDECIDED.value:
            return "Nobody could prove whether what you had read settles which decision is best."
    return "For this family nobody can say what is known when."


def _determined(record: Mapping[str, Any], judgement: Mapping[str, Any]) -> str:
    at, after = judgement["determined_at"], judgement["wasted_spend"]
    when = "at the end" if at is None else f"after call {at:,} of {record['attempted_calls']:,}" if at else "from the beginning"
    spent = f" What you read after that, for {after:,}, could not change it." if after else ""
    if record["exact"]:
        return f"You could be sure: what you had read proves the optimum {when}.{spent}"
    return f"You had read enough: the best decision followed from it {when}.{spent}"
