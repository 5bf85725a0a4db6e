"""Tests of the package as users install it: a wheel in a fresh environment of each Python that is there.

nox --session installed-3.13      # one Python; without --session all that are installed
"""

import json
from pathlib import Path

import nox

nox.options.error_on_missing_interpreters = False
nox.options.reuse_venv = "no"
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
STRICT = ("-W", "error")
SMALL = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1")


@nox.session(python=PYTHONS)
def installed(session: nox.Session) -> None:
    """Build a wheel, install it without this folder, and build, run, judge and report a suite; every warning is an error."""
    folder = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), ".")
    wheel = next(folder.glob("algoworlds-*.whl"))
    session.install(f"{wheel}[report,models]")
    session.chdir(folder)
    place = session.run("python", "-c", "import algoworlds; print(algoworlds.__file__)", silent=True)
    if str(folder) not in str(place) and "site-packages" not in str(place):
        session.error(f"tested is {place}, not the wheel")
    suite, run, report = (str(folder / name) for name in ("suite", "run", "report"))
    for command in (
        ("families",),
        ("build", "--out", suite, *SMALL, "--jobs", "2"),
        ("validate", suite),
        ("run", suite, "--agent", "greedy", "--trials", "1", "--out", run),
        ("verify-run", run),
        ("judge", run),
        ("report", run, "--out", report),
    ):
        session.run("python", *STRICT, "-m", "algoworlds", *command)
    output = session.run("python", *STRICT, "-m", "algoworlds", "verify", suite, "--json", silent=True)
    if json.loads(str(output))["problems"]:
        session.error("the suite is damaged")
