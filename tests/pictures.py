"""Pictures of our pages for the documents: `make pictures` takes them anew, with the browser that the tests use."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.reports.browser import Browser, browser
from tests.reports.test_play_page import challenge, opened, put_together, submit

FOLDER = Path(__file__).parents[1] / "docs" / "figures"
SHAPES = {"assign": "fleet_dispatch", "pick": "station_siting", "subset": "basket_assembly"}
"""A family for each manner in which a decision is put together."""


@contextmanager
def under_way(running: Browser, name: str) -> Iterator[Browser]:
    """A game with nearly everything read and half of the optimum put together."""
    game, _ = challenge(name)
    best = game.episode.world.family.decision.arguments(game.key.decision)
    half = {
        argument: dict(list(taken.items())[: len(taken) // 2]) if isinstance(taken, dict) else taken[: len(taken) // 2]
        for argument, taken in best.items()
    }
    with opened(running, game) as page:
        put_together(page, half)
        yield page


def play(running: Browser) -> None:
    """Each manner of deciding."""
    for manner, name in SHAPES.items():
        with under_way(running, name) as page:
            page.picture(FOLDER / f"play-{manner}.png", whole=True)


def played(running: Browser) -> None:
    """The look back on a decision that is greedy's own, and its replay."""
    game, _ = challenge("fleet_dispatch")
    world = game.episode.world
    with opened(running, game) as page:
        put_together(page, world.family.decision.arguments(world.family.reference(world.instance)))
        submit(page)
        page.wait("document.querySelector('.sentence')")
        page.run("document.querySelector('.again').firstChild.go(3)")
        page.picture(FOLDER / "play-result.png", whole=True)


def main() -> None:
    """Take all pictures."""
    with TemporaryDirectory() as profile, browser(Path(profile)) as running:
        play(running)
        played(running)


if __name__ == "__main__":
    sys.exit(main())
