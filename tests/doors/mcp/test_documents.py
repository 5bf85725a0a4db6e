"""Everything that the MCP adapters write to disk is documented."""

import json

from algoworlds.adapters.mcp.command_run import Program
from algoworlds.adapters.mcp.service import RUN_SETTINGS, Service
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.runs.external.run import close_evaluations
from algoworlds.runs.schedule import Slot
from tests.doors.mcp.client import McpClient
from tests.doors.mcp.serving import begin_run, serve_in_thread
from tests.test_documents import code_words


def test_every_field_of_a_served_run_is_documented(suite, world, tmp_path):
    directory, slot = begin_run(suite, [world], tmp_path / "run"), Slot(world, 1)
    with serve_in_thread(Service(directory, suite)) as urls:
        McpClient.connect(urls[slot.name]).call("fly")
    with directory.lock():
        close_evaluations(directory, suite, [slot])
    ticket, lines = json.loads(Tickets(directory).path(slot).read_text()), directory.read_journal(slot)
    inner = [ticket["mcpServers"], ticket["mcpServers"]["algoworlds"], *(line["client"] for line in lines if "client" in line)]
    fields = {name for document in (RUN_SETTINGS, Program("x", 1).settings, ticket, *inner, *lines) for name in document}
    assert {"request", "client", "protocol", "event", "detail", "door", "url"} <= fields
    assert fields - code_words("formats.md") == set()
