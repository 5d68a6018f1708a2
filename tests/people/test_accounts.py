"""A name belongs to whoever took it first; a cookie to whom it was made for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from engine.people import accounts
from engine.people.accounts import Person, Refused
from engine.storage.home import PEOPLE


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    monkeypatch.setattr(accounts, "_wrong", {})
    return tmp_path


def test_a_name_is_taken_once_and_entered_with_its_password(here: Path) -> None:
    ada = accounts.enter("Ada", "lovelace1")
    assert accounts.enter("  ada ", "lovelace1") == ada  # however it is written
    with pytest.raises(Refused, match="another one"):
        accounts.enter("Ada", "lovelace2")
    assert accounts.enter("Eve", "lovelace1").id != ada.id
    kept = json.loads((here / PEOPLE / ada.id / accounts.ACCOUNT).read_text())
    assert "lovelace1" not in json.dumps(kept)
    key = hashlib.scrypt(
        b"lovelace1", salt=bytes.fromhex(kept["salt"]), n=16384, r=8, p=5, maxmem=2**26
    )
    assert kept["key"] == key.hex()


def test_on_a_full_disk_nobody_new_comes_in(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("engine.storage.files.os.fsync", full)
        with pytest.raises(Refused, match="disk of this server is full"):
            accounts.enter("Ada", "lovelace1")
    assert not [path for path in (here / PEOPLE).iterdir() if path.is_dir()]
    assert accounts.enter("Ada", "lovelace1").name == "Ada"


@pytest.mark.parametrize("name", ["", "   ", "\u200e\u202e", "x" * 41])
def test_a_name_can_be_seen_and_is_short(name: str) -> None:
    with pytest.raises(Refused, match="1 to 40"):
        accounts.enter(name, "lovelace1")


@pytest.mark.parametrize("password", ["", "short", "x" * 201])
def test_a_password_is_neither_short_nor_endless(password: str) -> None:
    with pytest.raises(Refused):
        accounts.enter("Ada", password)


def test_hostile_names_stay_names(here: Path) -> None:
    for name in ("../../etc", "a/b", "a\ud800", "名前", "e\u0301"):
        one = accounts.enter(name, "lovelace1")
        assert (here / PEOPLE / one.id).is_dir() and accounts.read(accounts.signed(one)) is not None
    assert {p.parent.parent for p in here.rglob(accounts.ACCOUNT)} == {here / PEOPLE}


def test_after_five_wrong_ones_the_right_one_waits_too(monkeypatch: pytest.MonkeyPatch) -> None:
    accounts.enter("Ada", "lovelace1")
    for _ in range(accounts.TRIES):
        with pytest.raises(Refused, match="another one"):
            accounts.enter("Ada", "guessing!")
    with pytest.raises(Refused, match="Wait"):
        accounts.enter("Ada", "lovelace1")
    accounts.enter("Eve", "lovelace1")  # nobody else does
    monkeypatch.setattr(accounts, "PAUSE", -1.0)
    assert accounts.enter("Ada", "lovelace1").name == "Ada"


def test_a_cookie_is_of_one_person_and_of_this_server(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = accounts.enter("Ada", "lovelace1")
    cookie = accounts.signed(ada)
    assert accounts.read(cookie) == ada
    eve = accounts.enter("Eve", "evilevil1")
    body, _, rest = accounts.signed(eve).partition(".")
    stem, _, signature = cookie.rpartition(".")
    forged = [
        # not its last character: of that some bits are no part of the signature
        f"{stem}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}",
        cookie.partition(".")[0] + "." + rest,
        body + "." + cookie.partition(".")[2],
        "",
        "x",
        "a.b.c",
        None,
    ]
    assert [accounts.read(one) for one in forged] == [None] * len(forged)
    assert accounts.read(accounts.signed(Person("../" + ada.id[3:], "Ada"))) is None
    monkeypatch.setattr(accounts, "DAYS", -1)
    assert accounts.read(cookie) is None
    monkeypatch.setattr(accounts, "DAYS", 30)
    (here / PEOPLE / ada.id / accounts.ACCOUNT).unlink()
    assert accounts.read(cookie) is None  # the account was taken away
    monkeypatch.setattr(accounts, "_secrets", {})
    assert accounts.read(accounts.signed(eve)) == eve  # the key of the signatures is on the disk
    assert (here / PEOPLE / accounts.SECRET).stat().st_mode & 0o077 == 0
