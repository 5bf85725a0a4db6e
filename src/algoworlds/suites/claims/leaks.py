"""Leaks: what no text outside the sealed files may tell, and where it is looked for."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from algoworlds.core.canonical import canonical_text
from algoworlds.core.column import Int, Ints
from algoworlds.core.tool import Call
from algoworlds.suites.bundle import Bundle
from algoworlds.suites.claims.claim import Case, Claim, Unit
from algoworlds.suites.private import GUESSABLE
from algoworlds.worlds.admit import Coordinate
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.render import RELY
from algoworlds.worlds.world import ATTEMPT_CAP, CALL_CAP, World

_ID = re.compile(r"\b[a-z][a-z_]*-[0-9a-hjkmnp-tv-z]{10}\b")
_KEY = re.compile(r"[0-9a-fA-F]{16,}")
_GROUPED = re.compile(r"\d{1,3}(?:[,_.' ]\d{3})+")
_TELLING = 1_000
"""Hidden numbers below this are too common in texts to tell anything."""
_SHORTEST = 3
"""Ids that must follow each other as in the decision to tell it; fewer meet by chance."""


@dataclass(frozen=True)
class Secrets:
    """What no public text may tell about one world."""

    values: dict[int, str]
    """Numbers that would tell much, with what they are."""
    hidden: frozenset[int]
    """Large numbers of the hidden instance."""
    ids: frozenset[str]
    """Ids that only responses may show."""
    decision: tuple[str, ...]
    """The ids of the optimum in the order in which it is written, once for each way to write it."""
    pairs: frozenset[tuple[str, str]]
    """What the optimum assigns to what; in a text they may come in any order."""
    words: dict[str, str]
    """Spellings of the suite's seed and pepper, with what they are; no seed so short that texts contain it by chance."""


def secrets(bundle: Bundle, world: World) -> Secrets:
    """The secrets of a world."""
    instance = bundle.instance
    values = {
        bundle.work.total: "the work",
        abs(bundle.reference_value - bundle.optimum): "the reference gap",
        abs(bundle.reference_value): "the reference value",
        abs(bundle.optimum): "the optimum",
    }
    rosters = {name: set(getattr(instance, name)) for name, each in instance.relations.items() if each.is_roster}
    stated = set(_ID.findall(str(instance.public_tables)))
    numbers = frozenset(value for value in fact_numbers(instance) if value >= _TELLING)
    arguments = world.family.decision.arguments(bundle.decision)
    return Secrets(
        values,
        numbers,
        frozenset(item for items in rosters.values() for item in items - stated),
        tuple(_written(arguments)),
        frozenset(pair for value in arguments.values() if isinstance(value, dict) for pair in value.items()),
        _words(bundle.coordinate),
    )


def _words(place: Coordinate) -> dict[str, str]:
    seed = place.seed if len(place.seed) >= GUESSABLE else ""
    spelled = {seed: "the seed", canonical_text(seed)[1:-1]: "the seed", place.pepper: "the pepper"}
    return {word: what for word, what in spelled.items() if word}


def _written(arguments: dict[str, Any]) -> Iterator[str]:
    """The ids of a decision, joined by spaces: its longest list, or its options in the order of what they are for.

    A shorter list beside it may well be a fact of its own, as the domains that one package requires are.
    """
    longest = max(map(len, arguments.values()))
    for value in (each for each in arguments.values() if len(each) == longest):
        lists = [value.values(), dict(sorted(value.items())).values()] if isinstance(value, dict) else [value]
        yield from (" ".join(each) for each in lists if len(each) >= _SHORTEST)


def fact_numbers(instance: Any) -> set[int]:
    """The absolute values of all integers in the facts of an instance."""
    found: set[int] = set()
    for name, relation in instance.relations.items():
        whole = [(at, isinstance(each, Ints)) for at, each in enumerate(relation.columns) if isinstance(each, Int | Ints)]
        for row in instance.rows(name) if relation.fact else ():
            for at, several in whole:
                found.update(map(abs, row[at] if several else (row[at],)))
    return found


def numbers(text: str, grouped: bool = True) -> set[int]:
    """Every number in a text, ids and keys left aside; in prose also as digits in groups of three."""
    bare = _KEY.sub(" ", _ID.sub(" ", text))
    found = {int(run) for run in re.findall(r"\d{1,20}", bare)}
    return found | {int(re.sub(r"\D", "", run)) for run in _GROUPED.findall(bare)} if grouped else found


def told(text: str, secret: Secrets, stated: set[int], digests: frozenset[str] = frozenset()) -> str | None:
    """The first secret that a text tells, beside the numbers and digests that it may state."""
    met = _read(text).numbers - stated
    found = next((name for value, name in secret.values.items() if value in met), None)
    return found or ("a hidden value" if met & secret.hidden else None) or _named(text, secret, digests)


def _named(text: str, secret: Secrets, digests: frozenset[str]) -> str | None:
    """A secret that is no number: the decision, an id, the seed or pepper, or what looks like a key drawn from them."""
    listed = _read(text).ids
    spelled = f" {' '.join(listed)} "
    if any(f" {each} " in spelled for each in secret.decision) or _assigned(listed, secret.pairs):
        return "the optimal decision"
    if not secret.ids.isdisjoint(listed):
        return "an id that only responses may show"
    for word, what in secret.words.items():
        if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
            return what
    return "a key or digest" if _read(text).keys - digests else None


