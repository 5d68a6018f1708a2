"""A cookie belongs to whom it was made for; a name is only a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.people import accounts
from engine.people.accounts import Person, Refused
from engine.storage.home import PEOPLE


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    return tmp_path


def test_two_of_one_name_are_two_people(here: Path) -> None:
    one, two = accounts.begin("Ada"), accounts.begin("  Ada ")
    assert one.name == two.name == "Ada" and one.id != two.id
    assert json.loads((here / PEOPLE / one.id / accounts.ACCOUNT).read_text()) == {"name": "Ada"}


def test_a_browser_of_before_is_still_known(here: Path) -> None:
    """Names had passwords once; what their account was checked against is no longer read."""
    old = Person(accounts.identity("name", "ada"), "Ada")
    (here / PEOPLE / old.id).mkdir(parents=True)
    kept = {"name": "Ada", "salt": "00", "key": "00"}
    (here / PEOPLE / old.id / accounts.ACCOUNT).write_text(json.dumps(kept))
    assert accounts.read(accounts.signed(old)) == old


def test_on_a_full_disk_nobody_new_comes_in(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("engine.storage.files.os.fsync", full)
        with pytest.raises(Refused, match="disk of this server is full"):
            accounts.begin("Ada")
    assert not [path for path in (here / PEOPLE).iterdir() if path.is_dir()]
    assert accounts.begin("Ada").name == "Ada"


@pytest.mark.parametrize("name", ["", "   ", "\u200e\u202e", "x" * 41])
def test_a_name_can_be_seen_and_is_short(name: str) -> None:
    with pytest.raises(Refused, match="1 to 40"):
        accounts.begin(name)


def test_hostile_names_stay_names(here: Path) -> None:
    for name in ("../../etc", "a/b", "a\ud800", "名前", "e\u0301"):
        one = accounts.begin(name)
        assert (here / PEOPLE / one.id).is_dir() and accounts.read(accounts.signed(one)) is not None
    assert {p.parent.parent for p in here.rglob(accounts.ACCOUNT)} == {here / PEOPLE}


def test_a_cookie_is_of_one_person_and_of_this_server(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = accounts.begin("Ada")
    cookie = accounts.signed(ada)
    assert accounts.read(cookie) == ada
    eve = accounts.begin("Eve")
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
