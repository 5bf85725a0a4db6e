"""`python -m bench.attempts [FAMILY ...] [--levels 1,2] [--count 100]`: at which attempt fresh coordinates are admitted.

One line a family and level: attempts in the median, at the 99th percentile and at worst, and what refused ones broke.
"""

import argparse
import re
from collections import Counter
from statistics import median

from algoworlds.families import FAMILIES
from algoworlds.worlds.admission import Candidate, Coordinate, find_broken_rule

SEED = "attempts"
MOST = 200


def admission(place: Coordinate) -> tuple[int, Counter[str]]:
    """How many attempts a coordinate takes, and the rules that the refused ones broke."""
    broken: Counter[str] = Counter()
    for attempt in range(MOST):
        why = find_broken_rule(Candidate(place, attempt))
        if why is None:
            break
        broken[re.sub(r"\d[\d,. ]*", "", why)] += 1
    return 1 + attempt, broken


def line(family: str, level: int, count: int) -> str:
    """The distribution for one family and level."""
    found = [admission(Coordinate(family, level, at, SEED)) for at in range(1, count + 1)]
    attempts = sorted(each for each, _ in found)
    broken = sum((why for _, why in found), Counter[str]())
    late = attempts[-(-99 * count // 100) - 1]
    reasons = "; ".join(f"{times} {why}" for why, times in broken.most_common())
    return f"| {family} | {level} | {count} | {median(attempts):g} | {late} | {attempts[-1]} | {reasons} |"


def main() -> None:
    """Count for the families named, or for all of them."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("families", nargs="*", metavar="FAMILY")
    given.add_argument("--levels", default="1,2,3,4")
    given.add_argument("--count", type=int, default=30)
    asked = given.parse_args()
    print("| family | level | coordinates | median | 99 % | worst | refused attempts |\n|---|---|---|---|---|---|---|")
    for family in asked.families or FAMILIES:
        for level in map(int, asked.levels.split(",")):
            print(line(family, level, asked.count), flush=True)


if __name__ == "__main__":
    main()
