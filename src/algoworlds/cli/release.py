"""`algoworlds build`, `validate`, `verify` and `stats`: suites of worlds on disk."""

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.flags import Json, levels_of, print_json, print_problems
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.streams import complain
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError, quoted
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from algoworlds.grid import Grid
    from algoworlds.suites.private import Unsealed
    from algoworlds.suites.suite import Suite

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="A suite made by algoworlds build.")]
Jobs = Annotated[int, typer.Option(help="Processes to work with.")]
Engine = Annotated[str | None, typer.Option("--executor", help="A Dask scheduler, as dask://HOST:PORT.")]
Root = Annotated[str | None, typer.Option(help="The root digest to hold the suite to; the development split's is built in.")]


class Form(Enum):
    """How tables are written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"


def written(tables: "dict[str, Grid]", form: Form) -> str:
    """Tables in a form that programs read."""
    from algoworlds.grid import comma_separated, latex, markdown

    writers = {Form.MARKDOWN: markdown, Form.CSV: comma_separated, Form.LATEX: latex}
    return "\n\n".join(map(writers[form], tables.values()))


def build(
    out: Annotated[Path, typer.Option(help="Directory to build into; an interrupted build there is continued.")],
    suite: Annotated[str, typer.Option(help="A named suite; there is one: default, the development split.")] = "default",
    seed: Annotated[
        str | None, typer.Option(help="new: a private suite from secrets that are drawn and sealed. Or a long private text.")
    ] = None,
    weak_seed: Annotated[bool, typer.Option("--weak-seed", help="Take a typed seed even if it can be guessed.")] = False,
    families: Annotated[
        str | None, typer.Option(help="Comma-separated names; those of the development split if left out.")
    ] = None,
    levels: Annotated[str | None, typer.Option(help="Comma-separated levels; 1,2,3,4 if left out.")] = None,
    instances: Annotated[int, typer.Option(help="Instances per family and level.")] = 3,
    interfaces: Annotated[str, typer.Option(help="Comma-separated; split is there as well.")] = "direct,mediated",
    certificates: Annotated[
        bool,
        typer.Option("--certificates", help="Seal what knowing each optimum costs at least: up to some minutes an instance."),
    ] = False,
    jobs: Jobs = 1,
    executor: Engine = None,
    json: Json = False,
) -> None:
    """Build a suite: generate, certify, and write every world as a bundle, all bound by one manifest.

    Without --seed it is the development split or a part of it: anyone with the code can regenerate its answers. With
    --seed new it is private; the seed is printed once, and sealed in the suite together with a second secret.
    """
    from algoworlds.batch import engine
    from algoworlds.suites.build import build_suite
    from algoworlds.suites.manifest import pinned
    from algoworlds.suites.suite import Suite

    warning = _checked_seed(seed, weak_seed)
    wanted = chosen_suite(suite, seed, families, levels, instances, interfaces, certificates)
    if certificates:
        _require_certifiable((wanted if isinstance(wanted, Suite) else wanted.shape).families)
    with engine(jobs, executor) as workers, progress_bar("building") as progress:
        manifest = build_suite(wanted, out, workers, progress)
    equal = manifest.root == pinned().root if manifest.suite == "default" else None
    found = {"out": str(out), "worlds": len(manifest.worlds), "root": manifest.root, "equals_pinned": equal}
    _print_built(found | {"seed": _drawn_seed(seed, out)}, json)
    if warning is not None:
        complain(f"{warning}: not for a suite that is to stay private")
    if equal is False:
        raise typer.Exit(1)


def _require_certifiable(names: tuple[str, ...]) -> None:
    """Say which families get no certificates; InputError if none of them can have any."""
    from algoworlds.families import family

    found = [family(name).lacking("knowledge", "ranges", "unknowns", purpose="certify it") for name in names]
    if all(found):
        raise InputError(found[0])
    for problem in filter(None, found):
        complain(f"{problem}; its worlds get no certificates")


def _checked_seed(seed: str | None, weak: bool) -> str | None:
    """What is to be said against a seed that is taken all the same; InputError for one that is not."""
    from algoworlds.suites.private import NEW, weakness

    if weak and seed in (None, NEW):
        raise InputError("--weak-seed is for a seed that you type: give it with --seed TEXT, or leave it out")
    if seed == "":
        raise InputError("--seed is empty: let the program draw one with --seed new")
    found = None if seed in (None, NEW) else weakness(str(seed))
    if found is not None and not weak:
        raise InputError(f"{found}: let the program draw one with --seed new, or insist with --weak-seed")
    return found


def _drawn_seed(seed: str | None, out: Path) -> str | None:
    """The seed that the program drew, as the finished suite has it sealed; nothing that somebody typed is repeated."""
    from algoworlds.suites.opened import open_suite
    from algoworlds.suites.private import NEW

    return open_suite(out).suite.seed if seed == NEW else None


def _print_built(found: dict[str, Any], json: bool) -> None:
    if json:
        print_json(found)
        return
    print(one_line(f"{found['worlds']} worlds in {found['out']}, root {found['root']}"))
    if found["equals_pinned"] is not None:
        print(_EQUAL if found["equals_pinned"] else "NOT the development split of this package")
    if found["seed"] is not None:
        print(f"seed {found['seed']}, sealed with a second secret in sealed/suite.json: keep that folder from agents")


_EQUAL = "equal to the development split that came with this package: anyone with the code can regenerate its answers"


def chosen_suite(
    name: str,
    seed: str | None,
    families: str | None,
    levels: str | None,
    instances: int,
    interfaces: str,
    certificates: bool = False,
) -> "Suite | Unsealed":
    """The suite that options describe; anything but the whole development split gets a name of its own."""
    from algoworlds.suites.private import NEW, Unsealed
    from algoworlds.suites.suite import DEFAULT, Suite, default_suite

    if name != DEFAULT:
        raise InputError(f"there is no suite {quoted(name)}; choose default, or give --seed new for a private one")
    known = {each.value: each for each in Interface}
    strange = [each for each in interfaces.split(",") if each not in known]
    if strange:
        raise InputError(f"there is no interface {quoted(strange[0])}; choose from {', '.join(known)}")
    presented = tuple(known[each] for each in interfaces.split(","))
    whole = default_suite()
    names = tuple(families.split(",")) if families else whole.families
    suite = Suite(
        "part" if seed is None else "fresh",
        whole.seed,
        names,
        levels_of(levels) or (1, 2, 3, 4),
        instances,
        presented,
        certificates=certificates,
    )
    if seed is not None:
        return Unsealed(suite, None if seed == NEW else seed)
    return whole if suite.json | {"name": DEFAULT} == whole.json else suite


def validate(directory: Directory, jobs: Jobs = 1, executor: Engine = None, root: Root = None, json: Json = False) -> None:
    """Prove every claim of a suite anew: the rows of the paper's validation summary, the shortcut panel and a leak audit."""
    from rich.console import Console

    from algoworlds.cli.printing import print_table
    from algoworlds.suites.stats import tables

    report = _report(directory, jobs, executor, root)
    if json:
        print_json({"validation": report.summary, "failures": report.failures})
    else:
        print_table(Console(highlight=False), tables({"access": [], "work": [], "validation": report.summary})["validation"])
        print(_verdict(report.summary))
    for failure in report.failures:
        complain(failure)
    if report.failures:
        raise typer.Exit(1)


