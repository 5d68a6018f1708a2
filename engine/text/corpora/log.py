"""Log of a server: what its programs write, line after line, by a grammar; and lines that an intruder leaves.

What      six usual lines and three seldom ones, with users, pages, addresses and numbers drawn
Differs   An intruder's lines are in the words of the others where that is possible; one kind says nothing that a normal
          line could not say.
"""

from __future__ import annotations

import random

from engine.text.corpora.base import Lines

USERS = ("anna", "ben", "clara", "david", "emma")
PAGES = ("/", "/lessons", "/lessons/lstm", "/files/notes.pdf", "/search", "/login")
SLIPS, RARE = ("ss", "x", "/old", ".html"), 0.06
USUAL = (
    "web: GET {page} 200 in {ms} ms from {ip}",
    "web: GET {page} 304 in {ms} ms from {ip}",
    "sshd[{pid}]: Accepted publickey for {user} from {ip} port {port}",
    "sshd[{pid}]: session closed for user {user}",
    "cron[{pid}]: ({user}) run backup of /home/{user}",
    "disk: {used} percent of /home used",
)
SELDOM = (  # and normal
    "sshd[{pid}]: Failed password for {user} from {ip} port {port}",
    "web: GET {page}{slip} 404 in {ms} ms from {ip}",
    "disk: 9{ms} percent of /home used, {user} told",
)
INTRUDER = (  # in the words of the other lines where that is possible
    "sshd[{pid}]: Failed password for root from {far} port {port}",
    "web: GET /login?user={user}' OR 1=1 200 in {ms} ms from {far}",
    "cron[{pid}]: (root) run /tmp/x of /home/{user}",
    "sshd[{pid}]: Accepted publickey for backup from {far} port {port}",
    "sshd[{pid}]: Accepted publickey for {user} from {far} port {port}",
    "web: GET /home/{user} 200 in {ms} ms from {far}",
)


def line(draw: random.Random, strange: bool) -> str:
    values = {
        "user": draw.choice(USERS),
        "page": draw.choice(PAGES),
        "slip": draw.choice(SLIPS),
        "ip": f"10.0.{draw.randint(0, 3)}.{draw.randint(2, 60)}",
        "far": f"203.0.113.{draw.randint(2, 99)}",
        "port": draw.randint(32768, 60999),
        "pid": draw.randint(200, 999),
        "ms": draw.randint(1, 9),
        "used": draw.randint(20, 70),
    }
    of = INTRUDER if strange else SELDOM if draw.random() < RARE else USUAL
    return draw.choice(of).format_map(values)


class Log(Lines):
    id = "log"
    title = "Log of a server"
    says = "What the programs of a small server write: pages fetched, users let in, backups, disks."

    def generate(self, lines: int, seed: int = 0, strange: bool = False) -> list[str]:
        """`strange`: of an intruder."""
        draw = random.Random(seed)
        return [line(draw, strange) for _ in range(lines)]


CORPUS = Log()
