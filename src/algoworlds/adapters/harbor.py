"""Worlds as tasks of Harbor: one folder each, with a sidecar that serves the world through MCP.

    instruction.md, task.toml      what the agent is told, and the address of the sidecar
    environment/                   a Compose file; worlds/ is the sidecar's image, and alone holds the sealed files
    tests/                         the verifier's image: it reads the record that the sidecar wrote, and no sealed file
    solution/                      the optimal decision, which only Harbor's oracle agent copies into its container

The agent's container is an unchanged Python image without any file of the task.
"""

from base64 import urlsafe_b64encode
from hashlib import sha256
from importlib.metadata import version

from algoworlds.adapters.mcp.endpoint import evaluation_url
from algoworlds.adapters.mcp.service import RUN_SETTINGS
from algoworlds.adapters.mcp.tickets import CHECKSUM_KEY
from algoworlds.core.canonical import JsonObject, canonical_json, sha256_hex
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, format_value
from algoworlds.families import load_family
from algoworlds.runs.directory import indented_json
from algoworlds.runs.external.access import token_digest
from algoworlds.runs.schedule import Experiment, Slot
from algoworlds.suites.bundle import CANARY
from algoworlds.suites.manifest import MANIFEST_NAME, SUITE_FILES, WorldEntry
from algoworlds.suites.open import Suite
from algoworlds.suites.record import PlayerKind

IMAGE = "python:3.12-slim"
HOST, PORT = "worlds", 8421
AGENT_SECONDS = 3600.0


def task_files(suite: Suite, entry: WorldEntry) -> dict[str, bytes]:
    """The files of the task for one world, by path; InputError if the suite cannot be read."""
    world, key = suite.world(entry), suite.key(entry)
    url = evaluation_url(f"http://{HOST}:{PORT}", _task_token(suite, entry))
    call = {
        "tool": load_family(entry.family).template.decision_tools.submit,
        "arguments": load_family(entry.family).decision.arguments(key.decision),
    }
    texts = {
        "instruction.md": f"<!-- {CANARY} -->\n\n{world.question.strip()}\n\n{_INSTRUCTION}",
        "task.toml": _TASK.format(
            id=entry.id, family=entry.family, image=IMAGE, url=url, seconds=AGENT_SECONDS, level=entry.difficulty
        ),
        "environment/docker-compose.yaml": _COMPOSE.format(port=PORT, version=version("algoworlds")),
        "environment/worlds/Dockerfile": _SIDECAR.format(image=IMAGE, host=HOST, port=PORT, world=entry.id),
        "environment/worlds/run/tickets.json": canonical_json(_tickets(suite, entry)) + "\n",
        "tests/Dockerfile": f"FROM {IMAGE}\nCOPY test.sh score.py /tests/\n",
        "tests/test.sh": _TEST,
        "tests/score.py": _SCORE,
        "solution/solve.sh": _SOLVE.format(url=url),
        "solution/solve.py": _SUBMIT,
        "solution/decision.json": canonical_json(call) + "\n",
    }
    texts["environment/worlds/run/run.json"] = indented_json(_run_document(suite, entry)).decode()
    paths = [MANIFEST_NAME, *SUITE_FILES, *(f"worlds/{entry.id}/{path}" for path in entry.files)]
    return {name: text.encode() for name, text in texts.items()} | {
        f"environment/worlds/suite/{path}": _read_file(suite, path) for path in paths
    }


def _read_file(suite: Suite, path: str) -> bytes:
    try:
        return read_regular_file(suite.directory / path)
    except OSError:
        raise InputError(
            f"{format_value(suite.directory / path)} cannot be read; algoworlds verify says what is wrong"
        ) from None


def _task_token(suite: Suite, entry: WorldEntry) -> str:
    """The token in the sidecar's address, which the agent is told: derived, so that an export repeats byte for byte."""
    return urlsafe_b64encode(sha256(f"harbor/{suite.manifest.root}/{entry.id}".encode()).digest()).decode().rstrip("=")


