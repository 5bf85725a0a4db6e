"""The console that commands print to: styles are ours, and text from files brings no terminal escapes."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.segment import Segment

from algoworlds.grid import strip_control_chars


class SafeConsole(Console):
    """A console that removes terminal escapes and control characters from everything that it renders."""

    def __init__(self, **options: Any) -> None:
        """Like `rich.console.Console`, without highlighting of numbers and paths."""
        super().__init__(highlight=False, **options)

    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render, and clean the text of each segment; control segments are rich's own."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else strip_control_chars(text).replace("\r", ""), style, control)
