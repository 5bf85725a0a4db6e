"""Sheets of what could be known: justified and lucky optima, what determination led to, claims, and the price of it."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from algoworlds.core.decision import Assurance
from algoworlds.core.work import Sense
from algoworlds.knowledge.sufficiency.oracle import Knowledge
from algoworlds.measures.hindsight import Footing
from algoworlds.reports.aggregate import Condition, average, percent, spread, summarize
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Sheet, SheetColumn, Subject, by_configuration, summarized
from algoworlds.reports.sheets.categories import CATEGORY_NAMES, ended
from algoworlds.reports.sheets.sections import KNOWLEDGE
from algoworlds.reports.sheets.structure import FAMILY, Trials, by_family, one_a_configuration
from algoworlds.reports.spelling import beside, counted, decimals
from algoworlds.worlds.episode import Outcome

JUSTIFIED, LUCKY = Footing.JUSTIFIED.value, Footing.LUCKY.value
KNOWN = ("knowledge", Knowledge.DETERMINED.value)
"""By what evaluations with a determined optimum are found."""
FOOTING_NAMES = {each.value: each.value.capitalize() for each in Footing} | {
    each.value: CATEGORY_NAMES[each.value] for each in Outcome if each is not Outcome.FEASIBLE
}
"""How decisions may stand, in words."""


def on(*footings: str) -> Callable[[Evaluation], bool]:
    """The decision stands on one of some footings."""
    return lambda each: each.judged("footing") in footings


def determined(evaluation: Evaluation) -> bool:
    """The optimum was determined at the end."""
    return bool(evaluation.judged("knowledge") == Knowledge.DETERMINED.value)


def decidable(evaluation: Evaluation) -> bool:
    """It was judged what could be known, and ranges say what that means."""
    return evaluation.judged("knowledge") is not None


def _judged(results: Results) -> list[Subject]:
    """None unless something was judged."""
    return by_configuration(results) if any(map(decidable, results.evaluations)) else []


def judged_sizes(results: Results) -> dict[str, str]:
    """A caption's word for what is not judged, what is undefined and what is undecided."""
    found = Counter(_why(each) for each in results.evaluations)
    told = [f"{found[why]:,} {why}" for why in ("not judged", "undefined (no ranges declared)", "undecided") if found[why]]
    return {"silence": f"Of {len(results.evaluations):,} evaluations {', '.join(told)}." if told else "All are decided."}


def _why(each: Evaluation) -> str:
    if each.judgement is None:
        return "not judged"
    if each.judgement["knowledge"] is None:
        return "undefined (no ranges declared)"
    return "undecided" if each.judgement["knowledge"] == Knowledge.UNDECIDED.value else ""


# -- how decisions stand ----------------------------------------------------------------------------------------------------

_WANTED = {JUSTIFIED: Sense.MAX}

FOOTING = Sheet(
    "footing",
    "Justified, lucky, misread, premature",
    KNOWLEDGE,
    """How decisions stand, in percent of the evaluations of which it is defined; the columns partition them before
    rounding. Justified: exact, and the optimum was determined by what was read. Lucky: exact, but in some instance that
    answers alike another decision is better. Misread: determined, feasible and not exact. Premature: not determined,
    feasible and not exact. {silence} Means over {trials}.""",
    _judged,
    (
        CONFIGURATION,
        *(
            summarized(key, name, decimals(1), percent(on(key), decidable), ("footing", key), best=_WANTED.get(key))
            for key, name in FOOTING_NAMES.items()
        ),
    ),
    words=judged_sizes,
)


def _split(trials: Trials) -> dict[str, Any]:
    return {each: summarize(trials, percent(on(each), decidable)) for each in (JUSTIFIED, LUCKY)}


JUSTIFIED_OPTIMA = Sheet(
    "justified_optima",
    "Exact optima by task family: justified / lucky",
    KNOWLEDGE,
    """Exact optima split by task family: justified / lucky, in percent of the evaluations of which it is defined, computed
    within a trial and averaged over {trials}. {silence}""",
    lambda results: by_family(results) if any(map(decidable, results.evaluations)) else [],
    (FAMILY, one_a_configuration(_split, beside(decimals(1), decimals(1)))),
    words=judged_sizes,
    across=True,
)

DETERMINED_OUTCOMES = Sheet(
    "determined_outcomes",
    "What a determined optimum led to",
    KNOWLEDGE,
    """How often the optimum was determined at the end, and how these evaluations end: the same as the table on sufficient
    information, with what could be known in place of the listed fact sets. Percentages are computed within a trial and
    averaged over {trials}; the last three columns add up to 100 before rounding. Determined does not say that the agent
    recognized it. {silence}""",
    _judged,
    (
        CONFIGURATION,
        summarized("determined", "Determined", decimals(1), percent(determined, decidable), KNOWN, best=Sense.MAX),
        *ended(determined, KNOWN),
    ),
    words=judged_sizes,
)

