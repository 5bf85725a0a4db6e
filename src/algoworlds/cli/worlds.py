"""`algoworlds worlds`: the worlds of a suite."""

from algoworlds.cli.options import (
    ConditionsOption,
    FamiliesOption,
    InterfacesOption,
    JsonOption,
    LevelsOption,
    SuiteArgument,
    WorldsOption,
    select_worlds,
)
from algoworlds.cli.output import print_json, print_rows


def worlds(
    suite: SuiteArgument,
    worlds: WorldsOption = "*",
    families: FamiliesOption = None,
    levels: LevelsOption = None,
    interfaces: InterfacesOption = None,
    conditions: ConditionsOption = None,
    json: JsonOption = False,
) -> None:
    """List the worlds of a suite, or a part of them: their ids, families, levels, indices and interfaces."""
    from algoworlds.suites.open import open_public_suite

    entries = select_worlds(open_public_suite(suite), worlds, families, levels, interfaces, conditions)
    fields = ("id", "family", "level", "index", "interface")
    documents = [
        {name: getattr(entry, name) for name in fields} | ({"condition": entry.condition} if entry.condition else {})
        for entry in entries
    ]
    if json:
        print_json(documents)
    else:
        print_rows(("world", *fields[1:]), [tuple(str(document[name]) for name in fields) for document in documents])
