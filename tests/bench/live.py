"""The pages in a real browser: from the key press to the painted picture, hovering, switching
pages, starting.

Browser and server share this computer.  Each page is typed at in turn with a peer: the plain way to
do it, Streamlit's own live text box with one Plotly heatmap of TALL rows, in a server of its own
with our settings.  Both are opened before anything is timed, at once, and the server has rested from
its start.  Its parts are `start`, the pages by name and `switch`; a page that fails is a row that
says why.  Rows:

start          process started to home painted with its text box; then to the first answer; peer: a
               bare Streamlit page with a text box, started in turn, until its box is there
key to paint   60 keys, each after the picture of the one before: keydown to the end of the frame
               that shows it
burst          the end of the same sentence at 80 ms a key: how old a key is when a picture that has
               it is on the screen
hover          pointer on a token to the end of the frame in which every panel has followed; peer: an
               empty frame; neither there nor over the pictures may a message be sent
switch         click on another lesson in the menu to its painted picture
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine.bench import Bench, Row, attempt
from engine.course.curriculum import LIVE
from tests.bench.load import warm
from tests.bench.server import ROOT, Server, browse, serve

SENTENCE = 'The old captain said "go home" in May, and so the king did soon.'
HEAD, KEYS, BLOCK = 4, 60, 10
BURST, BURST_MS = 30, 80
PEER = "Streamlit + Plotly"
PEER_ARGS = ("--runner.postScriptGC=false", "--server.fileWatcherType=none")
TALL = 64
SIZE = {"width": 1280, "height": 900}
QUIET_SECONDS, LOUDEST_SECONDS = 2.0, 60.0
SETTLE_SECONDS = 0.7  # after a page is there: its fonts, the address
STARTS, SWITCHES, HOVERS = 5, 8, 30
HOME = "home"
PAGES = {HOME: "", **{item.id: item.id for item in LIVE}}
"""Addresses by name."""
PARTS = ("start", *PAGES, "switch")

# The peer writes the length of its text into the plot's title.
PEER_PAGE = f"""
import numpy as np
import plotly.graph_objects as go
import streamlit as st

@st.fragment
def live():
    text = st.text_input("Text", key="text", live="0ms")
    numbers = np.random.default_rng(len(text)).random(({TALL}, max(1, len(text))))
    picture = go.Figure(go.Heatmap(z=numbers, colorscale="Viridis"), {{"title": {{"text": f"n={{len(text)}};"}}}})
    st.plotly_chart(picture, key="picture")