# -- claims ---------------------------------------------------------------------------------------------------------------

PROVEN, GUESS = Assurance.PROVEN.value, Assurance.GUESS.value


def claiming(*claims: str) -> Condition:
    """The agent said one of some things of its decision."""
    return lambda each: each.claim in claims


def _claimed(results: Results) -> list[Subject]:
    """None if nobody claimed anything."""
    return by_configuration(results) if any(each.claim for each in results.evaluations) else []


def _true_of(claim: str) -> Condition:
    return lambda each: each.claim == claim and decidable(each)


def _number(claim: str) -> Any:
    return lambda trials: sum(each.claim == claim for trial in trials for each in trial)


CLAIMS = Sheet(
    "claims",
    "What agents said of their decisions",
    KNOWLEDGE,
    """An agent may say of its decision that it is proven or a best guess: how many decisions came with either, and in how
    many of these, as far as it is defined, the optimum was determined (percent, means over {trials}). Determined says that
    there was a proof to be had, justified that the decision was the proven one. Claims change no score. {silence}""",
    _claimed,
    (
        CONFIGURATION,
        SheetColumn("proven", "Claimed proven", counted, _number(PROVEN), (("claim", PROVEN),)),
        summarized("truly", "Proven: determined (%)", decimals(1), percent(determined, _true_of(PROVEN)), ("claim", PROVEN)),
        summarized("justly", "Proven: justified (%)", decimals(1), percent(on(JUSTIFIED), _true_of(PROVEN)), ("claim", PROVEN)),
        SheetColumn("guess", "Claimed best guess", counted, _number(GUESS), (("claim", GUESS),)),
        summarized(
            "modestly", "Best guess: determined (%)", decimals(1), percent(determined, _true_of(GUESS)), ("claim", GUESS)
        ),
        SheetColumn("silent", "No claim", counted, _number(""), (("claim", ""),)),
        SheetColumn("unclear", "Unclear", counted, _number(Assurance.UNCLEAR.value), (("claim", Assurance.UNCLEAR.value),)),
    ),
    words=judged_sizes,
)

# -- the price of information -----------------------------------------------------------------------------------------------


def _has(name: str) -> Condition:
    return lambda each: each.judged(name) is not None


def _wasted(trial: Sequence[Evaluation]) -> float | None:
    """Wasted spend in percent of all spend, over the evaluations that have it."""
    found = [(each.judged("wasted_spend"), each.spend) for each in trial if _has("wasted_spend")(each)]
    spent = sum(spend for _, spend in found)
    return 100 * sum(wasted for wasted, _ in found) / spent if spent else None


INFORMATION_PRICE = Sheet(
    "information_price",
    "The price of information",
    KNOWLEDGE,
    """When the optimum became determined, and what was risked where it was not. Calls and spend until then, the share of
    spend that came after it (percent), and the median of spend until then over the least cost of calls that determine the
    optimum, of the evaluations of which each is defined (the ratio only where the suite states that cost). Worst regret:
    the median, in reference gaps, of what feasible decisions risked when they were submitted, and the share of feasible
    decisions (percent) that would have been infeasible in another instance that answers alike. Means over {trials}.
    {silence}""",
    _judged,
    (
        CONFIGURATION,
        summarized(
            "calls",
            "Calls to determination",
            decimals(1),
            average(lambda each: each.judged("determined_at"), _has("determined_at")),
            KNOWN,
        ),
        summarized(
            "spend",
            "Spend until determined",
            decimals(1),
            average(lambda each: each.judged("determined_spend"), _has("determined_spend")),
            KNOWN,
        ),
        summarized("wasted", "Wasted spend (%)", decimals(1), _wasted, KNOWN, best=Sense.MIN),
        summarized(
            "ratio", "Query ratio", decimals(2), spread(lambda each: each.judged("query_ratio"), 0.5), KNOWN, best=Sense.MIN
        ),
        summarized(
            "risk",
            "Worst normalized regret",
            decimals(3),
            spread(lambda each: each.judged("worst_regret_gaps"), 0.5),
            ("feasible", 1),
            best=Sense.MIN,
        ),
        summarized(
            "infeasible",
            "Possibly infeasible (%)",
            decimals(1),
            percent(lambda each: each.judged("may_be_infeasible"), _has("may_be_infeasible")),
            ("feasible", 1),
            best=Sense.MIN,
        ),
    ),
    words=judged_sizes,
)
