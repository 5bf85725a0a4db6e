"""The vocabulary of the code base, as far as a machine can check it (see docs/architecture.md, "Words")."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = (
    "src",
    "sandbox",
    "examples",
    "environments",
    "bench",
    "tests/cli",
    "tests/contract",
    "tests/core",
    "tests/doors",
    "tests/families",
    "tests/game",
    "tests/hardness",
    "tests/knowledge",
    "tests/measures",
    "tests/reports",
    "tests/oracles",
    "tests/runs",
    "tests/suites",
    "tests/tracks",
    "tests/worlds",
)
SOURCES = sorted(
    path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if not {".venv", "build"} & set(path.parts)
) + sorted((ROOT / "tests").glob("*.py"))

ALLOWED_PARTICIPLES = {
    "sorted": "the name of the same operation in Python",
    "reversed": "the name of the same operation in Python",
    "frozen": "the usual word for an immutable copy",
    "shuffled": "to `shuffle` what `sorted` is to `sort`",
    "derived": "a memoised value of an instance, as the design guide calls it",
    "unchecked": "an instance without checks, as the design guide calls it",
    "compiled": "the compiled form of a kernel",
    "admitted": "an admitted instance: `AdmittedInstance`",
    "paired": "the name of a metric in Inspect's logs",
    "left": "one side of a matching, beside `right`",
    "negated": "the name of a method of OR-Tools' models, which the sandbox offers",
    "ended": "the name of a hook of verifiers",
    "finished": "a count of evaluations, as `status` prints it",
    "scheduled": "a count of evaluations, as `status` prints it",
    "done": "whether an episode is over, as environments for training call it",
}
"""Functions that may be called by a bare past participle, and why."""

NO_PARTICIPLES = {"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed"}
"""Verbs and nouns that end like one."""

# fmt: off
IRREGULAR_PARTICIPLES = {
    "begun", "bought", "bound", "broken", "brought", "built", "caught", "chosen", "done", "drawn", "fed", "felt",
    "forgotten", "found", "given", "gone", "grown", "heard", "held", "hidden", "hung", "kept", "known", "laid", "led",
    "left", "lent", "lost", "made", "meant", "met", "paid", "said", "seen", "sent", "shown", "sold", "sought", "spelt",
    "spent", "spoken", "stood", "struck", "taken", "taught", "thought", "thrown", "told", "understood", "won", "worn",
    "written",
}
# fmt: on

VAGUE_WORDS = re.compile(r"\b(somebody|nobody|whoever)\b", re.IGNORECASE)


def is_bare_participle(name):
    """Whether a function's name is a past participle and nothing else."""
    word = name.strip("_")
    if "_" in word or word in ALLOWED_PARTICIPLES or word in NO_PARTICIPLES:
        return False
    return word in IRREGULAR_PARTICIPLES or (word.endswith("ed") and len(word) > 3)


def is_fixture(function):
    """Whether a function is a fixture of pytest: its name is that of an argument."""
    return any("fixture" in ast.unparse(decorator) for decorator in function.decorator_list)


def find_problems(text):
    """What one source says in words that the guide excludes, as (line, problem)."""
    for node in ast.walk(ast.parse(text)):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and is_bare_participle(node.name) and not is_fixture(node):
            yield node.lineno, f"the function {node.name} is a bare past participle: use a verb or a noun"
        if (isinstance(node, ast.Name) and node.id == "each") or (isinstance(node, ast.arg) and node.arg == "each"):
            yield node.lineno, "a variable is called each: name what it holds"
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for word in VAGUE_WORDS.findall(node.value.value):
                yield node.lineno, f"a docstring says {word}: name the caller, the agent or the user"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_sources_use_plain_words(path):
    assert list(find_problems(path.read_text())) == []


@pytest.mark.parametrize(
    "text",
    [
        "def told(): pass",
        "class A:\n    def _spelled(self): pass",
        "async def drawn(): pass",
        "[each for each in x]",
        "for each in x: pass",
        "lambda each: each",
        'def f():\n    """What nobody reads."""',
        '"""Whoever asks."""',
    ],
)
def test_excluded_words_are_found(text):
    assert list(find_problems(text))


def test_allowed_words_are_not_reported():
    text = 'def need(): pass\ndef frozen(): pass\ndef built_suite(): pass\nx = [world for world in y]\n"""Everybody else."""'
    assert list(find_problems(text)) == []
