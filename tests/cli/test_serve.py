"""`serve`: real processes behind a real HAProxy.  Who came to one stays with it, what one has made
all have, one that dies comes back, and none is left over."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from engine import ROOT
from engine.cli import serve
from engine.jobs.process import born, is_alive
from engine.storage.files import discard
from tests.bench.load import _parse
from tests.bench.workers import Shared, several
from tests.cli.test_cli import Capture, Folder, wrong
from tests.conftest import Patch

needs_balancer = pytest.mark.skipif(
    shutil.which("haproxy", path=serve.PLACES) is None,
    reason="there is no HAProxy on this computer (`apt-get install haproxy`)",
)
WAIT = 60.0


def until(true: Callable[[], object], what: str) -> None:
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end, f"waited in vain for: {what}"
        time.sleep(0.1)


def test_without_a_balancer_it_says_how_to_get_one(capsys: Capture, monkeypatch: Patch) -> None:
    monkeypatch.setattr(serve, "PLACES", "")
    assert "apt-get install haproxy" in wrong(capsys, "serve")


@pytest.mark.parametrize(
    "arguments,said",
    [
        (("--workers", "0"), "at least 1"),
        (("--port", "99999"), "at most 65535"),
        (("--address", "here\n    bind :1"), "is no address"),
    ],
)
def test_mistakes(capsys: Capture, arguments: tuple[str, str], said: str) -> None:
    assert said in wrong(capsys, "serve", *arguments)


@needs_balancer
def test_a_taken_port_is_said_before_anything_is_started(capsys: Capture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port}: address already in use" in wrong(capsys, "serve", "--port", port)


# One who starts a process as `serve` does, says its number and waits.
STARTER = """
import sys, time
from engine.cli.serve import Kept
kept = Kept("it", (sys.executable, "-c", "import time; time.sleep(600)"))
kept.start()
print(kept.process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells a process of its starter's end"
)
def test_what_it_starts_ends_with_it_even_where_it_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTER], cwd=ROOT, stdout=subprocess.PIPE) as one:
        assert one.stdout is not None
        pid = int(one.stdout.readline())
        when = born(pid)
        assert is_alive(pid, when)
        one.kill()
    until(lambda: not is_alive(pid, when), "the end of what it started")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    place = tmp_path_factory.mktemp("serve")
    with several(2, place / "home", place / "log") as server:
        yield server
        family = psutil.Process(server.process.pid).children(recursive=True)
    assert len(family) >= 3
    until(lambda: not any(one.is_running() for one in family), "the end of all")
    assert server.process.returncode == 0
    assert "Traceback" not in server.said(), server.said()


def home(server: Shared) -> Path:
    return server.log.parent / "home"


def ask(
    server: Shared, path: str, cookie: str = "", method: str = "GET", body: bytes | None = None
) -> tuple[int, str]:
    """(status, cookie that it sets)."""
    request = urllib.request.Request(f"{server.url}{path}", body, method=method)
    token = "2|00000000|00112233445566778899aabbccddeeff|1"
    request.add_header("Cookie", f"{cookie}; _streamlit_xsrf={token}")
    request.add_header("X-Xsrftoken", token)
    request.add_header("Content-Type", "multipart/form-data; boundary=x")
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            said = reply.headers.get_all("Set-Cookie", [])
            status = int(reply.status)
    except urllib.error.HTTPError as error:
        said, status = error.headers.get_all("Set-Cookie", []), error.code
    name = f"unrolled_{server.port}="
    return status, next((one.partition(";")[0] for one in said if one.startswith(name)), "")


class Visitor:
    """One Streamlit session."""

    def __init__(self, server: Shared, cookie: str, page: str) -> None:
        self.server, self.cookie, self.page = server, cookie, page
        self.id = ""

    async def __aenter__(self) -> Visitor:
        from websockets.asyncio.client import connect
        from websockets.typing import Origin, Subprotocol

        self._socket = await connect(
            self.server.socket,
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
            origin=Origin(self.server.url),
            additional_headers={"Cookie": self.cookie},
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def draw(self) -> str:
        """All that the page's script sends."""
        from streamlit.proto.BackMsg_pb2 import BackMsg

        message = BackMsg()
        message.rerun_script.page_name = self.page
        await self._socket.send(message.SerializeToString())
        shown = ""
        while True:
            said = _parse(await asyncio.wait_for(self._socket.recv(), WAIT))
            if said.WhichOneof("type") == "new_session":
                self.id = said.new_session.initialize.session_id or self.id
            if said.WhichOneof("type") == "script_finished":
                return shown
            shown += str(said)


FILE = (
    b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n'
)


@needs_balancer
def test_a_browser_stays_with_the_process_that_it_came_to(shared: Shared) -> None:
    came = [ask(shared, "/") for _ in range(4)]
    assert {status for status, _ in came} == {200}
    # one behind the other, as from one address: they are shared out all the same
    assert {cookie for _, cookie in came} == {shared.cookie(1), shared.cookie(2)}

    async def upload() -> None:
        for mine, other in ((1, 2), (2, 1)):
            async with Visitor(shared, shared.cookie(mine), "map") as visitor:
                await visitor.draw()
                place = f"/_stcore/upload_file/{visitor.id}/a"
                for _ in range(3):
                    assert ask(shared, place, shared.cookie(mine), "PUT", FILE) == (204, "")
                # only its own process knows the session
                assert ask(shared, place, shared.cookie(other), "PUT", FILE) == (400, "")

    asyncio.run(upload())


@needs_balancer
def test_what_one_process_has_made_the_other_shows(shared: Shared, run_folder: Folder) -> None:
    async def look() -> None:
        async with contextlib.AsyncExitStack() as stack:
            visitors = [
                await stack.enter_async_context(Visitor(shared, shared.cookie(n), "runs"))
                for n in (1, 2)
            ]
            for visitor in visitors:
                assert "small-of-both" not in await visitor.draw()
            place = home(shared) / "runs" / "small-of-both"
            shutil.copytree(run_folder("lstm"), place)
            for visitor in visitors:
                assert "small-of-both" in await visitor.draw()
            discard(place, place.parent / ".gone" / "x")
            for visitor in visitors:
                assert "small-of-both" not in await visitor.draw()

    asyncio.run(look())


def processes(server: Shared) -> dict[int, int]:
    """{port: the process that serves it}."""
    found = {}
    for child in psutil.Process(server.process.pid).children():
        with contextlib.suppress(psutil.Error):  # it is dead
            for word in child.cmdline():
                if word.startswith("--server.port="):
                    found[int(word.partition("=")[2])] = int(child.pid)
    return found


@needs_balancer
def test_one_that_dies_is_started_again_and_the_other_answers_meanwhile(shared: Shared) -> None:
    port, first = shared.workers[0], shared.cookie(1)
    dead = processes(shared)[port]
    os.kill(dead, signal.SIGKILL)
    assert ask(shared, "/", first) == (200, shared.cookie(2))
    until(lambda: processes(shared).get(port, dead) != dead, "a new one")
    until(lambda: ask(shared, "/", first) == (200, ""), "its way back to those who come")
    assert "process 1 ended with status -9; it is started again" in shared.said()
    assert len(processes(shared)) == 2


@needs_balancer
def test_it_ends_in_the_middle_of_its_start_too(tmp_path: Path) -> None:
    with several(1, tmp_path / "home", tmp_path / "log", wait=False) as server:
        until(lambda: psutil.Process(server.process.pid).children(), "its first process")
        family = psutil.Process(server.process.pid).children(recursive=True)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(WAIT) == 0
        assert not [one for one in family if one.is_running()] and not server.workers
