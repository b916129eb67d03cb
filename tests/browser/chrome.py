"""A headless browser driven over a pipe with the DevTools protocol; the standard library is enough.

With ``--remote-debugging-pipe`` the browser reads commands from descriptor 3 and writes answers to
descriptor 4, each message a JSON text ended by a zero byte.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import zlib
from pathlib import Path
from time import monotonic, sleep
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --remote-debugging-pipe --window-size=1200,1000"
)
#: Seconds to wait for the browser, which may have to share a busy machine.
PATIENCE = 60


def executable() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One tab of a browser of its own."""

    def __init__(self, path: str):
        self._profile = tempfile.mkdtemp(prefix="kanrewrite-browser-")
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        command = f'exec "{path}" {FLAGS} --user-data-dir={self._profile} about:blank'
        self._process = subprocess.Popen(
            ["bash", "-c", f"{command} 3<&{to_read} 4>&{to_write}"],
            pass_fds=(to_read, to_write),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._count = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        self.resize(1280, 800)
        for domain in ("Page", "Runtime", "Network"):
            self.send(f"{domain}.enable")

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            if not select.select([self._read], [], [], PATIENCE)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._read, 1 << 16)
            if not part:
                raise EOFError("the browser has gone")
            self._buffer += part
        text, self._buffer = self._buffer.split(b"\0", 1)
        message: dict[str, Any] = json.loads(text)
        return message

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def resize(self, width: int, height: int) -> None:
        """Show so many pixels, whatever the window's own borders take."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)

    def open(self, path: Path) -> None:
        """Open a page and wait until it is there; events of the one before it are dropped."""
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri())
        deadline = monotonic() + PATIENCE
        while self.evaluate("location.href + document.readyState") != f"{path.as_uri()}complete":
            if monotonic() > deadline:
                raise TimeoutError(f"{path} is not loaded")
            sleep(0.05)

    def evaluate(self, script: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, script: str, seconds: float = 10.0) -> Any:
        """The value of a script once it is true: a page reacts to events in its own time."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(script)) and time.monotonic() < end:
            time.sleep(0.05)
        return value

    def click(self, selector: str) -> None:
        """Click the middle of what a selector finds, as a mouse does."""
        place = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2] })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                buttons=int(kind == "mousePressed"),
                clickCount=1,
            )

    def press(self, key: str) -> None:
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screenshot(self, dark: bool = False) -> bytes:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(20)
        os.close(self._read)
        os.close(self._write)
        shutil.rmtree(self._profile, ignore_errors=True)


def pixels(png: bytes) -> list[bytes]:
    """The rows of an 8-bit PNG without interlacing, unfiltered (PNG specification, section 9)."""
    at, data, width, channels = 8, b"", 0, 0
    while at < len(png):
        length, kind = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, channels = int.from_bytes(body[:4], "big"), {2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            data += body
        at += length + 12
    raw, step = zlib.decompress(data), width * channels
    rows: list[bytes] = []
    above = bytes(step)
    for start in range(0, len(raw), step + 1):
        above = _unfiltered(raw[start], raw[start + 1 : start + 1 + step], above, channels)
        rows.append(above)
    return [bytes(row) for row in rows]


def _unfiltered(kind: int, line: bytes, above: bytes, n: int) -> bytes:
    out = bytearray(line)
    for i in range(len(out)):
        left, corner = (out[i - n], above[i - n]) if i >= n else (0, 0)
        if kind == 1:
            add = left
        elif kind == 2:
            add = above[i]
        elif kind == 3:
            add = (left + above[i]) // 2
        elif kind == 4:
            guess = left + above[i] - corner
            near = [abs(guess - left), abs(guess - above[i]), abs(guess - corner)]
            add = (left, above[i], corner)[near.index(min(near))]
        else:
            add = 0
        out[i] = (out[i] + add) & 255
    return bytes(out)
