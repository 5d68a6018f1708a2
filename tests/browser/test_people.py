"""Two people sign in to one server in two browsers: with the password of the gate, and with
Streamlit's own log-in at a provider that this test plays.  Each sees what is theirs."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from playwright.sync_api import expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.routing import Route
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from engine.people import gate
from tests.bench.server import Server, free_port, serve
from tests.browser.conftest import somebody, soon

DIARY = "The key lies under the third stone.\n" * 20


@pytest.fixture(scope="module")
def closed() -> Iterator[Server]:
    with serve(env={gate.PASSWORD: "classroom1"}) as server:
        yield server
        assert "Traceback" not in server.said(), server.said()


@contextlib.contextmanager
def tab(browser: Any, url: str) -> Iterator[Any]:
    """A browser of somebody who has never been here, at an address."""
    with somebody(browser, "status of 40[13]") as one:  # the form is no page of the app
        one.page.goto(url)
        yield one.page


def sign_in(page: Any, name: str) -> None:
    page.get_by_label("Password of this server").fill("classroom1")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text(f"Signed in as {name}.").wait_for()


def add(page: Any, text: str) -> str:
    """Paste and store a text; returns its id."""
    page.get_by_text("Add a text").first.click()
    page.locator("[data-testid=stExpander] textarea").first.fill(text)
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Add this text").click()
    page.get_by_role("button", name="Share", exact=True).wait_for()
    page.wait_for_function("() => location.search.includes('corpus=the-key-lies')")
    return str(page.evaluate("new URLSearchParams(location.search).get('corpus')"))


def offered(page: Any) -> str:
    """What the picker of texts offers."""
    box, option = page.get_by_role("combobox", name="Text to look at"), page.get_by_role("option")
    found: list[str] = []

    def opens() -> bool:  # a page that is still being drawn closes it again
        if not option.count():
            box.click()
        found[:] = option.all_inner_texts()
        return any("Little stories" in one for one in found)

    soon(page, opens)
    page.keyboard.press("Escape")
    return " ".join(found)


def test_a_stranger_gets_nothing_and_whoever_signs_in_gets_answers(
    browser: Any, closed: Server
) -> None:
    for path in ("/_stcore/stream", "/live/x"):
        with pytest.raises(InvalidStatus), connect(f"ws://127.0.0.1:{closed.port}{path}") as one:
            one.recv()
    with tab(browser, f"{closed.url}/ngrams") as page:
        expect(page.get_by_role("heading")).to_have_text(["Sign in"], use_inner_text=True)
        sign_in(page, "Bob")
        page.locator("textarea.un-text").fill("the king")
        page.wait_for_function(
            "() => document.querySelector('[data-unrolled]').unrolled.text === 'the king'"
        )


@pytest.mark.slow
def test_each_sees_what_is_theirs_and_what_is_shared(browser: Any, closed: Server) -> None:
    url = f"{closed.url}/corpora"
    with tab(browser, url) as ada, tab(browser, url) as eve:
        sign_in(ada, "Ada")
        id = add(ada, DIARY)
        assert "The key lies" in offered(ada)
        sign_in(eve, "Eve")
        assert "The key lies" not in offered(eve)
        eve.goto(f"{url}?corpus={id}")
        eve.get_by_text("Signed in as Eve.").wait_for()
        eve.get_by_text("There is no text").wait_for()
        for page in ("training", "sparsity"):  # Units: tests/pages/test_people.py
            eve.goto(f"{closed.url}/{page}?corpus={id}")
            eve.get_by_text("Signed in as Eve.").wait_for()
            eve.wait_for_function("() => !document.querySelector('[data-stale=true]')")
            assert "third stone" not in eve.content()
        ada.get_by_role("button", name="Share", exact=True).click()
        ada.get_by_text("is shared: everybody").wait_for()
        ada.get_by_role("button", name="Take back").wait_for()
        eve.goto(f"{url}?corpus={id}")
        eve.get_by_text("Shared by Ada.").wait_for()
        expect(eve.get_by_role("button", name="Delete")).to_have_count(0)
        ada.get_by_role("button", name="Take back").click()
        ada.get_by_text("is no longer shared").wait_for()
        eve.goto(f"{url}?corpus={id}")
        eve.get_by_text("Signed in as Eve.").wait_for()
        eve.get_by_text("There is no text").wait_for()
        ada.get_by_role("link", name="Sign out").click()
        ada.get_by_label("Password of this server").wait_for()


class Provider:
    """Says who somebody is, as OpenID Connect has it: whoever was named last."""

    def __init__(self) -> None:
        self.port, self.key, self.name = free_port(), RSAKey.generate_key(2048), "Ada"
        self.asked: dict[str, tuple[str, str]] = {}  # by code: nonce and name

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def about(self, _: Request) -> JSONResponse:
        at = {"authorization_endpoint": "/enter", "token_endpoint": "/token", "jwks_uri": "/keys"}
        able = {"response_types": "code", "subject_types": "public"}
        able["id_token_signing_alg_values"] = "RS256"
        said: dict[str, Any] = {"issuer": self.url, **{k: self.url + v for k, v in at.items()}}
        return JSONResponse(said | {f"{k}_supported": [v] for k, v in able.items()})

    def enter(self, request: Request) -> RedirectResponse:
        said = request.query_params
        code = f"code-{len(self.asked)}"
        self.asked[code] = said.get("nonce", ""), self.name
        return RedirectResponse(f"{said['redirect_uri']}?code={code}&state={said['state']}")

    async def token(self, request: Request) -> JSONResponse:
        nonce, name = self.asked[str((await request.form())["code"])]
        now = int(time.time())
        claims = {"iss": self.url, "sub": f"id of {name}", "aud": "unrolled", "name": name}
        claims |= {"exp": now + 600, "iat": now, "nonce": nonce}
        signed = jwt.encode({"alg": "RS256", "kid": self.key.thumbprint()}, claims, self.key)
        given = {"access_token": "x", "token_type": "Bearer", "expires_in": 600}
        return JSONResponse(given | {"id_token": signed})

    def keys(self, _: Request) -> JSONResponse:
        public = {**self.key.as_dict(private=False), "kid": self.key.thumbprint(), "use": "sig"}
        return JSONResponse({"keys": [public]})

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        app = Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self.about),
                Route("/enter", self.enter),
                Route("/token", self.token, methods=["POST"]),
                Route("/keys", self.keys),
            ]
        )
        served = uvicorn.Server(uvicorn.Config(app, port=self.port, log_level="error"))
        thread = threading.Thread(target=served.run)
        thread.start()
        try:
            yield
        finally:
            served.should_exit = True
            thread.join()


@pytest.mark.slow
def test_with_a_log_in_of_ones_own(browser: Any, tmp_path: Path) -> None:
    provider, secrets = Provider(), tmp_path / "secrets.toml"
    with provider.open():
        # the address that the provider sends people back to has to name the server's port
        port = free_port()
        secrets.write_text(
            f"""[auth]
redirect_uri = "http://127.0.0.1:{port}/oauth2callback"
cookie_secret = "a long secret that nobody else knows"
client_id = "unrolled"
client_secret = "secret"
server_metadata_url = "{provider.url}/.well-known/openid-configuration"
"""
        )
        with serve(args=[f"--secrets.files={secrets}"], port=port) as server:
            with tab(browser, f"{server.url}/corpora") as ada, tab(browser, server.url) as eve:
                for page, name in ((ada, "Ada"), (eve, "Eve")):
                    provider.name = name
                    page.get_by_role("button", name="Sign in").click()
                    page.get_by_text(f"Signed in as {name}.").wait_for()
                ada.goto(f"{server.url}/corpora")
                ada.get_by_text("Signed in as Ada.").wait_for()
                id = add(ada, DIARY)
                eve.goto(f"{server.url}/corpora?corpus={id}")
                eve.get_by_text("There is no text").wait_for()
                assert "The key lies" not in offered(eve)
                eve.get_by_role("button", name="Sign out").click()
                eve.get_by_role("button", name="Sign in").wait_for()
                assert "Signed in" not in eve.content()
            assert "Traceback" not in server.said(), server.said()
