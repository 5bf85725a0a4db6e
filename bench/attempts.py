"""`python -m bench.attempts [FAMILY ...] [--levels 1,2] [--count 100]`: at which attempt fresh coordinates are admitted.

One line per family and level: the median, 99th percentile and maximum of the attempts, and the rules that refused attempts
broke.
"""

import argparse
import re
from collections import Counter
from statistics import median

from algoworlds.families import FAMILIES
from algoworlds.worlds.admission import Candidate, Coordinate, find_broken_rule

SEED = "attempts"
MAX_ATTEMPTS = 200


def count_attempts(coordinate: Coordinate) -> tuple[int, Counter[str]]:
    """How many attempts a coordinate takes, and the rules that the refused ones broke."""
    broken: Counter[str] = Counter()
    for attempt in range(MAX_ATTEMPTS):
        reason = find_broken_rule(Candidate(coordinate, attempt))
        if reason is None:
            break
        broken[re.sub(r"\d[\d,. ]*", "", reason)] += 1
    return 1 + attempt, broken


def format_line(family: str, level: int, count: int) -> str:
    """The distribution for one family and level."""
    admissions = [count_attempts(Coordinate(family, level, index, SEED)) for index in range(1, count + 1)]
    attempts = sorted(taken for taken, _ in admissions)
    broken = sum((rules for _, rules in admissions), Counter[str]())
    late = attempts[-(-99 * count // 100) - 1]
    reasons = "; ".join(f"{times} {rule}" for rule, times in broken.most_common())
    return f"| {family} | {level} | {count} | {median(attempts):g} | {late} | {attempts[-1]} | {reasons} |"


def main() -> None:
    """Count for the named families, or for all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    parser.add_argument("--levels", default="1,2,3,4")
    parser.add_argument("--count", type=int, default=30)
    options = parser.parse_args()
    print("| family | level | coordinates | median | 99 % | worst | refused attempts |\n|---|---|---|---|---|---|---|")
    for family in options.families or FAMILIES:
        for level in map(int, options.levels.split(",")):
            print(format_line(family, level, options.count), flush=True)


if __name__ == "__main__":
    main()
