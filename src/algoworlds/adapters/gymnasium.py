"""The worlds as a Gymnasium environment: importing this module registers `algoworlds/World-v0`.

    gymnasium.make("algoworlds.adapters.gymnasium:algoworlds/World-v0", suite="suite", reward="gain")

An observation is a text: first the question, then the response to each call. An action is a call: a tool name and its
arguments, parsed or as JSON text. The policy runs in the process that holds the hidden instance, so it must be trusted.
"""

import string
from fractions import Fraction
from math import nan
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
from gymnasium import spaces
from gymnasium.vector.utils import create_shared_memory

from algoworlds.adapters.world_source import world_source
from algoworlds.core.canonical import JsonObject
from algoworlds.measures.rewards import StepRewards, find_reward
from algoworlds.suites.open import Play

ENVIRONMENT_ID = "algoworlds/World-v0"
MAX_OBSERVATION_CHARS = 2**17
"""Characters of an observation; the longest responses of the highest level have about 70,000."""
MAX_ACTION_CHARS = 2**14
"""Characters of a call's arguments in the action space; longer arguments are accepted too."""
STREAM_NUMBER_BOUND = 2**32
"""Worlds of an endless stream are drawn by numbers below this."""


class TextSpace(spaces.Text):
    """Texts that vector environments must send: from shared memory, Gymnasium reads a text only once, at the start."""


def _refuse_shared_memory(space: TextSpace, n: int = 1, ctx: Any = None) -> Any:
    raise gymnasium.error.CustomSpaceError("texts cannot be shared by memory")


create_shared_memory.register(TextSpace, _refuse_shared_memory)


class WorldEnv(gymnasium.Env[str, JsonObject]):
    """One world per episode, drawn by the environment's random numbers; `options={"number": n}` resets to a given one."""

    metadata: ClassVar[JsonObject] = {"render_modes": ["ansi"], "render_fps": 1}
    play: Play
    """The world in play; for the trainer only, since it holds the optimum."""
    _step_rewards: StepRewards
    _text: str

    def __init__(
        self,
        suite: Path | str | None = None,
        reward: str = "exact",
        shaping: str | None = None,
        discount: Fraction | int = 1,
        render_mode: str | None = None,
        **selection: Any,
    ) -> None:
        self.source = world_source(suite, **selection)
        self.render_mode = render_mode
        self.observation_space = TextSpace(MAX_OBSERVATION_CHARS, charset=string.printable)
        self.action_space = spaces.Dict(
            tool=TextSpace(64, charset=string.ascii_letters + string.digits + "_"),
            arguments=TextSpace(MAX_ACTION_CHARS, min_length=0, charset=string.printable),
        )
        find_reward(reward)  # refuse an unknown reward now, not at the end of an episode
        self._reward_options = (reward, shaping, discount)

    def reset(self, *, seed: int | None = None, options: JsonObject | None = None) -> tuple[str, JsonObject]:
        """Begin an episode; returns the question, and the world's number, tools and budget."""
        super().reset(seed=seed)
        number = (options or {}).get("number")
        if number is None:
            number = int(self.np_random.integers(self.source.size or STREAM_NUMBER_BOUND))
        self.play = self.source.play(number)
        self._step_rewards = self.play.step_rewards(*self._reward_options)
        self._text = self.play.question
        return self._text, {"number": number, "tools": self.play.tools, "budget": self.play.budget}

    def step(self, action: JsonObject) -> tuple[str, float, bool, bool, JsonObject]:
        """Make a call; any action is answered. The reward comes at the end, plus what `shaping` pays on the way.

        A fault of the infrastructure truncates the episode: `info["valid"]` is false and the reward is not a number, never 0.
        """
        try:
            observation = self.play.call(action.get("tool", ""), action.get("arguments"))
            reward = float(self._step_rewards.step())
        except Exception as problem:  # any action is answered, so this is a fault of the infrastructure
            return self._text, nan, False, True, {"valid": False, "fault": f"{type(problem).__name__}: {problem}"}
        self._text = observation.text
        info = {"status": observation.status.value, "charged": observation.charged, "valid": True}
        return self._text, reward, self.play.done, False, info

    def render(self) -> str | None:
        """The latest text."""
        return self._text if self.render_mode == "ansi" else None


gymnasium.register(ENVIRONMENT_ID, entry_point=f"{__name__}:{WorldEnv.__name__}")
