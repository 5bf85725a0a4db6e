"""`python -m bench.gallery OUT [FOLDER]`: pictures of the report for the documentation, of simulated models on a small suite.

Four simulated models play a small suite twice. A model gathers enough with one probability and then decides optimally with
another, with a sentence at every turn. Their labels say that they are simulated. Everything is built in FOLDER and reused the
next time.
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
from algoworlds.measures.key import AnswerKey
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import judge_runs
from algoworlds.runs.panel import play_panel
from algoworlds.runs.schedule import Experiment
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import Suite, open_suite
from algoworlds.suites.record import FinishedTrajectory, PlayerKind, build_record
from algoworlds.suites.suite import default_suite
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World
from tests.reports.browser import Browser, browser


class SimulatedModel(NamedTuple):
    """A simulated model: how often (percent) it gathers enough, and how often it then decides optimally."""

    label: str
    sufficient: int
    optimal: int


MODELS = (
    SimulatedModel("simulated A", 95, 60),
    SimulatedModel("simulated B", 85, 35),
    SimulatedModel("simulated C", 60, 20),
    SimulatedModel("simulated D", 30, 5),
)
TRIALS = 2
SENTENCES = (
    "I start with what the question lists, then read the cheapest source that covers most.",
    "This agrees with what I had noted. I read on where something is still missing.",
    "Two entries differ by a little; the rest does not matter for the decision.",
    "Next comes the part that no response has shown so far.",
)


def play(world: World, key: AnswerKey, stream: Stream, model: SimulatedModel) -> FinishedTrajectory:
    """One evaluation of a simulated model."""
    episode, family = Episode(world), world.family
    plan = min(world.plans.values(), key=world.cost)
    sufficient, optimal, silent = (stream.integer(1, 100) <= share for share in (model.sufficient, model.optimal, 4))
    for call in plan if sufficient else plan[: len(plan) * stream.integer(4, 9) // 10]:
        episode.call(*call)
    if stream.integer(1, 3) == 1:
        episode.call("look_around", {"where": "everywhere"})
    if not silent:
        decision = key.decision if sufficient and optimal else _myopic_decision(world, stream)
        episode.call(family.template.decision_tools.submit, family.decision.arguments(decision))
    turns = tuple(range(1, episode.attempts + 1))
    texts = tuple((turn, SENTENCES[turn % len(SENTENCES)]) for turn in turns)
    tokens = {"input": 1500 * len(turns), "output": 90 * len(turns), "reasoning": None, "cached": None}
    usage: dict[str, Any] = {"model": model.label, "tokens": tokens, "cost": 0.01 * len(turns)}
    stop = "text_end" if silent else "submitted"
    return FinishedTrajectory(episode, stop, turns, texts=texts, turn_count=len(turns), **usage)


def _myopic_decision(world: World, stream: Stream) -> Decision:
    """The reference decision or a random feasible one."""
    instance = world.instance
    return world.family.reference(instance) if stream.integer(0, 1) else world.family.hardness.sample(instance, stream)


def create_runs(suite: Suite, folder: Path) -> Iterator[Path]:
    """The runs of all simulated models in `folder`."""
    entries = list(suite.manifest.worlds)
    for model in MODELS:
        run = RunDirectory(folder / model.label.replace(" ", "-"))
        run.path.mkdir(parents=True)
        run.create_or_resume(
            Experiment.from_suite(model.label, PlayerKind.MODEL, {"simulated": model.label}, suite, entries, TRIALS),
            suite.directory,
        )
        for slot in run.schedule:
            entry = suite.entry(slot.world)
            world, key = suite.world(entry), suite.key(entry)
            trajectory = play(world, key, Stream("gallery", model.label, slot.name), model)
            run.write_record(slot, build_record(run.provenance(slot), entry, key, trajectory))
        run.write_manifest()
        yield run.path


def write_gallery_report(folder: Path) -> Path:
    """The page of a report on simulated models, with the scripted panel; suite and runs in `folder` are reused."""
    from algoworlds.reports.loading import PANEL_AGENTS
    from algoworlds.reports.output_folder import PANEL_FOLDER
    from algoworlds.reports.report import write_report

    if not (folder / "suite" / "manifest.json").exists():
        small = replace(default_suite(), name="gallery", levels=(0, 1), instances=1)
        build_suite(small, folder / "suite", None, lambda done, total: None)
    suite = open_suite(folder / "suite")
    if not (folder / "runs").exists():
        judge_runs([RunDirectory(path) for path in create_runs(suite, folder / "runs")], suite, None, lambda done, total: None)
    runs, out = [RunDirectory(path) for path in sorted((folder / "runs").iterdir())], folder / "report"
    play_panel(PANEL_AGENTS, runs, suite.entries.keys(), suite, out / PANEL_FOLDER)
    return write_report(runs, suite, out).page


WORLD = "transit_routing-1-1-direct"


def views() -> dict[str, tuple[str, int, int, bool]]:
    """The address, width, height and dark mode of every picture, by name."""
    one, other = (f"{model.label}/{WORLD}/1" for model in MODELS[1:3])
    evaluation = f"#evaluation={quote(one)}"
    return {
        "report-landing": ("", 1280, 1080, False),
        "report-replay": (f"{evaluation}&step=12", 1280, 980, False),
        "report-compare": (f"{evaluation}&with={quote(other)}", 1280, 980, False),
        "report-matrix-dark": ("", 1280, 1080, True),
        "report-replay-phone": (f"{evaluation}&step=12", 390, 844, False),
    }


def take_pictures(window: Browser, page: Path, out: Path) -> None:
    """Take all pictures of `page`."""
    for name, (address, width, height, dark) in views().items():
        window.open(page.resolve().as_uri() + address, width, height, dark)
        window.wait("document.querySelector('#matrix a.cell')")
        if address:
            window.wait("document.querySelector('#evaluation[open] .inside')")
        window.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        window.picture(out / f"{name}.png")
        print(out / f"{name}.png")


def main() -> None:
    """Write the report and take the pictures."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as directory:
        page = write_gallery_report(Path(sys.argv[2]) if sys.argv[2:] else Path(directory))
        profile = Path(directory) / "profile"
        profile.mkdir()
        with browser(profile) as window:
            take_pictures(window, page, out)


if __name__ == "__main__":
    main()
