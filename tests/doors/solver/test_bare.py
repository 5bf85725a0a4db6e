"""The bare track needs nothing of what the others need."""

from tests.command import python


def test_a_bare_run_imports_neither_wasmtime_nor_ortools(suite, tmp_path):
    command = ["algoworlds", "run", str(suite.directory), "--agent", "oracle", "--trials", "1", "--out", str(tmp_path / "run")]
    code = f"""
import sys
sys.argv = {command!r}
from algoworlds.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(sorted({{name.split(".")[0] for name in sys.modules}} & {{"wasmtime", "ortools"}}))
"""
    assert python(code).strip().splitlines()[-1] == "[]"
