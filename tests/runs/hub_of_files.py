"""A hub of models on this machine: folders of files, as huggingface_hub asks for them.

    python -m tests.runs.hub_of_files FOLDER [PORT]     serves FOLDER/<maker>/<model>

Small files are given at once; weights, as at the hub, by a redirect to another host (here by another name
of this machine), which sees no token.  `how` says what goes wrong with a model.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

API = re.compile(r"/api/models/([\w.-]+(?:/[\w.-]+)?)(/revision/\w+|/tree/\w+|/auth-check)?")
FILE = re.compile(r"/(cdn/)?([\w.-]+/[\w.-]+)/resolve/(\w+)/([\w.-]+)")
LARGE = (".safetensors", ".bin", ".spm", ".model")


@dataclass
class How:
    """
    about    of what the hub says of it, in place of what is true
    gated    the status for those without the token "accepted"
    cut      bytes of weights, after which the connection ends; once for each in the list
    answer   in place of everything: bytes, or None to say nothing
    slow     seconds that each 64 KB take
    hangs    whether nothing comes of the weights
    instead  what comes in place of weights
    """

    about: dict[str, Any] = field(default_factory=dict)
    gated: int = 0
    cut: list[int] = field(default_factory=list)
    answer: bytes | None = b""
    status: int = 200
    slow: float = 0.0
    instead: bytes | None = None
    hangs: bool = False


class Hub(ThreadingHTTPServer):
    """asked: (method, path, first byte, token) of every request."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.folder = folder
        self.how: dict[str, How] = defaultdict(How)
        self.asked: list[tuple[str, str, int, str]] = []
        self.released = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def close(self) -> None:
        self.released.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone."""


@cache
def digest(path: Path, changed: int) -> str:
    raw = path.read_bytes()
    if path.suffix in LARGE:
        return hashlib.sha256(raw).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(raw) + raw).hexdigest()


def of(path: Path) -> str:
    return digest(path, path.stat().st_mtime_ns)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Hub

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        first = int(re.sub(r"\D", "", self.headers.get("Range", "").partition("-")[0]) or 0)
        self.server.asked.append((self.command, path, first, token))
        api, file = API.fullmatch(path), FILE.fullmatch(path)
        name = (api or file or re.match("()", ""))[2 if file else 1]  # type: ignore[index]
        how, folder = self.server.how[name], self.server.folder / name
        asks_for_it = (file and not file[1]) or (api and api[2] == "/auth-check")
        if how.answer is None or (how.hangs and file and file[1]):
            self.server.released.wait()
            return
        if how.answer or how.status != 200:
            self.say(how.status, how.answer, {"Content-Type": "text/html"})
        elif not name or not folder.is_dir():
            self.say(401, b"", {"X-Error-Code": "RepoNotFound"})
        elif how.gated and token != "accepted" and asks_for_it:
            self.say(how.gated, b"", {"X-Error-Code": "GatedRepo"})
        elif api:
            self.say_of(folder, name, how, api[2] or "")
        elif file:
            self.give(folder / file[4], bool(file[1]), how, first)

    def say_of(self, folder: Path, name: str, how: How, what: str) -> None:
        files = sorted(path for path in folder.iterdir() if path.is_file())
        if what == "/auth-check":
            found: Any = {}
        elif what.startswith("/tree"):
            found = [
                {
                    "type": "file",
                    "path": path.name,
                    "size": path.stat().st_size,
                    "oid": of(path)[:40],
                    **({"lfs": self.lfs(path)} if path.suffix in LARGE else {}),
                }
                for path in files
            ]
        else:
            config = json.loads((folder / "config.json").read_text())
            found = {
                "id": name,
                "sha": self.commit(folder),
                "gated": "manual" if how.gated else False,
                "cardData": {"license": "apache-2.0"},
                "config": {"model_type": config["model_type"]},
                "siblings": [
                    {
                        "rfilename": path.name,
                        "size": path.stat().st_size,
                        "blobId": of(path)[:40],
                        **({"lfs": self.lfs(path)} if path.suffix in LARGE else {}),
                    }
                    for path in files
                ],
                **how.about,
            }
        self.say(200, json.dumps(found).encode(), {"Content-Type": "application/json"})

    def give(self, path: Path, from_elsewhere: bool, how: How, first: int) -> None:
        if not path.is_file():
            self.say(404, b"", {"X-Error-Code": "EntryNotFound"})
            return
        size, commit = path.stat().st_size, self.commit(path.parent)
        mine = {"X-Repo-Commit": commit, "ETag": f'"{of(path)}"', "Accept-Ranges": "bytes"}
        if path.suffix in LARGE and not from_elsewhere:
            where = f"http://localhost:{self.server.server_port}/cdn{self.path}"
            large = {"X-Linked-Etag": mine["ETag"], "X-Linked-Size": str(size), "Location": where}
            self.say(302, b"", {**mine, **large})
            return
        raw = path.read_bytes()[first:]
        if how.instead is not None and path.suffix in LARGE:
            raw, first = how.instead, 0
        if first:
            mine["Content-Range"] = f"bytes {first}-{size - 1}/{size}"
        cut = how.cut.pop(0) if how.cut and path.suffix in LARGE and self.command == "GET" else None
        self.say(206 if first else 200, raw, mine, cut, how.slow)

    def say(
        self,
        status: int,
        raw: bytes,
        more: dict[str, str],
        cut: int | None = None,
        slow: float = 0.0,
    ) -> None:
        self.send_response(status)
        for name, value in {**more, "Content-Length": str(len(raw))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            for at in range(0, len(raw) if cut is None else cut, 1 << 16):
                self.wfile.write(raw[at : min(at + (1 << 16), cut or len(raw))])
                time.sleep(slow)
        if cut is not None:
            self.close_connection = True

    def lfs(self, path: Path) -> dict[str, Any]:
        size = path.stat().st_size
        return {"sha256": of(path), "oid": of(path), "size": size, "pointerSize": 130}

    def commit(self, folder: Path) -> str:
        whole = "".join(of(path) for path in sorted(folder.iterdir()))
        return hashlib.sha1(whole.encode()).hexdigest()

    def log_message(self, format: str, *args: Any) -> None:
        pass


if __name__ == "__main__":
    hub = Hub(Path(sys.argv[1]), int([*sys.argv, "0"][2]))
    hub.how["maker/gated"].gated = 401
    hub.how["maker/slow"].slow = 0.03
    hub.how["maker/huge"].about = {"safetensors": {"parameters": {}, "total": 35_000_000_000}}
    print(hub.url, flush=True)
    threading.Event().wait()
