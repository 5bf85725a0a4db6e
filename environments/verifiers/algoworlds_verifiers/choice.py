"""Which worlds there are, as settings that go to the taskset, its tasks and its tool server alike."""

from functools import cache
from typing import Any

from pydantic_config import BaseConfig

from algoworlds.adapters.syllabus import Syllabus, syllabus


class Choice(BaseConfig):
    """Worlds of a suite, or fresh ones by a seed; lists are texts with commas."""

    suite: str | None = None
    """The folder of a suite with its sealed files."""
    seed: str | None = None
    """In its place: the seed of a stream of fresh worlds."""
    worlds: str = "*"
    families: str = ""
    levels: str = ""
    interfaces: str = ""
    split: str = "train"

    @property
    def syllabus(self) -> Syllabus:
        """The worlds themselves, opened once in a process."""
        return _opened(**{name: getattr(self, name) for name in Choice.model_fields})


@cache
def _opened(**chosen: Any) -> Syllabus:
    return syllabus(**chosen)
