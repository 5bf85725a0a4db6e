"""`python -m bench.fresh [COUNT] [JOBS] [LEVELS]`: build and validate fresh private suites; no two share anything.

LEVELS is comma-separated; default: 1. Prints seed and pepper of every suite, so that a failing suite can be built again.
"""

import json
import re
import sys
import time
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

from algoworlds.batch import open_executor
from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.families import read_instance
from algoworlds.suites.build import build_suite
from algoworlds.suites.manifest import load_manifest
from algoworlds.suites.suite import SuiteSpec, default_suite
from algoworlds.suites.validation import validate_suite

_ID = re.compile(r"\b[a-z_]+-[0-9a-hjkmnp-tv-z]{10}\b")


def fingerprint(text: str) -> str:
    """A digest that ignores ids and the order of rows: the numbers of every relation, sorted."""
    instance = read_instance(text)
    numbers = {
        name: sorted(canonical_json([_without_ids(cell) for cell in row]) for row in instance.rows(name))
        for name in instance.relations
    }
    return sha256_hex(canonical_json([type(instance).__name__, numbers]))


def _without_ids(cell: Any) -> Any:
    """A cell without ids; a list of ids becomes a list of empty texts."""
    if isinstance(cell, tuple):
        return [_without_ids(item) for item in cell]
    return "" if isinstance(cell, str) else cell


def unique_items(out: Path) -> set[str]:
    """What no other suite may contain: world ids, entity ids, and digests of instances with and without ids."""
    own = {entry.id for entry in load_manifest(out)[0].worlds}
    for path in out.glob("worlds/*/sealed/instance.json"):
        text = canonical_json(json.loads(path.read_text(encoding="utf-8"))["instance"])
        own |= {sha256_hex(text), fingerprint(text), *_ID.findall(text)}
    return own


def attempt(suite: SuiteSpec, jobs: int) -> tuple[list[str], int, set[str]]:
    """Build and validate one suite: its failures, how many units passed, and its unique items."""
    with TemporaryDirectory() as directory, open_executor(jobs, None) as workers:
        out = Path(directory) / "suite"
        build_suite(suite, out, workers, lambda done, total: None)
        report = validate_suite(out, workers, lambda done, total: None)
        return report.failures, sum(row["passed"] for row in report.summary), unique_items(out)


def main() -> None:
    """Build and validate COUNT suites; exit code 1 if a claim fails or two suites share something."""
    count, jobs, levels = (*sys.argv[1:], *("20", "1", "1")[len(sys.argv) - 1 :])
    suite_of: dict[str, int] = {}
    failed = 0
    for number in range(1, int(count) + 1):
        start, chosen = time.perf_counter(), tuple(int(level) for level in levels.split(","))
        suite = SuiteSpec("fresh", token_hex(16), default_suite().families, chosen, pepper=token_hex(16))
        failures, passed, own = attempt(suite, int(jobs))
        shared = {item: suite_of[item] for item in sorted(own & suite_of.keys())}
        suite_of |= dict.fromkeys(own, number)
        failed += bool(failures or shared)
        spent = time.perf_counter() - start
        print(f"{number:3}  {suite.seed} {suite.pepper}")
        print(f"     {passed} units pass, {len(failures)} fail, {len(shared)} shared, {spent:.0f} s", flush=True)
        for problem in [*failures, *(f"{item} is in suite {other} as well" for item, other in shared.items())]:
            print(f"     {problem}")
    passed_all = f"{int(count) - failed} of {count} suites pass every row and share nothing"
    print(f"{passed_all}; {len(suite_of):,} ids and instances compared")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