live()
"""

# `unrolledBench` in the page: keys and paints by length of the text, in ms of the page's clock.  A
# paint is noted in the task after the frame: a message posted inside a frame arrives when the frame
# is done.  Our picture changes data-painted inside its frame; Plotly draws at any time, so its next
# frame is the one.
PROBE = """
(() => {
  const bench = (window.unrolledBench = { keys: {}, paints: {}, sent: 0, hovers: [], heard: 0, asking: new Set() });
  const afterFrame = (then) => { const c = new MessageChannel(); c.port1.onmessage = then; c.port2.postMessage(0); };
  const note = (n) => afterFrame(() => { bench.paints[n] ??= performance.now(); bench.last = n; });
  new MutationObserver((changes) => {
    for (const { type, target } of changes)
      if (type === "attributes") { if (target.dataset.painted !== undefined) note(Number(target.dataset.painted)); }
      else {
        const title = document.querySelector(".gtitle")?.textContent.match(/n=(\\d+);/);
        if (title && title[1] !== bench.title) { bench.title = title[1]; requestAnimationFrame(() => note(Number(title[1]))); }
      }
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["data-painted"] });
  document.addEventListener("keydown", (e) => { if (e.key.length === 1 && e.target.value !== undefined) bench.keys[e.target.value.length + 1] = e.timeStamp; }, true);
  document.addEventListener("pointerover", (e) => {
    const token = e.target.closest?.(".un-chip, .un-step");
    if (token) requestAnimationFrame(() => afterFrame(() => bench.hovers.push({ ms: performance.now() - e.timeStamp, done: token.matches(".un-now, .un-step") })));
  }, true);
  const send = WebSocket.prototype.send;
  const sockets = new WeakSet();
  WebSocket.prototype.send = function (...a) {
    bench.sent += 1;
    bench.heard = performance.now();
    bench.asking.add(this); // until something comes back
    if (!sockets.has(this)) {
      sockets.add(this);
      this.addEventListener("message", () => { bench.heard = performance.now(); bench.asking.delete(this); });
      this.addEventListener("close", () => bench.asking.delete(this));
    }
    return send.apply(this, a);
  };
})();
"""
CLEAR = "() => Object.assign(window.unrolledBench, { keys: {}, paints: {}, last: null })"


class Typist:
    """One page with its text box, typed at key by key."""

    def __init__(self, page: Any, url: str, box: str) -> None:
        self.page, self.waits = page, random.Random(7)
        page.add_init_script(PROBE)
        page.goto(url, wait_until="commit")
        self.box = page.locator(box)

    def wait(self) -> None:
        """Until the page's own text is drawn."""
        self.box.wait_for()
        self.page.wait_for_function("window.unrolledBench.last !== undefined", timeout=60_000)

    def put(self, text: str) -> None:
        """Have `text` there, drawn."""
        self.box.fill(text)
        self.page.wait_for_function(f"window.unrolledBench.last === {len(text)}")

    def begin(self) -> None:
        self.page.evaluate(CLEAR)
        self.box.press("End")

    def keys(self, text: str, at: int) -> None:
        """Type `text` behind the first `at` characters, each key after the paint of the one
        before."""
        for n, key in enumerate(text, at + 1):
            self.page.keyboard.type(key)
            self.page.wait_for_function(
                f"window.unrolledBench.paints[{n}] !== undefined", timeout=10_000
            )
            time.sleep(self.waits.uniform(0.02, 0.05))  # else keys fall in step with frames

    def burst(self) -> None:
        self.page.keyboard.type(SENTENCE[-BURST:], delay=BURST_MS)
        self.page.wait_for_function(
            f"window.unrolledBench.last === {len(SENTENCE)}", timeout=20_000
        )

    def delays(self) -> list[float]:
        """Per key the ms until a picture that has it."""
        seen = self.page.evaluate("window.unrolledBench")
        paints = sorted((time, int(n)) for n, time in seen["paints"].items())
        return [
            min(t for t, n in paints if n >= int(length) and t >= key) - key
            for length, key in seen["keys"].items()
        ]


@contextmanager
def peer_server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="unrolled-peer-") as scratch:
        script = Path(scratch) / "peer.py"
        script.write_text(PEER_PAGE, encoding="utf-8")
        with serve(script, Path(scratch), args=PEER_ARGS) as server:
            yield server


def bench(parts: Collection[str] = PARTS) -> Iterator[Row]:
    if "start" in parts:
        with browse() as browser:
            yield from attempt("start", starts(browser))
    if set(parts) == {"start"}:
        return
    with serve() as server, peer_server() as other:
        warm(server)  # before there is a browser: playwright's loop bears no other beside it
        with browse() as browser:
            windows = [browser.new_context(viewport=SIZE) for _ in range(2)]  # ours and the peer's
            for name, address in PAGES.items():
                if name in parts:
                    yield from attempt(
                        name, typing(windows, f"{server.url}/{address}", other.url, name)
                    )
            if "switch" in parts:
                yield from attempt("switch", switches(browser, server))


def begin(typists: Sequence[Typist], text: str) -> None:
    """Have `text` on these pages, at rest; what is typed from now on counts."""
    for typist in typists:
        typist.put(text)
    time.sleep(SETTLE_SECONDS)
    for typist in typists:
        typist.begin()


