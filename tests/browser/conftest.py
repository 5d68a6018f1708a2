"""One server and one Chromium for all browser tests; nothing but this computer is asked for
anything.

`page("lstm", query={...})` opens a page as somebody new would find it and returns a `Live` on it.
When the test ends, a console error, a page error, a traceback in the server's log or a request to
another host fails it; so it does on an empty `tab()`. What fails is tried once more, since on a
busy machine a browser can be late; the summary names it all the same (RERUN). The first page of
each test opens in one context that keeps the code of the pages, and nothing else, from test to
test.
"""

from __future__ import annotations

import base64
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Error, expect

from engine.course.curriculum import LIVE
from engine.runs import store
from tests.bench.server import BROWSER_ARGS, Server, serve

PAGES = ("home", *(item.id for item in LIVE))
TEXT = "The king said yes to Paris"
BEHIND = "The king\nsaid yes to Paris"  # the tokens are those of the second line
TEXTS = {"translation": BEHIND, "scores": BEHIND}
TEXTS["tasks"] = "Who said it?\nThe king said yes."  # a question and its passage
TEXTS["circuits"] = "kqzr=kq"  # what the model copies
TEXTS["melody"] = "M:6/8 d | g f e d2 B | c B A"
WAIT_MS = 60_000
expect.set_options(timeout=WAIT_MS)  # its own 5 s are too few on a busy computer
# Nothing was sent for a while.
QUIET = """() => {
  if (window.sent !== window.sentBefore) Object.assign(window, { sentBefore: window.sent, quietSince: performance.now() });
  return performance.now() - window.quietSince > 350;
}"""
COUNT_SENT = """() => { window.sent = 0; const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (...a) { window.sent += 1; return send.apply(this, a); }; }"""
ONE_PROCESS = "--renderer-process-limit=1"
NOBODY_ELSE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"

RESTED = """() => {
  if (document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running") window.ranAt = performance.now();
  return performance.now() - (window.ranAt ??= performance.now()) > 600;
}"""


def rested(page: Any) -> None:
    """Wait until no run of the page has been going on for a while: during one back
    is not followed, and what is drawn anew is faded."""
    page.evaluate("delete window.ranAt")
    page.wait_for_function(RESTED)


