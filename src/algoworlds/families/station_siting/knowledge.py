"""What Station Siting leaves open: which site of an unread zone is extended (option 1), and what an unread demand requires.

A demand shows sites of zones that were not read, so a layout may be named before its zones are known.
"""

from collections.abc import Iterator
from itertools import product

from algoworlds.families.declare import Completions, Knowledge, OptionKind, Relaxation, Unknowns
from algoworlds.families.station_siting.check import check
from algoworlds.families.station_siting.generate import ranges
from algoworlds.families.station_siting.instance import StationSiting

MAX_CASE_ZONES = 3
"""Up to this many unread zones, their extended sites are tried in every combination."""

Sites = tuple[str, ...]
Ends = tuple[str, str, str, str]
"""What a demand requires: two zones with their sites."""


def _unread_zones(completions: Completions) -> tuple[str, ...]:
    return tuple(dict.fromkeys(zone for zone, _, _ in completions.unread_rows("option")))


def cases(completions: Completions, decision: Sites) -> Iterator[StationSiting]:
    """Every choice of extended sites of the unread zones, if these are few."""
    instance: StationSiting = completions.instance
    unread = _unread_zones(completions)
    zones = unread if len(unread) <= MAX_CASE_ZONES else ()
    for chosen in product(*([site for home, site in instance.option if home == zone] for zone in zones)):
        case = _extend(completions, instance, chosen)
        yield instance if case.option == instance.option else case


def _extend(completions: Completions, instance: StationSiting, sites: Sites) -> StationSiting:
    """The instance with `sites` as the extended ones of their zones, as far as these were not read."""
    unread, chosen = frozenset(_unread_zones(completions)), frozenset(sites)
    changed = unread.intersection(zone for zone, site in instance.option if site in chosen)
    if not changed:
        return instance
    rows = {row: (*row[:2], int(row[1] in chosen)) for row in instance.rows("option") if row[0] in changed}
    return instance.unchecked(**instance.tables_with({"option": rows}))


def breaks(completions: Completions, decision: Sites) -> Iterator[StationSiting]:
    """As many sites of the decision as possible are extended."""
    yield _extend(completions, completions.instance, decision)


def relaxations(completions: Completions, instance: StationSiting, decision: Sites) -> Iterator[Relaxation]:
    """Unread zones do not count against the limit unless `cases` tries them, and every unread demand pays any other layout.

    If the value of the decision was told, some unread demands must pay it: at least as many as that value takes.
    """
    zones, reward, evaluation = _unread_zones(completions), completions.ranges.columns["need", "reward"], completions.evaluation
    left, free = _without_unread_demands(completions, instance), len(completions.unread_rows("need"))
    if evaluation is not None and evaluation.decision == decision and not completions.has_open_numbers("cost"):
        free -= -(-_owed_rewards(completions, instance) // max(reward.high, 1))
    left = left.replace(limit=left.limit + len(zones)) if len(zones) > MAX_CASE_ZONES else left
    yield Relaxation(left, free * (max(reward.high, 0) - min(reward.low, 0)))


def _without_unread_demands(completions: Completions, instance: StationSiting) -> StationSiting:
    unread = frozenset(row[0] for row in completions.unread_rows("need"))
    return instance.restrict(demand=[demand for demand in instance.demand if demand not in unread]) if unread else instance


def _owed_rewards(completions: Completions, instance: StationSiting) -> int:
    """What unread demands must pay an evaluated layout for it to have the value that was told."""
    evaluation = completions.evaluation
    if evaluation is None or evaluation.value is None:
        return 0
    value = check(_without_unread_demands(completions, instance), evaluation.decision).value
    return 0 if value is None else evaluation.value - value


def complete_for_rival(
    completions: Completions, instance: StationSiting, decision: Sites, rival: Sites
) -> tuple[StationSiting, Sites]:
    """Unread demands pay the rival, and unread zones suit it if they must; an evaluated layout keeps its value."""
    need = {
        row: (row[0], *ends, reward) for row, (ends, reward) in _assign_demands(completions, instance, decision, rival).items()
    }
    paid = instance.unchecked(**instance.tables_with({"need": need})) if need else instance
    if check(paid, rival).feasible:
        return paid, rival
    theirs = {zone: site for zone, site in instance.option if site in rival}
    apart = [zone for zone in instance.zone if theirs.get(zone) not in decision]
    plain = tuple(site for zone, site in instance.option if site not in rival and zone in apart)
    return _extend(completions, paid, plain), rival


def _assign_demands(
    completions: Completions, instance: StationSiting, decision: Sites, rival: Sites
) -> dict[tuple[str, ...], tuple[Ends, int]]:
    """The ends and reward of every unread demand: first pay an evaluated layout what it is owed, then the rival's lead."""
    unread, reward = completions.unread_rows("need"), completions.ranges.columns["need", "reward"]
    evaluation = completions.evaluation
    own, theirs = frozenset(decision), frozenset(rival)
    evaluated = frozenset[str]() if evaluation is None or evaluation.value is None else frozenset(evaluation.decision)

    def lead(ends: Ends) -> int:
        return (ends[1] in theirs and ends[3] in theirs) - (ends[1] in own and ends[3] in own)

    def best(within: bool) -> Ends | None:
        """The ends that lie in the evaluated layout, or not (`within`), and suit the rival best."""
        able = [
            ends for ends in completions.memoize(_possible_ends) if (ends[1] in evaluated and ends[3] in evaluated) is within
        ]
        return next((ends for ends in able if lead(ends) > 0), None) or max(able, key=lead, default=None)

    owed, assigned = _owed_rewards(completions, instance) if unread else 0, dict[tuple[str, ...], tuple[Ends, int]]()
    inside, outside = best(within=True) if owed > 0 else None, best(within=False) if unread else None
    for row in unread:
        ends = inside if owed > 0 and inside is not None else outside
        if ends is not None:
            amount = min(owed, reward.high) if ends is inside else reward.high if lead(ends) > 0 else reward.low
            owed -= amount if ends is inside else 0
            assigned[row] = ends, amount
    return assigned


def _possible_ends(completions: Completions) -> list[Ends]:
    """Every two sites that a demand may require, with their zones: in different zones, within the span."""
    instance: StationSiting = completions.instance
    position = {zone: at for at, zone in enumerate(instance.zone)}
    sites = [(zone, site, position[zone]) for zone, site in instance.option]
    near = ((one, other) for one in sites for other in sites if 0 < abs(one[2] - other[2]) <= instance.span)
    return [(*one[:2], *other[:2]) for one, other in near]


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("option", "option"): 0},
        structure=frozenset({"option", "need"}),
        bonus_relations=frozenset({"need"}),
        keys_of={"option": "", "cost": ""},
        possible_breaks=breaks,
        worst_structure=_extend,
        cases=cases,
        relaxations=relaxations,
        complete_for_rival=complete_for_rival,
    ),
    options=(OptionKind(("cost", "option", "need"), price=("cost", +1), required_roster="zone"),),
)
