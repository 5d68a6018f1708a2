"""Assets: the browser's own files (`assets/live`), as the server hands them out.

They are read once, when the server begins, and answered from memory: a file that is opened for each
request goes through several threads, and each of them waits for the interpreter while models are
opened.  The address holds VERSION, so a browser never runs an old file and never asks for one twice.

Preload   the page's HTML names in its header `Link` what the component needs.  The browser fetches
          that beside Streamlit's own files, and not one round after another when the component is
          there.
Where     the page says where the server is, as Streamlit's front end can be told; else it first
          looks below the page's own path, and is answered twice that there is nothing (404)
Source    RFC 8288 (Link), RFC 8246 (immutable); HTML, sec. 4.6.7 (modulepreload, preload)
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable, Sequence
from functools import cache
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine import ROOT
from engine.language import script
from engine.language.catalogue import ENGLISH, THIN, catalogue, is_language

FOLDER = ROOT / "assets" / "live"
FILES = {p.relative_to(FOLDER).as_posix(): p.read_bytes() for p in sorted(FOLDER.rglob("*.*s"))}
VERSION = hashlib.sha256(b"".join(FILES.values())).hexdigest()[:12]
"""Changes with any of the files."""
LANGUAGE = "lang"  # in the address of a page
TYPES = {"js": "text/javascript", "css": "text/css"}
FOREVER = "public, max-age=31536000, immutable"  # a year, the longest that is usual
WHOLE = '.toLocaleString("en")'  # of a whole number, in the modules: 1,234
MAIN, STYLE = "live.js", "live.css"


def modules(*first: str, read: Callable[[str], str]) -> list[str]:
    """These modules and all that they import, and those import; `read` gives the text of one."""
    found, left = set[str](), [*first]
    while left:
        if (name := left.pop()) not in found:
            found.add(name)
            places = re.findall(r'(?:^|[;}])import\b[^"]*"(\.[^"]+)"', read(name), re.M)
            here = posixpath.dirname(name)
            left += [posixpath.normpath(posixpath.join(here, place)) for place in places]
    return sorted(found)


MODULES = modules(MAIN, read=lambda name: FILES[name].decode())
"""What the component needs before it can draw its text box."""


def address(prefix: str) -> str:
    """Where the files are, under the prefix of the whole app: "" or "/name"."""
    return f"{prefix}/assets/{VERSION}"


def version(language: str = ENGLISH) -> str:
    """VERSION, of the files in a language."""
    return VERSION if language == ENGLISH else f"{VERSION}-{language}"


def route(prefix: str) -> Route:
    """Answers for the files."""
    return Route(f"{prefix}/assets/{{version}}/{{name:path}}", _give)


async def _give(request: Request) -> Response:
    name, asked = str(request.path_params["name"]), str(request.path_params["version"])
    language = asked.removeprefix(VERSION).removeprefix("-") or ENGLISH
    if name not in FILES or asked != version(language) or not is_language(language):
        return Response(status_code=404)
    kind = TYPES[name.rpartition(".")[2]]
    raw = FILES[name] if language == ENGLISH or kind == "text/css" else translate(name, language)
    return Response(raw, media_type=kind, headers={"Cache-Control": FOREVER})


@cache
def translate(name: str, language: str) -> bytes:
    """A module with its sentences in another language."""
    words = catalogue(language)
    source = FILES[name].decode()
    text = script.rewritten(source, lambda text: words.said.get(text, text), words.word)
    return text.replace(WHOLE, f'{WHOLE}.replaceAll(",", "{THIN}")').encode()


HEAD = b"<head>"  # of Streamlit's page, whose own files are beside it, too
TOLD = b'<script>window.__streamlit = { BACKEND_BASE_URL: new URL(".", location).href }</script>'


class Preload:
    """Middleware: every page of HTML names the component's files, and where the server is."""

    def __init__(self, app: ASGIApp, prefix: str, more: Sequence[str] = ()) -> None:
        """`more` are addresses of modules that others hand out."""
        self.app, at = app, address(prefix)
        modules = [
            f"<{name}>; rel=modulepreload"
            for name in [*more, *(f"{at}/{name}" for name in MODULES)]
        ]
        self.link = ", ".join([f"<{at}/{STYLE}>; rel=preload; as=style", *modules])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Message | None = None  # of a page, held until its text is there

        async def name_them(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                page = headers.get("content-type", "").startswith("text/html")
                if page and "content-security-policy" not in headers:  # that of the hand-out
                    asked = parse_qs(scope["query_string"].decode("latin-1")).get(LANGUAGE, [""])[0]
                    english = asked == ENGLISH or not is_language(asked)
                    link = self.link if english else self.link.replace(VERSION, version(asked))
                    headers.append("Link", link)
                    start = message
                    return
            elif start:
                headers, text = MutableHeaders(scope=start), message.get("body", b"")
                if start["status"] == 200 and HEAD in text and "content-encoding" not in headers:
                    message["body"] = text.replace(HEAD, HEAD + TOLD, 1)
                    if size := headers.get("content-length"):  # none of what comes in chunks
                        headers["content-length"] = str(int(size) + len(TOLD))
                begun, start = start, None
                await send(begun)
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asked = Headers(scope=scope).get("accept", "")
        if "text/html" in asked:  # as it is, as Streamlit sends its first page, too
            plain = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
            scope = {**scope, "headers": plain}
        await self.app(scope, receive, name_them)
