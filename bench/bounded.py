"""`python -m bench.bounded`: players of known strength as subjects of a measurement, without any language model.

The searches read everything and may evaluate so many decisions, from the reference decision on; the solvers may execute so
much work, and take the reference decision otherwise. Thresholds must rise with their means in every family.
"""

import argparse
import json
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from rich.console import Console

from algoworlds.cli.tables import print_table
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES, load_family
from algoworlds.grid import Grid
from algoworlds.hardness.attackers import Attack, restarts
from algoworlds.measures.threshold import Estimate, Outcome, choose_points, estimate_ability, estimate_family, posteriors
from algoworlds.worlds.admission import AdmittedInstance, Coordinate, admit

BUDGETS = (10, 30, 100, 300, 1_000, 3_000)
LIMITS = (10, 14, 18)
INDICES = 6
"""Worlds of a difficulty, which take turns and are shared by all subjects."""
SUBJECTS = ("local search", *(f"search, {budget:,} evaluations" for budget in BUDGETS), *(f"solver, 2^{at}" for at in LIMITS))


@cache
def find_instance(family: str, tenths: int, index: int) -> AdmittedInstance:
    """One of the worlds of a difficulty."""
    return admit(Coordinate.from_bits(family, tenths / 10, index, "bounded"))


@cache
def found_at(family: str, tenths: int, index: int) -> int:
    """The evaluations after which restarted descents found the optimum; beyond the largest budget if they did not."""
    admitted = find_instance(family, tenths, index)
    stream = Stream("bounded", family, tenths, index)
    attack = Attack(admitted.family, admitted.instance, admitted.optimum, BUDGETS[-1], stream).run(restarts)
    return attack.found_at or BUDGETS[-1] + 1


@cache
def is_local_optimum(family: str, tenths: int, index: int) -> bool:
    """Whether one descent from the reference decision ends at the optimum."""
    admitted = find_instance(family, tenths, index)
    descend = admitted.family.hardness.descend
    assert descend is not None
    return bool(descend(admitted.instance, admitted.reference) == admitted.solution.decision)


def plays_exactly(subject: str, family: str, tenths: int, index: int) -> bool:
    """Whether a subject finds the optimum of a world."""
    kind, _, size = subject.partition(", ")
    if kind == "solver":
        return find_instance(family, tenths, index).solution.work.total <= 2 ** int(size[2:])
    if kind == "search":
        return found_at(family, tenths, index) <= int(size.split()[0].replace(",", ""))
    return is_local_optimum(family, tenths, index)


def measure(subject: str, evaluations: int, offered: dict[str, list[int]]) -> list[Outcome]:
    """The outcomes of a measurement of a subject."""
    outcomes: list[Outcome] = []
    while len(outcomes) < evaluations:
        points = choose_points(offered, outcomes, min(20, evaluations - len(outcomes)), 2_000)
        if not points:
            break
        for family, tenths in points:
            index = 1 + sum(outcome.family == family for outcome in outcomes) % INDICES
            outcomes.append(Outcome(family, tenths, plays_exactly(subject, family, tenths, index)))
    return outcomes


def find_falls(table: dict[str, dict[str, Estimate]], subjects: Sequence[str]) -> list[str]:
    """Where a threshold is clearly below that of a weaker subject of the same kind."""
    return [
        f"{family}: {weak} {table[weak][family].value:.1f}, {strong} {table[strong][family].value:.1f}"
        for family in FAMILIES
        for weak, strong in pairwise(subjects)
        if table[strong][family].high < table[weak][family].low
    ]


def main() -> None:
    """Measure all subjects, print their thresholds, and fail if they fall where means rise."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--evaluations", type=int, default=200)
    parser.add_argument("--most", type=int, default=220, help="tenths of a bit above which nothing is played")
    parser.add_argument("--out", type=Path, help="a file for the outcomes")
    options = parser.parse_args()
    offered = {name: sorted(at for at in load_family(name).scale if at <= options.most) for name in FAMILIES}
    table: dict[str, dict[str, Estimate]] = {}
    abilities, counts, log = {}, {}, {}
    for subject in SUBJECTS:
        outcomes = measure(subject, options.evaluations, offered)
        known = posteriors(tuple(FAMILIES), outcomes)
        table[subject] = {name: estimate_family(known[name]).threshold for name in FAMILIES}
        abilities[subject], counts[subject] = estimate_ability(tuple(FAMILIES), outcomes), len(outcomes)
        log[subject] = outcomes
        print(subject, len(outcomes), f"{abilities[subject].value:.1f}", flush=True)
    if options.out:
        options.out.write_text(json.dumps(log))

    def cell(estimate: Estimate) -> str:
        return f"{estimate.value:.1f} [{estimate.low:.1f}, {estimate.high:.1f}]"

    names = list(FAMILIES)
    rows = [
        (subject, str(counts[subject]), cell(abilities[subject]), *(cell(table[subject][name]) for name in names))
        for subject in SUBJECTS
    ]
    print_table(Console(width=250), Grid("bounded", "", ("subject", "played", "ability", *names), tuple(rows)))
    falls = [*find_falls(table, SUBJECTS[1:7]), *find_falls(table, SUBJECTS[7:])]
    assert not falls, falls


if __name__ == "__main__":
    main()
