from itertools import product

from ortools.sat.python import cp_model

from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from tests.oracles import Model

ALWAYS_FEASIBLE = True  # any lot of every title will do
UNORDERED = ("title", "series", "lot")


def small(stream):
    titles = [f"t{i}" for i in range(stream.choice([0, 1, 2, 3, 4, 4, 5, 6, 7]))]
    choice = {(t, f"{t}.{name}"): z for t in titles for z, name in enumerate(stream.shuffled("ab"))}
    high = stream.choice([0, 1, 2, 9, 9, 999, 10**12])
    span = stream.integer(1, 7)
    factor = {}
    for s in range(stream.integer(0, 9) if titles else 0):
        left = stream.below(len(titles))
        near = titles[left : left + span]
        scope = stream.sample(near, stream.integer(1, min(4, len(near))))
        factor[f"s{s}"] = scope, stream.integers(2 ** len(scope), -high, high)
    return SeriesPortfolio(
        title=titles,
        series=list(factor),
        lot=[lot for _, lot in choice],
        choice=choice,
        lot_value={pair: stream.integer(-high, high) for pair in choice},
        factor=factor,
    )


def decisions(instance):
    lots = [[lot for title, lot in instance.choice if title == t] for t in instance.title]
    for taken in product(*lots):
        yield tuple(sorted(taken))


def needs(instance, decision):
    yield from (("factor", title) for title in instance.title)
    for lot in decision:
        yield "choice", lot
        yield "lot_value", lot


def model(instance):
    cp = cp_model.CpModel()
    taken = {lot: cp.new_bool_var(lot) for lot in instance.lot}
    numbered = {(title, z): taken[lot] for (title, lot), z in instance.choice.items()}
    for title in instance.title:
        cp.add_exactly_one(numbered[title, 0], numbered[title, 1])
    values = [value * taken[lot] for (_, lot), value in instance.lot_value.items()]
    values += [-min(value for (t, _), value in instance.lot_value.items() if t == title) for title in instance.title]
    for series, (scope, table) in instance.factor.items():
        cells = [cp.new_bool_var(f"{series}.{at}") for at in range(len(table))]
        cp.add_exactly_one(cells)
        for cell, choices in zip(cells, product((0, 1), repeat=len(scope)), strict=True):
            for title, z in zip(scope, choices, strict=True):
                cp.add_implication(cell, numbered[title, z])
        values += [value * cell for value, cell in zip(table, cells, strict=True)]
    return Model(cp, sum(values), lambda value: tuple(sorted(lot for lot, chosen in taken.items() if value(chosen))))
