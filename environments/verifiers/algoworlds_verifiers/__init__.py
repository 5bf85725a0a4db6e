"""AlgoWorlds as a taskset of verifiers: `vf-eval algoworlds-verifiers`, or `load_environment(...)`.

The harness that goes with it is the one without a shell: a model that runs commands on this machine could read a suite's sealed
files. Whoever chooses another runs it in a container that does not see them.
"""

from typing import Any

import verifiers.v1 as vf
from verifiers.v1.harnesses.null import NullHarness
from verifiers.v1.utils.loaders import resolve_env_config

from algoworlds_verifiers.taskset import AlgoWorldsTaskset

__all__ = ["AlgoWorldsTaskset", "NullHarness", "load_environment"]


def load_environment(agent: dict[str, Any] | None = None, **chosen: Any) -> vf.Env:
    """The environment of some worlds, as verifiers loads it; `agent` says what plays, and `chosen` is the taskset's."""
    return vf.load_environment(resolve_env_config({"taskset": {"id": "algoworlds-verifiers", **chosen}, "agent": agent or {}}))
