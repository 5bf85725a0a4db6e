"""AlgoWorlds: certified combinatorial worlds for agents that gather information through tools.

Public names are imported on first use, so that `import algoworlds` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from algoworlds.core.instance import Instance
    from algoworlds.core.interface import Interface
    from algoworlds.errors import AlgoWorldsError, InputError
    from algoworlds.families import FAMILIES, load_family, read_instance
    from algoworlds.families.family import Family
    from algoworlds.knowledge.observed import ObservedCalls
    from algoworlds.knowledge.oracle import Oracle
    from algoworlds.measures.key import AnswerKey
    from algoworlds.measures.rewards import REWARDS, SHAPINGS
    from algoworlds.measures.scoring import MEASURES, score
    from algoworlds.runs.external.world_client import WorldClient
    from algoworlds.runs.rollouts import Rollout, rollouts
    from algoworlds.runs.run import Run, open_run, read_run
    from algoworlds.suites.curriculum import Curriculum
    from algoworlds.suites.open import Play, Suite, open_public_suite, open_suite
    from algoworlds.suites.record import PlayerKind, Provenance
    from algoworlds.suites.stream import StreamWorld, WorldStream, stream
    from algoworlds.worlds.admission import AdmittedInstance, Coordinate, admit
    from algoworlds.worlds.episode import Episode
    from algoworlds.worlds.observation import Observation, Status
    from algoworlds.worlds.render import family_tool_schemas
    from algoworlds.worlds.world import World, build_world, load_world

__all__ = [
    "FAMILIES",
    "MEASURES",
    "REWARDS",
    "SHAPINGS",
    "AdmittedInstance",
    "AlgoWorldsError",
    "AnswerKey",
    "Coordinate",
    "Curriculum",
    "Episode",
    "Family",
    "InputError",
    "Instance",
    "Interface",
    "Observation",
    "ObservedCalls",
    "Oracle",
    "Play",
    "PlayerKind",
    "Provenance",
    "Rollout",
    "Run",
    "Status",
    "StreamWorld",
    "Suite",
    "World",
    "WorldClient",
    "WorldStream",
    "admit",
    "build_world",
    "family_tool_schemas",
    "load_family",
    "load_world",
    "open_public_suite",
    "open_run",
    "open_suite",
    "read_instance",
    "read_run",
    "rollouts",
    "score",
    "stream",
]

_HOMES = {
    "errors": ("AlgoWorldsError", "InputError"),
    "core.instance": ("Instance",),
    "core.interface": ("Interface",),
    "families": ("FAMILIES", "load_family", "read_instance"),
    "families.family": ("Family",),
    "worlds.admission": ("AdmittedInstance", "Coordinate", "admit"),
    "worlds.world": ("World", "build_world", "load_world"),
    "worlds.render": ("family_tool_schemas",),
    "worlds.episode": ("Episode",),
    "worlds.observation": ("Observation", "Status"),
    "knowledge.observed": ("ObservedCalls",),
    "knowledge.oracle": ("Oracle",),
    "measures.key": ("AnswerKey",),
    "measures.rewards": ("REWARDS", "SHAPINGS"),
    "measures.scoring": ("MEASURES", "score"),
    "suites.curriculum": ("Curriculum",),
    "suites.open": ("Play", "Suite", "open_public_suite", "open_suite"),
    "suites.record": ("PlayerKind", "Provenance"),
    "suites.stream": ("StreamWorld", "WorldStream", "stream"),
    "runs.external.world_client": ("WorldClient",),
    "runs.rollouts": ("Rollout", "rollouts"),
    "runs.run": ("Run", "open_run", "read_run"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __dir__() -> list[str]:
    """The public names, for completion; they are imported when they are used."""
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'algoworlds' has no attribute {name!r}")
    return getattr(import_module(f"algoworlds.{_HOME_OF[name]}"), name)
