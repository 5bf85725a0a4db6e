"""AlgoWorlds: certified combinatorial worlds for agents that gather information through tools.

The public names are imported when they are first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from algoworlds.core.instance import Instance
    from algoworlds.core.interface import Interface
    from algoworlds.core.work import Solution, Work
    from algoworlds.errors import AlgoWorldsError, InputError, InstanceError
    from algoworlds.families import FAMILIES, family, read_instance
    from algoworlds.measures.key import Key
    from algoworlds.measures.measure import Measure
    from algoworlds.measures.rewards import REWARDS, Reward
    from algoworlds.measures.scoring import MEASURES, score
    from algoworlds.measures.shaping import SHAPINGS, Meter, Shaping
    from algoworlds.runs.external.seat import Seat
    from algoworlds.runs.rollouts import Rollout, rollouts
    from algoworlds.suites.curriculum import Curriculum
    from algoworlds.suites.endless import Endless, Fresh, stream
    from algoworlds.suites.opened import Play, open_suite
    from algoworlds.suites.public import Presented, open_public
    from algoworlds.suites.record import Kind, Whose
    from algoworlds.worlds.admit import Admitted, Coordinate, admit
    from algoworlds.worlds.episode import Episode
    from algoworlds.worlds.observation import Observation, Status
    from algoworlds.worlds.render import tools
    from algoworlds.worlds.world import World, build, world

__all__ = [
    "FAMILIES",
    "MEASURES",
    "REWARDS",
    "SHAPINGS",
    "Admitted",
    "AlgoWorldsError",
    "Coordinate",
    "Curriculum",
    "Endless",
    "Episode",
    "Fresh",
    "InputError",
    "Instance",
    "InstanceError",
    "Interface",
    "Key",
    "Kind",
    "Measure",
    "Meter",
    "Observation",
    "Play",
    "Presented",
    "Reward",
    "Rollout",
    "Seat",
    "Shaping",
    "Solution",
    "Status",
    "Whose",
    "Work",
    "World",
    "admit",
    "build",
    "family",
    "open_public",
    "open_suite",
    "read_instance",
    "rollouts",
    "score",
    "stream",
    "tools",
    "world",
]

_HOMES = {
    "errors": ("AlgoWorldsError", "InputError", "InstanceError"),
    "families": ("FAMILIES", "family", "read_instance"),
    "core.instance": ("Instance",),
    "core.interface": ("Interface",),
    "core.work": ("Solution", "Work"),
    "measures.key": ("Key",),
    "measures.measure": ("Measure",),
    "measures.rewards": ("REWARDS", "Reward"),
    "measures.scoring": ("MEASURES", "score"),
    "measures.shaping": ("SHAPINGS", "Meter", "Shaping"),
    "worlds.admit": ("Admitted", "Coordinate", "admit"),
    "runs.external.seat": ("Seat",),
    "runs.rollouts": ("Rollout", "rollouts"),
    "suites.curriculum": ("Curriculum",),
    "suites.endless": ("Endless", "Fresh", "stream"),
    "suites.opened": ("Play", "open_suite"),
    "suites.public": ("Presented", "open_public"),
    "suites.record": ("Kind", "Whose"),
    "worlds.episode": ("Episode",),
    "worlds.observation": ("Observation", "Status"),
    "worlds.render": ("tools",),
    "worlds.world": ("World", "build", "world"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'algoworlds' has no attribute {name!r}")
    return getattr(import_module(f"algoworlds.{_HOME_OF[name]}"), name)
