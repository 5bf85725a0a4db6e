"""Short names for opaque ids (`J1` for `job-0123456789`), so that a person can read, type and tell them apart."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

_ID = re.compile(r"\b[a-z][a-z_]*-[0-9a-hjkmnp-tv-z]{10}\b")
_NICKNAME = re.compile(r"\b[A-Za-z]+[0-9]+\b")


@dataclass
class Nicknames:
    """Short names in order of appearance: the same texts in the same order give the same names."""

    short_by_id: dict[str, str] = field(default_factory=dict)
    id_by_short: dict[str, str] = field(default_factory=dict)
    _letters: dict[str, str] = field(default_factory=dict, repr=False)
    _counts: Counter[str] = field(default_factory=Counter, repr=False)

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> "Nicknames":
        """The names of all ids in `texts`."""
        nicknames = cls()
        for text in texts:
            nicknames.shorten(text)
        return nicknames

    def shorten(self, text: str) -> str:
        """Replace every id in `text` by its short name; ids that are new get one."""
        return _ID.sub(lambda match: self._name(match[0]), text)

    def expand(self, text: str) -> str:
        """Replace the short names that a person typed, in any case, by their ids."""
        return _NICKNAME.sub(lambda match: self.id_by_short.get(match[0].upper(), match[0]), text)

    def _name(self, item: str) -> str:
        if item not in self.short_by_id:
            kind = item.rsplit("-", 1)[0]
            if kind not in self._letters:
                self._letters[kind] = self._initials(kind)
            self._counts[kind] += 1
            self.short_by_id[item] = f"{self._letters[kind]}{self._counts[kind]}"
            self.id_by_short[self.short_by_id[item]] = item
        return self.short_by_id[item]

    def _initials(self, kind: str) -> str:
        """The first letters of the words of `kind`, and more letters until no earlier kind has the same."""
        letters = "".join(word[:1] for word in kind.split("_")).upper()
        more = iter(kind.replace("_", "").upper()[len(letters) :])
        while letters in self._letters.values():
            letters += next(more, "X")
        return letters
