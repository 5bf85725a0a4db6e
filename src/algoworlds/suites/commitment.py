"""Commitments: a hash to publish before an evaluation, and the later proof that a suite is the one it stands for.

The hash is binding, because it covers the root, which covers every byte of the suite. It is hiding, because it covers the
pepper: 128 random bits that are only in the sealed half and serve as the salt, so there is no further secret to store.

Such a hash does not keep its author from building many suites and committing to the kindest. A suite with a nonce does: its
hash covers the secrets and is published first; then a public beacon or another party gives the nonce; and the worlds follow
from both, so that the author of the secrets could not know the worlds.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.suites.build import build_manifest, build_tasks, build_worlds
from algoworlds.suites.manifest import MANIFEST_NAME, Manifest, integrity_problems
from algoworlds.suites.open import Suite, open_suite
from algoworlds.suites.suite import SuiteSpec
from algoworlds.worlds.admission import DEFAULT_SEED

_COMMITMENT_FORMAT = 1
_NONCE_COMMITMENT_FORMAT = 2


def compute_commitment(directory: Path) -> str:
    """The hash of an intact private suite; InputError if it is public, damaged or without a pepper."""
    suite = _open_private(directory)
    if problems := integrity_problems(directory, None):
        raise InputError(f"{problems[0]}; a damaged suite cannot be committed to: restore it, or build it again")
    return _hash(suite)


def commitment_problems(
    directory: Path,
    published: str,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
    nonce: str | None = None,
) -> list[str]:
    """How a suite differs from the `published` hash and `nonce`; empty if every byte follows from the sealed secrets."""
    suite = _open_private(directory)
    if nonce is not None and nonce != suite.spec.nonce:
        used = f"with the nonce {quote_value(suite.spec.nonce)}" if suite.spec.nonce else "without a nonce"
        return [f"{format_value(directory)} was built {used}, not with {quote_value(nonce)}"]
    if (own := _hash(suite)) != published:
        return [f"{format_value(directory)}: the hash {published[:16]}... is not this suite's, which is {own[:16]}..."]
    if problems := integrity_problems(directory, None):
        return problems
    rebuilt = _rebuild_manifest(suite.spec, executor, progress)
    actual, expected = suite.manifest.digests, rebuilt.digests
    differing = [path for path in sorted(actual.keys() | expected.keys()) if actual.get(path) != expected.get(path)]
    if not differing and rebuilt.root != suite.manifest.root:
        differing = [MANIFEST_NAME]
    return [f"{path}: not what the sealed secrets give in this version" for path in differing]


def _open_private(directory: Path) -> Suite:
    suite = open_suite(directory)
    if not suite.spec.pepper and suite.spec.seed == DEFAULT_SEED:
        raise InputError("this is the development split, or a part of it: it is public, so there is nothing to commit to")
    if not suite.spec.pepper:
        raise InputError("this suite has no pepper, so its hash could be guessed: build one with algoworlds build --seed new")
    return suite


def commit_spec(spec: SuiteSpec) -> str:
    """The hash of a suite with a nonce: it binds the secrets and the shape, and is the same before there is a nonce."""
    without_nonce = replace(spec, nonce="").json
    return sha256_hex(canonical_json({"commitment": _NONCE_COMMITMENT_FORMAT, "suite": without_nonce}))


def _hash(suite: Suite) -> str:
    if suite.spec.nonce:
        return commit_spec(suite.spec)
    secrets = {"seed": suite.spec.seed, "pepper": suite.spec.pepper}
    return sha256_hex(canonical_json({"commitment": _COMMITMENT_FORMAT, "root": suite.manifest.root} | secrets))


def _rebuild_manifest(spec: SuiteSpec, executor: Executor | None, progress: Callable[[int, int], Any]) -> Manifest:
    """The manifest of a suite rebuilt from its secrets, without writing a file."""
    tasks, entries = build_tasks(spec), {}
    progress(0, len(tasks))
    for task, worlds in run_tasks(build_worlds, tasks, executor):
        entries[task.coordinate] = [entry for entry, _ in worlds]
        progress(len(entries), len(tasks))
    return build_manifest(spec, entries)