def _verdict(summary: list[dict[str, Any]]) -> str:
    """What a validation comes to, in a sentence."""
    count, passed = (sum(each[name] for each in summary) for name in ("count", "passed"))
    if count == passed:
        kinds = sum(each["count"] > 0 for each in summary)
        return f"Every claim holds: {count:,} units of {kinds} kinds, each proven anew from the bundles."
    broken = [each["row"] for each in summary if each["count"] != each["passed"]]
    return f"NOT every claim holds: {count - passed:,} of {count:,} units fail, in {', '.join(broken)}."


def verify(directory: Directory, root: Root = None, json: Json = False) -> None:
    """Check a suite's integrity alone: every file against the manifest, the manifest against its root."""
    from algoworlds.suites.manifest import integrity, load

    problems = integrity(directory, root)
    manifest, _ = load(directory)
    found = {"worlds": len(manifest.worlds), "root": manifest.root}
    print_problems(found, problems, f"{len(manifest.worlds)} worlds intact, root {manifest.root}", json)


def stats(
    directory: Directory,
    jobs: Jobs = 1,
    executor: Engine = None,
    form: Annotated[Form, typer.Option("--format", help="How to write the tables.")] = Form.TEXT,
    json: Json = False,
) -> None:
    """The paper's tables of a suite, recomputed: access scale, executed work by level, validation summary."""
    from rich.console import Console

    from algoworlds.cli.printing import print_statistics
    from algoworlds.suites.stats import single_figures, statistics, tables

    data = statistics(_report(directory, jobs, executor, None))
    if json:
        print_json(data)
    elif form is Form.TEXT:
        print_statistics(Console(highlight=False), tables(data))
    else:
        print(written(single_figures(data) if form is Form.CSV else tables(data), form))


def _report(directory: Path, jobs: int, executor: str | None, root: str | None) -> Any:
    from algoworlds.batch import engine
    from algoworlds.suites.validation import validate_suite

    with engine(jobs, executor) as workers, progress_bar("validating") as progress:
        return validate_suite(directory, workers, progress, root)
