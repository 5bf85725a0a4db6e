"""Short names for opaque ids, so that a person can read, type and tell them apart."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

_ID = re.compile(r"\b[a-z][a-z_]*-[0-9a-hjkmnp-tv-z]{10}\b")
_SHORT = re.compile(r"\b[A-Za-z]+[0-9]+\b")


@dataclass
class Nicknames:
    """Short names in order of appearance: whoever hears the same texts in the same order gives the same names."""

    short: dict[str, str] = field(default_factory=dict)
    long: dict[str, str] = field(default_factory=dict)
    _letters: dict[str, str] = field(default_factory=dict, repr=False)
    _counts: Counter[str] = field(default_factory=Counter, repr=False)

    @classmethod
    def heard(cls, texts: Iterable[str]) -> "Nicknames":
        """The names of all ids in some texts."""
        names = cls()
        for text in texts:
            names.shorten(text)
        return names

    def shorten(self, text: str) -> str:
        """The text with every id replaced by its short name."""
        return _ID.sub(lambda match: self._name(match[0]), text)

    def expand(self, text: str) -> str:
        """What a person typed, with short names, in capitals or not, replaced by ids."""
        return _SHORT.sub(lambda match: self.long.get(match[0].upper(), match[0]), text)

    def _name(self, item: str) -> str:
        if item not in self.short:
            kind = item.rsplit("-", 1)[0]
            if kind not in self._letters:
                self._letters[kind] = self._initials(kind)
            self._counts[kind] += 1
            self.short[item] = f"{self._letters[kind]}{self._counts[kind]}"
            self.long[self.short[item]] = item
        return self.short[item]

    def _initials(self, kind: str) -> str:
        """The first letters of a kind's words, and as many more as tell it from the kinds before it."""
        letters = "".join(word[:1] for word in kind.split("_")).upper()
        more = iter(kind.replace("_", "").upper()[len(letters) :])
        while letters in self._letters.values():
            letters += next(more, "X")
        return letters
