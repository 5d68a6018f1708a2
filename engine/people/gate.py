"""Gate: where several use one server, nothing of the app is given to whoever is not known.

What      A middleware before everything else: pages, files, uploads, sockets.
          UNROLLED_PASSWORD  who comes without a cookie gets the form, anything else but a page is
                  refused (401; sockets: 4401).  The form asks for the password of the server and a
                  name; from then on the browser is this person
          UNROLLED_PERSON_HEADER  the header, such as X-Forwarded-User, in which a proxy that people log
                  in at names who comes.  It is believed from this computer and from the addresses in
                  UNROLLED_PROXY (several with commas); nobody else is let in
          An address that one person's page was told opens for nobody else (visits.py)
          COOKIE  who a browser belongs to, signed (accounts.py); not for scripts (HttpOnly), not sent
                  along from other sites (SameSite=Lax)
Source    HTTP: RFC 9110, sec. 15.5.2 (401); cookies: RFC 6265bis, sec. 5.4
Differs   The check of health, which says nothing of anybody, is open for whatever balances the load.
"""

from __future__ import annotations

import asyncio
import hmac
import html
import os
from collections.abc import Mapping
from string import Template

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.language.catalogue import ENGLISH, catalogue, is_language
from engine.language.message import refusal
from engine.people import accounts, visits
from engine.people.accounts import Person, Refused

PASSWORD, HEADER, PROXY = "UNROLLED_PASSWORD", "UNROLLED_PERSON_HEADER", "UNROLLED_PROXY"
HERE = ("127.0.0.1", "::1")
COOKIE = "unrolled"
ENTER, LEAVE, HEALTH = "/sign-in", "/sign-out", "/_stcore/health"
STRANGER = 4401  # why a socket is closed
LEAST = 8  # characters of the server's password
MOST_BYTES = 10_000  # of the form
PAUSE = 0.5  # seconds before a wrong password is answered


def password() -> str:
    """The server's; empty where it has none.  ValueError where it is too short to keep anybody
    out."""
    found = os.environ.get(PASSWORD, "")
    if found and len(found) < LEAST:
        raise refusal("{PASSWORD} has fewer than {LEAST} characters; choose a longer one")
    return found


def header() -> str:
    """The one in which a proxy names who comes; empty where there is none."""
    return os.environ.get(HEADER, "").strip()


def is_closed() -> bool:
    """Whether not everybody may come in."""
    return bool(password() or header())


def person(cookies: Mapping[str, str], headers: Mapping[str, str]) -> Person | None:
    """Who has sent these; None for a stranger.  The headers of a request that the gate let in."""
    if not header():
        return accounts.read(cookies.get(COOKIE))
    said = headers.get(header(), "").strip()
    name = " ".join(said.split())[: accounts.MOST_NAME]
    return Person(accounts.identity("proxy", said), name) if name else None


def who(connection: HTTPConnection) -> Person | None:
    if header():
        trusted = (*HERE, *(a.strip() for a in os.environ.get(PROXY, "").split(",") if a.strip()))
        if connection.client is None or connection.client.host not in trusted:
            return None
    return person(connection.cookies, connection.headers)


