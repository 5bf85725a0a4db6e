"""What Transit Routing leaves open while memberships are unread: any leg of such a station may run on any line."""

from collections.abc import Iterator
from itertools import product

from algoworlds.families.declare import Completions, Knowledge, OptionKind, Relaxation, Unknowns, unused_character
from algoworlds.families.transit_routing.generate import ranges
from algoworlds.families.transit_routing.instance import TransitRouting

MAX_CASES = 64
"""Combinations of lines of the decision's own legs that are tried one by one."""

Route = tuple[str, ...]


def cases(completions: Completions, decision: Route) -> Iterator[TransitRouting | None]:
    """Every combination of lines of the decision's unread legs; None if there are more than `MAX_CASES`."""
    own = [row for row in completions.unread_rows("membership") if row[1] in decision]
    if len(completions.instance.line) ** len(own) > MAX_CASES:
        yield None
        return
    for lines in product(completions.instance.line, repeat=len(own)):
        rows = {row: (*row[:2], line) for row, line in zip(own, lines, strict=True)}
        yield completions.instance.with_rows(membership=rows) if rows else completions.instance


def relaxations(completions: Completions, instance: TransitRouting, decision: Route) -> Iterator[Relaxation]:
    """Every unread leg that the decision does not use exists once on every line, as a copy called `leg+line`."""
    plus = completions.memoize(_plus)
    unread = {row[:2]: [f"{row[1]}{plus}{line}" for line in instance.line] for row in completions.unread_rows("membership")}
    copies = {pair: names for pair, names in unread.items() if pair[1] not in decision}
    if not copies:
        yield Relaxation(instance)
        return

    def with_copies(table: dict[tuple[str, str], object]) -> dict[tuple[str, str], object]:
        return {(at, name): cell for (at, leg), cell in table.items() for name in copies.get((at, leg), (leg,))}

    line = {name: name.split(plus)[1] for names in copies.values() for name in names}
    membership = {pair: line.get(pair[1], cell) for pair, cell in with_copies(dict(instance.membership)).items()}
    yield Relaxation(
        instance.unchecked(  # copies keep an instance valid
            leg=tuple(leg for _, leg in membership),
            time=with_copies(dict(instance.time)),
            residue=with_copies(dict(instance.residue)),
            membership=membership,
        )
    )


def _plus(completions: Completions) -> str:
    """The character between the leg and the line in the id of a copy."""
    return unused_character(completions.instance.leg, completions.instance.line)


def real_decision(completions: Completions, rival: Route) -> Route:
    """The legs behind the copies."""
    return tuple(leg.split(completions.memoize(_plus))[0] for leg in rival)


def complete_for_rival(
    completions: Completions, instance: TransitRouting, decision: Route, rival: Route
) -> tuple[TransitRouting, Route]:
    """Unread legs of the rival run on the line it took or the line that suits it best, those of the decision on the worst.

    The legs of an evaluated route keep their lines, so that its value stays what was told.
    """
    evaluated = () if completions.evaluation is None else completions.evaluation.decision
    real, plus = real_decision(completions, rival), completions.memoize(_plus)
    chosen = {leg: line for leg, _, line in (copy.partition(plus) for copy in rival) if line and leg not in evaluated}
    line = {leg: own for (_, leg), own in instance.membership.items()} | chosen
    rows = {row[1]: row for row in completions.unread_rows("membership")}
    for route, other, sign in ((real, decision, 1), (decision, real, -1)):
        for position, leg in enumerate(route):
            if leg in rows and not (leg in chosen or leg in other or leg in evaluated):
                line[leg] = min(instance.line, key=lambda own: sign * _transfers_at(instance, line, route, position, own))
    moved = {row: (*row[:2], line[leg]) for leg, row in rows.items()}
    return instance.with_rows(membership=moved) if moved else instance, real


def _transfers_at(instance: TransitRouting, line: dict[str, str], route: Route, position: int, own: str) -> int:
    """What changing into and out of the leg at `position` costs if it runs on the line `own`."""
    into: list[int] = [instance.transfer[line[leg]][instance.line.index(own)] for leg in route[:position][-1:]]
    out: list[int] = [instance.transfer[own][instance.line.index(line[leg])] for leg in route[position + 1 : position + 2]]
    return sum(into) + sum(out)


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("residue", "residue"): 0, ("target", "target_residue"): 0},
        shared=frozenset({("transfer", "transfer_costs")}),
        keys_of={"time": "membership", "residue": "membership"},
        structure=frozenset({"membership"}),
        cases_fix_structure=lambda completions: True,
        cases=cases,
        relaxations=relaxations,
        real_decision=real_decision,
        complete_for_rival=complete_for_rival,
    ),
    options=(OptionKind(("membership", "time", "residue", "transfer"), drop="leg", required_roster="station"),),
)
