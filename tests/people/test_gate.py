"""A cookie belongs to whom it was made for; a name is only a name.  Without a cookie nothing of the app is
given; the form gives one to who knows the password."""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from engine.people import accounts, gate, visits
from engine.people.accounts import Person, Refused
from engine.storage.home import PEOPLE

PAGE = {"accept": "text/html"}
FORM = {"server": "classroom1", "name": "Ada", "at": "/lstm?text=a"}


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("inside")
    await socket.close()


def client(prefix: str = "", **how: Any) -> TestClient:
    def secret(_: Any) -> PlainTextResponse:
        return PlainTextResponse("inside")

    app = Starlette(
        routes=[
            WebSocketRoute(f"{prefix}/live/{{key}}", echo),
            Route("/{path:path}", secret, methods=["GET", "POST", "PUT"]),
        ],
        middleware=[Middleware(gate.Gate, prefix=prefix)],
    )
    return TestClient(app, follow_redirects=False, **how)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    monkeypatch.setenv(gate.PASSWORD, "classroom1")
    monkeypatch.setattr(gate, "PAUSE", 0.0)
    return tmp_path


def test_without_a_password_all_is_open_and_a_short_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(gate.PASSWORD)
    assert client().get("/lstm").text == "inside"
    monkeypatch.setenv(gate.PASSWORD, "1234")
    with pytest.raises(ValueError, match="fewer than 8"):
        client().get("/")


@pytest.mark.parametrize(
    "path", ["/", "/lstm", "/assets/x/live.js", "/_stcore/upload_file/a/b", "/media/x"]
)
def test_who_has_no_cookie_gets_nothing(path: str) -> None:
    here = client()
    for method in ("GET", "POST", "PUT"):
        answer = here.request(method, path)
        assert answer.status_code == 401 and "inside" not in answer.text
    page = here.get(path, headers=PAGE)
    assert page.status_code == 401 and "Password of this server" in page.text
    assert (
        "inside" not in page.text
        and "default-src 'none'" in page.headers["content-security-policy"]
    )
    with pytest.raises(WebSocketDisconnect) as refused, here.websocket_connect("/live/x"):
        pass
    assert refused.value.code == gate.STRANGER
    assert here.get(gate.HEALTH).text == "inside"


def signed_in(here: TestClient, name: str) -> accounts.Person:
    assert here.post(gate.ENTER, data={**FORM, "name": name}).status_code == 303
    one = accounts.read(here.cookies[gate.COOKIE])
    assert one is not None and one.name == name
    return one


def test_an_address_that_one_page_was_told_opens_for_nobody_else() -> None:
    """The session that an upload goes to, and the key of a live page's socket."""
    hers, others = client(), client()
    ada, _ = signed_in(hers, "Ada"), signed_in(others, "Eve")
    for secret in ("session-of-ada", "key-of-ada"):
        visits.reserve(secret, ada.id)
    file = "/_stcore/upload_file/session-of-ada/a-file"
    for method in ("PUT", "POST", "GET"):
        assert hers.request(method, file).text == "inside"
        answer = others.request(method, file)
        assert answer.status_code == 403 and "inside" not in answer.text
    with hers.websocket_connect("/live/key-of-ada") as socket:
        assert socket.receive_text() == "inside"
    with (
        pytest.raises(WebSocketDisconnect) as refused,
        others.websocket_connect("/live/key-of-ada"),
    ):
        pass
    assert refused.value.code == gate.STRANGER
    assert others.put("/_stcore/upload_file/session-of-eve/a-file").text == "inside"
    under = client("/course")
    signed = under.post("/course/sign-in", data={**FORM, "name": "Eve"})
    assert signed.status_code == 303 and under.put(f"/course{file}").status_code == 403


def test_so_many_visits_are_kept_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visits, "MOST", 2)
    monkeypatch.setattr(visits, "_owners", OrderedDict())
    for secret in "abca":
        visits.reserve(secret, "ada")
    assert [visits.may_open("eve", f"/live/{secret}") for secret in "abc"] == [False, True, False]


def test_the_form_lets_in_and_leads_back() -> None:
    here = client()
    answer = here.post(gate.ENTER, data=FORM)
    assert answer.status_code == 303 and answer.headers["location"] == "/lstm?text=a"
    said = answer.headers["set-cookie"]
    assert "HttpOnly" in said and "SameSite=lax" in said and "Secure" not in said
    assert here.get("/lstm").text == "inside"
    with here.websocket_connect("/live/x") as socket:
        assert socket.receive_text() == "inside"
    assert here.get(gate.LEAVE).status_code == 303
    assert here.get("/lstm").status_code == 401
    answer = client().post(gate.ENTER, data=FORM, headers={"x-forwarded-proto": "https"})
    assert "Secure" in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"server": "classroom2"}, "The password of this server is another one"),
        ({"server": ""}, "The password of this server is another one"),
        ({"name": ""}, "Give a name"),
        ({"name": "<script>alert(1)</script>" * 9}, "Give a name"),
    ],
)
def test_what_is_wrong_is_said_and_the_name_is_kept(change: dict[str, str], says: str) -> None:
    here = client()
    answer = here.post(gate.ENTER, data={**FORM, **change})
    assert answer.status_code == 403 and says in answer.text and "set-cookie" not in answer.headers
    assert "<script" not in answer.text
    assert here.get("/").status_code == 401


