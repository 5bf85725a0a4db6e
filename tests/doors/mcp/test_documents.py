"""What is new on disk behind the doors of MCP is documented."""

import json

from algoworlds.adapters.mcp.program import Program
from algoworlds.adapters.mcp.serving import SETTINGS, Service
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.runs.slot import Slot
from tests.doors.mcp.served import begun, in_thread
from tests.doors.mcp.wire import Wire
from tests.test_documents import named


def test_every_field_of_a_run_that_is_served_is_documented(suite, world, tmp_path):
    directory, slot = begun(suite, [world], tmp_path / "run"), Slot(world, 1)
    with in_thread(Service(directory, suite)) as found:
        Wire.at(found[slot.name]).call("fly")
    with directory.locked():
        Service(directory, suite).end([slot])
    ticket, lines = json.loads(Tickets(directory).path(slot).read_text()), directory.journaled(slot)
    inner = [ticket["mcpServers"], ticket["mcpServers"]["algoworlds"], *(line["client"] for line in lines if "client" in line)]
    fields = {name for each in (SETTINGS, Program("x", 1).settings, ticket, *inner, *lines) for name in each}
    assert {"request", "client", "protocol", "event", "detail", "door", "url"} <= fields
    assert fields - named("formats.md") == set()
