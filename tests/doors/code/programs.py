"""Programs in text files: `### name`, then the program."""

import json
from hashlib import sha256
from pathlib import Path

from algoworlds.tracks.sandbox import HostReply

GOLDEN_LIMIT = 10**11
ATTACK_LIMIT = 2 * 10**10
PINS = Path(__file__).with_name("golden.json")


def read_programs(name):
    """The programs of a file beside this one, by name; `<NUL>` stands for the character 0."""
    sections = Path(__file__).with_name(name).read_text().split("### ")[1:]
    pairs = (section.partition("\n") for section in sections)
    return {title: text.removesuffix("\n").replace("<NUL>", "\0") for title, _, text in pairs}


ATTACKS = read_programs("attacks.txt")
"""Programs that try to reach, break or exhaust what is around the sandbox."""

GOLDEN = read_programs("golden.txt")
"""Programs whose text and instruction count are pinned in golden.json."""


def successor(name, text):
    """A host function for tests: one more than its argument."""
    return HostReply({"answer": json.loads(text)[0][0] + 1})


def summarize(result):
    """How a program ended, a digest of what the agent sees, and the instructions."""
    return [result.end, sha256(f"{result.output}\0{result.error}".encode()).hexdigest()[:16], result.instructions]


def run_golden(sandbox, name):
    """Run a golden program and summarize the result; one of them runs into its limit."""
    limit = 3 * 10**9 if name == "limit" else GOLDEN_LIMIT
    return summarize(sandbox.run_program(GOLDEN[name], {"answers": []}, {"solve": successor}, limit))


def pin(sandbox):
    """All results that golden.json pins."""
    attacks = {name: sandbox.run_program(text, {"answers": []}, {}, ATTACK_LIMIT) for name, text in ATTACKS.items()}
    return {
        "golden": {name: run_golden(sandbox, name) for name in GOLDEN},
        "attacks": {name: summarize(result) for name, result in attacks.items()},
    }
