"""Private suites: two secrets, drawn by the program and sealed with the suite before anything depends on them.

The pepper is drawn for every private suite, also for one whose seed somebody typed, and everything random in the suite follows
from both. So a guess at the seed can be tried against nothing: no id, number or digest of the suite comes from the seed alone.
"""

import json
import secrets
from dataclasses import dataclass, replace

from algoworlds.errors import InputError
from algoworlds.suites.suite import Suite

NEW = "new"
"""What stands for a seed that the program is to draw."""

GUESSABLE = 16
"""Characters below which a typed seed is no secret: a dictionary finds it."""

VARIED = 6
"""Different characters below which a typed seed is no secret, however long: somebody leant on a key."""


def drawn() -> str:
    """A new secret: 128 bits of the operating system's randomness, in hex."""
    return secrets.token_hex(16)


def weakness(seed: str) -> str | None:
    """Why a typed seed can be guessed; None if length and variety say nothing against it."""
    if len(seed) < GUESSABLE:
        return f"a seed of fewer than {GUESSABLE} characters can be guessed"
    return f"a seed of fewer than {VARIED} different characters can be guessed" if len(set(seed)) < VARIED else None


@dataclass(frozen=True)
class Unsealed:
    """A private suite before it has its secrets: the pepper is to be drawn, and the seed unless somebody typed one."""

    shape: Suite
    """The suite, whatever its secrets are."""
    typed: str | None

    def settled(self, begun: str | None) -> Suite:
        """The suite to build: the very one that an interrupted build has sealed, or one with new secrets."""
        sealed = _suite(begun) if begun is not None else None
        if sealed is not None and self._fits(sealed):
            return sealed
        return replace(self.shape, seed=drawn() if self.typed is None else self.typed, pepper=drawn())

    def _fits(self, sealed: Suite) -> bool:
        seeded = self.typed is None or self.typed == sealed.seed
        return seeded and sealed.pepper != "" and replace(self.shape, seed=sealed.seed, pepper=sealed.pepper) == sealed


def _suite(text: str) -> Suite | None:
    try:
        return Suite.from_json(json.loads(text))
    except (InputError, ValueError, KeyError, TypeError, AttributeError):
        return None
