"""`python -m bench.gallery OUT [PLACE]`: pictures of the report for the documentation, of simulated models on a small suite.

Four simulated models play a small suite twice: each gathers enough as often as it is careful and then decides optimally as
often as it is clever, with a sentence at every turn. What they are called says that nobody real is shown. Everything is built
in PLACE, and found there the next time.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import quote

from algoworlds.core.decision import Decision
from algoworlds.core.stream import Stream
from algoworlds.measures.key import Key
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import judge_runs
from algoworlds.runs.schedule import Experiment
from algoworlds.suites.build import build_suite
from algoworlds.suites.opened import Opened, open_suite
from algoworlds.suites.record import Kind, Played, record
from algoworlds.suites.suite import default_suite
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World
from tests.reports.browser import Browser, browser


class Simulated(NamedTuple):
    """A simulated model: how often in a hundred it gathers enough, and how often it then decides optimally."""

    label: str
    careful: int
    clever: int


MODELS = (
    Simulated("simulated A", 95, 60),
    Simulated("simulated B", 85, 35),
    Simulated("simulated C", 60, 20),
    Simulated("simulated D", 30, 5),
)
TRIALS = 2
SAID = (
    "I start with what the question lists, then read the cheapest source that covers most.",
    "This agrees with what I had noted. I read on where something is still missing.",
    "Two entries differ by a little; the rest does not matter for the decision.",
    "Next comes the part that no response has shown so far.",
)


def played(world: World, key: Key, stream: Stream, who: Simulated) -> Played:
    """One evaluation of a simulated model."""
    episode, family = Episode(world), world.family
    plan = min(world.plans.values(), key=world.cost)
    careful, clever, silent = (stream.integer(1, 100) <= share for share in (who.careful, who.clever, 4))
    for call in plan if careful else plan[: len(plan) * stream.integer(4, 9) // 10]:
        episode.call(*call)
    if stream.integer(1, 3) == 1:
        episode.call("look_around", {"where": "everywhere"})
    if not silent:
        decision = key.decision if careful and clever else _myopic(world, stream)
        episode.call(family.template.closing.submit, family.decision.arguments(decision))
    turns = tuple(range(1, episode.attempts + 1))
    texts = tuple((turn, SAID[turn % len(SAID)]) for turn in turns)
    tokens = {"input": 1500 * len(turns), "output": 90 * len(turns), "reasoning": None, "cached": None}
    told: dict[str, Any] = {"model": who.label, "tokens": tokens, "cost": 0.01 * len(turns)}
    return Played(episode, "text_end" if silent else "submitted", turns, texts=texts, rounds=len(turns), **told)


def _myopic(world: World, stream: Stream) -> Decision:
    """A feasible decision that looks at little, or at nothing."""
    instance = world.instance
    return world.family.reference(instance) if stream.integer(0, 1) else world.family.hardness.sample(instance, stream)


def make_runs(suite: Opened, place: Path) -> Iterator[Path]:
    """The judged runs of all simulated models."""
    entries = list(suite.manifest.worlds)
    for who in MODELS:
        run = RunDirectory(place / who.label.replace(" ", "-"))
        run.path.mkdir(parents=True)
        run.begin(Experiment.of(who.label, Kind.MODEL, {"simulated": who.label}, suite, entries, TRIALS), suite.directory)
        for slot in run.schedule:
            entry = suite.entry(slot.world)
            world, key = suite.world(entry), suite.key(entry)
            made = played(world, key, Stream("gallery", who.label, slot.name), who)
            run.finalize(slot, record(run.whose(slot), entry, key, made))
        run.seal()
        yield run.path


def report_in(place: Path) -> Path:
    """The page of a report on simulated models; suite and runs are made once."""
    from algoworlds.reports.conclude import conclude

    if not (place / "suite" / "manifest.json").exists():
        small = replace(default_suite(), name="gallery", levels=(0, 1), instances=1)
        build_suite(small, place / "suite", None, lambda done, total: None)
    suite = open_suite(place / "suite")
    if not (place / "runs").exists():
        judge_runs([RunDirectory(path) for path in make_runs(suite, place / "runs")], suite, None, lambda done, total: None)
    runs = [RunDirectory(path) for path in sorted((place / "runs").iterdir())]
    return conclude(runs, suite, place / "report").page


WORLD = "transit_routing-1-1-direct"


def views() -> dict[str, tuple[str, int, int, bool]]:
    """By the name of a picture: the address, width and height, and whether it is dark."""
    one, other = (f"{who.label}/{WORLD}/1" for who in MODELS[1:3])
    shown = f"#evaluation={quote(one)}"
    return {
        "report-landing": ("", 1280, 1080, False),
        "report-replay": (f"{shown}&step=12", 1280, 980, False),
        "report-compare": (f"{shown}&with={quote(other)}", 1280, 980, False),
        "report-matrix-dark": ("", 1280, 1080, True),
        "report-replay-phone": (f"{shown}&step=12", 390, 844, False),
    }


def take(window: Browser, page: Path, out: Path) -> None:
    """Take every picture."""
    for name, (address, width, height, dark) in views().items():
        window.open(page.resolve().as_uri() + address, width, height, dark)
        window.wait("document.querySelector('#matrix a.cell')")
        if address:
            window.wait("document.querySelector('#evaluation[open] .inside')")
        window.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        window.picture(out / f"{name}.png")
        print(out / f"{name}.png")


def main() -> None:
    """Build, report and take the pictures."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as directory:
        page = report_in(Path(sys.argv[2]) if sys.argv[2:] else Path(directory))
        profile = Path(directory) / "profile"
        profile.mkdir()
        with browser(profile) as window:
            take(window, page, out)


if __name__ == "__main__":
    main()
