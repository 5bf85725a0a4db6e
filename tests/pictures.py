"""Screenshots of the pages for the documentation: `make pictures` takes them with the browser of the tests."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.reports.browser import Browser, browser
from tests.reports.test_play_page import build_decision, open_page, practice_game, submit

FOLDER = Path(__file__).parents[1] / "docs" / "figures"
SHAPES = {"assign": "fleet_dispatch", "pick": "station_siting", "subset": "basket_assembly"}
"""A family for each way in which a decision is built."""


@contextmanager
def half_built_game(running: Browser, name: str) -> Iterator[Browser]:
    """A game with nearly everything read and half of the optimum built."""
    game, _ = practice_game(name)
    best = game.episode.world.family.decision.arguments(game.key.decision)
    half = {
        argument: dict(list(value.items())[: len(value) // 2]) if isinstance(value, dict) else value[: len(value) // 2]
        for argument, value in best.items()
    }
    with open_page(running, game) as page:
        build_decision(page, half)
        yield page


def picture_games(running: Browser) -> None:
    """A game for each way of deciding."""
    for shape, name in SHAPES.items():
        with half_built_game(running, name) as page:
            page.picture(FOLDER / f"play-{shape}.png", whole=True)


def picture_result(running: Browser) -> None:
    """The result page of the greedy decision, with its replay."""
    game, _ = practice_game("fleet_dispatch")
    world = game.episode.world
    with open_page(running, game) as page:
        build_decision(page, world.family.decision.arguments(world.family.reference(world.instance)))
        submit(page)
        page.wait("document.querySelector('.sentence')")
        page.run("document.querySelector('.again').firstChild.go(3)")
        page.picture(FOLDER / "play-result.png", whole=True)


def main() -> None:
    """Take all pictures."""
    with TemporaryDirectory() as profile, browser(Path(profile)) as running:
        picture_games(running)
        picture_result(running)


if __name__ == "__main__":
    sys.exit(main())
