"""The worlds as an environment of Gymnasium: importing this module registers `algoworlds/World-v0`.

    gymnasium.make("algoworlds.adapters.gymnasium:algoworlds/World-v0", suite="suite", reward="gain")

An observation is a text: the question at first, then what every call is answered. An action is a call: the name of a tool and
its arguments, parsed or as JSON text. The policy shares the process with the hidden instance, so that it must be trusted.
"""

import string
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
from gymnasium import spaces
from gymnasium.vector.utils import create_shared_memory

from algoworlds.adapters.syllabus import syllabus
from algoworlds.measures.rewards import reward_named
from algoworlds.measures.shaping import Meter
from algoworlds.suites.opened import Play

WORLD = "algoworlds/World-v0"
LONGEST_TEXT = 2**17
"""Characters of an observation; the longest answers of the highest level have some 70,000."""
LONGEST_CALL = 2**14
"""Characters of a call's arguments that the space of actions holds; longer ones are taken as well."""
RANGE = 2**32
"""Of an endless stream worlds are drawn by numbers below this one."""


class Words(spaces.Text):
    """Texts. Vectors of processes must send them: from shared memory Gymnasium reads a text once, at the start."""


def _unshared(space: Words, n: int = 1, ctx: Any = None) -> Any:
    raise gymnasium.error.CustomSpaceError("texts are sent, not shared")


create_shared_memory.register(Words, _unshared)


class WorldEnv(gymnasium.Env[str, dict[str, Any]]):
    """Worlds, one an episode, drawn by the environment's own random numbers; `options={"number": n}` resets to one of them."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}
    play: Play
    """The world in play: for whoever trains, since it holds the optimum."""
    _meter: Meter
    _text: str

    def __init__(
        self,
        suite: Path | str | None = None,
        reward: str = "exact",
        shaping: str | None = None,
        discount: Fraction | int = 1,
        render_mode: str | None = None,
        **chosen: Any,
    ) -> None:
        self.syllabus = syllabus(suite, **chosen)
        self.render_mode = render_mode
        self.observation_space = Words(LONGEST_TEXT, charset=string.printable)
        self.action_space = spaces.Dict(
            tool=Words(64, charset=string.ascii_letters + string.digits + "_"),
            arguments=Words(LONGEST_CALL, min_length=0, charset=string.printable),
        )
        reward_named(reward)  # refused now, and not at the end of an episode
        self._paid = (reward, shaping, discount)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; what is known of it are its tools and its budget."""
        super().reset(seed=seed)
        number = (options or {}).get("number")
        if number is None:
            number = int(self.np_random.integers(self.syllabus.size or RANGE))
        self.play = self.syllabus.play(number)
        self._meter = self.play.meter(*self._paid)
        self._text = self.play.question
        return self._text, {"number": number, "tools": self.play.tools, "budget": self.play.budget}

    def step(self, action: dict[str, Any]) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Make a call: whatever is given is answered. The reward comes with the end, and what a shaping adds on the way."""
        seen = self.play.call(action.get("tool", ""), action.get("arguments"))
        self._text = seen.text
        known = {"status": seen.status.value, "charged": seen.charged}
        return seen.text, float(self._meter.step()), self.play.done, False, known

    def render(self) -> str | None:
        """The latest text."""
        return self._text if self.render_mode == "ansi" else None


gymnasium.register(WORLD, entry_point=f"{__name__}:{WorldEnv.__name__}")
