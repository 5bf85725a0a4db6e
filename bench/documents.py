"""`python -m bench.documents`: write the parts of docs/ that are generated from the code, between two marks."""

import ast
import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import algoworlds as aw
from algoworlds.core.canonical import compact_json
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.grid import Grid, to_markdown
from algoworlds.measures.judging import ALL_MEASURES
from algoworlds.reports.page.glossary import GLOSSARY, explain_measure
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.providers import configuration
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.suites.suite import EDITION
from algoworlds.worlds.admission import admit
from algoworlds.worlds.world import parse_world_id

DOCS = Path(__file__).parents[1] / "docs"
BEGIN_MARK = "<!-- written by python -m bench.documents from here -->"
END_MARK = "<!-- to here -->"
EXAMPLE_WORLD = "fleet_dispatch-0-1"
MAX_ROWS = 4
"""Rows of a response that are shown."""

REMARKS = {
    "direct": "Direct: every row is a whole fact. The last call tells vehicle, job and cost in one record.",
    "mediated": "Mediated: the same call tells the same costs in two tables, through *shifts* that stand for nothing else. "
    "Only their join says which vehicle a cost belongs to; a row of one table alone is half a fact, and counts for nothing.",
    "split": "Split: the first half of the join comes with the vehicle's contract and the second with its routes, from two "
    "tools at two prices. Link ids differ from one interface to the next, so nothing carries over.",
}


def episodes() -> str:
    """One annotated episode for every interface, as an agent sees it."""
    first = aw.load_world(f"{EXAMPLE_WORLD}-direct")
    texts = [
        f"## The question\n\nThe same in all three worlds of `{EXAMPLE_WORLD}`, a small one:\n\n"
        f"```text\n{first.question.strip()}\n```"
    ]
    return "\n\n".join([*texts, *(_episode(name) for name in REMARKS)])


def _episode(interface: str) -> str:
    world = aw.load_world(f"{EXAMPLE_WORLD}-{interface}")
    played, shown = aw.Episode(world), aw.Episode(world)
    AGENTS["greedy"](played, Stream("demo", "greedy", world.id))
    job, vehicle = world.public["job"][0], world.public["vehicle"][0]
    calls = [("read_fleet_policy", {}), ("read_job", {"job": job})]
    calls += [(tool, {"vehicle": vehicle}) for tool in ("read_vehicle_contract", "read_route_row")]
    texts = "\n\n".join(_call(shown, *call) for call in calls)
    return f"## {interface.capitalize()}\n\n{REMARKS[interface]}\n\n{texts}\n\n{_end(played)}"


def _call(episode: aw.Episode, tool: str, arguments: dict[str, Any]) -> str:
    answer = episode.call(tool, arguments)
    tables = "\n\n".join(_table(name, table) for name, table in answer.json["records"].items())
    return f"`{tool}` `{compact_json(arguments)}`: charged {answer.charged}, {episode.remaining} left.\n\n{tables}"


def _table(name: str, records: dict[str, Any]) -> str:
    rows = tuple(tuple(compact_json(cell).strip('"') for cell in row) for row in records["rows"][:MAX_ROWS])
    more = len(records["rows"]) - len(rows)
    caption = name + (f", the first {MAX_ROWS} of {MAX_ROWS + more} rows" if more else "")
    return to_markdown(Grid(name, caption, tuple(records["columns"]), rows))


def _end(episode: aw.Episode) -> str:
    """How greedy's episode ends, against the certified optimum."""
    admitted = admit(parse_world_id(EXAMPLE_WORLD)[0])
    record = aw.score(episode, aw.AnswerKey.from_admitted(admitted, episode.world))
    decision = compact_json(record["decision"])
    return (
        f"The scripted agent `greedy` reads all of it in {record['executed_calls']} calls for {record['spend']} of "
        f"{record['budget']} and submits\n\n```json\n{decision}\n```\n\n"
        f"which is feasible and costs {record['objective']:,}. The certified optimum is "
        f"{record['optimum']:,}: information {100 * record['coverage']:.0f} %, utility {record['utility']:.0f} of 100, exact: "
        f"{'yes' if record['exact'] else 'no'}."
    )


