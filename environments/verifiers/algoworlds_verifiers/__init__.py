"""AlgoWorlds as a verifiers taskset: `vf-eval algoworlds-verifiers`, or `load_environment(...)`.

The default harness has no shell: a model that runs commands on this machine could read a suite's sealed files. Run any
other harness in a container without them.
"""

from typing import Any

import verifiers.v1 as vf
from verifiers.v1.harnesses.null import NullHarness
from verifiers.v1.utils.loaders import resolve_env_config

from algoworlds_verifiers.taskset import AlgoWorldsTaskset

__all__ = ["AlgoWorldsTaskset", "NullHarness", "load_environment"]


def load_environment(agent: dict[str, Any] | None = None, **taskset: Any) -> vf.Env:
    """The environment as verifiers loads it; `agent` configures the agent, `taskset` the taskset."""
    return vf.load_environment(resolve_env_config({"taskset": {"id": "algoworlds-verifiers", **taskset}, "agent": agent or {}}))
