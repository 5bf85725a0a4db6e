"""What an agent reads: the question and the tool schemas. Both take public data only, so they cannot leak."""

from collections.abc import Mapping
from typing import Any

from algoworlds.core.column import Int
from algoworlds.core.decision import with_claim
from algoworlds.core.ranges import Place, Range, Ranges
from algoworlds.core.work import Sense
from algoworlds.families import family as family_named
from algoworlds.families.family import Family

_RULES = """\
Rules
- Your access budget is {budget}. Every executed call is charged its price, repeated calls too. A call that costs more \
than what is left is not executed and costs nothing; you may still make a cheaper one.
- At most {call_cap} information calls may be executed, {evaluate} included. After the last of them only {submit} is \
possible: any further information call ends the episode without a decision.
- A call with an unknown tool name, malformed arguments or an id that is not listed above is rejected and costs nothing, \
but after {attempt_cap} calls of any kind the episode ends.
- {evaluate} may be executed once. It tells whether one complete decision is feasible and, if so, its value ({sense} is \
better). An infeasible candidate uses it up; a malformed one does not. It commits you to nothing.
- {submit} is free and final: the first well-formed decision is binding, feasible or not, and ends the episode. A \
malformed one is rejected and may be corrected. Without a submission nothing is scored.
- Beside the decision {submit} takes an optional "claim": "proven" if what you have been told leaves no better decision \
possible, or "best guess". It never changes the score.
- Make one call at a time.

Answers are JSON. Tables have "columns" and "rows"; the rows are in no meaningful order. Some information comes as two \
or more tables that share a column of identifiers: join them on it. Identifiers are arbitrary and carry no meaning."""


RELY = "What you may rely on"
"""How the paragraph on ranges and promises begins."""

_BOUNDS = """\
At least one feasible decision exists. The bounds are the same in every task of this kind and size; this one need not \
reach them."""


def question(
    family: Family[Any, Any],
    public: Mapping[str, Any],
    prices: Mapping[str, int],
    budget: int,
    call_cap: int,
    attempt_cap: int,
    relied: str,
) -> str:
    """The textual question q: task, what may be relied on, ids, tools with prices, budget, rules and decision format."""
    template, closing = family.template, family.template.closing
    rosters = [(heading, public[name]) for name, heading in template.rosters.items()]
    lists = "\n".join(f"{heading} ({len(ids)}): {', '.join(ids)}" for heading, ids in rosters)
    rules = _RULES.format(
        budget=budget,
        call_cap=call_cap,
        attempt_cap=attempt_cap,
        evaluate=closing.evaluate,
        submit=closing.submit,
        sense="lower" if family.sense is Sense.MIN else "higher",
    )
    sections = (
        template.story.format(**{name: value for name, value in public.items() if name not in template.rosters}),
        *([relied] if relied else []),
        lists,
        "Tools and prices\n" + "\n".join(_tool_line(tool, prices) for tool in tool_schemas(family)),
        rules,
        f"Decision format, for {closing.evaluate} and {closing.submit}\n{template.example}",
    )
    return "\n\n".join(sections) + "\n"


def reliance(family: Family[Any, Any], ranges: Ranges | None) -> str:
    """What may be relied on, in one paragraph: the range of every hidden number, columns of one range together; promises."""
    if ranges is None:
        return ""
    alike: dict[tuple[int, int, int | None], list[Place]] = {}
    for place, each in ranges.columns.items():
        alike.setdefault((each.low, each.high, each.own), []).append(place)
    stated: list[str] = []
    for places in alike.values():
        names = _listed([_called(family, place, ranges.columns[place]) for place in places])
        stated.append(f"{names} {'' if stated else 'are whole numbers '}{_span(family, places[0], ranges.columns[places[0]])}")
    promises = "".join(f" {each.text[0].upper()}{each.text[1:]}." for each in ranges.promises)
    return f"{RELY}: {'; '.join(stated)}.{promises} {_BOUNDS}"


def _called(family: Family[Any, Any], place: Place, declared: Range) -> str:
    """What a column's numbers are called: in the plural, unless there is only one of them."""
    relation = family.instance.relations[place[0]]
    name = place[1].replace("_", " ")
    if declared.words:
        return declared.words
    if not relation.keys and isinstance(relation.columns[relation.position(place[1])], Int):
        return f"the {name}"
    return name if name.endswith("s") else f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def _span(family: Family[Any, Any], place: Place, declared: Range) -> str:
    ends = f"from {declared.low:,} to {declared.high:,}"
    if declared.own is None:
        return ends
    return f"{ends}, but {declared.own:,} in a {family.instance.relations[place[0]].keys[0].of}'s own place"


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _tool_line(tool: Mapping[str, Any], prices: Mapping[str, int]) -> str:
    arguments = ", ".join(tool["parameters"]["properties"])
    price = prices.get(tool["name"])
    return f"- {tool['name']}({arguments}), {'free' if price is None else f'price {price}'}: {tool['description']}"


def tools(family: str) -> list[dict[str, Any]]:
    """The tools of a family by its name, without any world: they are the same in all of its worlds and interfaces."""
    return tool_schemas(family_named(family))


def tool_schemas(family: Family[Any, Any]) -> list[dict[str, Any]]:
    """Every tool as name, description and JSON schema: information tools, then evaluate and submit."""
    closing, decision = family.template.closing, family.decision.schema()
    listed = [_schema(tool.name, tool.description, tool.schema()) for tool in family.template.tools]
    evaluate = "Whether one complete decision is feasible and, if so, its value. May be executed once."
    submit = "Submit the final decision. Binding; ends the episode."
    return [*listed, _schema(closing.evaluate, evaluate, decision), _schema(closing.submit, submit, with_claim(decision))]


def _schema(name: str, description: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "description": description, "parameters": parameters}