def settings() -> str:
    """Every field of a model's configuration."""
    notes = attribute_docs(configuration, "Configuration")
    rows = tuple(
        (f"`{field.name}`", _kind(field.type), _default(field), notes.get(field.name, _PLAIN.get(field.name, "")))
        for field in fields(Configuration)
    )
    lines = ["| field | type | if left out | what it says |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _kind(declared: Any) -> str:
    """A type in TOML's words."""
    words = {"bool": "true or false", "dict": "table", "float": "number", "int": "whole number", "str": "text"}
    name = declared.__name__ if isinstance(declared, type) else str(declared)
    return next(word for kind, word in words.items() if name.startswith(kind))


_PLAIN = {
    "label": "The name in tables.",
    "model": "The model id that is asked for.",
    "output_cap": "The most tokens that one turn may write, reasoning included.",
    "base_url": "The address, up to and without the path of the API; the vendor's own if left out.",
    "temperature": "Sampling temperature; not sent if left out.",
    "stream": "Whether answers are streamed.",
}
"""Descriptions of fields whose names are enough in the code, so that they have no docstring."""


def _default(field: Any) -> str:
    if field.default is not MISSING:
        return f"`{'none' if field.default is None else str(field.default).lower()}`"
    return "required" if field.default_factory is MISSING else "`{}`"


def attribute_docs(module: Any, name: str) -> dict[str, str]:
    """The docstrings below the attributes of the class `name`, by attribute."""
    nodes = ast.parse(inspect.getsource(module)).body
    (tree,) = [node for node in nodes if isinstance(node, ast.ClassDef) and node.name == name]
    pairs = zip(tree.body, tree.body[1:], strict=False)
    return {
        one.target.id: " ".join(str(other.value.value).split())
        for one, other in pairs
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        if isinstance(other, ast.Expr) and isinstance(other.value, ast.Constant)
    }


def glossary() -> str:
    """Every measure, and the other terms of the report."""
    measures = [
        f"- **{measure.title}** (`{measure.name}`, {measure.unit}). {measure.meaning} {measure.caution}".strip()
        for measure in ALL_MEASURES
    ]
    explained = set(map(explain_measure, ALL_MEASURES))
    words = sorted({f"- **{term}**. {text}" for term, text in GLOSSARY.items() if text not in explained})
    return "\n".join(["### Measures\n", *measures, "\n### Words of tables\n", *words])


def reference() -> str:
    """The public names with their signatures and docstrings."""
    return "\n\n".join(part for name in aw.__all__ for part in _describe(name, getattr(aw, name)))


def _describe(name: str, value: Any) -> Iterator[str]:
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        yield f"## `{name}`\n\nA value: {type(value).__name__} with {len(value)} entries."
        return
    call = _signature(value)
    yield f"## `{name}`\n\n{f'    {name}{call}' if call else ''}\n\n{inspect.getdoc(value) or ''}".rstrip()
    if inspect.isclass(value):
        bases = [base for base in reversed(value.__mro__) if base.__module__.startswith("algoworlds.")]
        members = {member_name: member for base in bases for member_name, member in vars(base).items()}
        if lines := list(filter(None, (_describe_member(*item) for item in members.items()))):
            yield "\n".join(lines)


def _signature(value: Any) -> str:
    if inspect.isclass(value) and (issubclass(value, BaseException) or hasattr(value, "__members__")):
        return ""
    try:
        return re.sub(
            r"\b(?:[a-z_]+\.)+(?=[A-Za-z])|~",
            "",
            re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", str(inspect.signature(value))),
        )  # names alone: versions differ in modules
    except ValueError:
        return ""


def _describe_member(name: str, member: Any) -> str | None:
    """A public property or method with its first line."""
    plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    function = getattr(plain, "fget", None) or getattr(plain, "func", None) or plain
    text = inspect.getdoc(function)
    if name.startswith("_") or not inspect.isfunction(function) or not text:
        return None
    call = _signature(function) if function is plain else ""
    return f"- `{name}{call}`: {text.splitlines()[0]}"


PAGES: dict[str, Callable[[], str]] = {
    "worlds.md": episodes,
    "configuration.md": settings,
    "glossary.md": glossary,
    "api.md": reference,
}
"""The pages with a generated part, and the function that writes it."""


def page(name: str) -> str:
    """The page `name` with its generated part up to date."""
    before, _, rest = (DOCS / name).read_text(encoding="utf-8").partition(BEGIN_MARK)
    _, _, after = rest.partition(END_MARK)
    return f"{before}{BEGIN_MARK}\n\n{PAGES[name]()}\n\n{END_MARK}{after}"


def card() -> str:
    """The benchmark card as JSON: the sections of card.md, with the families and measures of the code."""
    text = (DOCS / "card.md").read_text(encoding="utf-8")
    sections = re.findall(r"^\*\*(.+?)\.\*\* (.*?)(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL)
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    document = {
        "name": "AlgoWorlds",
        "version": project["version"],
        "edition": EDITION,
        "licence": project["license"],
        "paper": "https://arxiv.org/abs/2608.29397",
        "sections": {heading: " ".join(words.split()) for heading, words in sections},
        "families": {name: family.summary for name, family in FAMILIES.items()},
        "interfaces": [interface.value for interface in aw.Interface],
        "measures": [
            {name: getattr(measure, name) for name in ("name", "title", "unit", "meaning", "caution")}
            for measure in ALL_MEASURES
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write every page, and the card as JSON."""
    (DOCS / "card.json").write_text(card(), encoding="utf-8")
    for name in PAGES:
        (DOCS / name).write_text(page(name), encoding="utf-8")


if __name__ == "__main__":
    main()
