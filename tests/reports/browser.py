"""A headless Chromium driven over its DevTools pipe, with the standard library alone."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.command import PATIENCE

_FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --disable-extensions "
    "--disable-background-networking --disable-crash-reporter --hide-scrollbars --remote-debugging-pipe"
)


class Browser:
    """One page. `errors` collects errors and warnings of the console and violations of the content security policy."""

    def __init__(self, inbox: int, outbox: int) -> None:
        self.inbox, self.outbox = inbox, outbox
        self.buffer = b""
        self.sent = 0
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    session: str | None = None

    def call(self, method: str, **parameters: Any) -> Any:
        self.sent += 1
        message: dict[str, Any] = {"id": self.sent, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        _write_all(self.outbox, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.sent:
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.inbox], [], [], PATIENCE)
            assert ready, "the browser does not respond"
            data = os.read(self.inbox, 1 << 20)
            assert data, "the browser has gone"
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(message)
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, event: str, parameters: dict[str, Any]) -> None:
        if event == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(parameters["exceptionDetails"]))
        elif event == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(parameters["entry"]["text"])
        elif event == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(parameters["args"]))
        elif event == "Page.javascriptDialogOpening":
            self.errors.append(f"dialog: {parameters['message']}")
        elif event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def open(self, address: str, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Page.navigate", url="about:blank")  # otherwise an address that differs only in its hash is not loaded again
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, code: str) -> Any:
        """The value of an expression; a promise is awaited."""
        found = self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, code: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({code})"):
            assert time.monotonic() < end, f"never: {code}"
            time.sleep(0.02)

    def press(self, key: str, code: int) -> None:
        """Press and release a key."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)

    def picture(self, path: Path, whole: bool = False) -> None:
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def chromium() -> str:
    """The path of the browser; without one the tests of the report fail."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "the report is tested in a browser: install Chromium (Debian and Ubuntu: apt-get install chromium)"
    return found


_LAUNCH = """
import os, sys
from fcntl import F_DUPFD, fcntl
ends = [fcntl(int(fd), F_DUPFD, 10) for fd in sys.argv[1:3]]
for place, fd in zip((3, 4), ends):  # the browser reads descriptor 3 and writes descriptor 4
    os.dup2(fd, place)
os.execv(sys.argv[3], sys.argv[3:])
"""


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """A running browser with a page; it is terminated afterwards."""
    theirs_in, outbox = os.pipe()
    inbox, theirs_out = os.pipe()
    command = [chromium(), *_FLAGS.split(), f"--user-data-dir={profile}", "about:blank"]
    log_path = profile / "said.txt"
    with log_path.open("wb") as log_file:
        process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, str(theirs_in), str(theirs_out), *command],
            stdout=log_file,
            stderr=log_file,
            pass_fds=(theirs_in, theirs_out),
        )
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield _connect(inbox, outbox, log_path)
    finally:
        os.close(outbox)
        process.terminate()
        process.wait(PATIENCE)
        os.close(inbox)


def _connect(inbox: int, outbox: int, log_path: Path) -> Browser:
    try:
        return Browser(inbox, outbox)
    except (OSError, AssertionError) as problem:
        raise AssertionError(f"the browser did not start ({problem}): {log_path.read_text(errors='replace')[-2000:]}") from None
