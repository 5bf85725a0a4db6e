"""What a world told the agents that played it: the question, the tools and every response, recomputed from the suite.

Records hold calls and no responses. A response follows from the world and the call alone, so each is looked up once for
all who asked, and each row that responses share is kept once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from algoworlds.core.decision import Both, Listed
from algoworlds.core.tool import Call
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.page.parcel import packed
from algoworlds.suites.opened import Opened
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class Scene:
    """What a page shows of a world: packed for its script, the place of each answer there, and whom ids belong to."""

    shown: str
    answers: Mapping[Call, int]
    owners: Mapping[str, tuple[str, ...]]
    """By an id that decisions list, the public entities that it stands for: a title, a stage, participants."""


@dataclass(frozen=True)
class Staging:
    """The scenes of a report by world, or why it has none; a discreet one leaves out all that may repeat responses."""

    scenes: Mapping[str, Scene]
    missing: str | None = None
    discreet: bool = False


UNSTAGED = Staging({}, "The suite was not at hand when this report was written, so that it does not hold what the tools told.")
DISCREET = Staging({}, "This report was written without what the tools told, so that it can be shared.", discreet=True)


def staged(suite: Opened, evaluations: Iterable[Evaluation]) -> Staging:
    """The scene of every world that was played, with every call that was executed there."""
    played: dict[str, dict[Call, None]] = {}
    for each in evaluations:
        made = played.setdefault(each.world, {})
        made.update({Call(step.tool, step.arguments): None for step in each.trajectory if step.status == Status.EXECUTED.value})
    return Staging({name: scene(suite.world(suite.entry(name)), calls) for name, calls in played.items()})


def scene(world: World, calls: Iterable[Call]) -> Scene:
    """A world's scene for some calls that were executed in it; one that would be refused has no answer."""
    kept, answers, places = _Kept(), list[Any](), dict[Call, int]()
    for call in calls:
        observation = Episode(world).call(*call)
        if observation.status is Status.EXECUTED:
            places[call] = len(answers)
            answers.append(kept.answer(observation.json))
    tools = [(each["name"], world.prices.get(each["name"]), each["description"]) for each in world.tools]
    shown = packed({"question": world.question, "tools": tools, **kept.json, "answers": answers})
    return Scene(shown, places, owners(world))


class _Kept:
    """The rows of responses by table, each once; an answer says which rows of which tables it shows."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[int, list[str], dict[str, tuple[int, Any]]]] = {}

    def answer(self, told: Mapping[str, Any]) -> Any:
        """[[table, [first row, count, ...]], ...] of an information call; of an evaluation what it says."""
        if "records" not in told:
            return {name: told[name] for name in ("feasible", "value") if name in told}
        return [[*self._shown(name, each)] for name, each in told["records"].items()]

    def _shown(self, name: str, told: Mapping[str, Any]) -> tuple[int, list[int]]:
        """A table's number, and its rows as runs of neighbours: first, how many, first, how many, ..."""
        number, _, known = self._tables.setdefault(name, (len(self._tables), told["columns"], {}))
        runs: list[int] = []
        for row in told["rows"]:
            at, _ = known.setdefault(str(row), (len(known), row))
            if runs and at == runs[-2] + runs[-1]:
                runs[-1] += 1
            else:
                runs += [at, 1]
        return number, runs

    @property
    def json(self) -> dict[str, Any]:
        """Tables as name, columns, whether each column has ids, and its cells; ids are numbered, since most occur often."""
        ids: dict[str, int] = {}
        tables = []
        for name, (_, heads, known) in self._tables.items():
            cells = list(zip(*(row for _, row in known.values()), strict=True)) or [()] * len(heads)
            named = [any(map(_names, column)) for column in cells]
            kept = [_numbered(column, ids) if of else column for of, column in zip(named, cells, strict=True)]
            tables.append((name, heads, named, kept))
        return {"ids": list(ids), "tables": tables}


def _names(cell: Any) -> bool:
    """Whether a cell holds ids."""
    return isinstance(cell, str) or (isinstance(cell, list) and any(map(_names, cell)))


def _numbered(cell: Any, ids: dict[str, int]) -> Any:
    """A cell, or many of them, with the numbers of ids in the place of ids."""
    return ids.setdefault(cell, len(ids)) if isinstance(cell, str) else [_numbered(each, ids) for each in cell]


# -- whom ids belong to ---------------------------------------------------------------------------------------------------


def owners(world: World) -> dict[str, tuple[str, ...]]:
    """By each id that a decision of this world may list, the public entities that one of its tables files it under."""
    shape = world.family.decision
    listed = [shape] if isinstance(shape, Listed) else [shape.first, shape.second] if isinstance(shape, Both) else []
    found: dict[str, tuple[str, ...]] = {}
    for each in listed:
        found |= _filed(world, each.entity)
    return found


def _filed(world: World, entity: str) -> dict[str, tuple[str, ...]]:
    """By the first relation whose keys are the entity and one public roster: under whom each entity is filed."""
    relations = world.family.instance.relations
    for name, relation in relations.items():
        keys = [key.of for key in relation.keys]
        other = [of for of in keys if of != entity and of is not None and relations[of].public]
        if len(keys) == 2 and entity in keys and other:
            mine, theirs = keys.index(entity), keys.index(other[0])
            rank = {owner: at for at, owner in enumerate(getattr(world.instance, other[0]))}
            filed: dict[str, list[str]] = {}
            for row in sorted(relation.rows(getattr(world.instance, name)), key=lambda row: rank[row[theirs]]):
                filed.setdefault(row[mine], []).append(row[theirs])
            return {each: tuple(under) for each, under in filed.items()}
    return {}
