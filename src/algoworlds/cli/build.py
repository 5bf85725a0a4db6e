"""`algoworlds build`: write a suite of certified worlds to disk."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.completion import complete_conditions, complete_interfaces
from algoworlds.cli.options import ExecutorOption, FamiliesOption, JobsOption, JsonOption, parse_levels, split_commas
from algoworlds.cli.output import print_json, print_result, print_stderr
from algoworlds.cli.progress import workers_with_progress
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError, quote_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from algoworlds.suites.suite import PrivateSuiteDraft, SuiteSpec

_EQUALS_PINNED = "equal to the {suite} of this package: anyone with the code can regenerate its answers"
_DIFFERS = "NOT the {suite} of this package"
_PUBLIC_SUITES = {"default": "development split", "conditioned": "conditioned suite"}


DEFAULT_INSTANCES = 3
"""Instances per family and level, as in the paper."""


def build(
    out: Annotated[Path, typer.Option(help="Directory to build into; an interrupted build there is continued.")],
    preset: Annotated[
        str, typer.Option(help="default; conditioned, its twins with errors; or lite, 48 worlds over the continuous scale.")
    ] = "default",
    seed: Annotated[
        str | None, typer.Option(help="new: a private suite from secrets that are drawn and sealed. Or a long private text.")
    ] = None,
    weak_seed: Annotated[bool, typer.Option("--weak-seed", help="Accept a typed seed even if it can be guessed.")] = False,
    families: FamiliesOption = None,
    levels: Annotated[str | None, typer.Option(help="Comma-separated levels; default: 1,2,3,4.")] = None,
    instances: Annotated[int, typer.Option(help="Instances per family and level.")] = DEFAULT_INSTANCES,
    interfaces: Annotated[
        str, typer.Option(help="Comma-separated; split is available too.", autocompletion=complete_interfaces)
    ] = "direct,mediated",
    conditions: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated: clear, noisy, stale, shift; default: clear, or all others for the suite conditioned.",
            autocompletion=complete_conditions,
        ),
    ] = None,
    certificates: Annotated[
        bool, typer.Option("--certificates", help="Seal the least cost of knowing each optimum: up to minutes per instance.")
    ] = False,
    tied: Annotated[bool, typer.Option("--tied", help="Worlds in which several decisions attain the optimum.")] = False,
    nonce: Annotated[
        str | None,
        typer.Option(help="later: draw the secrets, print the hash to publish, build nothing. Then: the nonce, to build."),
    ] = None,
    jobs: JobsOption = 1,
    executor: ExecutorOption = None,
    json: JsonOption = False,
) -> None:
    """Build a suite: generate, certify, and write every world as a bundle, all bound by one manifest.

    Without --seed this is the development split or a part of it, whose answers anyone with the code can regenerate. With
    --seed new it is a private suite: the seed is printed once, and sealed in the suite together with a second secret.
    With --nonce as well, you cannot build many suites and use the kindest: docs/private-suites.md has the steps.
    """
    from algoworlds.suites.build import begin_suite, build_suite
    from algoworlds.suites.commitment import commit_spec
    from algoworlds.suites.manifest import pinned_root
    from algoworlds.suites.open import open_suite
    from algoworlds.suites.suite import LATER_NONCE, NEW_SEED, PrivateSuiteDraft, SuiteSpec

    warning = _check_seed(seed, weak_seed)
    spec = suite_from_options(preset, seed, families, levels, instances, interfaces, certificates, nonce, conditions, tied)
    if certificates:
        _require_certifiable((spec if isinstance(spec, SuiteSpec) else spec.spec).families)
    if nonce == LATER_NONCE:
        assert isinstance(spec, PrivateSuiteDraft)
        commitment = commit_spec(begin_suite(spec, out))
        document = {"out": str(out), "worlds": 0, "edition": None, "root": None, "equals_pinned": None, "seed": None}
        print_result(document | {"commitment": commitment}, commitment, json)
        print_stderr("publish this hash; then get the nonce, and run the same command with --nonce TEXT")
        return
    with workers_with_progress("building", jobs, executor) as (workers, progress):
        manifest = build_suite(spec, out, workers, progress)
    pinned = pinned_root(manifest.suite)
    equal = None if pinned is None else manifest.root == pinned
    drawn_seed = open_suite(out).spec.seed if seed == NEW_SEED else None  # a seed that was typed is not repeated
    if json:
        document = {"out": str(out), "worlds": len(manifest.worlds), "edition": manifest.edition, "root": manifest.root}
        print_json(document | {"equals_pinned": equal} | {"seed": drawn_seed, "commitment": None})
    else:
        print(to_one_line(f"{len(manifest.worlds)} worlds in {out}, root {manifest.root}"))
        if equal is not None:
            print((_EQUALS_PINNED if equal else _DIFFERS).format(suite=_PUBLIC_SUITES[manifest.suite]))
        if drawn_seed is not None:
            print(f"seed {drawn_seed}, sealed with a second secret in sealed/suite.json: keep that folder from agents")
    if warning is not None:
        print_stderr(f"{warning}: do not use it for a suite that must stay private")
    if equal is False:
        raise typer.Exit(1)


def _require_certifiable(names: tuple[str, ...]) -> None:
    """Warn about families that get no certificates; raise InputError if none of them can have any."""
    from algoworlds.families import load_family

    problems = [load_family(name).lacking("knowledge", "ranges", "unknowns", purpose="certify it") for name in names]
    if all(problems):
        raise InputError(problems[0])
    for problem in filter(None, problems):
        print_stderr(f"{problem}; its worlds get no certificates")


def _check_seed(seed: str | None, allow_weak: bool) -> str | None:
    """Return the weakness of a typed seed if `allow_weak` accepts it; raise InputError if it is refused."""
    from algoworlds.suites.suite import NEW_SEED, seed_weakness

    if allow_weak and seed in (None, NEW_SEED):
        raise InputError("--weak-seed is for a seed that you type: give it with --seed TEXT, or leave it out")
    if seed == "":
        raise InputError("--seed is empty: let the program draw one with --seed new")
    weakness = None if seed in (None, NEW_SEED) else seed_weakness(str(seed))
    if weakness is not None and not allow_weak:
        raise InputError(f"{weakness}: let the program draw one with --seed new, or insist with --weak-seed")
    return weakness


def suite_from_options(
    name: str,
    seed: str | None,
    families: str | None,
    levels: str | None,
    instances: int,
    interfaces: str,
    certificates: bool = False,
    nonce: str | None = None,
    conditions: str | None = None,
    tied: bool = False,
) -> "SuiteSpec | PrivateSuiteDraft":
    """The suite that the options describe; anything but the whole development split gets another name."""
    from algoworlds.suites.suite import (
        CONDITIONED_SUITE_NAME,
        DEFAULT_SUITE_NAME,
        LITE_SUITE_NAME,
        NEW_SEED,
        PrivateSuiteDraft,
        SuiteSpec,
        conditioned_suite,
        default_suite,
        lite_suite,
        parse_conditions,
    )

    if nonce == "":
        raise InputError("--nonce is empty: give later, or the nonce that was drawn after the hash was published")
    if nonce is not None and seed is None:
        raise InputError("--nonce is for a private suite: give --seed new as well")
    if name == LITE_SUITE_NAME:
        if families or levels or instances != DEFAULT_INSTANCES or certificates:
            raise InputError("the suite lite is fixed: leave out --families, --levels, --instances and --certificates")
        return (
            lite_suite() if seed is None else PrivateSuiteDraft(lite_suite(), None if seed == NEW_SEED else seed, nonce or "")
        )
    if name not in (DEFAULT_SUITE_NAME, CONDITIONED_SUITE_NAME):
        choices = f"{DEFAULT_SUITE_NAME}, {CONDITIONED_SUITE_NAME} or {LITE_SUITE_NAME}"
        raise InputError(f"there is no suite {quote_value(name)}; choose {choices}, or give --seed new for a private one")
    by_name = {interface.value: interface for interface in Interface}
    chosen = interfaces.split(",")
    if unknown := [interface for interface in chosen if interface not in by_name]:
        raise InputError(f"there is no interface {quote_value(unknown[0])}; choose from {', '.join(by_name)}")
    whole = conditioned_suite() if name == CONDITIONED_SUITE_NAME else default_suite()
    spec = SuiteSpec(
        "part" if seed is None else "fresh",
        whole.seed,
        split_commas("--families", families) or whole.families,
        parse_levels(levels) or whole.levels,
        instances,
        tuple(by_name[interface] for interface in chosen),
        certificates=certificates,
        conditions=parse_conditions(split_commas("--conditions", conditions)) or whole.conditions,
        tied=tied,
    )
    if seed is not None:
        return PrivateSuiteDraft(spec, None if seed == NEW_SEED else seed, nonce or "")
    return whole if spec.json | {"name": whole.name} == whole.json else spec
