"""Leaks: the secrets of a world, and the search for them in every text outside the sealed files."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject, canonical_json
from algoworlds.core.column import Int, Ints
from algoworlds.core.condition import Look
from algoworlds.core.tool import Call
from algoworlds.suites.bundle import Bundle
from algoworlds.suites.suite import MIN_SEED_LENGTH
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.render import RANGES_OPENING
from algoworlds.worlds.world import World

_ID = re.compile(r"\b[a-z][a-z_]*-[0-9a-hjkmnp-tv-z]{10}\b")
_KEY = re.compile(r"[0-9a-fA-F]{16,}")
_GROUPED_NUMBER = re.compile(r"\d{1,3}(?:[,_.' ]\d{3})+")
_MIN_TELLING_NUMBER = 1_000
"""Smaller hidden numbers are too common in texts to reveal anything."""
_MIN_TELLING_IDS = 3
"""Consecutive ids of the decision that reveal it; fewer follow each other by chance."""


@dataclass(frozen=True)
class WorldSecrets:
    """What no public text may reveal about one world."""

    values: dict[int, str]
    """Revealing numbers, with their names."""
    hidden: frozenset[int]
    """Large numbers of the hidden instance."""
    ids: frozenset[str]
    """Ids that only responses may show."""
    decision: tuple[str, ...]
    """The ids of every optimum, joined by spaces, in each order in which it can be written."""
    assignments: tuple[frozenset[tuple[str, str]], ...]
    """What every optimum assigns to what; a text may list the pairs in any order."""
    words: dict[str, str]
    """Spellings of the suite's seed and pepper, with their names, except a seed so short that texts contain it by chance."""


def world_secrets(bundle: Bundle, world: World) -> WorldSecrets:
    """The secrets of a world."""
    instance, coordinate = bundle.instance, bundle.coordinate
    values = {
        bundle.work.total: "the work",
        abs(bundle.reference_value - bundle.optimum): "the reference gap",
        abs(bundle.reference_value): "the reference value",
        abs(bundle.optimum): "the optimum",
    }
    ids = {item for name, relation in instance.relations.items() if relation.is_roster for item in getattr(instance, name)}
    optima = list(map(world.family.decision.arguments, bundle.optima))
    seed = coordinate.seed if len(coordinate.seed) >= MIN_SEED_LENGTH else ""
    words = {seed: "the seed", canonical_json(seed)[1:-1]: "the seed", coordinate.pepper: "the pepper"}
    return WorldSecrets(
        values,
        frozenset(number for number in fact_numbers(instance) if number >= _MIN_TELLING_NUMBER),
        frozenset(ids - set(_ID.findall(str(instance.public_tables)))),
        tuple(text for arguments in optima for text in _decision_texts(arguments)),
        tuple(
            frozenset(pair for value in arguments.values() if isinstance(value, dict) for pair in value.items())
            for arguments in optima
        ),
        {word: name for word, name in words.items() if word},
    )


def _decision_texts(arguments: JsonObject) -> Iterator[str]:
    """The ids of a decision, joined by spaces: its longest list, or its options in the order of what they are assigned to.

    Shorter lists are left out because they may be facts, like the domains that one package requires.
    """
    longest = max(map(len, arguments.values()))
    for value in (argument for argument in arguments.values() if len(argument) == longest):
        lists = [value.values(), dict(sorted(value.items())).values()] if isinstance(value, dict) else [value]
        yield from (" ".join(ids) for ids in lists if len(ids) >= _MIN_TELLING_IDS)


def fact_numbers(instance: Any) -> set[int]:
    """The absolute values of all integers in the facts of an instance."""
    numbers: set[int] = set()
    for name, relation in instance.relations.items():
        cells = [(at, isinstance(column, Ints)) for at, column in enumerate(relation.columns) if isinstance(column, Int | Ints)]
        for row in instance.rows(name) if relation.fact else ():
            for at, is_list in cells:
                numbers.update(map(abs, row[at] if is_list else (row[at],)))
    return numbers


def numbers_in_text(text: str, grouped: bool = True) -> set[int]:
    """Every number in a text outside ids and keys; with `grouped` also digits in groups of three, as in prose."""
    bare = _KEY.sub(" ", _ID.sub(" ", text))
    numbers = {int(digits) for digits in re.findall(r"\d{1,20}", bare)}
    return numbers | {int(re.sub(r"\D", "", digits)) for digits in _GROUPED_NUMBER.findall(bare)} if grouped else numbers


def find_leaked_secret(text: str, secrets: WorldSecrets, stated: set[int], digests: frozenset[str] = frozenset()) -> str | None:
    """The first secret that a text reveals, apart from the numbers `stated` and `digests` that it may hold."""
    numbers = _scan(text).numbers - stated
    leak = next((name for value, name in secrets.values.items() if value in numbers), None)
    return leak or ("a hidden value" if numbers & secrets.hidden else None) or _find_leaked_text(text, secrets, digests)


def _find_leaked_text(text: str, secrets: WorldSecrets, digests: frozenset[str]) -> str | None:
    """A leaked secret that is not a number: the decision, an id, the seed or pepper, or what looks like a derived key."""
    ids = _scan(text).ids
    joined = f" {' '.join(ids)} "
    if any(f" {decision} " in joined for decision in secrets.decision) or any(
        _has_assignment(ids, pairs) for pairs in secrets.assignments
    ):
        return "the optimal decision"
    if not secrets.ids.isdisjoint(ids):
        return "an id that only responses may show"
    for word, name in secrets.words.items():
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
            return name
    return "a key or digest" if _scan(text).keys - digests else None