def typing(windows: Sequence[Any], url: str, peer_url: str, name: str) -> Iterator[Row]:
    """The rows of one page; `windows`, the browser's contexts, keep the files that they have read."""
    pages = [window.new_page() for window in windows]
    try:
        ours = Typist(pages[0], url, "textarea.un-text")
        theirs = Typist(pages[1], peer_url, "input[aria-label=Text]")
        for typist in (ours, theirs):
            typist.wait()
        begin((ours, theirs), SENTENCE[:HEAD])
        for at in range(HEAD, HEAD + KEYS, BLOCK):  # in turn, so that a busy moment hits both
            for typist in (ours, theirs):
                typist.keys(SENTENCE[at : at + BLOCK], at)
        size = f"{len(SENTENCE)} characters"
        yield Row.of(f"key to paint, {name}", size, ours.delays(), PEER, theirs.delays())
        begin((ours, theirs), SENTENCE[:-BURST])
        for typist in (ours, theirs):
            typist.burst()
        size = f"{BURST} keys, {BURST_MS} ms apart"
        yield Row.of(f"burst, {name}", size, ours.delays(), PEER, theirs.delays())
        yield hovers(ours.page, name)
    finally:
        for page in pages:
            page.close()


def hovers(page: Any, name: str) -> Row:
    """On a page with SENTENCE.  RuntimeError when hovering asks the server or does not light up the
    token; where tokens answer to a press only, they need not."""
    tokens = page.locator(".un-chip:visible").all() or page.locator(".un-step:visible").all()
    rows = [row.bounding_box() for row in page.locator(".un-chips").all()]
    boxes = [
        box
        for box in (token.bounding_box() for token in tokens)
        if all(  # tokens of a long text are scrolled out of their row
            row["x"] <= box["x"] and box["x"] + box["width"] <= row["x"] + row["width"]
            for row in rows
        )
    ]
    before = quiet(page)
    frames = []
    for n in range(HOVERS):
        if len(boxes) == 1:  # from elsewhere, else the pointer is on it already
            page.mouse.move(0, 0)
            page.evaluate(EMPTY_FRAME)
        box = boxes[n % len(boxes)]
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_function(f"window.unrolledBench.hovers.length > {n}", timeout=5000)
        frames.append(page.evaluate(EMPTY_FRAME))
    seen = page.evaluate("window.unrolledBench.hovers")
    for x, y in page.evaluate(PICTURES):
        page.mouse.move(x, y)
        page.evaluate(EMPTY_FRAME)
    time.sleep(SETTLE_SECONDS)  # what is asked for in a moment of rest is asked for too
    sent = page.evaluate("window.unrolledBench.sent") - before
    if not all(hover["done"] for hover in seen):
        raise RuntimeError("a token under the pointer is not lit up one frame later")
    if sent:
        raise RuntimeError(f"hovering sent {sent} messages; it must not need the server")
    times = [hover["ms"] for hover in seen]
    return Row.of(
        f"hover, {name}", f"{len(boxes)} tokens, 0 messages sent", times, "empty frame", frames
    )


# Nine points of each picture on the screen.
PICTURES = """() => [...document.querySelectorAll(".un canvas")].flatMap((c) => {
  const { left, top, width, height } = c.getBoundingClientRect();
  return [0.2, 0.5, 0.8].flatMap((y) => [0.2, 0.5, 0.8].map((x) => [left + x * width, top + y * height]));
}).filter(([x, y]) => x >= 0 && x < innerWidth && y >= 0 && y < innerHeight)"""


def quiet(page: Any) -> int:
    """How many messages were sent once the page rests: some pages go on working in a moment of rest,
    message after message.  No reply is missing then, and for QUIET_SECONDS none was sent or came.

    RuntimeError when there is no such moment.
    """
    from playwright.sync_api import TimeoutError as Late

    try:
        page.wait_for_function(
            f"""() => {{ const {{ asking, heard }} = window.unrolledBench;
            return !asking.size && performance.now() - heard > {1000 * QUIET_SECONDS}; }}""",
            timeout=1000 * LOUDEST_SECONDS,
            polling=100,
        )
    except Late as error:
        raise RuntimeError(f"{page.url} never stops sending messages") from error
    return int(page.evaluate("window.unrolledBench.sent"))


