"""`make sandbox`: build the component anew, and pin its digest, the self-test and the golden results of the tests.

Runs in an environment with componentize-py, wasmtime and algoworlds. Building is not reproducible (a hash seed and
addresses are frozen into the snapshot), so the bytes are the definition: every build is a new sandbox with new pins.
"""

import hashlib
import json
import lzma
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from algoworlds.tracks.sandbox import COMPONENT_FILE, PINS_FILE, Sandbox, pins
from tests.doors.code.programs import PINS, pin

HERE = Path(__file__).parent
ROOT = HERE.parent
WASMTIME = "50"
SELF_TEST = (
    "words = {f'id-{i * 7919 % 1000}' for i in range(200)}\nprint(sorted(words)[:3], list(words)[:20], hash('x'))",
    "import math, random\nprint(random.random(), random.sample(range(9), 9), math.exp(0.1), sum([0.1] * 10))",
)


def build() -> bytes:
    """Build the component from guest.py, cp_model.py and sandbox.wit."""
    with TemporaryDirectory() as folder:
        app, out = Path(folder, "app"), Path(folder, "sandbox.wasm")
        app.mkdir()
        for name in ("guest.py", "cp_model.py"):
            (app / name).write_bytes((HERE / name).read_bytes())
        command = [str(Path(sys.executable).parent / "componentize-py"), "--quiet", "--wit-path", str(HERE / "sandbox.wit")]
        options = [
            "--world",
            "sandbox",
            "componentize",
            "--stub-wasi",
            "--python-path",
            str(app),
            "guest",
            "--output",
            str(out),
        ]
        subprocess.run([*command, *options], check=True)
        return out.read_bytes()


def pin_self_test(sandbox: Sandbox) -> list[dict[str, object]]:
    """The results of the self-test."""
    results = [(program, sandbox.run_program(program, {"answers": []}, {}, 10**10)) for program in SELF_TEST]
    return [{"program": program, "output": run.output, "instructions": run.instructions} for program, run in results]


def write_pins(document: dict[str, object]) -> None:
    """Write the pins, and forget those that were read."""
    PINS_FILE.write_text(json.dumps(document, indent=2) + "\n")
    pins.cache_clear()


def main() -> None:
    """Build, compress, write and pin; `--pin` only pins the component that is there."""
    if "--pin" not in sys.argv:
        content = build()
        COMPONENT_FILE.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    else:
        content = lzma.decompress(COMPONENT_FILE.read_bytes())
    document: dict[str, object] = {"sha256": hashlib.sha256(content).hexdigest(), "wasmtime": WASMTIME, "self_test": []}
    write_pins(document)
    sandbox = Sandbox.without_cache()
    write_pins(document | {"self_test": pin_self_test(sandbox)})
    PINS.write_text(json.dumps(pin(sandbox), indent=1) + "\n")
    print(f"{COMPONENT_FILE.relative_to(ROOT)}: {len(content):,} bytes, {COMPONENT_FILE.stat().st_size:,} compressed")
    print(f"{PINS_FILE.relative_to(ROOT)}: pinned {document['sha256']}")


if __name__ == "__main__":
    main()
