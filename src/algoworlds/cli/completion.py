"""Shell completion of families, agents, models, interfaces and world ids. It never fails and prints nothing."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer


def _after_comma(incomplete: str, values: Iterable[str]) -> Iterator[str]:
    """Complete the last part of a comma-separated value with `values` that are not in it yet."""
    *earlier, last = incomplete.split(",")
    yield from (",".join([*earlier, value]) for value in values if value.startswith(last) and value not in earlier)


def _family_names() -> list[str]:
    from algoworlds.families import available_families

    return [family.name for family in available_families()[0]]


def complete_family(incomplete: str) -> list[str]:
    """Names of families."""
    return [name for name in _family_names() if name.startswith(incomplete)]


def complete_families(incomplete: str) -> list[str]:
    """Comma-separated names of families."""
    return list(_after_comma(incomplete, _family_names()))


def complete_interfaces(incomplete: str) -> list[str]:
    """Comma-separated interfaces."""
    from algoworlds.core.interface import Interface

    return list(_after_comma(incomplete, [interface.value for interface in Interface]))


def complete_conditions(incomplete: str) -> list[str]:
    """Comma-separated conditions."""
    from algoworlds.core.condition import CLEAR_NAME, CONDITIONS

    return list(_after_comma(incomplete, [CLEAR_NAME, *(condition.name for condition in CONDITIONS)]))


def complete_track(incomplete: str) -> list[str]:
    """Names of tracks."""
    from algoworlds.tracks.track import TRACKS

    return [name for name in TRACKS if name.startswith(incomplete)]


def complete_agent(incomplete: str) -> list[str]:
    """Scripted agents; a function of the user's own is a path, which the shell completes."""
    from algoworlds.runs.agents import AGENTS, CONDITION_AGENTS, TRACK_AGENTS

    return [name for name in (*AGENTS, *CONDITION_AGENTS, *TRACK_AGENTS, "replay:") if name.startswith(incomplete)]


def complete_model(incomplete: str) -> list[str]:
    """Shipped model configurations."""
    from algoworlds.runs.providers.configuration_file import shipped_configurations

    return [name for name in shipped_configurations() if name.startswith(incomplete)]


def complete_table(incomplete: str) -> list[str]:
    """Tables of `algoworlds describe`."""
    from algoworlds.reports.descriptions import DESCRIPTIONS

    return [table.__name__ for table in DESCRIPTIONS if table.__name__.startswith(incomplete)]


def complete_world(context: typer.Context, incomplete: str) -> list[str]:
    """World ids: those of the suite or the run on the command line, otherwise those of all families at level 1."""
    return [name for name in _world_ids(context.params) if name.startswith(incomplete)]


def _world_ids(options: dict[str, Any]) -> list[str]:
    from algoworlds.errors import AlgoWorldsError
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.suites.open import open_public_suite

    with suppress(AlgoWorldsError, OSError):
        if options.get("run") is not None:
            return sorted({slot.world for slot in RunDirectory(Path(options["run"])).finished_slots})
        if options.get("suite") is not None:
            return list(open_public_suite(options["suite"]).entries)
    return [f"{name}-{level}-{index}" for name in _family_names() for level in range(5) for index in (1, 2, 3)]
