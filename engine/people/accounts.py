"""Accounts: who is who on a server that several use.

    <base>/people/<person>/account.json   the name that others see
                 /secret                  what cookies are signed with, made once

What      make_person(name): somebody new, known from then on by the cookie of their browser
          signed(person), read(cookie): what that browser keeps, and who that is
          identity(...): the same id each time for whoever a log-in or a proxy names
Source    signed with HMAC-SHA512 by itsdangerous
Differs   Nobody has a password of their own: with the cookie the way back is lost.  Who needs one
          logs in at a provider.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock
from msgspec import Struct

from engine.language.message import _
from engine.storage import record
from engine.storage.files import is_full, write_bytes
from engine.storage.home import ID, PEOPLE, base

if TYPE_CHECKING:
    from itsdangerous import URLSafeTimedSerializer

ACCOUNT, SECRET = "account.json", "secret"
MOST_NAME = 40  # characters
DAYS = 30  # that a browser is remembered
MOST_ACCOUNTS = 2000


class Refused(ValueError):
    """Why somebody may not come in, in one sentence."""


class Account(Struct, frozen=True):
    """account.json"""

    name: str


class Person(Struct, frozen=True):
    """Who is there: an id of 32 hexadecimal digits, and the name that others see."""

    id: str
    name: str


def identity(*parts: str) -> str:
    """The id of a person, from what tells them from others."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def named(name: str) -> str:
    """A name in one line, without signs that can't be seen.  Refused where nothing is left."""
    seen = "".join(
        c if unicodedata.category(c)[0] != "C" else " " for c in unicodedata.normalize("NFKC", name)
    )
    found = " ".join(seen.split())
    if not found or len(found) > MOST_NAME:
        raise Refused(_("Give a name of 1 to {most} characters.", most=MOST_NAME))
    return found


def make_person(name: str) -> Person:
    """Somebody new with this name, which others may have too.  Refused: no name, no room."""
    one = Person(secrets.token_hex(16), named(name))
    people = base() / PEOPLE
    people.mkdir(parents=True, exist_ok=True)
    with FileLock(people / ".entering"):
        if sum(1 for __ in people.iterdir()) >= MOST_ACCOUNTS:
            raise Refused(_("This server takes no more than {most:,} people.", most=MOST_ACCOUNTS))
        place = people / one.id / ACCOUNT
        try:
            place.parent.mkdir(mode=0o700)
            record.save(place, Account(one.name))
        except OSError as error:
            with contextlib.suppress(OSError):
                place.parent.rmdir()
            if is_full(error):
                raise Refused("The disk of this server is full; ask whoever runs it.") from error
            raise
    return one


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
