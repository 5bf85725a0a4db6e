"""What a world showed its agents: the question, the tools and every response, recomputed from the suite.

Records store calls but no responses. A response depends only on the world and the call, so each one is computed once for all
evaluations, and a row that several responses share is stored once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from algoworlds.core.decision import IdListShape, PairShape
from algoworlds.core.tool import Call
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.page.encoding import pack_json
from algoworlds.suites.open import Suite
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class WorldReplay:
    """What the page shows of a world: question, tools and responses packed for its script, and the owners of ids."""

    packed_json: str
    answer_indices: Mapping[Call, int]
    """The index of the response to each call."""
    owners: Mapping[str, tuple[str, ...]]
    """By id that a decision can list, the public entities that it belongs to: a title, a stage, participants."""


@dataclass(frozen=True)
class Replays:
    """The replays of a report by world, or the reason why it has none."""

    by_world: Mapping[str, WorldReplay]
    missing_reason: str | None = None
    omits_responses: bool = False
    """Whether the report must also omit everything else that may repeat responses."""


REPLAYS_WITHOUT_SUITE = Replays(
    {}, "The suite was not at hand when this report was written, so that it does not hold what the tools told."
)
REPLAYS_OMITTED = Replays(
    {}, "This report was written without what the tools told, so that it can be shared.", omits_responses=True
)


def build_replays(suite: Suite, evaluations: Iterable[Evaluation]) -> Replays:
    """The replay of every world in `evaluations`, with all calls that were executed there."""
    calls_by_world: dict[str, dict[Call, None]] = {}
    for evaluation in evaluations:
        executed = [step for step in evaluation.trajectory if step.status == Status.EXECUTED.value]
        calls = {Call(step.tool, step.arguments): None for step in executed}
        calls_by_world.setdefault(evaluation.world, {}).update(calls)
    return Replays({name: build_replay(suite.world(suite.entry(name)), calls) for name, calls in calls_by_world.items()})


def build_replay(world: World, calls: Iterable[Call]) -> WorldReplay:
    """The replay of `world` with the responses to `calls`; a call that would be rejected has none."""
    tables, answers, indices = _ResponseTables(), list[Any](), dict[Call, int]()
    for call in calls:
        observation = Episode(world).call(*call)
        if observation.status is Status.EXECUTED:
            indices[call] = len(answers)
            answers.append(tables.add_response(observation.json))
    tools = [(tool["name"], world.prices.get(tool["name"]), tool["description"]) for tool in world.tools]
    packed = pack_json({"question": world.question, "tools": tools, **tables.to_json(), "answers": answers})
    return WorldReplay(packed, indices, owners_by_id(world))


class _ResponseTables:
    """The distinct rows of all responses by table; a response refers to them by index."""

    def __init__(self) -> None:
        self._tables: dict[str, tuple[int, list[str], dict[str, tuple[int, Any]]]] = {}

    def add_response(self, response: Mapping[str, Any]) -> Any:
        """[[table, [first row, count, ...]], ...] for an information call, feasibility and value for an evaluation."""
        if "records" not in response:
            return {name: response[name] for name in ("feasible", "value") if name in response}
        return [[*self._add_rows(name, table)] for name, table in response["records"].items()]

    def _add_rows(self, name: str, table: Mapping[str, Any]) -> tuple[int, list[int]]:
        """The number of the table `name`, and run lengths of its rows: first row, count, first row, count, ..."""
        number, _, index_by_row = self._tables.setdefault(name, (len(self._tables), table["columns"], {}))
        runs: list[int] = []
        for row in table["rows"]:
            index, _ = index_by_row.setdefault(str(row), (len(index_by_row), row))
            if runs and index == runs[-2] + runs[-1]:
                runs[-1] += 1
            else:
                runs += [index, 1]
        return number, runs

    def to_json(self) -> dict[str, Any]:
        """Tables as name, columns, whether each column has ids, and cells by column; ids are numbered, since most recur."""
        ids: dict[str, int] = {}
        tables = []
        for name, (_, heads, rows) in self._tables.items():
            columns = list(zip(*(row for _, row in rows.values()), strict=True)) or [()] * len(heads)
            has_ids = [any(map(_contains_ids, cells)) for cells in columns]
            encoded = [_number_ids(cells, ids) if ids_here else cells for ids_here, cells in zip(has_ids, columns, strict=True)]
            tables.append((name, heads, has_ids, encoded))
        return {"ids": list(ids), "tables": tables}


def _contains_ids(cell: Any) -> bool:
    return isinstance(cell, str) or (isinstance(cell, list) and any(map(_contains_ids, cell)))


def _number_ids(cell: Any, ids: dict[str, int]) -> Any:
    """`cell`, or a nested sequence of cells, with every id replaced by its number in `ids`."""
    return ids.setdefault(cell, len(ids)) if isinstance(cell, str) else [_number_ids(item, ids) for item in cell]


def owners_by_id(world: World) -> dict[str, tuple[str, ...]]:
    """By id that a decision of `world` can list, the public entities that it belongs to."""
    shape = world.family.decision
    lists = [shape] if isinstance(shape, IdListShape) else [shape.first, shape.second] if isinstance(shape, PairShape) else []
    return {listed_id: owners for id_list in lists for listed_id, owners in _find_owners(world, id_list.entity).items()}


def _find_owners(world: World, entity: str) -> dict[str, tuple[str, ...]]:
    """Owners by the first relation whose two keys are `entity` and a public roster."""
    relations = world.family.instance.relations
    for name, relation in relations.items():
        keys = [key.roster_name for key in relation.keys]
        public = [roster for roster in keys if roster != entity and roster is not None and relations[roster].public]
        if len(keys) == 2 and entity in keys and public:
            own, other = keys.index(entity), keys.index(public[0])
            rank = {owner: position for position, owner in enumerate(getattr(world.instance, public[0]))}
            owners: dict[str, list[str]] = {}
            for row in sorted(relation.to_rows(getattr(world.instance, name)), key=lambda row: rank[row[other]]):
                owners.setdefault(row[own], []).append(row[other])
            return {listed_id: tuple(names) for listed_id, names in owners.items()}
    return {}
