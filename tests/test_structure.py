"""The architecture: direction of imports, independent algorithms in families, one list of families (C6)."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import algoworlds
from algoworlds.families import FAMILIES

ROOT = Path(algoworlds.__file__).parent
PACKAGES = (
    "core",
    "families",
    "hardness",
    "tracks",
    "worlds",
    "knowledge",
    "measures",
    "suites",
    "runs",
    "reports",
    "board",
    "game",
    "adapters",
    "cli",
)
"""One direction: a package may import those before it in this list and none after it."""
SHARED_MODULES = {"errors": set(), "cache": {"errors"}, "batch": {"errors", "cache"}, "disk": {"errors"}, "grid": {"errors"}}
"""Cross-cutting modules, and what they may import."""
LAYERS = SHARED_MODULES | {package: {*SHARED_MODULES, *PACKAGES[:at]} for at, package in enumerate(PACKAGES)}
ORDER = f"{' <- '.join(PACKAGES)}; shared by all: {', '.join(SHARED_MODULES)}"


def imports(path):
    """The modules of this package that a file imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("algoworlds"):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("algoworlds"))


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_point_one_way(layer):
    files = [ROOT / f"{layer}.py"] if layer in SHARED_MODULES else list((ROOT / layer).rglob("*.py"))
    assert files
    for path in files:
        used = {module.split(".")[1] for module in imports(path) if module != "algoworlds"}
        assert used <= LAYERS[layer] | {layer}, f"{path} imports {sorted(used - LAYERS[layer])} against {ORDER}"


def test_every_module_has_a_layer():
    modules = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert modules - {"__init__", "__main__"} == set(LAYERS), ORDER


@pytest.mark.parametrize("name", FAMILIES)
def test_algorithms_of_a_family_do_not_import_each_other(name):
    algorithms = {f"algoworlds.families.{name}.{part}" for part in ("solve", "verify", "check", "generate")}
    for algorithm in algorithms:
        path = ROOT.parent / f"{algorithm.replace('.', '/')}.py"
        assert not algorithms & set(imports(path)), algorithm


@pytest.mark.parametrize("name", FAMILIES)
def test_exact_algorithms_share_no_algorithm(name):
    for part in ("solve", "verify", "check"):
        shared = {module for module in imports(ROOT / "families" / name / f"{part}.py") if ".families." in module}
        assert shared == {f"algoworlds.families.{name}.instance"}, part


def instance_attributes(text):
    """The attributes of `instance` that a source reads, except `derived` if it memoises a function of the same source."""
    tree = ast.parse(text)
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "instance.derived")
    memoised = {id(node.func) for node in calls if ast.unparse(node.args[0]) in functions}
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))
    return {node.attr for node in attributes if node.value.id == "instance" and id(node) not in memoised}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("part", ["solve", "verify", "check"])
def test_exact_algorithms_read_only_tables(name, part):
    """Each algorithm derives what it needs itself, so no property of an instance can mislead two of them at once."""
    text = (ROOT / "families" / name / f"{part}.py").read_text()
    assert instance_attributes(text) <= set(FAMILIES[name].instance.relations)
    assert re.findall(rf"from algoworlds.families.{name}.instance import (.*)", text) == [FAMILIES[name].instance.__name__]


def test_attributes_read_by_an_algorithm_are_detected():
    assert instance_attributes("x = [instance.ends[pair] for pair in instance.recipes()]") == {"ends", "recipes"}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_has_the_same_modules(name):
    folder = ROOT / "families" / name
    parts = {"__init__", "instance", "generate", "solve", "verify", "check", "template", "hardness"}
    assert parts <= {path.stem for path in folder.glob("*.py")}
    headings = [line[3:] for line in (folder / "README.md").read_text().splitlines() if line.startswith("## ")]
    expected = ["Problem", "Decision", "Tools", "Where greed fails", "Reference", "Complexity", "Counting contract"]
    assert headings == [*expected, "Measured shortcuts"]


def code_lines(path):
    """Lines that are not blank, not a comment and not part of a docstring."""
    text = path.read_text()
    strings = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    docstring_lines = {line for node in strings for line in range(node.lineno, node.end_lineno + 1)}
    lines = enumerate(map(str.strip, text.splitlines()), start=1)
    return sum(bool(line) and not line.startswith("#") and number not in docstring_lines for number, line in lines)


