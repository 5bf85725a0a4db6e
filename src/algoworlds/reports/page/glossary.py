"""How to read each number. `docs/reading-the-report.md` has more."""

GLOSSARY = {
    "exact optimality": (
        "Share of evaluations whose decision is feasible and whose value equals the certified optimum, an "
        "equality of whole numbers. Not partial credit: one unit off counts as nothing."
    ),
    "feasib": (
        "Share of evaluations whose decision keeps every rule of the task. It says nothing about how good the decision is."
    ),
    "reference utility": (
        "100 at the optimum, 0 at the myopic reference decision and at anything worse or infeasible. Not a "
        "percentage of the optimum's value, and not comparable across families in absolute terms."
    ),
    "information sufficiency": (
        "Share of trajectories whose responses contain a sufficient set of facts in full. It says what was "
        "received, not that it was understood; 0 does not rule out a lucky or cleverly inferred optimum."
    ),
    "sufficiency": "A trajectory is informative if its responses contain a sufficient set of facts in full.",
    "discovery": (
        "Largest share of any sufficient set of facts that the responses contain. 99 % may still lack the one "
        "fact that decides."
    ),
    "grounding": (
        "Share of the ids in the decision that the agent had been shown before. Not whether their costs were used correctly."
    ),
    "globally optimal": "Feasible, and as good as the certified optimum.",
    "suboptimal": "Feasible, but another decision is better.",
    "other failure": "Infeasible, no decision, or no well-formed decision.",
    "protocol violation": "Tried to submit, but never in the required format.",
    "regret": (
        "Gap to the optimum in units of the reference decision's gap: 0 is optimal, 1 as bad as the "
        "reference. Only feasible decisions have one."
    ),
    "acquisition regret": (
        "Regret of the best decision that could be made of what was seen. 0 with sufficient information; it says nothing of "
        "what the agent made of it."
    ),
    "reasoning regret": (
        "The rest of the regret: lost in spite of what was seen. Negative where a guess beat what was known, which is luck."
    ),
    "utility lost": (
        "100 minus reference utility, booked to evaluations without sufficient information or to those with it. "
        "An account, not a cause."
    ),
    "better than reference": "Feasible with regret strictly between 0 and 1.",
    "spend": "Cost units paid for executed information calls. Not an efficiency score: cheap may mean uninformed.",
    "calls": "Executed information calls; refused calls and the submission do not count.",
    "cap": ("Evaluations that ran into the limit of calls or asked for more than the budget left. Not an outcome category."),
    "pass^": (
        "pass^k: share of worlds solved in all of k trials. Measures reliability; falls with k unless success is certain."
    ),
    "pass@": ("pass@k: share of worlds solved in at least one of k trials. Measures reach with retries, not reliability."),
    "interval": (
        "Where the rate would fall for new instances of the same families in 95 of 100 repetitions; it does "
        "not cover new families, other prompts or other interfaces."
    ),
    "wilson": ("Interval for a share that stays honest near 0 and 100 %; its n counts instances, because trials repeat them."),
    "holm": "The p-value after correcting for all comparisons in the table. A large one means: neither rank nor accuse.",
    "agreement": ("Share of worlds on which two trials have the same exact-optimality status. Failing always agrees too."),
    "redundant": "Executed calls that brought no new fact. Not always waste: an agent may re-read to be sure.",
    "early": (
        "Compares the first half of a run's schedule with the second, world by world. An alarm means that something changed "
        "with time, such as the model behind a name; it does not say what, and no alarm does not prove that nothing did."
    ),
    "reading": (
        "Interval and test together, at the five-percent level after Holm's correction. Where they disagree about zero "
        "nothing is decided; undecided is not equal."
    ),
    "direct win": (
        "Instance and trial solved under Direct but not under Mediated. A tie may be two successes or two failures."
    ),
}


def terms_for(heads: tuple[str, ...]) -> list[str]:
    """How to read the numbers under some headings; each explanation once."""
    text = " | ".join(heads).lower()
    found = [term for term in GLOSSARY if term in text]
    general = {term for term in found if any(term != other and term in other for other in found)}
    return [GLOSSARY[term] for term in found if term not in general]
