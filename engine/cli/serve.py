"""`serve`: the app in several processes behind one port, for more people than one process answers.

What      n x `streamlit run app.py`, each on a port of its own that only this computer reaches, and
          HAProxy on the port that people open.  A process that dies is started again; all end with
          this one, on Linux even where it is killed
Source    HAProxy Configuration Manual 2.6, `cookie` (insert indirect nocache), `balance leastconn`,
          `timeout tunnel`
Differs   Several workers on one socket, as uvicorn and gunicorn have them, will not do: Streamlit
          keeps a session in the memory of its process, and the page, its WebSocket and its uploads
          must all come to the same one.  A cookie sees to that; the sender's address would send a
          whole class to one process, as all of a school often has one address
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from argparse import ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Any

from engine import ROOT
from engine.cli.console import Command, Parser, Wrong, number, print_json, say
from engine.core import runtime
from engine.jobs.process import end_with
from engine.people import gate

HELP = """\
Serve the app by several processes behind one port, until Ctrl-C.

A browser stays with the process that it first came to.  Runs, texts and the queue of trainings are
shared.  A process that dies is started again.  HAProxy shares out the browsers; it has to be there.
--json: {"url", "workers"} once they answer, with the port of each process.
"""
MOST_WORKERS = 64
# Debian has it where only root's PATH leads
PLACES = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"))
NO_BALANCER = (
    "several processes need HAProxy, which is not here; install it (`apt-get install haproxy`,"
    " `dnf install haproxy` or `brew install haproxy`), or start one process with `make run`"
)
START_SECONDS, END_SECONDS = 120.0, 10.0
LOOK = 0.2  # seconds between two looks at the processes
REST = 2.0  # seconds that lie between two starts of the same process
# A process that is busy for some seconds keeps its people: they could not go on elsewhere.
CONFIG = """\
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    timeout http-request 20s
    timeout check 10s
    # of a WebSocket; Streamlit asks every 30 s whether the browser is there
    timeout tunnel 1h
    # one that has just died: another answers, at once
    option redispatch 1
    retries 2
    retry-on conn-failure empty-response
    default-server check inter 2s fastinter 500ms downinter 500ms fall 6 rise 1

frontend unrolled
    bind {address}
    default_backend workers

backend workers
    balance leastconn
    cookie unrolled_{port} insert indirect nocache httponly attr SameSite=Lax
    http-request disable-l7-retry unless METH_GET
    option httpchk GET /_stcore/health
{servers}
"""
SERVER = "    server worker{n} 127.0.0.1:{port} cookie worker{n}"


def _address(text: str) -> IPv4Address | IPv6Address:
    try:
        return ip_address(text)
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is no address; give 127.0.0.1 for this computer, 0.0.0.0 for its network"
        ) from None


def options(command: Parser) -> None:
    command.add_argument(
        "--workers",
        type=number(int, 1, MOST_WORKERS),
        default=2,
        metavar="N",
        help="processes; one more for each processor that the readers keep busy (2)",
    )
    command.add_argument(
        "--port", type=number(int, 1, 65535), default=8501, metavar="P", help="(8501)"
    )
    command.add_argument(
        "--address",
        type=_address,
        default=ip_address("127.0.0.1"),
        metavar="A",
        help="where it listens; 0.0.0.0: to everybody who reaches this computer (127.0.0.1)",
    )


@dataclass(slots=True)
class Kept:
    """A process that is started again when it dies."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0

    def start(self) -> None:
        """In a session of its own, so that Ctrl-C reaches it through us alone."""
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            cwd=ROOT,
            env={**os.environ, **self.env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # Streamlit says its own port there
            start_new_session=True,
            preexec_fn=partial(end_with, os.getpid()),  # noqa: PLW1509 - there is one thread
        )

    @property
    def status(self) -> int | None:
        """None while it lives."""
        return self.process.poll() if self.process else 0

    def look(self) -> None:
        """Start it again where it died, but not over and over."""
        if self.status is not None and time.monotonic() - self.started > REST:
            say(f"{self.name} ended with status {self.status}; it is started again")
            self.start()


class Stopped:
    """Whether this process was asked to end.  A signal says so here and does nothing else, so that
    none comes between starting a process and knowing it."""

    def __init__(self) -> None:
        self.asked = False
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if name in signal.Signals.__members__:
                signal.signal(signal.Signals[name], self._note)

    def _note(self, *_: object) -> None:
        self.asked = True


