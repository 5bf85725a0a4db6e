"""`algoworlds play`: a person plays a world in the terminal."""

from algoworlds.cli.flags import Json, Seed, Shown, WorldId, print_json, world_of


def play(world_id: WorldId, interface: Shown = None, seed: Seed = None, json: Json = False) -> None:
    """Play a world yourself: read what you can afford, decide, and be scored against the certified optimum."""
    from rich.console import Console

    from algoworlds.cli.scorecard import print_result, result
    from algoworlds.cli.terminal import play_on
    from algoworlds.worlds.episode import Episode

    admitted, world = world_of(world_id, interface, seed)
    console = Console(highlight=False, stderr=json)
    episode = Episode(world)
    play_on(console, episode)
    found = result(admitted, episode)
    if json:
        print_json(found)
    else:
        print_result(console, found)
