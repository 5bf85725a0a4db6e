"""`algoworlds world show`: exactly what an agent sees."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from algoworlds.cli.options import (
    InterfaceOption,
    JsonOption,
    SeedOption,
    TrackOption,
    WorldIdArgument,
    admit_world,
    find_entry,
)
from algoworlds.cli.output import print_json
from algoworlds.errors import InputError
from algoworlds.grid import strip_control_chars


def show(
    world_id: WorldIdArgument,
    interface: InterfaceOption = None,
    seed: SeedOption = None,
    suite: Annotated[Path | None, typer.Option(metavar="SUITE", help="A world of this suite; default: generate it.")] = None,
    track: TrackOption = "bare",
    json: JsonOption = False,
) -> None:
    """Show a world as an agent sees it: the question and the tool schemas, nothing else."""
    from algoworlds.suites.open import extend_public_world, open_public_suite
    from algoworlds.tracks.track import find_track

    if suite is not None and seed is not None:
        raise InputError("a suite has its own seed: leave out --seed or --suite")
    if suite is None:
        _, world = admit_world(world_id, interface, seed)
        world = replace(world, track=find_track(track))
        question, tools = world.question, world.tools
    else:
        opened = open_public_suite(suite)
        shown = extend_public_world(opened.public_world(find_entry(opened, world_id, interface).id), find_track(track))
        question, tools = shown.question, shown.tools
    if json:
        print_json({"question": question, "tools": tools})
        return
    print(strip_control_chars(question).replace("\r", ""))
    print("Tool schemas, as handed to the agent")
    print_json(tools)
