"""Results by hidden instance, and captions about families with a single instance."""

from algoworlds.reports.intervals import best_model_interval, estimate_rate, family_strata, rate_interval, single_instance_note
from algoworlds.reports.results import Results
from tests.reports.synthetic import experiment, record, world_ids

PLACES = world_ids(families=("fleet_dispatch", "transit_routing"), levels=(1,), indices=(1, 2, 3))


def test_strata_count_instances_of_families():
    results = Results.from_records(experiment(("A",), [*PLACES, ("machine_layout", 1, 1, "direct")]))
    assert sorted(family_strata(results)) == [1, 3, 3]
    assert family_strata(results, lambda row: row.index < 3 and row.family == "fleet_dispatch") == [2]


def test_single_instances_are_named_in_captions():
    assert single_instance_note([3, 3]) == ""
    assert single_instance_note([1, 1]) == "There is no interval: with one instance a family nothing is known of another one."
    assert single_instance_note([1, 3, 3]) == "1 of the 3 families have one instance and are taken to vary as the others do."


def test_interval_of_the_best_model_is_corrected_for_the_number_of_models():
    models = experiment(("A", "B", "C"), PLACES)
    agents = experiment(("null", "oracle"), PLACES, kind="agent")
    results = Results.from_records(models + agents)
    found = estimate_rate(results, "B", lambda row: 100 * row.exact)
    assert best_model_interval(results, "B") == rate_interval(found, picked_from=3).scale(100)
    assert best_model_interval(results, "B").low < rate_interval(found).scale(100).low
    alone = Results.from_records([record("A", place, 1) for place in world_ids(levels=(1,), indices=(1,))])
    assert best_model_interval(alone, "A") is None