def modules_of(name):
    """The modules that only this family uses: its folder, and every module that only these import."""
    importers = {}
    for path in ROOT.rglob("*.py"):
        for module in imports(path):
            importers.setdefault(module, set()).add(path)
    own = set((ROOT / "families" / name).glob("*.py"))
    candidates = {
        ROOT.parent / f"{module.replace('.', '/')}.py": paths
        for module, paths in importers.items()
        if module != f"algoworlds.families.{name}"
    }
    while grown := {path for path, paths in candidates.items() if path.is_file() and paths <= own} - own:
        own |= grown
    return own


@pytest.mark.parametrize("name", FAMILIES)
def test_code_used_by_one_family_is_in_its_folder(name):
    assert {path.parent.name for path in modules_of(name)} == {name}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_stays_small(name):
    """At most 720 code lines; 1,400 for Basket Assembly, whose generator is a search of its own."""
    assert sum(map(code_lines, modules_of(name))) <= (1400 if name == "basket_assembly" else 720)


def test_only_the_list_of_families_names_them():
    """Nothing outside a family's folder names it, except the list, examples in texts and the demonstration."""
    allowed = {ROOT / "families" / "__init__.py", ROOT / "worlds" / "world.py", *(ROOT / "cli").glob("*.py")}
    for path in set(ROOT.rglob("*.py")) - allowed:
        text = path.read_text()
        names = [name for name in FAMILIES if name in text and path.parent != ROOT / "families" / name]
        assert not names, path


FORBIDDEN = re.compile(
    r"\b(pickle|marshal|shelve|dill|cloudpickle)\b|(?<![\w.])(eval|exec|compile|__import__)\(|yaml\.(unsafe_)?load\(|shell=True"
    r"|os\.(system|popen)\("
)


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_code_is_loaded_from_data(path):
    """No deserialiser that executes code, no evaluation of text, no shell."""
    assert not FORBIDDEN.search(path.read_text())


@pytest.mark.parametrize(
    "text", ["import pickle", "marshal.loads(x)", "eval(x)", " exec(x)", "yaml.load(x)", "run(x, shell=True)", "os.system(x)"]
)
def test_forbidden_calls_are_detected(text):
    assert FORBIDDEN.search(text)


def python(code, **environment):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment).stdout


HEAVY = {"asyncio", "multiprocessing", "numpy", "numba", "llvmlite", "rich", "typer", "jinja2", "matplotlib", "dask"}
"""Modules that are slow to import, up to 300 ms; importing this package may take 100 ms."""


@pytest.mark.parametrize(
    ("module", "needed"),
    [("algoworlds", set()), ("algoworlds.cli", {"typer"}), ("algoworlds.families", {"numpy", "multiprocessing"})],
)
def test_import_loads_nothing_heavy(module, needed):
    """Counts modules instead of milliseconds, which depend on the machine."""
    loaded = set(python(f"import sys, {module}; print(*sys.modules)").split())
    assert not loaded & (HEAVY | {"openai", "anthropic", "httpx", "httpx2"}) - needed


def test_import_loads_no_submodule():
    code = "import sys, algoworlds; print(*(name for name in sys.modules if name.startswith('algoworlds')))"
    loaded = python(code).split()
    assert loaded == ["algoworlds"]


def test_kernels_run_without_a_compiler(capsys):
    """The same sources run as plain Python, as coverage tools and debuggers need."""
    code = """
from algoworlds.families import FAMILIES
from algoworlds.core.stream import Stream
for family in FAMILIES.values():
    instance = family.generate(family.levels[0], Stream("plain", family.name))
    print(family.name, family.solve(instance), family.verify(instance).value)
"""
    home = {key: os.environ[key] for key in ("HOME", "PATH", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR") if key in os.environ}
    plain = python(code, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="error::RuntimeWarning", **home)
    exec(compile(code, "kernels", "exec"), {})
    assert plain == capsys.readouterr().out


def test_every_public_name_can_be_imported():
    assert set(algoworlds.__all__) == set(algoworlds._HOME_OF)
    assert all(getattr(algoworlds, name) is not None for name in algoworlds.__all__)
    with pytest.raises(AttributeError):
        _ = algoworlds.nonsense
