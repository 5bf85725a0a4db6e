"""A connection: whoever holds one says what it wants before long, and those that only wait never keep others out."""

import asyncio
from math import inf
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

LONGEST_WAIT = 60.0
"""Seconds for a whole request to come."""
MOST_CONNECTED = 512
"""Connections at once; beyond them the one goes that has waited longest, so that a newcomer is always heard."""


class Connection(H11Protocol):
    """One of uvicorn's that is not waited for without end; while it is answered it waits for us."""

    waits: asyncio.TimerHandle | None = None
    """Until when a request is waited for."""

    def connection_made(self, transport: Any) -> None:
        """Somebody has come."""
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > MOST_CONNECTED:
            here = [each for each in self.connections if isinstance(each, Connection) and not each.transport.is_closing()]
            for each in sorted(here, key=Connection.patience)[: max(0, len(here) - MOST_CONNECTED)]:
                each.transport.close()

    def patience(self) -> float:
        """How long it may still wait; who waits for us goes last."""
        return inf if self.waits is None else self.waits.when()

    def data_received(self, data: bytes) -> None:
        """Something was said."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Something was answered: the next request has its own time."""
        super().on_response_complete()
        self._forget()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Somebody has gone."""
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        heard = self.cycle is not None and not self.cycle.more_body and not self.cycle.response_complete
        if heard or self.transport.is_closing():
            self._forget()
        elif self.waits is None:
            self.waits = self.loop.call_later(LONGEST_WAIT, self.transport.close)

    def _forget(self) -> None:
        if self.waits is not None:
            self.waits.cancel()
            self.waits = None
