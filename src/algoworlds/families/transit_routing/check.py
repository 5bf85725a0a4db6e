"""Checker of Transit Routing, written from the definition alone."""

from itertools import pairwise

from algoworlds.core.decision import Verdict
from algoworlds.families.transit_routing.instance import TransitRouting


def check(instance: TransitRouting, decision: tuple[str, ...]) -> Verdict:
    """Feasible if the legs leave the stations in order and their residues meet the target; then travel + transfers."""
    if len(decision) != len(instance.station):
        return Verdict.infeasible("not exactly one leg per station")
    route = list(zip(instance.station, decision, strict=True))
    if not all(step in instance.time for step in route):
        return Verdict.infeasible("a leg does not leave its station")
    if sum(instance.residue[step] for step in route) % instance.modulus != instance.target:
        return Verdict.infeasible("the residues miss the target")
    lines, index = [instance.membership[step] for step in route], instance.derived(_line_index, reads=("line",))
    return Verdict.from_parts(
        travel=sum(instance.time[step] for step in route),
        transfers=sum(instance.transfer[one][index[other]] for one, other in pairwise(lines)),
    )


def _line_index(instance: TransitRouting) -> dict[str, int]:
    """The position of every line in the rows of transfer costs."""
    return {line: at for at, line in enumerate(instance.line)}
