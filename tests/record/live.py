"""Every live picture with three texts, and every board, in a real Chromium."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.server import Server, browse, serve
from tests.record.store import Record, Shown, leaves, short
from tests.record.walk import CHOICES

TEXTS = {"two words": "old captain", "odd": "zzz 7 – “Œuvre” 👍 the captain qwrtzx"}
MOST_MS, STILL, AGAIN_MS = 120_000, 900, 300
APP = 'document.querySelector("[data-unrolled]").parentElement.unrolledApp'
# nothing is on its way for a while, and all is drawn
REST = f"""(text) => {{
  const root = document.querySelector("[data-unrolled]"), app = root?.parentElement.unrolledApp;
  if (!app?.readers.size || root.dataset.painted === undefined || (text !== null && app.text !== text)) return false;
  const now = JSON.stringify([app.seq, app.sent, app.dirty, app.text, app.layoutHash, root.dataset.behind, root.dataset.busy]);
  if (now !== window.wasNow) Object.assign(window, {{ wasNow: now, sinceNow: performance.now() }});
  return !app.sent && !app.dirty && performance.now() - window.sinceNow > {STILL};
}}"""
# a control by its words; what stands beside every picture (Table, Save) is left out
CONTROLS = """
const name = (e) => e.getAttribute("aria-label") || e.labels?.[0]?.textContent.trim() || e.textContent.trim() || e.title;
const control = (e) => ({ is: "control", label: name(e), kind: e.type || e.tagName.toLowerCase(),
  ...(e.options ? { options: [...e.options].map((o) => o.textContent) } : {}),
  ...(e.min ? { least: e.min } : {}), ...(e.max ? { most: e.max } : {}),
  value: e.type === "checkbox" ? String(e.checked) : e.getAttribute("aria-pressed") ?? e.value ?? "" });
const controls = (root) => [...root.querySelectorAll("button, select, input, textarea, summary, [role=slider]")]
  .filter((e) => !e.closest(".un-tools, .un-table")).map(control);
const words = (root) => [...root.querySelectorAll("p, li, figcaption")]
  .filter((e) => !e.closest(".un-tools, .un-table, .un-save-status") && !e.hidden).map((e) => e.textContent.trim())
  .filter((says) => / .* .*[.!?:]$/.test(says));
