"""Suites that are built once for all tests of this folder, and copies to damage."""

import shutil

import pytest

from algoworlds.suites.build import build_suite
from tests.silence import silent
from tests.suites.suites import SMALL, SUITE


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("suite") / "suite"
    build_suite(SUITE, out, None, silent)
    return out


@pytest.fixture
def copy(built, tmp_path):
    shutil.copytree(built, tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture(scope="session")
def fresh(tmp_path_factory):
    out = tmp_path_factory.mktemp("fresh") / "suite"
    build_suite(SMALL, out, None, silent)
    return out


@pytest.fixture
def small(fresh, tmp_path):
    shutil.copytree(fresh, tmp_path / "small")
    return tmp_path / "small"
