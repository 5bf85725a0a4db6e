"""What could be known: is the optimum determined by the responses so far and the ranges in the question, and at what price?

    oracle = Oracle.from_world(world, optimum)            # `optimum` is solved for if it is left out
    observed = ObservedCalls.from_episode(episode)        # or ObservedCalls((call, ...)); from_episode(episode, 12): 12 calls
    oracle.optimum_risk(observed).determination           # DETERMINED, NOT_DETERMINED or UNDECIDED; never a guess
    oracle.optimum_risk(observed).witness                 # an instance with the same responses, and a better decision there
    oracle.worst_regret(decision, observed)               # low, high, regret (exact or None), witness

The oracle needs the hidden instance, or any other with the same responses: the answers do not depend on which. A decision that
may be infeasible risks an infinite regret. The oracle solves, so scoring never uses it; judgements store its answers.
"""
