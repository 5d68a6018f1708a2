"""Every live picture with three texts, and every board, in a real Chromium."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.bench.server import browse, serve
from tests.record.store import Record, Shown, leaves, short
from tests.record.walk import CHOICES

TEXTS = {"two words": "old captain", "odd": "zzz 7 – “Œuvre” 👍 the captain qwrtzx"}
MOST_MS, STILL, AGAIN_MS = 120_000, 900, 300
APP = 'document.querySelector("[data-unrolled]").parentElement.unrolledApp'
# nothing is on its way for a while, and all is drawn
REST = f"""(text) => {{
  const root = document.querySelector("[data-unrolled]"), app = root?.parentElement.unrolledApp;
  if (!app?.readers.size || root.dataset.painted === undefined) return false;
  if (text !== null && app.text !== text) return false;
  const {{ seq, sent, dirty, layoutHash }} = app, {{ behind, busy }} = root.dataset;
  const now = JSON.stringify([seq, sent, dirty, app.text, layoutHash, behind, busy]);
  if (now !== window.wasNow) Object.assign(window, {{ wasNow: now, sinceNow: performance.now() }});
  return !sent && !dirty && performance.now() - window.sinceNow > {STILL};
}}"""
# the page's script has run, and what it shows is there
RAN = f"""() => {{
  const app = document.querySelector('[data-testid="stApp"]'), parts = '[data-testid^="stBidiComponent"]';
  const empty = [...document.querySelectorAll(parts)].some((e) => e.innerHTML.length < 20);
  if (!app || empty || app.dataset.testScriptState === "running") window.ranAt = performance.now();
  return performance.now() - (window.ranAt ??= performance.now()) > {STILL};
}}"""
# a control by its words, and sentences; not what stands beside every picture (Table, Save)
READ = """
const own = (e) => !e.closest(".un-tools, .un-table, .un-save-status");
const name = (e) =>
  e.getAttribute("aria-label") || e.labels?.[0]?.textContent.trim() || e.textContent.trim() || e.title;
const control = (e) => ({ is: "control", label: name(e),
  ...(e.options ? { options: [...e.options].map((o) => o.textContent) } : {}),
  ...(e.min ? { least: e.min } : {}), ...(e.max ? { most: e.max } : {}),
  value: e.type === "checkbox" ? String(e.checked) : e.getAttribute("aria-pressed") ?? e.value ?? "" });
const CONTROLS = "button, select, input, textarea, summary, [role=slider]";
const controls = (root) => [...root.querySelectorAll(CONTROLS)].filter(own).map(control);
const words = (root) => [...root.querySelectorAll("p, li, figcaption")]
  .filter((e) => own(e) && !e.hidden).map((e) => e.textContent.trim())
  .filter((says) => / .* .*[.!?:]$/.test(says));
const alts = (root) => [...root.querySelectorAll("[aria-label]")]
  .filter((e) => !e.matches(CONTROLS)).map((e) => e.getAttribute("aria-label"));
const text = (e) => e.textContent;
"""
PANELS = f"""() => {{ {READ}
  const app = {APP};
  void app.root.unrolled; // what is out of sight is drawn
  return app.panels.map((panel) => ({{
    id: panel.spec.id, title: text(panel.title), says: text(panel.says), readout: text(panel.readout),
    alt: panel.view.alt() ?? "", words: words(panel.body), controls: controls(panel.body),
    table: panel.listed(),
  }}));
}}"""
AROUND = f"""() => {{ const app = {APP}, {{ prompt, tries, steps }} = app.layout;
  return [[app.text, app.status.textContent, app.tip.textContent],
    [prompt, tries.map((t) => [t.text, t.look]), steps.map((s) => [s.says, s.asks, s.choices])]]; }}"""
CHOOSE = f"""() => {{ const app = {APP}, reader = app.readers.values().next().value;
  app.selection.keep(reader.place(Math.floor((reader.labels.length - 1) / 2)), app); }}"""
BOARDS = f"""() => {{ {READ}
  for (const b of document.querySelectorAll("[data-board] .un-tools button[aria-pressed=false]"))
    if (text(b) === "Table") b.click();
  return [...document.querySelectorAll("[data-board]")].map((root) => {{
    const rows = [...(root.querySelector(".un-table table")?.rows ?? [])];
    const [columns, ...cells] = rows.map((row) => [...row.cells].map(text));
    const table = {{ columns: columns ?? [], rows: cells }};
    return {{ id: root.dataset.board, words: words(root), controls: controls(root), alts: alts(root), table }};
  }});
}}"""


def things(found: Mapping[str, Any]) -> Iterator[Shown]:
    """Of a panel or a board."""
    for kind in ("title", "says", "readout", "alt"):
        if kind in found:
            yield {"is": kind, "says": found[kind]}
    yield from ({"is": "alt", "says": text} for text in found.get("alts", ()))
    yield from ({"is": "text", "says": text} for text in found["words"])
    yield from found["controls"]
    columns, rows = found["table"]["columns"], found["table"]["rows"]
    cells = [[short(cell) for cell in column] for column in zip(*rows, strict=False)]
    yield {"is": "table", "columns": [str(name) for name in columns], "cells": cells}


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
            self.add(found["id"], chosen, things(found))
        said = [*leaves(self.still(AROUND)[: 1 if chosen else 2])]
        self.add("", chosen, ({"is": "text", "says": one} for one in said if one))

    def texts(self) -> None:
        self.panels(None)
        for name, text in {"": "", **TEXTS}.items():
            if text:
                self.tab.locator("textarea.un-text").fill(text)
                self.panels(text, ("text", name))
            self.tab.evaluate(CHOOSE)
            self.panels(None, *([("text", name)] if name else []), ("token", "the middle one"))

    def boards(self, part: str = "") -> None:
        self.tab.wait_for_function(RAN, timeout=MOST_MS)
        for found in self.still(BOARDS):
            if found not in self.met:  # one that stands above the parts stays
                self.add(" / ".join(filter(None, (part, found["id"]))), (), things(found))
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


def record(pages: Iterable[str], out: Path) -> None:
    with serve() as server, browse() as browser:
        here = (server.url, "data:", "blob:")
        for id in pages:
            begun, made = time.monotonic(), Record(id)
            context = browser.new_context(locale="en", viewport={"width": 1280, "height": 900})
            context.route(
                lambda url: not url.startswith(here), lambda route: route.abort()
            )  # no way to the network
            tab = context.new_page()
            tab.set_default_timeout(MOST_MS)
            tab.on("pageerror", lambda error, made=made: made.notes.append(f"page error: {error}"))
            tab.goto(f"{server.url}/{'' if id == 'home' else id}")
            look = Look(tab, made)
            try:
                tab.wait_for_function(RAN, timeout=MOST_MS)
                if tab.locator("[data-unrolled]").count():
                    look.texts()
                look.parts()
            except Exception as problem:  # the others are recorded all the same
                made.notes.append(f"given up: {type(problem).__name__} {problem}")
            context.close()
            if made.states or made.notes:
                made.write(out)
            pictures = len({state.part for state in made.states if state.part})
            print(
                f"{id}: {pictures} pictures, {len(made.states)} states, {len(made.things)} elements,"
                f" {made.notes or 'no'} notes, {time.monotonic() - begun:.0f} s",
                flush=True,
            )
