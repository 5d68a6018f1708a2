"""The browser's files: what the component needs is named before it is there, and nothing else is
handed out."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from engine.live import assets
from pages.ui import files


@pytest.fixture(params=["", "/name"])
def prefix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def client(prefix: str) -> TestClient:
    routes = [
        assets.route(prefix),
        Route("/", lambda _: HTMLResponse("<p>")),
        Route("/plain", lambda _: PlainTextResponse("")),
        Route("/page", lambda _: HTMLResponse(f"<html><head><p>{'é' * 900}")),
    ]
    named = Middleware(assets.Preload, prefix=prefix, more=["/static/js/one.js"])
    return TestClient(Starlette(routes=routes, middleware=[named, Middleware(GZipMiddleware)]))


def test_what_a_page_names_is_there_and_stays(client: TestClient, prefix: str) -> None:
    link = client.get("/").headers["Link"]
    named = re.findall(r"<([^>]+)>; rel=(\w+)", link)
    assert named[0] == (f"{assets.address(prefix)}/live.css", "preload")
    assert ("/static/js/one.js", "modulepreload") in named
    own = [name for name, _ in named if name != "/static/js/one.js"]
    for name in own:
        reply = client.get(name)
        assert reply.status_code == 200 and "immutable" in reply.headers["Cache-Control"]
        inside = name.removeprefix(f"{assets.address(prefix)}/")
        assert reply.content == (assets.FOLDER / inside).read_bytes()
    assert reply.headers["Content-Type"].startswith("text/javascript")
    assert "Link" not in client.get("/plain").headers


def test_a_page_says_where_the_server_is(client: TestClient) -> None:
    """Streamlit's front end then asks nowhere else; a page has as many bytes as it says."""
    asked = {"Accept": "text/html,*/*;q=0.8", "Accept-Encoding": "gzip"}
    reply = client.get("/page", headers=asked)
    head, url, body = map(reply.text.index, ("<head>", "BACKEND_BASE_URL", "<p>é"))
    assert head < url < body
    assert int(reply.headers["Content-Length"]) == len(reply.content)
    packed = client.get("/page", headers={"Accept": "*/*", "Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip" and "BACKEND" not in packed.text
    assert client.get("/").text == "<p>" and not client.head("/page").content


@pytest.mark.parametrize("name", ["nothing.js", "../live/live.js", "%2e%2e/icon.svg", ""])
def test_nothing_else_is_handed_out(client: TestClient, prefix: str, name: str) -> None:
    assert client.get(f"{assets.address(prefix)}/{name}").status_code == 404


def test_modules_are_those_that_the_browser_would_ask_for() -> None:
    texts = {
        "a.js": 'import { b,\n c } from "./deep/b.js";\n// from "./no.js"\nimport "./c.js";',
        "deep/b.js": 'import{d as e}from"../c.js";import"./d.js";',
        "c.js": '/** @import { T } from "./types.js" */ import("./later.js");',
        "deep/d.js": 'import { a } from "../a.js";',
    }
    assert assets.modules("a.js", read=texts.__getitem__) == sorted(texts)


def test_streamlit_has_the_modules_that_are_named() -> None:
    names = [name.rpartition("/")[2] for name in files.streamlit_modules()]
    assert {name.partition(".")[0] for name in names} > {"BidiComponent", "PageLink", "Html"}
    assert not {name for name in names if name.startswith("index.")}, "the page itself asks for it"


def test_streamlit_reads_where_the_server_is() -> None:
    found = re.findall(r"/(js/index\.\w+\.js)", (files.STATIC / "index.html").read_text("utf-8"))
    read = (files.STATIC / "static" / found[0]).read_text("utf-8")
    assert "window.__streamlit" in read and "BACKEND_BASE_URL" in read
