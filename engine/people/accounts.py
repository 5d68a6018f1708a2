"""Accounts: a name and a password of one's own, for a server that a class shares.

    <base>/people/<person>/account.json   the name, and what the password is checked against
                 /secret                  what cookies are signed with, made once

What      enter(name, password): who this is; a new name becomes an account
          signed(person), read(cookie): what a browser keeps, and who that is
Source    scrypt: RFC 7914, with the costs that OWASP's cheat sheet on storing passwords gives
          (N = 2^14, r = 8, p = 5); signed with HMAC-SHA512 by itsdangerous
Differs   A password is only as hard to guess as it is chosen; after TRIES wrong ones a name is
          closed for a minute.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import threading
import time
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock
from msgspec import Struct

from engine.storage import record
from engine.storage.files import is_full, write_bytes
from engine.storage.home import ID, PEOPLE, base

if TYPE_CHECKING:
    from itsdangerous import URLSafeTimedSerializer

ACCOUNT, SECRET = "account.json", "secret"
MOST_NAME, LEAST_PASSWORD, MOST_PASSWORD = 40, 6, 200  # characters
N, R, P = 2**14, 8, 5
DAYS = 30  # that a browser is remembered
TRIES, PAUSE = 5, 60.0  # wrong passwords, seconds
MOST_ACCOUNTS = 2000
_wrong: dict[str, list[float]] = {}
_lock = threading.Lock()


class Refused(ValueError):
    """Why somebody may not come in, in one sentence."""


class Account(Struct, frozen=True):
    """account.json; salt and key in hexadecimal."""

    name: str
    salt: str
    key: str


class Person(Struct, frozen=True):
    """Who is there: an id of 32 hexadecimal digits, and the name that others see."""

    id: str
    name: str


def identity(*parts: str) -> str:
    """The id of a person, from what tells them from others."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def named(name: str) -> str:
    """A name in one line, without signs that can't be seen.  Refused where nothing is left."""
    seen = "".join(
        c if unicodedata.category(c)[0] != "C" else " " for c in unicodedata.normalize("NFKC", name)
    )
    found = " ".join(seen.split())
    if not found or len(found) > MOST_NAME:
        raise Refused(f"Give a name of 1 to {MOST_NAME} characters.")
    return found


def enter(name: str, password: str) -> Person:
    """The person with this name.  Refused: wrong password, too short a one for a new name, too
    many tries."""
    name = named(name)
    one = Person(identity("name", name.casefold()), name)
    _check_tries(one.id)
    if not LEAST_PASSWORD <= len(password) <= MOST_PASSWORD:
        raise Refused(f"A password of your own has at least {LEAST_PASSWORD} characters.")
    people = base() / PEOPLE
    place = people / one.id / ACCOUNT
    people.mkdir(parents=True, exist_ok=True)
    with FileLock(people / ".entering"):
        if not place.is_file():
            if sum(1 for _ in people.iterdir()) >= MOST_ACCOUNTS:
                raise Refused(f"This server takes no more than {MOST_ACCOUNTS:,} people.")
            salt = secrets.token_bytes(16)
            try:
                place.parent.mkdir(mode=0o700, exist_ok=True)
                record.save(place, Account(name, salt.hex(), _key(password, salt).hex()))
            except OSError as error:
                with contextlib.suppress(OSError):
                    place.parent.rmdir()
                if is_full(error):
                    raise Refused(
                        "The disk of this server is full; ask whoever runs it."
                    ) from error
                raise
            return one
    try:
        known = record.read(place, Account)
        right = hmac.compare_digest(
            _key(password, bytes.fromhex(known.salt)), bytes.fromhex(known.key)
        )
    except (OSError, ValueError) as error:
        raise Refused("This account is damaged; ask whoever runs the server.") from error
    if not right:
        with _lock:
            _wrong.setdefault(one.id, []).append(time.monotonic())
        raise Refused(
            "Somebody has this name, and their password is another one. Choose another name, or"
            " try again."
        )
    return Person(one.id, known.name)


def _check_tries(id: str) -> None:
    with _lock:
        since = time.monotonic() - PAUSE
        for key in [key for key, times in _wrong.items() if times[-1] < since]:
            del _wrong[key]
        if sum(at > since for at in _wrong.get(id, ())) >= TRIES:
            raise Refused("Too many wrong passwords for this name. Wait a minute.")


def _key(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(
        unicodedata.normalize("NFKC", password).encode("utf-8", "replace"),
        salt=salt,
        n=N,
        r=R,
        p=P,
        maxmem=2**26,
    )


def signed(one: Person) -> str:
    """What the browser of this person keeps."""
    return str(_signer().dumps([one.id, one.name]))


def read(cookie: str | None) -> Person | None:
    """Who a browser belongs to; None where it has said nothing, or somebody else wrote it."""
    from itsdangerous import BadData

    if not cookie:
        return None
    try:
        id, name = _signer().loads(cookie, max_age=DAYS * 86_400)
    except (BadData, ValueError, TypeError):
        return None
    one = Person(str(id), str(name))
    # an account that was taken away lets nobody in
    return one if ID.fullmatch(one.id) and (base() / PEOPLE / one.id / ACCOUNT).is_file() else None


def _signer() -> URLSafeTimedSerializer:
    from itsdangerous import URLSafeTimedSerializer

    return URLSafeTimedSerializer(
        _secret(str(base())), "unrolled", signer_kwargs={"digest_method": hashlib.sha512}
    )


_secrets: dict[str, bytes] = {}


def _secret(root: str) -> bytes:
    """The same for all processes of the server, and when it is started again."""
    if root not in _secrets:
        place = Path(root) / PEOPLE / SECRET
        place.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(place.with_name(".signing")):
            if not place.is_file():
                write_bytes(place, secrets.token_bytes(32))
                os.chmod(place, 0o600)
        _secrets[root] = place.read_bytes()
    return _secrets[root]
