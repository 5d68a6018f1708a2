"""The app in a child process and a real browser in front of it: what the benches `live` and `load`
share.

Nothing here is on the network: the server listens on 127.0.0.1 only, and ends with the block that
started it.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.core import runtime

ROOT = Path(__file__).parents[2]
START_SECONDS = 180
# The first is Chromium without its own windows and menus: the same pages for four fifths of the processor's time.
BROWSERS = (
    "chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable".split()
)
# No sandbox: a container's root has none.  The rest keeps the browser from talking to anyone but
# the server.
BROWSER_ARGS = (
    "--no-sandbox --disable-gpu --disable-dev-shm-usage --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
).split()


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: where it listens, and the process (psutil and tests look at it)."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path
    base: str = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.base}"

    @property
    def socket(self) -> str:
        return f"ws://127.0.0.1:{self.port}{self.base}/_stcore/stream"

    def said(self) -> str:
        """All that the server wrote: its greeting, warnings, tracebacks."""
        return self.log.read_text(encoding="utf-8", errors="replace")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


@contextmanager
def serve(
    script: Path = ROOT / "app.py",
    folder: Path = ROOT,
    home: Path | None = None,
    args: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    base: str = "",
    port: int = 0,
) -> Iterator[Server]:
    """Start `streamlit run script` in `folder` and wait until it answers.

    home  where the server's own runs live; an empty temporary folder by default, so only shipped
          runs are shown
    base  path that all of the server's addresses begin with, such as "/name"
    port  where it listens; a free one, if not said
    RuntimeError with what it wrote when it does not start.
    """
    with tempfile.TemporaryDirectory(
        prefix="unrolled-server-", ignore_cleanup_errors=True
    ) as scratch:
        place = Path(scratch)
        port, log = port or free_port(), place / "log"
        more = {
            "OMP_NUM_THREADS": "1",
            "PYTHONMALLOC": runtime.MALLOC,
            "UNROLLED_HOME": str(home or place / "home"),
            "PYTHONUNBUFFERED": "1",
        }
        told = {"address": "127.0.0.1", "port": port, "headless": "true", "baseUrlPath": base}
        command = [
            *(sys.executable, "-m", "streamlit", "run", str(script)),
            *(f"--server.{name}={value}" for name, value in told.items()),
            *("--browser.gatherUsageStats=false", *args),
        ]
        with log.open("wb") as out:
            asked = {**os.environ, **more, **(env or {})}
            process = subprocess.Popen(command, cwd=folder, env=asked, stdout=out, stderr=out)
        server = Server(port, process, log, base)
        try:
            _wait(server)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(server: Server) -> None:
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.02)
    raise RuntimeError(f"the server did not start: {server.said()[-2000:] or 'it wrote nothing'}")


def find_browser() -> str | None:
    """Path of a Chromium on this computer; None means playwright's own."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def browse() -> Iterator[Any]:
    """A headless Chromium, as playwright's Browser.  ImportError without playwright, its Error
    without a Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=BROWSER_ARGS)
        try:
            yield browser
        finally:
            browser.close()
