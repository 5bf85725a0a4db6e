"""Tickets: who holds the ticket of an evaluation may play it. The run keeps digests; the tokens are in the tickets alone.

tickets.json         by evaluation, the digest of its token; whoever has the ticket is let in, wherever the file has gone
tickets/NAME.json    the ticket, readable by its owner only: a client configuration with the address, as `--mcp-config` takes it
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from algoworlds.adapters.mcp.endpoint import address
from algoworlds.disk import read_plain, write_whole
from algoworlds.errors import InputError, shown
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import digest_of, new_token
from algoworlds.runs.slot import Slot

OWNER = 0o600


def configuration(url: str) -> bytes:
    """What clients are configured by, in the form that most of them read."""
    return (json.dumps({"mcpServers": {"algoworlds": {"type": "http", "url": url}}}, indent=1) + "\n").encode()


@dataclass(frozen=True)
class Tickets:
    """The tickets of a run."""

    directory: RunDirectory

    @property
    def folder(self) -> Path:
        """Where the tickets lie until they are handed out."""
        return self.directory.path / "tickets"

    @property
    def _register(self) -> Path:
        return self.directory.path / "tickets.json"

    def issue(self, base: str) -> None:
        """Make a ticket for every evaluation, or bring those that lie here up to date with the address that we have now."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        if self._register.exists():
            for ticket, url in self._lying:
                self._write(ticket, address(base, url.split("/")[-2]))
            return
        digests: dict[str, str] = {}
        for slot in self.directory.schedule:
            token = new_token()
            self._write(self.path(slot), address(base, token))
            digests[slot.name] = digest_of(token)
        write_whole(self._register, (json.dumps(digests, indent=1) + "\n").encode(), mode=OWNER)

    @property
    def _lying(self) -> Iterator[tuple[Path, str]]:
        for slot in self.directory.schedule:
            if (path := self.path(slot)).is_file():
                yield path, _url(path)

    def _write(self, path: Path, url: str) -> None:
        if not path.is_file() or _url(path) != url:
            write_whole(path, configuration(url), mode=OWNER)

    def path(self, slot: Slot) -> Path:
        """Where the ticket of an evaluation lies, or has lain."""
        return self.folder / f"{slot.name}.json"

    @cached_property
    def slots(self) -> Mapping[str, Slot]:
        """The evaluations by the digests of their tokens; InputError if the run has no tickets."""
        try:
            digests: dict[str, Any] = json.loads(read_plain(self._register))
            return {digests[slot.name]: slot for slot in self.directory.schedule}
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(
                f"{shown(self._register)} cannot be read: algoworlds serve makes tickets; without that file, all of them anew"
            ) from None


def _url(path: Path) -> str:
    try:
        url = json.loads(read_plain(path))["mcpServers"]["algoworlds"]["url"]
        if isinstance(url, str) and url.count("/") >= 4:
            return url
    except (OSError, ValueError, KeyError, TypeError):
        pass
    raise InputError(f"{shown(path)} is no ticket any more: remove it, and tickets.json to have new ones")