@pytest.mark.parametrize(
    "at", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\r\nb"]
)
def test_it_leads_to_no_other_server(at: str) -> None:
    assert client().post(gate.ENTER, data={**FORM, "at": at}).headers["location"] == "/"


def test_other_sites_and_huge_forms_are_refused() -> None:
    here = client()
    assert (
        here.post(gate.ENTER, data=FORM, headers={"sec-fetch-site": "cross-site"}).status_code
        == 403
    )
    assert here.post(gate.ENTER, data={**FORM, "name": "x" * 20_000}).status_code == 413
    assert here.post(gate.ENTER, content=iter([b"a=b"])).status_code == 413
    odd = here.post(
        gate.ENTER, content=b"\xff\xfe", headers={"content-type": "multipart/form-data"}
    )
    assert odd.status_code in (400, 403)


def test_under_a_prefix_and_in_german() -> None:
    here = client("/course")
    page = here.get("/course/lstm", headers=PAGE)
    assert page.status_code == 401 and 'action="/course/sign-in"' in page.text
    assert 'value="/lstm"' in page.text
    answer = here.post("/course/sign-in", data=FORM)
    assert answer.headers["location"] == "/course/lstm?text=a"
    assert "Path=/course/" in answer.headers["set-cookie"]
    page = client().get("/", headers={**PAGE, "accept-language": "de-DE,de;q=0.9"})
    assert 'lang="de"' in page.text and "Anmelden" in page.text


@pytest.mark.parametrize("host", ["10.0.0.7", "127.0.0.1", "10.0.0.8"])
def test_a_proxy_that_is_trusted_names_who_comes(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(gate.PASSWORD)
    monkeypatch.setenv(gate.HEADER, "X-Forwarded-User")
    monkeypatch.setenv(gate.PROXY, "10.0.0.7, 10.0.0.9")
    here = client(client=(host, 1))
    named = {"x-forwarded-user": "ada@example.org"}
    trusted = host != "10.0.0.8"
    assert here.get("/lstm", headers=named).status_code == (200 if trusted else 401)
    assert here.get("/lstm").status_code == here.get("/lstm", headers=PAGE).status_code == 401
    assert here.post(gate.ENTER, data=FORM).status_code == 401  # there is no form
    one = gate.person({}, Headers(named))
    assert one is not None and one.name == "ada@example.org"
    assert one == gate.person({}, Headers({"x-forwarded-user": " ada@example.org "}))
    assert one != gate.person({}, Headers({"x-forwarded-user": "eve@example.org"}))
    assert gate.person({gate.COOKIE: accounts.signed(one)}, Headers()) is None


def test_names_stay_names_and_two_of_one_are_two_people(here: Path) -> None:
    one, two = accounts.make_person("Ada"), accounts.make_person("  Ada ")
    assert one.name == two.name == "Ada" and one.id != two.id
    assert json.loads((here / PEOPLE / one.id / accounts.ACCOUNT).read_text()) == {"name": "Ada"}
    for name in ("../../etc", "a/b", "a\ud800", "名前", "e\u0301"):
        one = accounts.make_person(name)
        assert (here / PEOPLE / one.id).is_dir() and accounts.read(accounts.signed(one)) is not None
    assert {p.parent.parent for p in here.rglob(accounts.ACCOUNT)} == {here / PEOPLE}


def test_on_a_full_disk_nobody_new_comes_in(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("engine.storage.files.os.fsync", full)
        with pytest.raises(Refused, match="disk of this server is full"):
            accounts.make_person("Ada")
    assert not [path for path in (here / PEOPLE).iterdir() if path.is_dir()]
    assert accounts.make_person("Ada").name == "Ada"


@pytest.mark.parametrize("name", ["", "   ", "\u200e\u202e", "x" * 41])
def test_a_name_can_be_seen_and_is_short(name: str) -> None:
    with pytest.raises(Refused, match="1 to 40"):
        accounts.make_person(name)


def test_a_cookie_is_of_one_person_and_of_this_server(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = accounts.make_person("Ada")
    cookie = accounts.signed(ada)
    assert accounts.read(cookie) == ada
    eve = accounts.make_person("Eve")
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
    # Names had passwords once; what their account was checked against is no longer read.
    old = Person(accounts.identity("name", "ada"), "Ada")
    (here / PEOPLE / old.id).mkdir(parents=True)
    kept = {"name": "Ada", "salt": "00", "key": "00"}
    (here / PEOPLE / old.id / accounts.ACCOUNT).write_text(json.dumps(kept))
    assert accounts.read(accounts.signed(old)) == old