class _TextScan(NamedTuple):
    """The parts of a text that can be secrets: its numbers, its ids in order, and what looks like a key."""

    numbers: set[int]
    ids: list[str]
    keys: set[str]


@lru_cache(maxsize=4)
def _scan(text: str) -> _TextScan:
    """Cached, because a suite's files are searched for the secrets of many worlds."""
    return _TextScan(numbers_in_text(text), _ID.findall(text), set(_KEY.findall(text)))


def _has_assignment(ids: list[str], pairs: frozenset[tuple[str, str]]) -> bool:
    """Whether all pairs of an assignment follow each other somewhere in `ids`."""
    for start in (0, 1):
        run: set[tuple[str, str]] = set()
        for pair in zip(ids[start::2], ids[start + 1 :: 2], strict=False):
            run = run | {pair} if pair in pairs else set()
            if len(run) >= max(_MIN_TELLING_IDS, len(pairs)):
                return True
    return False


def stated_numbers(world: World) -> set[int]:
    """The numbers that a question states by rule: prices, budget, caps, sizes, public tables and the template's own text."""
    template, public = world.family.template, world.public
    sizes = {len(table) for table in public.values() if isinstance(table, tuple)}
    words = numbers_in_text(" ".join((template.story, template.example, canonical_json(world.tools), str(public))))
    return {*world.prices.values(), world.budget, world.call_cap, world.attempt_cap} | sizes | words


def without_stated_paragraphs(text: str, world: World) -> str:
    """A text without one copy of the paragraphs on ranges and errors: no instance decides on them, so numbers are allowed."""
    for paragraph in filter(None, (world.ranges_paragraph, world.errors_paragraph)):
        text = text.replace(paragraph, " ", 1)
    return text


def find_leak(bundle: Bundle, world: World) -> str | None:
    """What a world's question, tools, error texts or responses leak, if anything."""
    public = [bundle.question, canonical_json(bundle.tools), canonical_json(bundle.prices)]
    if public != [world.question, canonical_json(world.tools), canonical_json(dict(world.prices))]:
        return "the public text is not what the public tables give"
    secrets = world_secrets(bundle, world)
    leak = find_leaked_secret(without_stated_paragraphs(" ".join(public), world), secrets, stated_numbers(world))
    if leak is not None:
        return f"the public text reveals {leak}"
    for text in refusal_texts(world):
        if _ID.search(text) or find_leaked_secret(text, secrets, {*world.prices.values(), 0}):
            return "an error text reveals more than a price"
    return _find_response_leak(bundle, world, secrets)


def refusal_texts(world: World) -> Iterator[str]:
    """Every error text of a world: calls refused for each reason, by each tool."""
    closing, tools = world.family.template.decision_tools, world.family.template.tools
    submissions = (Call(closing.submit, text) for text in ("", "{}", "[]"))
    malformed = [Call(tool, text) for tool in ("nonsense", *world.prices) for text in ("", '{"nonsense":1}')]
    foreign = []  # well-formed arguments that name no entity of the world
    for tool in tools:
        if arguments := tool.argument.domain(world.public)[0]:
            values = {name: "job-0000000000" if isinstance(value, str) else 10**6 for name, value in arguments.items()}
            foreign.append(Call.from_arguments(tool.name, values))
    yield from (observation.text for observation in Episode(world, [*submissions, *malformed, *foreign]).observations)
    for spent, executed in ((world.budget, 0), (0, world.call_cap)):
        episode = Episode(world)
        episode.spent, episode.executed, episode.evaluated = spent, executed, True
        yield from (episode.call(*call).text for call in (*next(iter(world.plans.values()))[:1], Call(closing.evaluate)))


def _find_response_leak(bundle: Bundle, world: World, secrets: WorldSecrets) -> str | None:
    """What a response leaks beside facts: a revealing number that is not in a fact, or the decision."""
    in_facts = fact_numbers(bundle.instance)
    telling = {value: name for value, name in secrets.values.items() if value not in in_facts}
    without_ids = replace(secrets, ids=frozenset())
    phases = range(1 if world.law is None else len(world.law.widths))
    for call, phase in product(world.catalog, phases):
        text = str(world.records(call if world.law is None else Look(call, phase)))
        numbers, readings = numbers_in_text(text, grouped=False), world.readings(Look(call, phase)).values()
        numbers -= {abs(box.low + box.width // 2) for box in readings}  # facts with errors that depend on nothing hidden
        leak = next((name for value, name in telling.items() if value in numbers), None)
        if (leak := leak or _find_leaked_text(text, without_ids, frozenset())) is not None:
            return f"a response of {call.tool} reveals {leak}"
    return None


def ranges_paragraph(bundle: Bundle) -> tuple[str, str]:
    """A name for the family and level of a world, and the ranges that its question states."""
    coordinate = bundle.coordinate
    lines = [line for line in bundle.question.splitlines() if line.startswith(RANGES_OPENING)]
    return f"ranges of {coordinate.family}, level {coordinate.level}", "\n".join(lines)


def range_units(paragraphs: Iterable[tuple[str, str]]) -> list[tuple[str, str | None]]:
    """One unit per family and level: all its questions state the same ranges, because ranges depend on no instance."""
    by_level: dict[str, set[str]] = {}
    for level, paragraph in paragraphs:
        by_level.setdefault(level, set()).add(paragraph)
    return [(level, None if len(texts) == 1 else "the ranges differ between instances") for level, texts in by_level.items()]