# How long a frame takes in which nothing is drawn, from a random moment on.
EMPTY_FRAME = """() => new Promise((done) => setTimeout(() => {
  const start = performance.now();
  requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = () => done(performance.now() - start); c.port2.postMessage(0); });
}, Math.random() * 16))"""


def switches(browser: Any, server: Server) -> Iterator[Row]:
    """Click on a lesson in the menu to its painted picture, lesson after lesson, each opened
    before."""
    context = browser.new_context(viewport=SIZE)
    page = context.new_page()
    page.goto(f"{server.url}/{LIVE[0].id}")
    page.wait_for_selector(f'[data-unrolled="{LIVE[0].id}"][data-painted]', timeout=60_000)
    times = []
    for n in range(len(LIVE) + SWITCHES):
        item = LIVE[(n + 1) % len(LIVE)]
        time.sleep(SETTLE_SECONDS)
        page.eval_on_selector_all(
            ".un-menu details", "all => all.forEach((one) => (one.open = true))"
        )
        link = page.get_by_test_id("stSidebar").get_by_role("link", name=item.title, exact=True)
        page.evaluate(SWITCH, item.id)
        link.click()
        took = page.evaluate("window.unrolledSwitch")
        if n >= len(LIVE):  # the first round opens models
            times.append(took)
    context.close()
    yield Row.of("switch", f"{len(times)} clicks in the menu", times)


# From the pointer's press on; looks every frame, since a page's element is a new one.
SWITCH = """(id) => {
  const start = new Promise((done) => document.addEventListener("pointerdown", (e) => done(e.timeStamp), { capture: true, once: true }));
  window.unrolledSwitch = start.then((t) => new Promise((done) => {
    const look = () => (document.querySelector(`[data-unrolled="${id}"][data-painted]`) ? done(performance.now() - t) : requestAnimationFrame(look));
    look();
  }));
}"""


# When the text box was first there and when the first answer was painted, in ms since 1970:
# locators look too seldom.
FIRSTS = """
(() => {
  const seen = (window.unrolledFirsts = {});
  const look = () => {
    for (const [name, where] of [["box", "textarea.un-text, input[aria-label=Text]"], ["answer", "[data-painted]"]])
      if (!seen[name] && document.querySelector(where)) seen[name] = performance.timeOrigin + performance.now();
    if (!seen.answer) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""
BARE = "bare Streamlit page"
BARE_PAGE = """
import streamlit as st

st.write("One sentence.")
st.text_input("Text")
"""


def starts(browser: Any) -> Iterator[Row]:
    """Ours and a bare page in turn, each in a new process and with an empty browser cache."""
    painted, answered, bare = [], [], []
    with tempfile.TemporaryDirectory(prefix="unrolled-bare-") as scratch:
        script = Path(scratch) / "bare.py"
        script.write_text(BARE_PAGE, encoding="utf-8")
        for _ in range(STARTS):
            bare.append(_started(browser, "box", script, PEER_ARGS)["box"])
            seen = _started(browser, "answer", ROOT / "app.py")
            painted.append(seen["box"])
            answered.append(seen["answer"])
    size = f"{STARTS} starts"
    yield Row.of("start to home", size, painted, BARE, bare)
    yield Row.of("start to first answer", size, answered, BARE, bare)
    after = [answer - box for answer, box in zip(answered, painted, strict=True)]
    yield Row.of("first answer after home", size, after)


def _started(browser: Any, until: str, script: Path, args: Sequence[str] = ()) -> dict[str, float]:
    """Start a server and open its page; gives when what FIRSTS looks for was there, in ms after the
    start."""
    begin = 1000 * time.time()
    with serve(script, script.parent, args=args) as server:
        context = browser.new_context(viewport=SIZE)
        try:
            page = context.new_page()
            page.add_init_script(FIRSTS)
            page.goto(server.url)
            page.wait_for_function(f"window.unrolledFirsts.{until}", timeout=60_000)
            seen = page.evaluate("window.unrolledFirsts")
        finally:
            context.close()
    return {name: when - begin for name, when in seen.items()}


BENCH = Bench(bench, PARTS)
