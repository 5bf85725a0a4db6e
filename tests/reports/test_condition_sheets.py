"""The section "Condition": tables of the paper take clear worlds only, differences are paired with the clear twins."""

from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.conditions import CONDITION_EFFECTS, ConditionResults
from algoworlds.runs.agents import CONDITION_AGENTS
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.record import PlayerKind, Provenance
from algoworlds.suites.suite import SuiteSpec


def play_all(suite):
    """The records of `patient` and `once` on every world."""
    for name in ("patient", "once"):
        for world in suite.entries:
            play = suite.play(world)
            CONDITION_AGENTS[name](play.episode, Stream("agent", name, world))
            yield play.record(Provenance("", name, PlayerKind.AGENT, 1))


def test_conditions_stand_beside_their_clear_twins(tmp_path):
    spec = SuiteSpec("part", "seed", ("fleet_dispatch",), (0,), 2, (Interface.DIRECT,), conditions=("", "noisy", "shift"))
    build_suite(spec, tmp_path / "suite", None, lambda done, total: None)
    results = Results.from_records(play_all(open_suite(tmp_path / "suite")))
    assert {one.condition for one in results.evaluations} == {""}
    assert {one.condition for one in results.conditioned.evaluations} == {"noisy", "shift"}
    assert {one.instance for one in results.conditioned.evaluations} == {one.instance for one in results.evaluations}
    rows = {tuple(row.identity.values()): row.data for row in CONDITION_EFFECTS.subjects(results)}
    assert set(rows) == {(agent, condition) for agent in ("patient", "once") for condition in ("Noisy", "Shift")}
    columns = {column.key: column.compute for column in CONDITION_EFFECTS.columns}
    patient = rows["patient", "Noisy"]
    assert isinstance(patient, ConditionResults)
    assert columns["exact"](patient) == columns["clear"](patient) == 100
    assert columns["difference"](patient) == 0
    assert columns["repeats"](patient) > columns["repeats"](rows["once", "Noisy"]) == 0
    assert columns["justified"](patient) is None  # not judged
    once = rows["once", "Noisy"]
    assert columns["difference"](once) == columns["exact"](once) - 100
