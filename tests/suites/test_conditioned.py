"""Suites and streams with conditions: twins of clear worlds, whose claims notice one changed error, width, rung or budget."""

from dataclasses import replace

import pytest

from algoworlds.core.condition import CONDITIONS, ErrorLaw, MeasurementErrors
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError
from algoworlds.runs.schedule import WorldFilter
from algoworlds.suites.build import build_suite
from algoworlds.suites.bundle import build_bundles, decode_bundle, encode_bundle
from algoworlds.suites.claims.errors import error_scores, error_units
from algoworlds.suites.claims.registry import CLAIMS, InstanceCase
from algoworlds.suites.manifest import parse_entry
from algoworlds.suites.open import open_suite
from algoworlds.suites.stream import stream
from algoworlds.suites.suite import SuiteSpec, conditioned_suite, default_suite
from algoworlds.suites.validation import validate_suite
from algoworlds.worlds.world import World
from tests.certified import certified_instance
from tests.once import once

NAMES = tuple(condition.name for condition in CONDITIONS)
PAIR = (Interface.DIRECT, Interface.MEDIATED)
SMALL = SuiteSpec("part", "a seed of small conditioned suites", ("fleet_dispatch",), (0,), 1, PAIR, conditions=("", *NAMES))


def silent(done, total):
    pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return once(tmp_path_factory, "conditioned", lambda path: build_suite(SMALL, path / "suite", None, silent)) / "suite"


@pytest.fixture(scope="module")
def bundles():
    return build_bundles(certified_instance("fleet_dispatch", 0), PAIR, conditions=NAMES)


def failing(bundles):
    case = InstanceCase(tuple(bundles))
    return {claim.check.__name__ for claim in CLAIMS for _, problem in claim.check(case) if problem is not None}


def test_suite_holds_every_condition_and_interface(folder):
    suite = open_suite(folder)
    assert suite.spec == SMALL
    assert [entry.condition for entry in suite.manifest.worlds] == [name for name in ("", *NAMES) for _ in PAIR]
    clear, noisy = (suite.play(f"fleet_dispatch-0-1-{tag(suite)}{name}-direct") for name in ("", "-noisy"))
    assert clear.episode.world.instance == noisy.episode.world.instance
    assert clear.episode.world.law is None
    assert noisy.budget > clear.budget
    assert "condition" not in clear.record()
    assert noisy.record()["condition"] == "noisy"
    assert all("condition" not in entry.json for entry in suite.manifest.worlds if not entry.condition)
    assert [parse_entry(entry.json) for entry in suite.manifest.worlds] == list(suite.manifest.worlds)


def tag(suite):
    return suite.manifest.worlds[0].id.split("-")[3]


def test_clear_worlds_of_a_suite_are_those_without_conditions(folder, tmp_path):
    manifest = build_suite(replace(SMALL, conditions=("",)), tmp_path / "clear", None, silent)
    assert [entry for entry in open_suite(folder).manifest.worlds if not entry.condition] == list(manifest.worlds)
    assert "conditions" not in (tmp_path / "clear" / "sealed" / "suite.json").read_text()


def test_every_claim_holds(folder):
    report = validate_suite(folder, None, silent)
    assert report.failures == []
    counts = {row["row"]: row["count"] for row in report.summary}
    assert counts["Law of errors"] == len(NAMES) * len(PAIR)
    assert counts["Chance of errors"] == len(NAMES)
    assert counts["Paired-interface equivalence"] == len(NAMES) + 1


def test_bundles_are_read_as_they_were_written(bundles):
    import json

    for bundle in bundles:
        files = {path: json.loads(text) for path, text in encode_bundle(bundle).items() if path.endswith(".json")}
        assert decode_bundle(bundle.coordinate, bundle.interface, files) == bundle
    salts = {json.loads(encode_bundle(bundle)["sealed/instance.json"])["salt"] for bundle in bundles}
    assert len(salts) == len(bundles)


def test_claims_hold_and_notice_what_is_changed(bundles, monkeypatch):
    assert failing(bundles) == set()
    assert failing([replace(bundles[0], budget=bundles[0].budget + 1), *bundles[1:]]) == {"acquisition", "pairing"}
    show = MeasurementErrors.show
    with monkeypatch.context() as patch:  # one error beyond its width

        def show_more(self, rows, tool, selection, phase):
            shown = [list(row) for row in show(self, rows, tool, selection, phase)]
            shown[0][self.positions[0]] += 2 * self.law.widths[0] if self.law.widths[phase] else 0
            return [tuple(row) for row in shown]

        patch.setattr(MeasurementErrors, "show", show_more)
        assert "error_law" in failing(bundles)
    with monkeypatch.context() as patch:  # another width than that of the law
        law = World.__dict__["law"].func

        def wider(self):
            own = law(self)
            return None if own is None else replace(own, widths=(own.widths[0] + 1, *own.widths[1:]))

        patch.setattr(World, "law", property(wider))
        assert "error_law" in failing(bundles)
    with monkeypatch.context() as patch:  # a rung less in the budget
        patch.setattr(ErrorLaw, "rungs", property(lambda self: 1))
        assert {"acquisition", "pairing"} & failing(bundles)


def test_chance_notices_errors_that_depend_on_the_truth(bundles, monkeypatch):
    scores = lambda: [error_scores(bundle, bundle.world) for bundle in bundles[::2]]  # noqa: E731
    assert all(problem is None for _, problem in error_units(scores()))

    def show_parity(self, rows, tool, selection, phase):
        """Errors of full width, upward for large numbers."""
        width = self.law.widths[phase]
        for row in rows:
            new = list(row)
            for at in self.positions:
                new[at] += width if row[at] % 1000 > 500 else -width
            yield tuple(new)

    monkeypatch.setattr(MeasurementErrors, "show", show_parity)
    assert any(problem is not None for _, problem in error_units(scores()))


def test_filters_select_conditions(folder):
    suite = open_suite(folder)
    assert {entry.condition for entry in WorldFilter(conditions=("noisy", "")).select(suite)} == {"noisy", ""}
    with pytest.raises(InputError, match="--conditions"):
        WorldFilter(conditions=("windy",)).select(suite)


def test_streams_multiply_their_kinds_by_conditions():
    clear, both = (stream(1, "fleet_dispatch", conditions=names) for names in (("clear",), ("clear", "noisy")))
    assert [world.id for world in clear[:4]] == [world.id for world in stream(1, "fleet_dispatch")[:4]]
    first = both[:4]
    assert sorted(world.coordinate.condition for world in first) == ["", "", "noisy", "noisy"]
    noisy = next(world for world in first if world.coordinate.condition)
    assert noisy.play().park().resume().episode.world.id == noisy.id
    assert noisy.entry.condition == "noisy"
    with pytest.raises(InputError, match="there is no condition 'windy'"):
        stream(1, conditions=("windy",))


def test_the_conditioned_suite_is_the_twin_of_the_default_one():
    spec = conditioned_suite()
    assert spec.world_count == 360
    assert spec.conditions == NAMES
    assert set(spec.coordinates) <= set(default_suite().coordinates)
    assert SuiteSpec.from_json(spec.json) == spec
    assert "conditions" not in default_suite().json
