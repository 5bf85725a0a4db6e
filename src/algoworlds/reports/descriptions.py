"""The tables of the paper that describe the benchmark, read from the declarations of families, measures and models."""

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from importlib.resources import files
from typing import Any

from algoworlds.core.work import COUNTER_MEANINGS, WORK_BANDS, Work
from algoworlds.families import available_families
from algoworlds.families.family import AnyFamily
from algoworlds.grid import Grid
from algoworlds.measures.judging import ALL_MEASURES
from algoworlds.runs.providers.configuration_file import load_configuration, shipped_configurations


def _families() -> list[AnyFamily]:
    return available_families()[0]


def docstring_headline(function: Callable[..., Any]) -> str:
    """The first paragraph of the docstring of a function's module, without the name of the family."""
    text = " ".join((sys.modules[function.__module__].__doc__ or "").partition("\n\n")[0].split())
    return text.partition(": ")[2].rstrip(".") or text.rstrip(".")


def complexity_summary(family: AnyFamily) -> str:
    """The first sentence on complexity in the README of `family`; empty without a README."""
    folder = files(family.instance.__module__.rpartition(".")[0])
    page = folder / "README.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    match = re.search(r"^## Complexity\n(.*?)(?:\.\s|;\s|\.$)", text, re.MULTILINE | re.DOTALL)
    return " ".join(match[1].split()) if match else ""


def families() -> Grid:
    """Every family: its decision, its hidden data, its exact algorithm and its tools."""
    rows = [
        (
            family.title,
            family.sense.value,
            family.summary,
            ", ".join(name for name, relation in family.instance.relations.items() if relation.fact and not relation.is_roster),
            docstring_headline(family.solve),
            str(len(family.tools) + 1),
        )
        for family in _families()
    ]
    caption = "The optimization families: decision, data, algorithm and number of information tools."
    heads = ("family", "goal", "decision", "instance data", "exact solution method", "info tools")
    return Grid("families", caption, heads, tuple(rows))


def controls() -> Grid:
    """What sets the size of an instance, and what couples its parts."""
    sizes = {family.title: type(next(iter(family.levels.values()))).__doc__ or "" for family in _families()}
    rows = [
        (family.title, " ".join(sizes[family.title].split()), docstring_headline(family.generate)) for family in _families()
    ]
    caption = "Generation controls: what a level's configuration sets, and what couples decisions globally."
    return Grid("controls", caption, ("family", "size and structure", "what couples decisions"), tuple(rows))


def levels() -> Grid:
    """The configuration of every level."""
    rows = []
    for family in _families():
        for level, config in sorted(family.levels.items()):
            names = [field.name for field in fields(config)] if is_dataclass(config) else []
            settings = ", ".join(f"{name} {getattr(config, name)}" for name in names) or str(config)
            rows.append((family.title, str(level), settings))
    return Grid("levels", "The configuration of each family at each level.", ("family", "level", "configuration"), tuple(rows))


def components() -> Grid:
    """What the template of a family adds to an instance."""
    rows = [
        (
            family.title,
            ", ".join(family.template.rosters),
            ", ".join(link for via in family.template.mediation.values() for link in via.links),
            "; ".join(f"{name}: {', '.join(step.tool for step in steps)}" for name, steps in family.template.steps.items()),
            ", ".join(family.decision.schema()["properties"]),
        )
        for family in _families()
    ]
    caption = (
        "Template components: the rosters that the question lists, the links of the mediated interface, the two plans that "
        "learn enough, and what is submitted. Question, prices, budget and format of the decision are the same in both worlds "
        "of a pair and shown to the agent; of the instance it sees what the tools answer."
    )
    return Grid("components", caption, ("family", "public", "links (mediated)", "plans", "submitted"), tuple(rows))


def tools() -> Grid:
    """Every tool with its price and the relations that it reveals."""
    rows = []
    for family in _families():
        for tool in family.template.tools:
            reveals = ", ".join(reveal if isinstance(reveal, str) else reveal.relation for reveal in tool.reveals)
            argument = type(tool.argument).__name__.lower()
            rows.append((family.title, tool.name, argument, "/".join(map(str, tool.prices)), reveals))
        closing = family.template.decision_tools
        price = "/".join(map(str, closing.prices))
        rows.append((family.title, closing.evaluate, "decision", price, "feasibility and value, once"))
    caption = "Information tools: what each is asked about, its price by size of the world, and the relations that it reveals."
    return Grid("tools", caption, ("family", "tool", "argument", "price", "reveals"), tuple(rows))


def verification() -> Grid:
    """The two exact algorithms of every family."""
    rows = [(family.title, docstring_headline(family.solve), docstring_headline(family.verify)) for family in _families()]
    caption = (
        "Verification methods: the algorithm that constructs the optimum and the one, written independently, that confirms it."
    )
    return Grid("verification", caption, ("family", "construction", "independent verification"), tuple(rows))


def metrics() -> Grid:
    """Every measure and diagnostic."""
    rows = [(measure.title, measure.name, measure.unit, measure.meaning, measure.caution) for measure in ALL_MEASURES]
    caption = "Measures and diagnostics of one evaluation, with what they do not mean."
    return Grid("metrics", caption, ("measure", "field", "unit", "meaning", "not"), tuple(rows))


def counters() -> Grid:
    """The operations that are counted as work."""
    rows = [(f"N_{name}", COUNTER_MEANINGS[name]) for name in Work._fields]
    return Grid("counters", "Work counters: executed work is the sum of the five.", ("counter", "counts"), tuple(rows))


def bands() -> Grid:
    """The band of work of every level."""
    rows = [(str(level), f"{low:,}", f"{high:,}") for level, (low, high) in WORK_BANDS.items()]
    return Grid("bands", "Workload levels: executed work from and to, both included.", ("level", "from", "to"), tuple(rows))


def drivers() -> Grid:
    """What the running time of the exact algorithms depends on."""
    rows = [(family.title, docstring_headline(family.solve), complexity_summary(family)) for family in _families()]
    caption = (
        "Work drivers: the construction algorithm and its worst case. Levels go by recorded operations, not by these bounds."
    )
    return Grid("drivers", caption, ("family", "state space", "worst case"), tuple(rows))


def subjects() -> Grid:
    """The model configurations that come with the package."""
    rows = []
    for name in shipped_configurations():
        model = load_configuration(name)
        reasoning = _format_settings({**model.reasoning, **model.extra_body})
        temperature = "not set" if model.temperature is None else str(model.temperature)
        rows.append((model.label, model.model, model.api, reasoning, f"{model.output_cap:,}", temperature))
    caption = (
        "Model configurations that come with the package: what is asked of each API, and the cap on the output of a request."
    )
    return Grid("subjects", caption, ("model", "model id", "api", "reasoning", "output cap", "temperature"), tuple(rows))


def _format_settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name}.{key}={part}" if key else f"{name}={part}"
        for name, value in settings.items()
        for key, part in (value.items() if isinstance(value, Mapping) else [("", value)])
    )


DESCRIPTIONS: tuple[Callable[[], Grid], ...] = (
    families, controls, levels, components, tools, verification, metrics, counters, bands, drivers, subjects,
)  # fmt: skip
"""Every table, in the order of the paper; a table is named after its function."""


def description_tables(names: Iterable[str] = ()) -> dict[str, Grid]:
    """The tables `names` by name, or all of them."""
    selected = set(names)
    return {table.__name__: table() for table in DESCRIPTIONS if not selected or table.__name__ in selected}
