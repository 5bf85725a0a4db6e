"""Tickets: the holder of an evaluation's ticket may play it. The run keeps only digests; tokens are only in tickets.

tickets.json         by evaluation, the digest of its token; a ticket stays valid wherever its file is moved
tickets/NAME.json    the ticket, readable by its owner only: a client configuration with the URL, as `--mcp-config` takes it
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from algoworlds.adapters.mcp.endpoint import evaluation_url
from algoworlds.disk import read_regular_file, write_atomic
from algoworlds.errors import InputError, format_value
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import new_token, token_digest
from algoworlds.runs.schedule import Slot

OWNER_ONLY_MODE = 0o600


def client_configuration(url: str) -> bytes:
    """The client configuration for `url`, in the form that most MCP clients read."""
    return (json.dumps({"mcpServers": {"algoworlds": {"type": "http", "url": url}}}, indent=1) + "\n").encode()


@dataclass(frozen=True)
class Tickets:
    """The tickets of a run."""

    directory: RunDirectory

    @property
    def folder(self) -> Path:
        """The folder of tickets that have not been handed out."""
        return self.directory.path / "tickets"

    @property
    def _digests_path(self) -> Path:
        return self.directory.path / "tickets.json"

    def path(self, slot: Slot) -> Path:
        """The path of the ticket of `slot`; the file is gone if the ticket was handed out."""
        return self.folder / f"{slot.name}.json"

    def issue(self, base: str) -> None:
        """Create a ticket for every evaluation, or update the URLs of existing tickets to `base`."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        if self._digests_path.exists():
            for path in map(self.path, self.directory.schedule):
                if path.is_file():
                    _write_ticket(path, evaluation_url(base, _read_url(path).split("/")[-2]))
            return
        digests: dict[str, str] = {}
        for slot in self.directory.schedule:
            token = new_token()
            _write_ticket(self.path(slot), evaluation_url(base, token))
            digests[slot.name] = token_digest(token)
        write_atomic(self._digests_path, (json.dumps(digests, indent=1) + "\n").encode(), mode=OWNER_ONLY_MODE)

    @cached_property
    def slot_by_digest(self) -> Mapping[str, Slot]:
        """The evaluations by the digests of their tokens; InputError if the run has no tickets."""
        try:
            digests: dict[str, str] = json.loads(read_regular_file(self._digests_path))
            return {digests[slot.name]: slot for slot in self.directory.schedule}
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(
                f"cannot read {format_value(self._digests_path)}: algoworlds serve creates it, with new tickets"
            ) from None


def _write_ticket(path: Path, url: str) -> None:
    if not path.is_file() or _read_url(path) != url:
        write_atomic(path, client_configuration(url), mode=OWNER_ONLY_MODE)


def _read_url(path: Path) -> str:
    try:
        url = json.loads(read_regular_file(path))["mcpServers"]["algoworlds"]["url"]
        if isinstance(url, str) and url.count("/") >= 4:
            return url
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise InputError(f"{format_value(path)} is not a ticket: remove it, and tickets.json too to get new tickets")
