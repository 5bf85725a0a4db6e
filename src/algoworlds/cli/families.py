"""`algoworlds families`: the list of families."""

from algoworlds.cli.options import JsonOption
from algoworlds.cli.output import print_json, print_rows, print_stderr


def families(json: JsonOption = False) -> None:
    """List the families, those of installed distributions included: their decision problem, tools and levels."""
    from algoworlds.families import available_families

    available, problems = available_families()
    if json:
        documents = [
            {
                "name": family.name,
                "title": family.title,
                "summary": family.summary,
                "sense": family.sense.value,
                "levels": list(family.levels),
                "channels": list(family.channels),
                "tools": [*family.tools, family.template.decision_tools.evaluate, family.template.decision_tools.submit],
            }
            for family in available
        ]
        print_json(documents)
    else:
        rows = []
        for family in available:
            levels = f"{min(family.levels)}-{max(family.levels)}"
            rows.append((family.name, family.sense.value, family.summary, levels, str(len(family.tools) + 1)))
        heads = ("family", "goal", "decide", "levels", "info tools")
        print_rows(heads, rows)
    for problem in problems:
        print_stderr(f"algoworlds: {problem}")