# how much wider than the window the page is, and its main part
WIDE = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')]
  .map((e) => e.scrollWidth - e.clientWidth)"""
FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# What comes with a moment of rest comes now, until that asks for nothing more.
REST = """async (app) => {
  const turn = () => new Promise((done) => setTimeout(done, 20));
  for (let asked = NaN; asked !== app.seq; await turn()) {
    while (app.sent || "behind" in app.root.dataset) await turn();
    clearTimeout(app.restTimer);
    asked = app.seq;
    app.rest();
  }
}"""


def reads(part: Any, words: str) -> None:
    """Wait until these words are to be seen in a part of a page."""
    expect(part).to_contain_text(words, use_inner_text=True)


def enter(field: Any, text: str) -> None:
    field.fill(text)
    field.press("Enter")


def soon(page: Any, check: Callable[[], Any]) -> Any:
    """What `check` finds, as soon as that is not falsy (None is not), and nothing is asserted in vain
    or of an element that is just drawn anew."""
    limit = time.monotonic() + WAIT_MS / 1000
    while True:
        late = time.monotonic() > limit
        try:
            if (found := check()) is None or found:
                return found
            assert not late, "waited in vain"
        except (AssertionError, Error):
            if late:
                raise
        page.wait_for_timeout(100)


class Live:
    """A page with its live component."""

    def __init__(self, page: Any, url: str, name: str, watch: Watch) -> None:
        self.page, self.url, self.name, self.watch = page, url, name, watch

    @property
    def box(self) -> Any:
        return self.page.locator("textarea.un-text")

    def open(self, **query: str | int) -> Live:
        path = "" if self.name == "home" else self.name
        self.page.goto(f"{self.url}/{path}" + (f"?{urlencode(query)}" if query else ""))
        return self.ready()

    def ready(self) -> Live:
        self.page.wait_for_selector(f'[data-unrolled="{self.name}"][data-painted]', timeout=WAIT_MS)
        return self

    def painted(self, text: str | None = None) -> Live:
        """Wait until the picture on the screen is of `text`, or of what stands in the box."""
        self.page.wait_for_function(
            """(text) => {
              const root = document.querySelector("[data-unrolled]");
              const wanted = text ?? document.querySelector("textarea.un-text").value;
              return root && root.unrolled.text === wanted && root.dataset.painted === String(Array.from(wanted).length)
                && root.dataset.behind === undefined;
            }""",
            arg=text,
            timeout=WAIT_MS,
        )
        return self

    def fill(self, text: str) -> Live:
        self.box.fill(text)
        return self.painted(text)

    def type(self, text: str) -> Live:
        """Key by key, each after the picture of the one before, so that every reply builds on the
        last."""
        self.box.press("End")
        for key in text:
            self.page.keyboard.type(key)
            self.painted()
        return self

    def settled(self, part: str) -> str:
        """Wait until the address holds `part`; returns it."""
        self.page.wait_for_function(
            "(part) => location.search.includes(part)", arg=part, timeout=WAIT_MS
        )
        return str(self.page.url)

    def numbers(self) -> dict[str, tuple[list[str], list[list[str]], np.ndarray]]:
        """What is drawn: {field: (axes, labels, values)}, values in the shape of the axes."""
        found = self.page.evaluate(
            """() => Object.entries(document.querySelector("[data-unrolled]").unrolled.fields).map(([name, { axes, labels, values }]) => {
              const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength), parts = [];
              for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
              return [name, axes, labels, values instanceof Float32Array, btoa(parts.join(""))];
            })"""
        )
        fields = {}
        for name, axes, labels, typed, values in found:
            assert typed, f"{name} is not float32"
            numbers = np.frombuffer(base64.b64decode(values), "<f4").astype(float)
            fields[name] = axes, labels, numbers.reshape([len(part) for part in labels])
        return fields

    def shows(self, model: Any, *names: str) -> None:
        """What is drawn of these fields is what the model says of the text in the box."""
        trace, drawn = model.trace(self.box.input_value(), fields=names), self.numbers()
        for name in names:
            own = trace.field(name).values
            np.testing.assert_allclose(drawn[name][2], own, atol=1e-6, err_msg=name)

    def app(self, ask: str, of: Any = None) -> Any:
        """What the page's own `App` has: `ask` is a function of it and of what is given."""
        find = """let holder = document.querySelector("[data-unrolled]");
          while (!holder.unrolledApp) holder = holder.parentElement;"""
        return self.page.evaluate(
            f"(of) => {{ {find} return ({ask})(holder.unrolledApp, of); }}", of
        )

    def panel(self, id: str) -> Any:
        return self.page.locator(f'[data-panel="{id}"]')

    def rows(self, panel: str) -> list[list[str]]:
        """The table of a picture."""
        find = "(app, id) => app.panels.find((p) => p.spec.id === id).listed().rows"
        return [[str(cell) for cell in row] for row in self.app(find, panel)]

    def says(self, panel: str, words: str | re.Pattern[str], part: str = ".un-readout") -> str:
        """What stands in a part of a panel, once it holds `words`."""
        found = self.panel(panel).locator(part).first
        expect(found).to_contain_text(words, use_inner_text=True)
        return str(found.inner_text())

    def rest(self) -> Live:
        """The page as it stands after a moment of rest, with which come the address, the words for screen
        readers and what is asked for then alone; the moment itself is not waited for."""
        self.page.evaluate(FRAMES)
        self.app(REST)
        self.page.evaluate(FRAMES)
        return self

    def alone(self) -> None:
        """From now on `sent` counts, once what the page sends by itself is sent."""
        self.rest()
        self.page.evaluate(COUNT_SENT)
        self.page.wait_for_function(QUIET)
        self.page.evaluate("window.sent = 0")

    @property
    def sent(self) -> int:
        return int(self.page.evaluate("window.sent"))

    def kept(self) -> dict[str, Any]:
        """What is clicked, as the address says it."""
        pairs: dict[str, Any] = self.page.evaluate(
            "Object.fromEntries(new URLSearchParams(location.search))"
        )
        return pairs

    def click_in(self, panel: str, x: float, y: float) -> None:
        """Click at a share of the width and height of a panel's canvas."""
        canvas = self.page.locator(f'[data-panel="{panel}"] canvas')
        canvas.scroll_into_view_if_needed()
        size = canvas.bounding_box()
        canvas.click(position={"x": x * size["width"], "y": y * size["height"]})


class Watch:
    """What must not happen while a page is open."""

    def __init__(self, context: Any) -> None:
        self.wrong: list[str] = []
        self.allowed: re.Pattern[str] | None = None  # console errors that the test is about
        self.context = context
        context.on("request", self._request)
        context.on("page", self._page)

    def end(self) -> None:
        self.context.remove_listener("request", self._request)
        self.context.remove_listener("page", self._page)

    def _request(self, request: Any) -> None:
        if urlsplit(request.url).hostname not in (
            "127.0.0.1",
            "localhost",
        ) and not request.url.startswith(("data:", "blob:")):
            self.wrong.append(f"asked for {request.url}")

    def _page(self, page: Any) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.wrong.append(f"page error: {error}"))
        page.on(
            "websocket",
            lambda socket: (
                None if "127.0.0.1" in socket.url else self.wrong.append(f"socket to {socket.url}")
            ),
        )

    def _console(self, message: Any) -> None:
        if self.allowed and self.allowed.search(message.text):
            return
        if message.type == "error":
            self.wrong.append(f"console: {message.text} ({message.location.get('url')})")