"""
PANELS = f"""() => {{ {CONTROLS}
  const app = {APP};
  void app.root.unrolled; // what is out of sight is drawn
  return app.panels.map((panel) => ({{ id: panel.spec.id, title: panel.title.textContent, says: panel.says.textContent,
    readout: panel.readout.textContent, alt: panel.view.alt() ?? "", words: words(panel.body), controls: controls(panel.body), table: panel.listed() }}));
}}"""
AROUND = f"""() => {{ const app = {APP}, {{ prompt, tries, steps }} = app.layout;
  return {{ text: app.text, status: app.status.textContent, tip: app.tip.textContent, prompt,
    tries: tries.map((t) => [t.text, t.look]), steps: steps.map((s) => [s.says, s.asks, s.choices]) }}; }}"""
CHOOSE = f"""() => {{ const app = {APP}, reader = app.readers.values().next().value;
  app.selection.keep(reader.place(Math.floor((reader.labels.length - 1) / 2)), app); }}"""
BOARDS = f"""() => {{ {CONTROLS}
  for (const button of document.querySelectorAll("[data-board] .un-tools button[aria-pressed=false]"))
    if (button.textContent === "Table") button.click();
  return [...document.querySelectorAll("[data-board]")].map((root) => ({{ id: root.dataset.board, words: words(root), controls: controls(root),
    alts: [...root.querySelectorAll("[aria-label]")].filter((e) => !e.matches("button, select, input, textarea")).map((e) => e.getAttribute("aria-label")),
    table: [...root.querySelectorAll(".un-table table")].map((t) => [...t.rows].map((r) => [...r.cells].map((c) => c.textContent)))[0] ?? [[]] }}));
}}"""


def panel(found: Mapping[str, Any]) -> Iterator[Shown]:
    for kind in ("title", "says", "readout", "alt"):
        yield {"is": kind, "says": found[kind]}
    yield from ({"is": "text", "says": text} for text in found["words"])
    yield from found["controls"]
    yield table(found["table"]["columns"], found["table"]["rows"])


def table(columns: Iterable[Any], rows: Iterable[Iterable[Any]]) -> Shown:
    cells = [[short(cell) for cell in column] for column in zip(*rows)]
    return {"is": "table", "columns": [*columns], "cells": cells}


def board(found: Mapping[str, Any]) -> Iterator[Shown]:
    yield from ({"is": "alt", "says": text} for text in found["alts"])
    yield from ({"is": "text", "says": text} for text in found["words"])
    yield from found["controls"]
    yield table(found["table"][0], found["table"][1:])


class Look:
    """One page in one tab."""

    def __init__(self, tab: Any, record: Record) -> None:
        self.tab, self.record = tab, record
        self.met: list[Any] = []  # boards

    def still(self, look: str) -> Any:
        """What a look finds three times, one after the other."""
        found: list[Any] = []
        for _ in range(MOST_MS // AGAIN_MS):
            found = [*found[-2:], self.tab.evaluate(look)]
            if len(found) == 3 and found[0] == found[1] == found[2]:
                return found[0]
            self.tab.wait_for_timeout(AGAIN_MS)
        self.record.notes.append("is never still")
        return found[0]

    def add(self, part: str, chosen: Iterable[tuple[str, str]], things: Iterable[Shown]) -> None:
        self.record.add((part,) if part else (), chosen, map(self.record.number, things))

    def panels(self, text: str | None, *chosen: tuple[str, str]) -> None:
        self.tab.wait_for_function(REST, arg=text, timeout=MOST_MS)
        for found in self.still(PANELS):
            self.add(found["id"], chosen, panel(found))
        around = self.still(AROUND)
        said = [around[name] for name in ("text", "status", "tip")]
        if not chosen:
            said += [one for one in leaves([around["prompt"], around["tries"], around["steps"]])]
        self.add("", chosen, ({"is": "text", "says": one} for one in said if isinstance(one, str)))

    def texts(self) -> None:
        self.panels(None)
        for name, text in {"": "", **TEXTS}.items():
            if text:
                self.tab.locator("textarea.un-text").fill(text)
                self.panels(text, ("text", name))
            self.tab.evaluate(CHOOSE)
            self.panels(None, *([("text", name)] if name else []), ("token", "the middle one"))

    def boards(self, part: str = "") -> None:
        self.rested()
        for found in self.still(BOARDS):
            if found not in self.met:  # one that stands above the parts stays
                self.add(" / ".join(filter(None, (part, found["id"]))), (), board(found))
                self.met.append(found)

    def parts(self) -> None:
        """The boards of every part that can be chosen."""
        self.boards()
        for label in CHOICES:
            group = self.tab.locator('[data-testid="stButtonGroup"]').filter(has_text=label)
            for n in range(group.get_by_role("radio").count()):
                one = group.get_by_role("radio").nth(n)
                name = one.text_content()
                one.click()
                self.boards(name)

    def rested(self) -> None:
        self.tab.wait_for_function(
            f"""() => {{ const app = document.querySelector('[data-testid="stApp"]');
              const empty = [...document.querySelectorAll('[data-testid^="stBidiComponent"]')].some((e) => e.innerHTML.length < 20);
              if (!app || empty || app.dataset.testScriptState === "running") window.ranAt = performance.now();
              return performance.now() - (window.ranAt ??= performance.now()) > {STILL}; }}""",
            timeout=MOST_MS,
        )


@contextmanager
def tabs(server: Server) -> Iterator[Any]:
    """Tabs of somebody new, for one page after the other; they reach nothing but the server."""
    with browse() as browser:

        def new(path: str) -> Any:
            context = browser.new_context(locale="en", viewport={"width": 1280, "height": 900})
            context.route("**/*", lambda route: route.continue_() if route.request.url.startswith((server.url, "data:", "blob:")) else route.abort())
            tab = context.new_page()
            tab.set_default_timeout(MOST_MS)
            tab.goto(f"{server.url}/{path}")
            return tab

        yield new


def record(pages: Iterable[str], out: Path) -> None:
    from engine.lessons.curriculum import LIVE

    live = {"home", *(item.id for item in LIVE)}
    with serve() as server, tabs(server) as new:
        for id in pages:
            begun, made = time.monotonic(), Record(id)
            tab = new("" if id == "home" else id)
            tab.on("pageerror", lambda error, made=made: made.notes.append(f"page error: {error}"))
            look = Look(tab, made)
            try:
                if id in live:
                    look.texts()
                look.parts()
            except Exception as problem:  # the others are recorded all the same
                made.notes.append(f"{type(problem).__name__}: {problem}")
            tab.context.close()
            if made.states or made.notes:
                made.write(out)
            pictures = len({state.part for state in made.states if state.part})
            print(f"{id}: {pictures} pictures, {len(made.states)} states, {len(made.things)} elements, {made.notes}, {time.monotonic() - begun:.0f} s", flush=True)