class _Read(NamedTuple):
    """A text as it is searched for secrets: its numbers, its ids in order, and what looks like a key."""

    numbers: set[int]
    ids: list[str]
    keys: set[str]


@lru_cache(maxsize=4)
def _read(text: str) -> _Read:
    """A text taken apart, once for all worlds whose secrets it is searched for."""
    return _Read(numbers(text), _ID.findall(text), set(_KEY.findall(text)))


def _assigned(listed: list[str], pairs: frozenset[tuple[str, str]]) -> bool:
    """Whether all pairs of an assignment follow each other somewhere."""
    for at in (0, 1):
        run: set[tuple[str, str]] = set()
        for pair in zip(listed[at::2], listed[at + 1 :: 2], strict=False):
            run = run | {pair} if pair in pairs else set()
            if len(run) >= max(_SHORTEST, len(pairs)):
                return True
    return False


def stated_numbers(world: World) -> set[int]:
    """The numbers that a question states by rule: prices, budget, caps, sizes, public tables and the template's own words."""
    template, public = world.family.template, world.public
    sizes = {len(table) for table in public.values() if isinstance(table, tuple)}
    words = numbers(" ".join((template.story, template.example, canonical_text(world.tools), str(public))))
    return {*world.prices.values(), world.budget, CALL_CAP, ATTEMPT_CAP} | sizes | words


def unrelied(text: str, world: World) -> str:
    """A text without the paragraph on what may be relied on, which no instance has a part in: its numbers count only there."""
    return text.replace(world.reliance, " ", 1) if world.reliance else text


def leaks(bundle: Bundle, world: World) -> str | None:
    """What a world's question, tools, error texts or responses give away, if anything."""
    public = [bundle.question, canonical_text(bundle.tools), canonical_text(bundle.prices)]
    if public != [world.question, canonical_text(world.tools), canonical_text(dict(world.prices))]:
        return "the public text is not what the public tables give"
    secret = secrets(bundle, world)
    if (found := told(unrelied(" ".join(public), world), secret, stated_numbers(world))) is not None:
        return f"the public text tells {found}"
    for text in rejections(world):
        if _ID.search(text) or told(text, secret, {*world.prices.values(), 0}):
            return "an error text tells more than a price"
    return _told_by_responses(bundle, world, secret)


def rejections(world: World) -> Iterator[str]:
    """Every error text of a world: calls refused for each reason there is, by each tool."""
    closing = world.family.template.closing
    submit = (Call(closing.submit, text) for text in ("", "{}", "[]"))
    bad = [Call(tool, text) for tool in ("nonsense", *world.prices) for text in ("", '{"nonsense":1}')]
    asked = [each.argument.domain(world.public)[0] for each in world.family.template.tools]
    foreign = [
        Call.make(tool.name, {name: "job-0000000000" if isinstance(value, str) else 10**6 for name, value in each.items()})
        for tool, each in zip(world.family.template.tools, asked, strict=True)
        if each
    ]
    yield from (each.text for each in Episode(world, [*submit, *bad, *foreign]).observations)
    for spent, executed in ((world.budget, 0), (0, CALL_CAP)):
        episode = Episode(world)
        episode.spent, episode.executed, episode.evaluated = spent, executed, True
        yield from (episode.call(*call).text for call in (*next(iter(world.plans.values()))[:1], Call(closing.evaluate)))


def _told_by_responses(bundle: Bundle, world: World, secret: Secrets) -> str | None:
    """Responses tell facts and nothing else: a telling number must be a fact's, and no decision is spelled out."""
    known = fact_numbers(bundle.instance)
    telling = {value: name for value, name in secret.values.items() if value not in known}
    open_secret = replace(secret, ids=frozenset())
    for call in world.catalog:
        text = str(world.records(call))
        if not _suspicious(text, telling, secret):
            continue
        met = numbers(text, grouped=False)
        found = next((name for value, name in telling.items() if value in met), None)
        if (found := found or _named(text, open_secret, frozenset())) is not None:
            return f"a response of {call.tool} tells {found}"
    return None


def _suspicious(text: str, telling: dict[int, str], secret: Secrets) -> bool:
    """Whether a response contains all the letters of some secret, so that a closer look is worth its time."""
    return (
        any(str(value) in text for value in telling)
        or any(all(each in text for each in ids.split()) for ids in secret.decision)
        or (bool(secret.pairs) and all(entity in text for entity, _ in secret.pairs))
        or any(word in text for word in secret.words)
        or _KEY.search(text) is not None
    )


def relied_on(bundle: Bundle) -> tuple[str, str]:
    """A name for the family and level of a world, and what its question lets an agent rely on."""
    place, lines = bundle.coordinate, bundle.question.splitlines()
    return f"ranges of {place.family}, level {place.level}", "\n".join(line for line in lines if line.startswith(RELY))


def uneven_ranges(relied: Iterable[tuple[str, str]]) -> list[Unit]:
    """One unit for each family and level: all its questions let an agent rely on the same, since ranges know no instance."""
    told: dict[str, set[str]] = {}
    for level, paragraph in relied:
        told.setdefault(level, set()).add(paragraph)
    return [(level, None if len(said) == 1 else "the ranges differ between instances") for level, said in told.items()]


def leak_audit(case: Case) -> Iterator[Unit]:
    """Nothing public tells the optimum, the decision, the work, the seed, the pepper or a hidden value."""
    for each, world in zip(case.bundles, case.worlds.values(), strict=True):
        yield world.id, leaks(each, world)


LEAK_AUDIT = Claim("Leak audit", "World, file, order or range", leak_audit)