@contextmanager
def somebody(browser: Any, allowed: str = "(?!)", **cookie: str) -> Iterator[Live]:
    """Somebody new, at no page yet, for servers that only one test knows; `allowed`: errors that the
    console may have."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    if cookie:
        context.add_cookies([cookie])
    watch = Watch(context)
    watch.allowed = re.compile(allowed)
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)
    try:
        yield Live(page, "", "", watch)
    finally:
        context.close()
    assert not watch.wrong, watch.wrong


@pytest.hookimpl(tryfirst=True)  # before what is slow is left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def runs_of(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Callable[[str], store.Run]]:
    """(home of the server, the run of a model that its pages show): shipped, or a small one."""
    home = tmp_path_factory.mktemp("home")
    shipped = store.RunStore(store.SHIPPED)
    for model in {item.model for item in LIVE} | {"gru", "dual_memory"}:
        if not shipped.all(model):
            shutil.copytree(run_folder(model), home / "runs" / model)
    return home, lambda model: store.RunStore(store.SHIPPED, home / "runs").all(model)[0]


@pytest.fixture(scope="package")
def run_of(runs_of: tuple[Path, Callable[[str], store.Run]]) -> Callable[[str], store.Run]:
    return runs_of[1]


@pytest.fixture(scope="package")
def server(runs_of: tuple[Path, Callable[[str], store.Run]]) -> Iterator[Server]:
    with serve(home=runs_of[0]) as found:
        yield found
        assert "Traceback" not in found.said(), found.said()


@pytest.fixture(scope="package")
def browser(chromium: str | None) -> Iterator[Any]:
    """A headless Chromium.  Closed after these tests: playwright's event loop must not run under
    the others."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(
                executable_path=chromium, args=[*BROWSER_ARGS, NOBODY_ELSE, ONE_PROCESS]
            )
        except Error as error:
            if chromium is None and "Executable doesn't exist" in str(error):
                pytest.skip("there is no Chromium on this computer; `make test` installs one")
            raise
        yield found
        found.close()


@pytest.fixture(scope="package")
def familiar(browser: Any, server: Server) -> Iterator[Any]:
    """A context that knows the code of the pages already.  A tab that is never closed keeps the one
    process that draws all others: a page opens for two thirds of the processor's time."""
    context = browser.new_context()
    context.new_page().goto(f"{server.url}/_stcore/health")
    yield context
    context.close()


def forget(context: Any, origin: str) -> None:
    """Close all pages but the first, and leave nothing of what they kept."""
    kept, *tabs = context.pages
    for one in tabs:
        one.close()
    context.clear_cookies()
    context.clear_permissions()
    kinds = "cookies,local_storage,indexeddb,websql,cache_storage,service_workers"
    session = context.new_cdp_session(kept)
    session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": kinds})
    session.detach()


@pytest.fixture
def watched(browser: Any, familiar: Any, server: Server) -> Iterator[Callable[..., Any]]:
    """`watched(width=1280, height=900, dark=False, beside=(tab, its Watch))` -> (an empty tab, its
    Watch)."""
    contexts: list[tuple[Any, Watch]] = []
    before = len(server.said())

    def make(
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        beside: tuple[Any, Watch] | None = None,
    ) -> tuple[Any, Watch]:
        if beside:  # another tab of the same person
            context, watch = beside[0].context, beside[1]
        else:  # somebody else
            context = browser.new_context() if contexts else familiar
            watch = Watch(context)
            contexts.append((context, watch))
        tab = context.new_page()
        tab.set_viewport_size({"width": width, "height": height})
        tab.emulate_media(color_scheme="dark" if dark else "light")
        tab.set_default_timeout(WAIT_MS)
        return tab, watch

    yield make
    for context, watch in contexts:
        watch.end()
        if context is familiar:
            forget(context, server.url)
        else:
            context.close()
    wrong = [line for _, watch in contexts for line in watch.wrong]
    assert not wrong, wrong
    said = server.said()[before:]
    assert "Traceback" not in said and "Error" not in said, said


@pytest.fixture
def tab(watched: Callable[..., tuple[Any, Watch]]) -> Callable[..., Any]:
    """`tab(width=1280, height=900, dark=False)` -> an empty tab of somebody new."""
    return lambda *size, **more: watched(*size, **more)[0]


@pytest.fixture
def page(watched: Callable[..., tuple[Any, Watch]], server: Server) -> Callable[..., Live]:
    """`page(name, width=1280, dark=False, query={}, beside=another Live)` -> Live, painted."""

    def make(
        name: str,
        width: int = 1280,
        dark: bool = False,
        query: dict[str, Any] | None = None,
        beside: Live | None = None,
    ) -> Live:
        near = (beside.page, beside.watch) if beside else None
        found, watch = watched(width, dark=dark, beside=near)
        return Live(found, server.url, name, watch).open(**(query or {}))

    return make


FIGURE = re.compile(r"(−?)([\d,]*\.?\d+)(?: ×\s10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?")
RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def figures(words: str) -> list[float]:
    """The numbers in a sentence of a page, which writes −2.2 × 10⁻⁴."""
    return [
        float(f"{'-' if sign else ''}{size.replace(',', '')}e{(power or '0').translate(RAISED)}")
        for sign, size, power in FIGURE.findall(words)
    ]


# of a page of several runs, that of the picture that is saved first
FIRST = {"scores": "score_dot_after"}


def shown_first(name: str) -> str | None:
    """The run that a page of several shows first, where it is there."""
    return FIRST[name] if name in FIRST and (store.SHIPPED / FIRST[name]).is_dir() else None
