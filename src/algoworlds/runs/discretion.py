"""What must not leave a machine with a run: keys, and places on it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from algoworlds.errors import InputError, shown
from algoworlds.runs.archive import Member
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.providers.secrets import Secret, secretive

LONG = 16
"""Characters from which on the value of a variable with a telling name is taken for a key."""

_KEY = re.compile(
    r"(?<![\w+/=-])(sk-[\w-]{20,}|(gsk|hf|gh[opsur]|github_pat)_\w{20,}|xai-\w{20,}|AIza[\w-]{30,}|AKIA[0-9A-Z]{16}\b"
    r"|Bearer [\w.~+/-]{20,})"
)
"""How keys of well-known providers begin, where a word begins: never inside of what a provider has encrypted."""


@dataclass(frozen=True)
class Discretion:
    """The keys in this environment and the paths of this machine that a run may know."""

    keys: tuple[Secret, ...]
    places: tuple[str, ...]

    @classmethod
    def of(cls, directory: RunDirectory, environment: Mapping[str, str]) -> "Discretion":
        """What to look for in the files of a run."""
        settings, suite = directory.document["plan"]["settings"], directory.document["suite"]
        asked = settings.get("key_env") if isinstance(settings, Mapping) else None
        keys = {value for name, value in environment.items() if name == asked or (secretive(name) and len(value) >= LONG)}
        named = [directory.path.resolve(), Path(suite if isinstance(suite, str) else "/"), Path(environment.get("HOME", "/"))]
        places = {str(each) for each in named if each.is_absolute() and len(each.parts) > 2}
        return cls(tuple(map(Secret, sorted(keys))), tuple(sorted(places | {json.dumps(each)[1:-1] for each in places})))

    def require(self, member: Member) -> None:
        """InputError if a file holds any of it; no message repeats what it is."""
        text = member.content.decode(errors="replace")
        what = "a key" if self._holds_key(text) else "a path of this machine" if self._holds_place(text) else None
        if what is not None:
            advice = "leave it out with --public" if member.name.startswith("journal/") else "take it out and run again"
            raise InputError(f"{shown(member.name)} holds {what}, which must not leave it: {advice}; nothing was written")

    def _holds_key(self, text: str) -> bool:
        return bool(_KEY.search(text)) or any(key.out_of(text) != text for key in self.keys)

    def _holds_place(self, text: str) -> bool:
        return any(place in text for place in self.places)
