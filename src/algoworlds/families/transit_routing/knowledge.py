"""What Transit Routing leaves open while memberships are unread: any leg of such a station may run on any line."""

from collections.abc import Iterator
from itertools import product

from algoworlds.core.completions import Completions
from algoworlds.core.options import Options, dropping
from algoworlds.core.relation import Row
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.transit_routing.generate import ranges
from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.families.unknowns import Relaxed, Unknowns

FEW = 64
"""Combinations of lines of the decision's own legs that are looked at one by one."""

Route = tuple[str, ...]


def cases(completions: Completions, decision: Route) -> Iterator[TransitRouting | None]:
    """Every combination of lines of the decision's own legs; None if there are more than a few."""
    own = [row for row in completions.unread("membership") if row[1] in decision]
    if len(completions.instance.line) ** len(own) > FEW:
        yield None
        return
    for lines in product(completions.instance.line, repeat=len(own)):
        rows: dict[Row, Row | None] = {row: (*row[:2], line) for row, line in zip(own, lines, strict=True)}
        yield completions.instance.with_rows(membership=rows) if rows else completions.instance


def relaxed(completions: Completions, instance: TransitRouting, decision: Route) -> Iterator[Relaxed]:
    """A leg whose line is open stands there once on every line; it is used once."""
    unread = {row[:2]: [f"{row[1]}+{line}" for line in instance.line] for row in completions.unread("membership")}
    copies = {pair: names for pair, names in unread.items() if pair[1] not in decision}
    if not copies:
        yield Relaxed(instance)
        return

    def copied(table: dict[tuple[str, str], object]) -> dict[tuple[str, str], object]:
        return {(at, name): cell for (at, leg), cell in table.items() for name in copies.get((at, leg), (leg,))}

    line = {name: name.split("+")[1] for names in copies.values() for name in names}
    membership = {pair: line.get(pair[1], cell) for pair, cell in copied(dict(instance.membership)).items()}
    yield Relaxed(
        instance.unchecked(  # as right as it was
            leg=tuple(leg for _, leg in membership),
            time=copied(dict(instance.time)),
            residue=copied(dict(instance.residue)),
            membership=membership,
        )
    )


def read(rival: Route) -> Route:
    """The legs behind the copies."""
    return tuple(leg.split("+")[0] for leg in rival)


def made(completions: Completions, instance: TransitRouting, decision: Route, rival: Route) -> tuple[TransitRouting, Route]:
    """Open legs of the rival run on the line that it took or that suits it best, those of the decision on the worst.

    Those of a route that was evaluated stay where they are, so that it is worth what was told.
    """
    kept = () if completions.told is None else completions.told.decision
    real, taken = read(rival), [each.partition("+") for each in rival]
    chosen = {leg: line for leg, _, line in taken if line and leg not in kept}
    line = {leg: each for (_, leg), each in instance.membership.items()} | chosen
    rows = {row[1]: row for row in completions.unread("membership")}
    for route, other, better in ((real, decision, 1), (decision, real, -1)):
        for at, leg in enumerate(route):
            if leg in rows and not (leg in chosen or leg in other or leg in kept):
                line[leg] = min(instance.line, key=lambda each: better * _changes(instance, line, route, at, each))
    moved: dict[Row, Row | None] = {row: (*row[:2], line[leg]) for leg, row in rows.items()}
    return instance.with_rows(membership=moved) if moved else instance, real


def _changes(instance: TransitRouting, line: dict[str, str], route: Route, at: int, own: str) -> int:
    """What changing into and out of a leg costs on a route if it runs on a line."""
    into: list[int] = [instance.transfer[line[leg]][instance.line.index(own)] for leg in route[:at][-1:]]
    out: list[int] = [instance.transfer[own][instance.line.index(line[leg])] for leg in route[at + 1 : at + 2]]
    return sum(into) + sum(out)


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("residue", "residue"): 0, ("target", "target_residue"): 0},
        shared=frozenset({("transfer", "transfer_costs")}),
        structure=frozenset({"membership"}),
        settles=lambda completions: True,
        cases=cases,
        relaxed=relaxed,
        read=read,
        made=made,
    ),
    options=(Options(("membership", "time", "residue", "transfer"), dropping("leg"), each="station"),),
)
