"""`algoworlds verify`: check a suite's files against its manifest."""

from algoworlds.cli.options import JsonOption, RootOption, SuiteArgument
from algoworlds.cli.output import print_problems


def verify(suite: SuiteArgument, root: RootOption = None, json: JsonOption = False) -> None:
    """Check a suite's integrity alone: every file against the manifest, the manifest against its root."""
    from algoworlds.suites.manifest import integrity_problems, load_manifest

    problems = integrity_problems(suite, root)
    manifest, _ = load_manifest(suite)
    document = {"worlds": len(manifest.worlds), "edition": manifest.edition, "root": manifest.root}
    edition = "" if manifest.edition is None else f" of the edition {manifest.edition}"
    print_problems(document, problems, f"{len(manifest.worlds)} worlds{edition} intact, root {manifest.root}", json)
