"""`algoworlds world show`: exactly what an agent sees."""

from algoworlds.cli.options import InterfaceOption, JsonOption, SeedOption, WorldIdArgument, admit_world
from algoworlds.cli.output import print_json


def show(
    world_id: WorldIdArgument, interface: InterfaceOption = None, seed: SeedOption = None, json: JsonOption = False
) -> None:
    """Show a world as an agent sees it: the question and the tool schemas, nothing else."""
    _, world = admit_world(world_id, interface, seed)
    if json:
        print_json({"question": world.question, "tools": world.tools})
        return
    print(world.question)
    print("Tool schemas, as handed to the agent")
    print_json(world.tools)
