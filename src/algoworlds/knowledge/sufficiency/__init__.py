"""When is the optimum known? The exact answer, from the responses that somebody has and the ranges that the question states.

    oracle = Oracle.of(world, optimum)            # the optimum is solved for unless it is given, as a world's key has it
    observed = Observed.of(episode)               # or Observed((call, ...)); Observed.of(episode, 12) after twelve calls
    oracle.known(observed).knowledge              # DETERMINED, NOT_DETERMINED or UNDECIDED; never a guess
    oracle.known(observed).witness                # if not: an instance that answers alike, a better decision there, by how much
    oracle.worst_regret(decision, observed)       # low, high, regret (exact or None), in_gaps(reference gap), witness

An oracle needs the hidden instance, or any other that gives the same responses: its answers do not depend on which. A decision
that may be infeasible risks an infinite regret. It solves, so scoring never asks it; records keep what it said.
"""