def _run_document(suite: Suite, entry: WorldEntry) -> JsonObject:
    """The run that the sidecar resumes: one evaluation, whose address is known beforehand."""
    experiment = Experiment.from_suite("harbor", PlayerKind.EXTERNAL, RUN_SETTINGS, suite, [entry], 1)
    schedule = [[slot.world, slot.trial] for slot in experiment.schedule]
    return {
        "plan": experiment.document,
        "identity": experiment.identity,
        "suite": "/srv/suite",
        "schedule": schedule,
    }


def _tickets(suite: Suite, entry: WorldEntry) -> JsonObject:
    digests = {Slot(entry.id, 1).name: token_digest(_task_token(suite, entry))}
    return digests | {CHECKSUM_KEY: sha256_hex(canonical_json(digests))}


_INSTRUCTION = """The tools are those of the MCP server `algoworlds`; nothing else gives information about this task.
"""
_TASK = """schema_version = "1.4"
artifacts = [{{ source = "/srv/run", service = "worlds" }}]

[task]
name = "algoworlds/{id}"
description = "A world of AlgoWorlds: gather information through priced tools, then submit the optimal decision."
keywords = ["optimization", "tool-use", "{family}"]

[metadata]
family = "{family}"
level = "{level}"

[agent]
timeout_sec = {seconds}

[environment]
docker_image = "{image}"

[[environment.mcp_servers]]
name = "algoworlds"
transport = "streamable-http"
url = "{url}"

[verifier]
timeout_sec = 60.0
environment_mode = "separate"

[verifier.environment]
network_mode = "no-network"
"""
_COMPOSE = """services:
  main:
    depends_on:
      worlds:
        condition: service_healthy
  worlds:
    build:
      context: ./worlds
      args:
        ALGOWORLDS: ${{ALGOWORLDS:-algoworlds[mcp]=={version}}}
    healthcheck:
      test: ["CMD", "python", "-c", "import socket; socket.create_connection(('127.0.0.1', {port}), 2)"]
      interval: 2s
      timeout: 5s
      retries: 30
"""
_SIDECAR = """FROM {image}
ARG ALGOWORLDS
RUN useradd --create-home worlds && pip install --no-cache-dir "$ALGOWORLDS"
COPY --chown=worlds suite /srv/suite
COPY --chown=worlds run /srv/run
USER worlds
CMD ["algoworlds", "serve", "/srv/suite", "--out", "/srv/run", "--worlds", "{world}", "--trials", "1", \\
     "--label", "harbor", "--host", "0.0.0.0", "--port", "{port}", "--allow-host", "{host}"]
"""
_TEST = """#!/bin/sh
set -e
mkdir -p "${LOGS:=/logs/verifier}"
python3 "$(dirname "$0")/score.py" "${RUN:-/srv/run}" "$LOGS/reward.json"
"""
_SCORE = '''"""Write the reward of a run with one evaluation: 1 if its decision is optimal, 0 without a record."""

import json
import sys
from pathlib import Path

run, out = map(Path, sys.argv[1:])
if not (run / "run.json").is_file():
    sys.exit("the sidecar has left no run: this trial has no reward")
records = [json.loads(path.read_text()) for path in sorted((run / "records").glob("*.json"))]
out.write_text(json.dumps({"reward": float(records[0]["exact"]) if records else 0.0}))
'''
_SOLVE = """#!/bin/sh
set -e
python3 "$(dirname "$0")/solve.py" "${{URL:-{url}}}"
"""
_SUBMIT = '''"""Submit the optimal decision through the sidecar."""

import json
import sys
from pathlib import Path
from urllib.request import Request, urlopen

call = json.loads(Path(__file__).with_name("decision.json").read_text())
params = {"name": call["tool"], "arguments": call["arguments"]}
body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
with urlopen(Request(sys.argv[1], body, headers), timeout=60) as response:
    print(response.read().decode())
'''
