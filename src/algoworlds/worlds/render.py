"""What an agent reads: the question and the tool schemas. Both use public data only, so they cannot leak."""

from collections.abc import Mapping, Sequence
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.core.column import Int
from algoworlds.core.condition import ErrorLaw
from algoworlds.core.decision import schema_with_claim
from algoworlds.core.ranges import ColumnRef, Range, Ranges
from algoworlds.core.work import Sense
from algoworlds.families import load_family
from algoworlds.families.family import AnyFamily

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


RANGES_OPENING = "What you may rely on"
"""The first words of the paragraph on ranges and promises."""

TIED = "Several decisions may be equally good; any best one counts."
"""What the question of a tied world says beside all others."""

_BOUNDS = """\
At least one feasible decision exists. The bounds are the same in every task of this kind and size; this one need not \
reach them."""


def render_question(
    family: AnyFamily,
    public: Mapping[str, Any],
    prices: Mapping[str, int],
    budget: int,
    call_cap: int,
    attempt_cap: int,
    paragraphs: Sequence[str],
) -> str:
    """The question q: task, `paragraphs` on ranges and errors, ids, tools with prices, budget, rules and decision format."""
    template, closing = family.template, family.template.decision_tools
    rosters = [(heading, public[name]) for name, heading in template.rosters.items()]
    tools = []
    for tool in tool_schemas(family):
        arguments, price = ", ".join(tool["parameters"]["properties"]), prices.get(tool["name"])
        cost = "free" if price is None else f"price {price}"
        tools.append(f"- {tool['name']}({arguments}), {cost}: {tool['description']}")
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
        *filter(None, paragraphs),
        lists,
        "Tools and prices\n" + "\n".join(tools),
        rules,
        f"Decision format, for {closing.evaluate} and {closing.submit}\n{template.example}",
    )
    return "\n\n".join(sections) + "\n"


def render_ranges(family: AnyFamily, ranges: Ranges | None) -> str:
    """The paragraph on ranges and promises: the range of every hidden number, columns of equal range together."""
    if ranges is None:
        return ""
    by_range: dict[tuple[int, int, int | None], list[ColumnRef]] = {}
    for ref, declared in ranges.columns.items():
        by_range.setdefault((declared.low, declared.high, declared.diagonal), []).append(ref)
    sentences: list[str] = []
    for (low, high, diagonal), refs in by_range.items():
        names = [_column_label(family, ref, ranges.columns[ref]) for ref in refs]
        text = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
        text += f" {'' if sentences else 'are whole numbers '}from {low:,} to {high:,}"
        if diagonal is not None:
            text += f", but {diagonal:,} in a {family.instance.relations[refs[0][0]].keys[0].roster_name}'s own place"
        sentences.append(text)
    promises = "".join(f" {promise.text[0].upper()}{promise.text[1:]}." for promise in ranges.promises)
    return f"{RANGES_OPENING}: {'; '.join(sentences)}.{promises} {_BOUNDS}"


def _column_label(family: AnyFamily, ref: ColumnRef, declared: Range) -> str:
    """What the question calls the numbers of a column: a plural, unless there is only one number."""
    relation = family.instance.relations[ref[0]]
    name = ref[1].replace("_", " ")
    if declared.label:
        return declared.label
    if not relation.keys and isinstance(relation.columns[relation.position(ref[1])], Int):
        return f"the {name}"
    return name if name.endswith("s") else f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def render_errors(family: AnyFamily, ranges: Ranges | None, law: ErrorLaw | None) -> str:
    """The paragraph on errors; empty where all that is shown is true."""
    if law is None:
        return ""
    unnamed = Range(0, 0)
    labels = [
        _column_label(family, column, unnamed if ranges is None else ranges.columns[column])
        for column in family.conditions.measured
    ]
    names = f"{', '.join(labels[:-1])} and {labels[-1]}" if len(labels) > 1 else labels[0]
    evaluate, counts = family.template.decision_tools.evaluate, "true"
    bounds = "" if ranges is None else " A shown number may lie outside the bounds stated above; the true one does not."
    if law.condition.changes_once:
        counts = "new"
    when = ", whenever you submit it" if law.condition.changes_once else ""
    return (
        f"{law.condition.heading}: {names[0].upper()}{names[1:]} {law.sentences}{bounds} Everything else that is shown is "
        f"exact, and so is what {evaluate} tells. Your decision counts with the {counts} numbers{when}."
    )


def family_tool_schemas(family: str) -> list[JsonObject]:
    """The tools of a family by its name, without a world: they are the same in all of its worlds and interfaces."""
    return tool_schemas(load_family(family))


def tool_schemas(family: AnyFamily) -> list[JsonObject]:
    """Every tool as name, description and JSON schema: information tools, then evaluate and submit."""
    closing, decision = family.template.decision_tools, family.decision.schema()
    evaluate = "Whether one complete decision is feasible and, if so, its value. May be executed once."
    submit = "Submit the final decision. Binding; ends the episode."
    tools = [
        *((tool.name, tool.description, tool.schema()) for tool in family.template.tools),
        (closing.evaluate, evaluate, decision),
        (closing.submit, submit, schema_with_claim(decision)),
    ]
    return [{"name": name, "description": text, "parameters": parameters} for name, text, parameters in tools]
