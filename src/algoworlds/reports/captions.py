"""What every table says of itself: what it is, how it is aggregated, and what it does not mean."""

from algoworlds.reports.results import Results

_CAPTIONS = {
    "main_results": """Performance on all {worlds} worlds. Mean ± sample standard deviation (n - 1) over {trials}. The
        deviation is between trials on the same worlds, not a confidence interval. All columns are percentages but reference
        utility, whose scale is 0-100. Scripted agents stand below the models as floor and ceiling. {drifting}""",
    "conditional_outcomes": """Information sufficiency, and how the informative trajectories end. Each percentage is
        computed within a trial and then averaged over {trials}; a trial without informative trajectories has no conditional
        percentage. The last three columns add up to 100. They describe a subset, not an effect of information: sufficiency
        does not say that the agent recognized or used what it had.""",
    "outcomes": """Mean number of evaluations in each final-decision category per trial of {worlds} worlds, over {trials}.
        The five categories partition the evaluations before rounding.""",
    "reference_quality": """Decision quality against the reference decision. Utility is the mean ± sample standard deviation
        over {trials}. Regret is the gap to the optimum in units of the reference's gap; its median and 90th percentile are
        taken within a trial among feasible decisions that are not optimal (linear interpolation between order statistics)
        and then averaged. The last four columns are mean counts per trial and partition it: better than reference means
        regret strictly between 0 and 1, reference or worse at least 1.""",
    "conditional_outcome_counts": """Mean number of evaluations in each final-decision category among those that satisfy
        information sufficiency, per trial of {worlds} worlds, over {trials}. The five categories add up to the first
        count.""",
    "task_results": """Exact optimality (percent) by task family: computed within each trial and averaged over {trials}.
        Families differ in more than complexity; the table does not say what makes one hard.""",
    "workload_results": """Exact optimality / reference utility by workload level, each computed within a trial and averaged
        over {trials}. Levels hold different instances, so a step between neighbours may be composition; the relation is
        descriptive, not an effect of workload.""",
    "task_diagnostics": """Reference utility (0-100) / discovery coverage (percent) by task family, each computed within a
        trial and averaged over {trials}. Both are marginal: the table does not pair them within an evaluation.""",
    "representation_results": """Exact optimality of the same instances through the Direct and the Mediated interface: mean
        rates (percent) over {trials}, their difference in percentage points, and its 95% paired bootstrap interval. The
        bootstrap resamples the {matched} instances, each with the mean of its paired differences, 10,000 times; its ends
        are order statistics (the 250th and the 9,750th). Wins and ties count matched instance-trial pairs; a tie means only
        that both or neither were optimal. Says nothing of other interfaces.""",
    "stability": """Repeated trials on the same {worlds} worlds: exact optimality (percent) in each trial, the number of
        worlds solved in exactly so many of all trials, and the mean share of worlds (percent) on which two trials agree. It
        is agreement of the status optimal or not, neither a rate of success nor agreement of decisions.""",
    "diagnostics": """Trajectory, tool use and termination: means over {trials} of what is computed within a trial.
        Discovery, grounding, sufficiency and exact optimality given sufficiency are percentages; calls are executed
        information calls per evaluation; the caps are counts per trial of {worlds} worlds. Grounding is the share of a
        decision's identifiers seen before (0 without a decision), not correct use of what was seen.""",
    "acquisition_spend": """What acquisition cost: executed information calls, spend in cost units and spend as percentage
        of each world's own budget, averaged within a trial and then over {trials}; the last two columns are the mean spend
        of the evaluations with sufficient information and of the optimal ones. Descriptive: neither efficiency scores nor
        effects of spending.""",
    "trajectory_examples": """Recorded trajectories of three kinds, each the median one of its kind: by coverage among those
        without sufficient information (those without a decision first), by executed calls among the infeasible, by regret
        among the feasible suboptimal. Calls are executed ones and the submission, in order of first use. Examples, not
        frequencies.""",
    "intervals": """95% intervals for the headline measures: a bootstrap of hidden instances within each family (all
        interfaces and trials of an instance travel together; 10,000 draws, percentiles). They speak of new instances of
        these families on the same footing as the {instances} drawn, not of other families; a family with one instance adds
        no width. The mean and standard deviation of the main table stand first.""",
    "comparisons": """Differences in exact optimality between configurations (first minus second, percentage points), paired
        by instance: 95% interval by the same bootstrap, p by the exact sign-flip permutation test over instances, and p
        adjusted by Holm over all {pairs} pairs. A difference whose adjusted p is large is no ranking.""",
    "interface_tests": """Is the Direct-Mediated difference more than chance? p by the exact sign-flip permutation test over
        instances, adjusted by Holm over the configurations; beside it McNemar's exact test over matched pairs, which
        ignores that trials of an instance are related and is therefore too optimistic.""",
    "reliability": """pass^k: the share of worlds (percent) solved in all of k trials drawn at random from those run;
        pass@k: in at least one of them. pass^1 is the mean exact optimality. High pass@k with low pass^k means luck or
        inconsistency.""",
    "small_cells": """Exact optimality by task family (percent) with 95% Wilson intervals, whose n is the number of
        instances, not of evaluations: repeated trials and interfaces of one instance are no new evidence. A cell of 0 does
        not exclude small rates.""",
    "drift": """Do the trials of a configuration differ by more than chance? Cochran's Q over the {worlds} worlds, with p
        from the chi-square distribution. An alarm (p < 0.05) means that something changed between trials: read that
        configuration's mean with care. No alarm does not prove that nothing changed.""",
    "stops": """How episodes ended: number of evaluations by stop reason over all trials. A stop reason is not an outcome: a
        submitted decision may be infeasible.""",
    "retries": """Provider attempts: requests, those that needed a second attempt, failed attempts by fault, seconds waited
        between attempts, and exact optimality (percent) of evaluations with and without a failed attempt. Attempts are no
        outcomes and enter no other table.""",
    "information_use": """When information became sufficient and what was lost before and after. Calls to sufficiency: calls
        of any kind until then, among informative trajectories; redundant calls: executed calls that brought nothing new.
        The utility lost per evaluation (100 minus reference utility) is split into evaluations without sufficient
        information and those with it; the split is an account, not a cause. Means over {trials}.""",
    "regret_parts": """Normalized regret in two parts, among feasible decisions for which both are defined. Acquisition
        regret: the gap of the best decision that can be made of options whose facts were all seen, found by the exact
        algorithm. Reasoning regret: the rest; it is negative where a guess beat what was known. Undefined: no decision can
        be made of what was seen, or none that is feasible was submitted. Means over {trials}; an account, not a cause.""",
    "usage": """Tokens and cost (US dollars by the configured prices) per evaluation, as far as the provider reported them;
        means over {trials}. Providers count reasoning tokens differently.""",
}


def caption(name: str, results: Results, **words: object) -> str:
    """The caption of a table of some results."""
    told = {"worlds": len(results.worlds), "instances": len(results.instances), "trials": _trials(results)}
    return " ".join(_CAPTIONS[name].format(**told, **words).split())


def _trials(results: Results) -> str:
    counts = sorted({len(results.trials(label)) for label in results.configurations})
    return "one trial (so that there is no deviation)" if counts == [1] else f"{' or '.join(map(str, counts))} trials"
