"""Has a model changed while it was evaluated? Early against late evaluations of the same worlds, along the run's schedule.

A schedule interleaves trials at random, so trials by number cannot show a change in time; positions in the schedule can.
Scripted agents are no candidates: they cannot change.
"""

from typing import NamedTuple

from algoworlds.reports.aggregate import mean
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.intervals import LEVEL
from algoworlds.reports.results import Results
from algoworlds.reports.statistics import Halves, holm, mantel_haenszel


class Drift(NamedTuple):
    """A model's exact optimality (percent) in both halves of its schedule, p of their difference within worlds, and p among
    all models; None for what is not known, and why.
    """

    early: float | None = None
    late: float | None = None
    p: float | None = None
    holm: float | None = None
    untested: str = ""

    @property
    def alarming(self) -> bool:
        """Whether the halves differ by more than chance, at the five-percent level of all models together."""
        return self.holm is not None and self.holm < LEVEL

    @property
    def alarm(self) -> str:
        """The result in a word or two."""
        return self.untested or ("drift" if self.alarming else "none")


def drifts(results: Results) -> dict[str, Drift]:
    """What can be said of each model."""
    found = {label: _halved(results, label) for label in results.candidates}
    tested = [(label, each.p) for label, each in found.items() if each.p is not None]
    for (label, _), adjusted in zip(tested, holm([p for _, p in tested]), strict=True):
        found[label] = found[label]._replace(holm=adjusted)
    return found


def _halved(results: Results, label: str) -> Drift:
    trials = results.trials(label)
    if not results.schedule:
        return Drift(untested="no test: records without their schedule")
    if len(trials) == 1:
        return Drift(untested="no test: one trial")
    ordered = sorted((each for trial in trials for each in trial), key=lambda each: results.schedule[each.id])
    middle = (len(ordered) + 1) // 2
    early, late = ordered[:middle], ordered[middle:]
    p = mantel_haenszel(_worlds(early, late))
    return Drift(_percent(early), _percent(late), p, untested="" if p is not None else "no test: no world changed")


def _percent(half: list[Evaluation]) -> float:
    return 100 * mean([each.exact for each in half])


def _worlds(early: list[Evaluation], late: list[Evaluation]) -> list[Halves]:
    counts: dict[str, list[int]] = {}
    for offset, half in ((0, early), (2, late)):
        for each in half:
            world = counts.setdefault(each.world, [0, 0, 0, 0])
            world[offset] += 1
            world[offset + 1] += each.exact
    return [Halves(*each) for each in counts.values()]
