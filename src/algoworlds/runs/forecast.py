"""What a run would take, from what a probe took: calls, tokens, time and cost of every world's shortest plan.

A model may read more than a plan or less: these are the probed turns, as many as plans have calls.
"""

from collections import Counter
from typing import Any, NamedTuple

from algoworlds.core.canonical import compact_text
from algoworlds.runs.findings import Examination
from algoworlds.runs.providers.apis import APIS
from algoworlds.runs.providers.turn import Usage
from algoworlds.suites.manifest import Entry
from algoworlds.suites.opened import Opened
from algoworlds.worlds.world import World


class Pace(NamedTuple):
    """What a probe measured of a turn."""

    tokens_per_byte: float
    """Input tokens for a byte of a request."""
    said: float
    """Bytes that the model's own words and the frame of an answer add to the next request."""
    written: float
    """Output tokens."""
    cached: float
    """The share of input that was read from a cache."""
    seconds: float


class Forecast(NamedTuple):
    """A run in numbers; cost is None without prices."""

    evaluations: int
    calls: int
    input: int
    output: int
    seconds: float
    cost: float | None


def pace(seen: Examination) -> Pace | None:
    """What a turn took; None if too little was told."""
    told = [usage for usage in seen.conversation.usage if usage.input is not None and usage.output is not None]
    sent = [len(compact_text(body)) for body in seen.bodies[: len(told)]]
    answered = [each.seconds for each in seen.attempts if each.fault is None]
    read = sum(usage.input or 0 for usage in told)
    if not told or len(told) < len(seen.conversation.usage) or not read:
        return None
    shown = sum(len(each.text) for each in seen.conversation.episode.observations[: len(sent) - 1])
    said = (sent[-1] - sent[0] - shown) / (len(sent) - 1) if len(sent) > 1 else 0.0
    cached = sum(usage.cached or 0 for usage in told) / read
    written = sum(usage.output or 0 for usage in told) / len(told)
    return Pace(read / sum(sent), max(said, 0.0), written, min(cached, 1.0), sum(answered) / len(answered))


def forecast(seen: Examination, suite: Opened, entries: list[Entry], trials: int, concurrency: int) -> Forecast | None:
    """A run over the entries: worlds of one family, level and interface count as the first of them."""
    if (measured := pace(seen)) is None:
        return None
    kinds: dict[tuple[str, int, str], Entry] = {}
    numbers = Counter((each.family, each.level, each.interface) for each in entries)
    for each in entries:
        kinds.setdefault((each.family, each.level, each.interface), each)
    calls, read = 0, 0.0
    for kind, entry in kinds.items():
        turns, tokens = _walk(seen, suite.world(entry), measured)
        calls += turns * numbers[kind] * trials
        read += tokens * numbers[kind] * trials
    written = calls * measured.written
    cost = seen.configuration.cost(Usage(int(read), int(written), cached=int(read * measured.cached)))
    seconds = calls * measured.seconds / concurrency
    return Forecast(len(entries) * trials, calls, int(read), int(written), seconds, cost)


def _walk(seen: Examination, world: World, measured: Pace) -> tuple[int, float]:
    """Turns and input tokens of the plan with the fewest calls and a submission; every turn sends all before it again."""
    plan = min(world.plans.values(), key=len)
    body: dict[str, Any] = APIS[seen.configuration.api].opening(seen.configuration, world.question, world.tools)
    length, total = float(len(compact_text(body))), 0.0
    for call in plan:
        total += length
        length += len(str(world.records(call))) + measured.said
    return len(plan) + 1, (total + length) * measured.tokens_per_byte
