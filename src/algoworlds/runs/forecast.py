"""What a run would take, from what a probe took: calls, tokens, time and cost of every world's shortest plan.

A model may read more than a plan or less: these are the probed turns, as many as plans have calls.
"""

from collections import Counter
from typing import Any, NamedTuple

from algoworlds.core.canonical import compact_json
from algoworlds.runs.probe import ProbeEvidence
from algoworlds.runs.providers.apis import APIS
from algoworlds.runs.providers.turn import Usage
from algoworlds.suites.manifest import WorldEntry
from algoworlds.suites.open import Suite
from algoworlds.worlds.world import World


class TurnPace(NamedTuple):
    """What a probe measured of a turn."""

    tokens_per_byte: float
    """Input tokens for a byte of a request."""
    added_bytes: float
    """Bytes that the model's own words and the frame of an answer add to the next request."""
    output_tokens: float
    """Output tokens."""
    cached_share: float
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


def measure_pace(seen: ProbeEvidence) -> TurnPace | None:
    """The pace of a turn; None if the provider reported too little."""
    usages = [usage for usage in seen.conversation.usage_by_turn if usage.input is not None and usage.output is not None]
    sent = [len(compact_json(body)) for body in seen.bodies[: len(usages)]]
    answered = [attempt.seconds for attempt in seen.attempts if attempt.fault is None]
    read = sum(usage.input or 0 for usage in usages)
    if not usages or len(usages) < len(seen.conversation.usage_by_turn) or not read:
        return None
    answers = sum(len(observation.text) for observation in seen.conversation.episode.observations[: len(sent) - 1])
    per_turn = (sent[-1] - sent[0] - answers) / (len(sent) - 1) if len(sent) > 1 else 0.0
    cached = sum(usage.cached or 0 for usage in usages) / read
    written = sum(usage.output or 0 for usage in usages) / len(usages)
    return TurnPace(read / sum(sent), max(per_turn, 0.0), written, min(cached, 1.0), sum(answered) / len(answered))


def forecast_run(
    seen: ProbeEvidence, suite: Suite, entries: list[WorldEntry], trials: int, concurrency: int
) -> Forecast | None:
    """A run over the entries: worlds of one family, level and interface count as the first of them."""
    if (measured := measure_pace(seen)) is None:
        return None
    kinds: dict[tuple[str, int, str], WorldEntry] = {}
    numbers = Counter((entry.family, entry.level, entry.interface) for entry in entries)
    for entry in entries:
        kinds.setdefault((entry.family, entry.level, entry.interface), entry)
    calls, read = 0, 0.0
    for kind, entry in kinds.items():
        turns, tokens = _walk(seen, suite.world(entry), measured)
        calls += turns * numbers[kind] * trials
        read += tokens * numbers[kind] * trials
    written = calls * measured.output_tokens
    cost = seen.configuration.cost(Usage(int(read), int(written), cached=int(read * measured.cached_share)))
    seconds = calls * measured.seconds / concurrency
    return Forecast(len(entries) * trials, calls, int(read), int(written), seconds, cost)


def _walk(seen: ProbeEvidence, world: World, measured: TurnPace) -> tuple[int, float]:
    """Turns and input tokens of the plan with the fewest calls and a submission; every turn sends all before it again."""
    plan = min(world.plans.values(), key=len)
    body: dict[str, Any] = APIS[seen.configuration.api].first_body(seen.configuration, world.question, world.tools)
    length, total = float(len(compact_json(body))), 0.0
    for call in plan:
        total += length
        length += len(str(world.records(call))) + measured.added_bytes
    return len(plan) + 1, (total + length) * measured.tokens_per_byte