def run(args: Namespace) -> dict[str, Any] | None:
    balancer = shutil.which("haproxy", path=PLACES)
    if balancer is None:
        raise Wrong(NO_BALANCER)
    if gate.header() and not args.address.is_loopback:
        raise Wrong(
            f"with {gate.HEADER} anybody who reaches {args.address} could say to be somebody else; listen"
            " at 127.0.0.1, where the proxy is"
        )
    host = f"[{args.address}]" if args.address.version == 6 else str(args.address)
    _check_free(args.address, args.port)
    ports = _free_ports(args.workers)
    # one secret for all: what one process has signed the others believe
    env = {
        "STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(),
        "OMP_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "passive",
        "PYTHONMALLOC": runtime.MALLOC,
        **os.environ,
    }
    workers = [Kept(f"process {n}", _streamlit(port), env) for n, port in enumerate(ports, start=1)]
    stopped = Stopped()
    with tempfile.TemporaryDirectory(prefix="unrolled-serve-") as scratch:
        config = Path(scratch) / "haproxy.cfg"
        config.write_text(_config(f"{host}:{args.port}", args.port, ports), encoding="utf-8")
        front = Kept("HAProxy", (balancer, "-q", "-db", "-f", str(config)))
        try:
            for worker in workers:
                worker.start()
            if _answer(workers, ports, stopped):
                front.start()
            if _answer([front], [args.port], stopped, args.address):
                _say_address(args, host, ports)
            while not stopped.asked:
                time.sleep(LOOK)
                for kept in (front, *workers):
                    kept.look()
        finally:
            _end([front])  # first, so that no browser is sent to a process that ends
            _end(workers)
    return None


def _streamlit(port: int) -> tuple[str, ...]:
    return (
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.address=127.0.0.1",
        f"--server.port={port}",
        "--server.headless=true",
    )


def _config(address: str, port: int, ports: Sequence[int]) -> str:
    servers = "\n".join(SERVER.format(n=n, port=own) for n, own in enumerate(ports, start=1))
    return CONFIG.format(address=address, port=port, servers=servers)


def _check_free(address: IPv4Address | IPv6Address, port: int) -> None:
    """Wrong where nobody can listen there."""
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind((str(address), port))
        except OSError as error:
            raise Wrong(
                f"nobody can listen at {address}, port {port}:"
                f" {(error.strerror or 'unknown reason').lower()}; choose another --port or --address"
            ) from error


def _free_ports(count: int) -> list[int]:
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(s.getsockname()[1]) for s in held]
    for s in held:
        s.close()
    return ports


def _answer(
    kept: Sequence[Kept],
    ports: Sequence[int],
    stopped: Stopped,
    address: IPv4Address | IPv6Address | None = None,
) -> bool:
    """Wait until all answer on their ports; False when nobody wants to wait any longer.  Wrong where
    one has ended or does not answer."""
    host = "127.0.0.1" if address is None or address.is_unspecified else str(address)
    host = f"[{host}]" if ":" in host else host
    until = time.monotonic() + START_SECONDS
    for one, port in zip(kept, ports, strict=True):
        while not _healthy(f"http://{host}:{port}/_stcore/health"):
            if stopped.asked:
                return False
            if one.status is not None or time.monotonic() > until:
                raise Wrong(f"{one.name} did not start; what it said stands above")
            time.sleep(LOOK)
    return not stopped.asked


def _healthy(url: str) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


def _say_address(args: Namespace, host: str, ports: Sequence[int]) -> None:
    shown = socket.gethostname() if args.address.is_unspecified else host
    url = f"http://{shown}:{args.port}"
    if args.json:
        print_json({"url": url, "workers": ports})
        sys.stdout.flush()
    say(f"Unrolled: {url}  ({len(ports)} processes; Ctrl-C stops them)")
    if not args.address.is_loopback:
        say("Everybody who reaches this address can use it, read and delete what is kept here.")


def _end(kept: Sequence[Kept]) -> None:
    running = [one.process for one in kept if one.process is not None]
    for process in running:
        process.terminate()
    until = time.monotonic() + END_SECONDS
    for process in running:
        try:
            process.wait(max(0.1, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


COMMAND = Command(165, "serve the app by several processes", HELP, options, run)
