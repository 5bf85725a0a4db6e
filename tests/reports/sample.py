"""Finalized records for the tests of figures and report: scripted agents play a small suite, and a hostile model is added."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from algoworlds.reports.output_folder import write_files
from algoworlds.reports.page import PAGE_FILE
from algoworlds.reports.page.payload import REPLAYS_WITHOUT_SUITE, Replays
from algoworlds.reports.report import build_report_files
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.scripted import ScriptedTask, play_task
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import SuiteSpec

Record = dict[str, Any]

HOSTILE = (
    '<script>boom()</script>" onmouseover="boom()" ]]> {{7*7}} </template></dialog><img src=x onerror=boom()> '
    "\x1b[31mred\x1b[0m javascript:boom() \x00\x9b"
)
"""Text that a model may write to inject markup or terminal escapes."""

REORDERED = "left \u202eright\u202c \u2066isolate\u2069 \u200fmark"
LABEL = "$\\frac{1}{2}$ <b>model</b> & \\input{x}"


def panel(directory: Path, trials: int = 2) -> list[Record]:
    """The scripted agents that follow a plan, on a small suite of two families; the other agents would tie with them."""
    suite = SuiteSpec("tiny", "report", ("fleet_dispatch", "transit_routing"), levels=(0,), instances=1)
    build_suite(suite, directory, None, lambda done, total: None)
    opened = open_suite(directory)
    found = []
    for name in (agent for agent in AGENTS if agent not in ("thrifty", "certifier")):
        for world in opened.entries:
            found += play_task(
                ScriptedTask(directory, opened.manifest.root, "0", name, name, world, tuple(range(1, trials + 1)), "bare")
            )
    return found


def hostile(records: list[Record]) -> Iterator[Record]:
    """Records of a model that plays like the greedy agent and writes hostile texts at every turn."""
    for record in records:
        if record["configuration"] != "greedy":
            continue
        steps = [dict(step) for step in record["trajectory"]]
        steps.insert(3, {"turn": 3, "tool": HOSTILE, "arguments": HOSTILE, "status": "unknown_tool", "charged": 0})
        yield record | {
            "configuration": LABEL,
            "kind": "model",
            "model": HOSTILE,
            "tokens": {"input": 2**53 + 1, "output": 10, "reasoning": None, "cached": None},
            "cost": 0.125,
            "trajectory": steps,
            "texts": [{"turn": 1, "text": HOSTILE}, {"turn": 2, "text": REORDERED}, {"turn": 4, "text": "long " * 400}],
        }


def write_page(results, sheets, directory: Path, about: dict[str, str], staging: Replays = REPLAYS_WITHOUT_SUITE) -> Path:
    """Write the page and the figures of `results` into `directory`."""
    write_files(build_report_files(results, sheets, about, staging), directory)
    return directory / PAGE_FILE
