"""Tickets: the holder of an evaluation's ticket may play it. The run keeps only digests; tokens are only in tickets.

tickets.json         by evaluation, the digest of its token, and a checksum; a ticket stays valid wherever its file is moved
tickets/NAME.json    the ticket, readable by its owner only: a client configuration with the URL, as `--mcp-config` takes it
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from algoworlds.adapters.mcp.endpoint import evaluation_url
from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.disk import read_regular_file, write_atomic
from algoworlds.errors import InputError, format_value
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import new_token, token_digest
from algoworlds.runs.schedule import Slot

OWNER_ONLY_MODE = 0o600
CHECKSUM_KEY = "sha256"
"""The field of tickets.json with the digest of all others, in canonical JSON."""


def client_configuration(url: str) -> bytes:
    """The client configuration for `url`, in the form that most MCP clients read."""
    return (json.dumps({"mcpServers": {"algoworlds": {"type": "streamable-http", "url": url}}}, indent=1) + "\n").encode()


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

    def issue(self, base: str) -> list[Path]:
        """Create a ticket for every evaluation, or update the URLs of existing tickets to `base`.

        Returns the tickets that were damaged and now have a new token.
        """
        self.folder.mkdir(mode=0o700, exist_ok=True)
        known = self._read_digests() if self._digests_path.exists() else {}
        digests, replaced = dict(known), []
        for slot in self.directory.schedule:
            path = self.path(slot)
            if slot.name in known and not path.is_file():  # handed out
                continue
            token = _read_token(path)
            if token is None or token_digest(token) != known.get(slot.name):
                token = new_token()
                replaced += [path] if slot.name in known else []
            content = client_configuration(evaluation_url(base, token))
            if not path.is_file() or read_regular_file(path) != content:
                write_atomic(path, content, mode=OWNER_ONLY_MODE)
            digests[slot.name] = token_digest(token)
        if digests != known:
            document = digests | {CHECKSUM_KEY: sha256_hex(canonical_json(digests))}
            write_atomic(self._digests_path, (json.dumps(document, indent=1) + "\n").encode(), mode=OWNER_ONLY_MODE)
        return replaced

    @cached_property
    def slot_by_digest(self) -> Mapping[str, Slot]:
        """The evaluations by the digests of their tokens; InputError if the run has no tickets."""
        digests = self._read_digests()
        return {digests[slot.name]: slot for slot in self.directory.schedule}

    def _read_digests(self) -> dict[str, str]:
        """The digests of tokens by evaluation; InputError if the file is missing or damaged."""
        try:
            digests: dict[str, str] = json.loads(read_regular_file(self._digests_path))
            checksum = digests.pop(CHECKSUM_KEY, None)  # tickets of earlier versions have none
            if checksum not in (None, sha256_hex(canonical_json(digests))):
                raise ValueError("damaged")
            if digests.keys() != {slot.name for slot in self.directory.schedule}:
                raise ValueError("another schedule")
            return digests
        except (OSError, ValueError, TypeError, AttributeError):
            advice = "restore it, or remove it and let algoworlds serve create new tickets"
            raise InputError(f"cannot read {format_value(self._digests_path)}: {advice}") from None


def _read_token(path: Path) -> str | None:
    """The token in a ticket; None if `path` is not a ticket."""
    try:
        return str(json.loads(read_regular_file(path))["mcpServers"]["algoworlds"]["url"].split("/")[-2])
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None
