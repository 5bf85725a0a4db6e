import pytest

from algoworlds.core.condition import CONDITIONS
from algoworlds.families import FAMILIES
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import SuiteSpec
from tests.silence import silent
from tests.suites.suites import PEPPER


@pytest.fixture(scope="session")
def suite(tmp_path_factory):
    """A private suite with one small instance of every family."""
    out = tmp_path_factory.mktemp("doors") / "suite"
    build_suite(SuiteSpec("part", "a seed for doors", tuple(FAMILIES), (0,), 1, pepper=PEPPER), out, None, silent)
    return open_suite(out)


@pytest.fixture(scope="session")
def conditioned(tmp_path_factory):
    """A private suite with one small instance under every condition."""
    out, names = tmp_path_factory.mktemp("conditioned") / "suite", tuple(condition.name for condition in CONDITIONS)
    spec = SuiteSpec("part", "a seed for doors", ("fleet_dispatch",), (0,), 1, pepper=PEPPER, conditions=names)
    build_suite(spec, out, None, silent)
    return open_suite(out)


@pytest.fixture
def world(suite):
    """The world that most tests play."""
    return next(entry.id for entry in suite.manifest.worlds if entry.family == "fleet_dispatch")