class Gate:
    """The middleware; where nothing is asked for it lets everything through."""

    def __init__(self, app: ASGIApp, prefix: str = "") -> None:
        """`prefix` of all addresses of the app: "" or "/name"."""
        self.app, self.prefix, self.password = app, prefix, password()
        self.closed = is_closed()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self.closed or scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        path = str(scope["path"]).removeprefix(self.prefix)
        connection = HTTPConnection(scope)
        answer: Response
        if path == ENTER and scope["type"] == "http" and self.password:
            answer = await self._enter(Request(scope, receive))
        elif path == LEAVE and scope["type"] == "http":
            answer = RedirectResponse(f"{self.prefix}/", 303)
            answer.delete_cookie(COOKIE, path=f"{self.prefix}/")
        elif path == HEALTH or ((one := who(connection)) and visits.may_open(one.id, path)):
            await self.app(scope, receive, send)
            return
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": STRANGER})
            return
        elif who(connection):
            answer = PlainTextResponse("This address is another person's.", 403)
        elif (
            self.password
            and scope["method"] in ("GET", "HEAD")
            and "text/html" in connection.headers.get("accept", "")
        ):
            at = path + (
                f"?{scope['query_string'].decode('latin-1')}" * bool(scope["query_string"])
            )
            answer = self._form(connection, at, status=401)
        else:
            answer = PlainTextResponse("Sign in first.", 401)
        await answer(scope, receive, send)

    async def _enter(self, request: Request) -> Response:
        """What the form sent: back to where one wanted to go, or the form with what is wrong."""
        if request.method != "POST":
            return RedirectResponse(f"{self.prefix}/", 303)
        if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return PlainTextResponse("Sign in on the server's own page.", 403)
        if not request.headers.get("content-length", "").isdecimal() or (
            int(request.headers["content-length"]) > MOST_BYTES
        ):
            return PlainTextResponse("This is no form of the server.", 413)
        try:
            sent = await request.form(max_files=0, max_fields=8)
        except HTTPException:
            return PlainTextResponse("This is no form of the server.", 400)
        at = _inside(_text(sent, "at"))
        if not hmac.compare_digest(_text(sent, "server").encode(), self.password.encode()):
            await asyncio.sleep(PAUSE)
            said = "The password of this server is another one. Ask whoever runs it."
            return self._form(request, at, said, _text(sent, "name"), 403)
        try:
            one = await asyncio.to_thread(accounts.make_person, _text(sent, "name"))
        except Refused as problem:
            await asyncio.sleep(PAUSE)
            return self._form(request, at, str(problem), _text(sent, "name"), 403)
        answer = RedirectResponse(f"{self.prefix}{at}", 303)
        answer.set_cookie(
            COOKIE,
            accounts.signed(one),
            max_age=accounts.DAYS * 86_400,
            path=f"{self.prefix}/",
            httponly=True,
            samesite="lax",
            secure=request.headers.get("x-forwarded-proto", request.url.scheme) == "https",
        )
        return answer

    def _form(
        self,
        connection: HTTPConnection,
        at: str,
        wrong: str = "",
        name: str = "",
        status: int = 200,
    ) -> Response:
        language = _language(connection)

        def words(text: str) -> str:
            return html.escape(text if language == ENGLISH else catalogue(language).say(text))

        page = FORM.substitute(
            lang=language,
            title=words("Sign in · Unrolled"),
            head=words("Sign in"),
            says=words(
                "Several people use this server. Your texts, models and trainings are yours alone,"
                " unless you share them."
            ),
            server=words("Password of this server"),
            name=words("Your name"),
            kept=words(
                "This browser is remembered for {0} days; without its cookie there is no way back to"
                " what you made."
            ).replace("{0}", str(accounts.DAYS)),
            button=words("Sign in"),
            action=html.escape(f"{self.prefix}{ENTER}"),
            at=html.escape(_inside(at)),
            value=html.escape(name[: accounts.MOST_NAME]),
            wrong=f'<p role="alert">{words(wrong)}</p>' if wrong else "",
        )
        policy = (
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors"
            " 'self'; base-uri 'none'"
        )
        return HTMLResponse(
            page, status, headers={"Content-Security-Policy": policy, "Cache-Control": "no-store"}
        )


def _inside(at: str) -> str:
    """A place of this app, never another server's."""
    return at if at.startswith("/") and at[1:2] not in ("/", "\\") and at.isprintable() else "/"


def _text(sent: FormData, name: str) -> str:
    found = sent.get(name)
    return found if isinstance(found, str) else ""


def _language(connection: HTTPConnection) -> str:
    asked = (
        connection.query_params.get("lang", "")
        or connection.headers.get("accept-language", "").partition(",")[0].partition("-")[0]
    )
    return asked if is_language(asked) else ENGLISH


FORM = Template("""<!doctype html>
<html lang="$lang"><head><meta charset="utf-8"><title>$title</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  color: light-dark(#1c2126, #e6eaee); background: light-dark(#ffffff, #14181c); }
form { max-width: 22rem; margin: 12vh auto 0; padding: 0 1rem; display: grid; gap: 0.9rem; }
h1 { font-size: 1.5rem; margin: 0; }
p { margin: 0; }
label { display: grid; gap: 0.2rem; font-weight: 600; }
small { font-weight: 400; font-size: 0.875rem; }
input { font: inherit; padding: 0.45rem 0.6rem; border: 1px solid light-dark(#6b7681, #8b97a3);
  border-radius: 4px; background: light-dark(#f3f5f7, #1d2329); color: inherit; }
button { font: inherit; font-weight: 600; padding: 0.5rem; border: 0; border-radius: 4px;
  background: light-dark(#0b6e99, #62b8dc); color: light-dark(#ffffff, #14181c); }
:focus-visible { outline: 3px solid light-dark(#0b6e99, #62b8dc); outline-offset: 2px; }
[role=alert] { color: light-dark(#a3210f, #ff9a8a); }
</style></head><body>
<form method="post" action="$action">
<h1>$head</h1><p>$says</p>$wrong
<label>$server<input type="password" name="server" autocomplete="off" required autofocus></label>
<label>$name<input name="name" autocomplete="username" maxlength="40" required value="$value">
<small>$kept</small></label>
<input type="hidden" name="at" value="$at">
<button>$button</button>
</form></body></html>
""")
