"""The oracle: submits the certified optimum of the first world of the server, which earns the highest reward.

Run beside the server, with its environment variables: `python validation/oracle.py [URL]`. It solves the world itself, because
the server gives no answer away.
"""

import os
import sys

from algoworlds_env import AlgoWorldsEnv, CallToolAction
from algoworlds_env.server.app import SELECTION, read_variables

from algoworlds.adapters.world_source import world_source


def main(url: str) -> float:
    """Play the world of index 0 at `url`; returns the reward."""
    world = world_source(**read_variables(*SELECTION)).play(0).episode.world
    family, solution = world.family, world.family.solve(world.instance)
    action = CallToolAction(
        tool_name=family.template.decision_tools.submit, arguments=family.decision.arguments(solution.decision)
    )
    with AlgoWorldsEnv(base_url=url).sync() as env:
        env.reset(index=0)
        return float(env.step(action).reward)


if __name__ == "__main__":
    reward = main(sys.argv[1] if len(sys.argv) > 1 else f"http://127.0.0.1:{os.environ.get('PORT', '8000')}")
    print(reward)
    sys.exit(reward != 1.0)
