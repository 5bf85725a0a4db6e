"""Commitments: a hash to publish before an evaluation, and the proof afterwards that the suite is the one it stands for.

The hash binds, since the root in it binds every byte of the suite. It hides, since the pepper in it is 128 random bits that
stand nowhere but in the sealed half: the pepper is the salt, so that there is nothing more to keep.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from algoworlds.batch import results
from algoworlds.core.canonical import canonical_text, digest
from algoworlds.errors import InputError, shown
from algoworlds.suites.build import inventory, make, orders
from algoworlds.suites.manifest import NAME, Manifest, integrity
from algoworlds.suites.opened import Opened, open_suite
from algoworlds.suites.suite import Suite
from algoworlds.worlds.admit import DEFAULT_SEED

_VERSION = 1


def commitment(directory: Path) -> str:
    """The hash of a suite that is intact; InputError for one that nobody need commit to, or whose hash would hide nothing."""
    opened = open_suite(directory)
    _check_private(opened)
    if problems := integrity(directory, None):
        raise InputError(f"{problems[0]}; a damaged suite cannot be committed to: restore it, or build it again")
    return _hash(opened)


def revealed(directory: Path, published: str, executor: Executor | None, progress: Callable[[int, int], Any]) -> list[str]:
    """Every way in which a suite is not what a published hash stands for; none if all of it follows from the sealed secrets."""
    opened = open_suite(directory)
    _check_private(opened)
    if _hash(opened) != published:
        return [
            f"{shown(directory)}: the published hash {published[:16]}... is not this suite's, which is {_hash(opened)[:16]}..."
        ]
    if problems := integrity(directory, None):
        return problems
    rebuilt = _rebuilt(opened.suite, executor, progress)
    there, made = opened.manifest.paths, rebuilt.paths
    odd = [path for path in sorted(there.keys() | made.keys()) if there.get(path) != made.get(path)]
    odd += [NAME] if not odd and rebuilt.root != opened.manifest.root else []
    return [f"{path}: not what the sealed secrets give in this version" for path in odd]


def _check_private(opened: Opened) -> None:
    if opened.suite.pepper:
        return
    if opened.suite.seed == DEFAULT_SEED:
        raise InputError("this is the development split, or a part of it: it is public, so there is nothing to commit to")
    raise InputError("this suite has no pepper, so a hash of it could be guessed: build one with algoworlds build --seed new")


def _hash(opened: Opened) -> str:
    bound = {"commitment": _VERSION, "root": opened.manifest.root, "seed": opened.suite.seed, "pepper": opened.suite.pepper}
    return digest(canonical_text(bound))


def _rebuilt(suite: Suite, executor: Executor | None, progress: Callable[[int, int], Any]) -> Manifest:
    """The manifest of a suite made anew from its secrets; no file is written."""
    wanted, entries = orders(suite), {}
    progress(0, len(wanted))
    for order, made in results(make, wanted, executor):
        entries[order.coordinate] = [entry for entry, _ in made]
        progress(len(entries), len(wanted))
    return inventory(suite, entries)
