"""The paper's tables of how the benchmark is made, from the declarations themselves: what must be said twice is read here."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib.resources import files
from typing import Any

from algoworlds.core.tool import Tool
from algoworlds.core.work import BANDS, COUNTERS, Work
from algoworlds.families import available
from algoworlds.families.family import Family
from algoworlds.grid import Grid
from algoworlds.measures.judging import EVERY
from algoworlds.runs.providers.loading import load, shipped

AnyFamily = Family[Any, Any]


def _grid(name: str, caption: str, head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Grid:
    return Grid(name, caption, head, tuple(rows))


def _families() -> list[AnyFamily]:
    return available()[0]


def headline(function: Callable[..., Any]) -> str:
    """What the module of a function says of itself in the first sentence of its docstring, after the family's name."""
    text = " ".join((sys.modules[function.__module__].__doc__ or "").partition("\n\n")[0].split())
    return text.partition(": ")[2].rstrip(".") or text.rstrip(".")


def complexity(family: AnyFamily) -> str:
    """The first sentence of a family's page on its complexity; nothing where there is no page."""
    folder = files(family.instance.__module__.rpartition(".")[0])
    page = folder / "README.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    found = re.search(r"^## Complexity\n(.*?)(?:\.\s|;\s|\.$)", text, re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split()) if found else ""


def families() -> Grid:
    """Every family: its decision, what is hidden of it, its exact algorithm and its tools."""
    rows = [
        (each.title, each.sense.value, each.summary, ", ".join(_facts(each)), headline(each.solve), str(len(each.tools) + 1))
        for each in _families()
    ]
    heads = ("family", "goal", "decision", "instance data", "exact solution method", "info tools")
    return _grid(
        "families", "The optimization families: decision, data, algorithm and number of information tools.", heads, rows
    )


def _facts(family: AnyFamily) -> list[str]:
    return [name for name, each in family.instance.relations.items() if each.fact and not each.is_roster]


def controls() -> Grid:
    """What sets the size of an instance and what couples its parts."""
    rows = [
        (each.title, " ".join((type(next(iter(each.levels.values()))).__doc__ or "").split()), headline(each.generate))
        for each in _families()
    ]
    caption = "Generation controls: what a level's configuration sets, and what couples decisions globally."
    return _grid("controls", caption, ("family", "size and structure", "what couples decisions"), rows)


def levels() -> Grid:
    """The configuration of every level."""
    rows = [
        (each.title, str(level), _settings(config)) for each in _families() for level, config in sorted(each.levels.items())
    ]
    return _grid("levels", "The configuration of each family at each level.", ("family", "level", "configuration"), rows)


def _settings(config: Any) -> str:
    values = {each.name: getattr(config, each.name) for each in fields(config)} if is_dataclass(config) else {"": config}
    return ", ".join(f"{name} {value}".strip() for name, value in values.items())


def components() -> Grid:
    """What a family's template makes of an instance, and who sees it."""
    rows = [
        (
            each.title,
            ", ".join(each.template.rosters),
            ", ".join(link.name for via in each.template.mediation.values() for link in via.links),
            "; ".join(f"{name}: {', '.join(step.tool for step in steps)}" for name, steps in each.template.plans.items()),
            ", ".join(each.decision.schema()["properties"]),
        )
        for each in _families()
    ]
    caption = (
        "Template components: the rosters that the question lists, the links of the mediated interface, the two plans that "
        "learn enough, and what is submitted. Question, prices, budget and format of the decision are the same in both worlds "
        "of a pair and shown to the agent; of the instance it sees what the tools answer."
    )
    return _grid("components", caption, ("family", "public", "links (mediated)", "plans", "submitted"), rows)


def tools() -> Grid:
    """Every tool with its price and what it tells."""
    rows = [
        (family.title, tool.name, type(tool.argument).__name__.lower(), _prices(tool.prices), ", ".join(_told(tool)))
        for family in _families()
        for tool in family.template.tools
    ]
    rows += [
        (
            each.title,
            each.template.closing.evaluate,
            "decision",
            _prices(each.template.closing.prices),
            "feasibility and value, once",
        )
        for each in _families()
    ]
    order = {each.title: at for at, each in enumerate(_families())}
    caption = "Information tools: what each is asked about, its price by size of the world, and the relations that it reveals."
    return _grid(
        "tools", caption, ("family", "tool", "argument", "price", "reveals"), sorted(rows, key=lambda row: order[row[0]])
    )


def _prices(prices: Iterable[int]) -> str:
    return "/".join(map(str, prices))


def _told(tool: Tool) -> list[str]:
    return [each if isinstance(each, str) else each.relation for each in tool.reveals]


def verification() -> Grid:
    """The two exact algorithms of every family."""
    rows = [(each.title, headline(each.solve), headline(each.verify)) for each in _families()]
    caption = (
        "Verification methods: the algorithm that constructs the optimum and the one, written independently, that confirms it."
    )
    return _grid("verification", caption, ("family", "construction", "independent verification"), rows)


def metrics() -> Grid:
    """Every measure and diagnostic."""
    rows = [(each.title, each.name, each.unit, each.meaning, each.caution) for each in EVERY]
    caption = "Measures and diagnostics of one evaluation, with what they do not mean."
    return _grid("metrics", caption, ("measure", "field", "unit", "meaning", "not"), rows)


def counters() -> Grid:
    """The operations that executed work counts."""
    rows = [(f"N_{name}", COUNTERS[name]) for name in Work._fields]
    return _grid("counters", "Work counters: executed work is the sum of the five.", ("counter", "counts"), rows)


def bands() -> Grid:
    """The bands of work that make the levels."""
    rows = [(str(level), f"{low:,}", f"{high:,}") for level, (low, high) in BANDS.items()]
    return _grid("bands", "Workload levels: executed work from and to, both included.", ("level", "from", "to"), rows)


def drivers() -> Grid:
    """What the running time of the exact algorithms depends on."""
    rows = [(each.title, headline(each.solve), complexity(each)) for each in _families()]
    caption = (
        "Work drivers: the construction algorithm and its worst case. Levels go by recorded operations, not by these bounds."
    )
    return _grid("drivers", caption, ("family", "state space", "worst case"), rows)


def subjects() -> Grid:
    """The model configurations that come with the package."""
    rows = []
    for name in shipped():
        each = load(name)
        thinking = _spelled({**each.reasoning, **each.extra_body})
        warmth = "not set" if each.temperature is None else str(each.temperature)
        rows.append((each.label, each.model, each.api, thinking, f"{each.output_cap:,}", warmth))
    caption = (
        "Model configurations that come with the package: what is asked of each API, and the cap on the output of a request."
    )
    return _grid("subjects", caption, ("model", "model id", "api", "reasoning", "output cap", "temperature"), rows)


def _spelled(settings: Mapping[str, Any]) -> str:
    flat = (
        f"{name}.{key}={value}" if key else f"{name}={value}"
        for name, given in settings.items()
        for key, value in (given.items() if isinstance(given, Mapping) else [("", given)])
    )
    return ", ".join(flat)


DESCRIPTIONS: tuple[Callable[[], Grid], ...] = (
    families, controls, levels, components, tools, verification, metrics, counters, bands, drivers, subjects,
)  # fmt: skip
"""Every table, in the paper's order; a table is called by its function's name."""


def descriptions(names: Iterable[str] = ()) -> dict[str, Grid]:
    """The tables of some names, or all of them."""
    wanted = set(names)
    return {each.__name__: each() for each in DESCRIPTIONS if not wanted or each.__name__ in wanted}
