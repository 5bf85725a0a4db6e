"""`algoworlds world show`: exactly what an agent sees."""

from algoworlds.cli.flags import Json, Seed, Shown, WorldId, print_json, world_of


def show(world_id: WorldId, interface: Shown = None, seed: Seed = None, json: Json = False) -> None:
    """Show a world as an agent meets it: the question and the tool schemas, nothing else."""
    _, world = world_of(world_id, interface, seed)
    if json:
        print_json({"question": world.question, "tools": world.tools})
        return
    print(world.question)
    print("Tool schemas, as handed to the agent")
    print_json(world.tools)
