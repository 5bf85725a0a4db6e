"""Contracts of what an agent reads: tool descriptions, the story and the example agree with the declarations.

Texts are compared word by word, so only what they say in the names of tables, columns and rosters can be found.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from algoworlds.core.stream import Stream
from algoworlds.core.tool import PartialRelation, Tool
from algoworlds.core.work import Sense
from algoworlds.errors import InstanceError, Malformed
from algoworlds.families.family import AnyFamily
from algoworlds.suites.contracts.algorithms import MAX_DECISIONS, decision_space
from algoworlds.tracks.track import PROGRAM_TOOL

Words = frozenset[str]

_NOT = r"no|not|nor|never|neither|none|without|excluding|except|hides?|omits?|lacks?"
_DENIAL = re.compile(rf"\b(?:{_NOT})\b((?:(?!, (?:and|but)\b)[^.;:()])*)", re.IGNORECASE)
"""A word of denial, and what follows it in the clause."""
_SEPARATOR = re.compile(rf",|\b(?:and|or|{_NOT})\b", re.IGNORECASE)
_STEM = 5
"""Letters by which two words count as the same: eligible and eligibility."""

_SMALLER = re.compile(r"\b(?:minimi[sz]\w*|(?:small|low|cheap|few)est|as (?:small|low|cheap|little|few) as)\b", re.IGNORECASE)
_LARGER = re.compile(r"\b(?:maximi[sz]\w*|(?:larg|high|great)est|as (?:large|high|great|much|many) as)\b", re.IGNORECASE)
_MOST = r"at most|no more than|not\b[^.{]*\bmore than|not\b[^.{]*\bexceed|up to|no greater than|within"
_LEAST = r"at least|no (?:less|fewer) than|not\b[^.{]*\b(?:less|fewer) than|not\b[^.{]*\bbelow"
_BOUND = re.compile(rf"(?:\b(?P<most>{_MOST})|\b(?P<least>{_LEAST}))(?: a| an| the)? ?\w* ?{{(?P<name>\w+)}}", re.IGNORECASE)
_MAX_TRIED_DECISIONS = 200
"""Decisions tried against a bound, per instance."""


def _words(text: str) -> Words:
    """The words of a text or a name in a form that ignores number and inflection."""
    words = re.findall(r"[a-z]+", text.lower().replace("_", " "))
    return frozenset(word[:_STEM] if len(word) > _STEM else re.sub(r"(?<!s)s$", "", word) for word in words)


def description_problem(family: AnyFamily, tool: Tool) -> str | None:
    """What a tool's description denies although the tool reveals it, or does not mention."""
    if not tool.description:
        return f"{tool.name} has no description"
    denied = [
        words
        for match in _DENIAL.finditer(tool.description)
        for phrase in _SEPARATOR.split(match[1])
        if (words := _words(phrase) - _FILLERS)
    ]
    mentioned = _words(_DENIAL.sub(" ", tool.description))
    for reveal in tool.reveals:
        name, columns = (reveal.relation, reveal.columns) if isinstance(reveal, PartialRelation) else (reveal, None)
        relation = family.instance.relations[name]
        shown = [column for column in relation.columns if columns is None or column.name in columns]
        shown = [column for column in shown if column.roster_name != tool.argument.roster or column.roster_name is None]
        names = [name, *(column.name for column in shown), *(column.roster_name for column in shown if column.roster_name)]
        for revealed in dict.fromkeys(names):
            own = _words(revealed)
            if any(words <= own or own <= words for words in denied):
                return f"the description of {tool.name} denies {revealed}, which the tool reveals"
        if mentioned.isdisjoint(frozenset.union(*map(_words, names))):
            return f"the description of {tool.name} does not mention {name}, which the tool reveals"
    return None


_FILLERS = _words("the a an any its their other further of")


def text_units(family: AnyFamily) -> Iterator[tuple[str, str | None]]:
    """Tool descriptions deny nothing that is revealed, the objective has the right direction, the example is well formed."""
    template, closing = family.template, family.template.decision_tools
    for tool in template.tools:
        yield f"description of {tool.name}", description_problem(family, tool)
        free = min(tool.prices) < 1 and not tool.navigation
        yield f"prices of {tool.name}", f"{tool.name} has the price {min(tool.prices)}; it must be at least 1" if free else None
        roster = tool.argument.roster
        unlisted = roster is not None and roster not in template.rosters
        yield f"argument of {tool.name}", f"the question does not list the {roster} ids that it takes" if unlisted else None
    names = [*(tool.name for tool in template.tools), closing.evaluate, closing.submit]
    reserved = f"{PROGRAM_TOOL!r} is the name of the tool of the tracks: choose another" if PROGRAM_TOOL in names else None
    yield "tool names", reserved if len(set(names)) == len(names) else "two tools have the same name"
    yield "objective", _objective_problem(family)
    yield "example", _example_problem(family)


def _objective_problem(family: AnyFamily) -> str | None:
    """How the story's objective, or the summary, contradicts the sense of the family."""
    *before, objective = re.split(r"\bobjective\b", family.template.story, flags=re.IGNORECASE)
    right, wrong = (_SMALLER, _LARGER) if family.sense is Sense.MIN else (_LARGER, _SMALLER)
    for name, text in (("story", objective), ("summary", family.template.summary)):
        first_right, first_wrong = right.search(text), wrong.search(text)
        if first_wrong and (first_right is None or (before and first_wrong.start() < first_right.start())):
            better = "smaller" if family.sense is Sense.MIN else "larger"
            return f'the {name} says "{first_wrong[0]}", but {better} values are better by the family\'s sense'
    return None


def _example_problem(family: AnyFamily) -> str | None:
    """Why the example in the question is not a decision that the submitting tool accepts."""
    match = re.search(r"\{.*\}", family.template.example, re.DOTALL)
    if match is None:
        return "the example holds no decision as a JSON object"
    try:
        family.decision.parse(json.loads(match[0]))
    except (ValueError, Malformed) as problem:
        return f"the decision in the example is refused: {problem}"
    return None


def check_stated_bounds(family: AnyFamily, instance: Any, stream: Stream) -> str | None:
    """A bound that the story states as "at most" or "at least" a public number is one for the checker too.

    What is feasible stays feasible when the bound is relaxed.
    """
    bounds = list(_BOUND.finditer(family.template.story))
    space, solution = decision_space(family.decision, instance), family.solve(instance)
    if not bounds or not solution.feasible:
        return None
    decisions = [solution.decision, family.reference(instance)]
    if space is not None and space.count <= MAX_DECISIONS:
        decisions += islice(space.iterate(), _MAX_TRIED_DECISIONS)
    for match in bounds:
        name, sign = match["name"], 1 if match["most"] else -1
        value = getattr(instance, name, None)
        if type(value) is not int:
            continue
        for step in (1, abs(value) // 2, abs(value)):
            try:
                relaxed = instance.replace(**{name: value + sign * step})
            except InstanceError:
                continue
            for decision in decisions:
                if family.check(instance, decision).feasible and not family.check(relaxed, decision).feasible:
                    side, change = ("most", "raised") if sign > 0 else ("least", "lowered")
                    return f"the story says at {side} {{{name}}}, but the checker refuses a decision when {name} is {change}"
    return None
