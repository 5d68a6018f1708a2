"""Visits: whose an address is that only one visitor's page was told, so that it opens for nobody else
who comes to know it.

What      the session that an upload goes to, and the key of a live page's socket; the gate asks
Differs   The last MOST are kept, in this process, which is where their sessions live.  Whose an
          address is that nobody has said, its own secret has to keep.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

MOST = 20_000
TOLD = ("/_stcore/upload_file/", "/live/")  # what such an address begins with, and then the secret
_owners: OrderedDict[str, str] = OrderedDict()
_lock = threading.Lock()


def reserve(secret: str, person: str) -> None:
    """From now on an address with this secret is that person's alone."""
    with _lock:
        _owners[secret] = person
        _owners.move_to_end(secret)
        while len(_owners) > MOST:
            _owners.popitem(last=False)


def may_open(person: str, path: str) -> bool:
    """Whether the address is that person's, or nobody's in particular."""
    for begins in TOLD:
        if path.startswith(begins):
            secret = path.removeprefix(begins).partition("/")[0]
            return _owners.get(secret, person) == person
    return True
