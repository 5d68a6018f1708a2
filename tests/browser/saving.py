"""Saving: a panel is taken away as a file, which is what its name says, says what it is of, and has the
words of the screen."""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
from playwright.sync_api import expect

from engine.saving import stamp
from tests.browser.conftest import Live

PICTURES, NUMBERS = ("png", "svg", "pdf", "html"), ("csv", "parquet", "npz", "py")
# A page that is whole by itself names other places only as links and namespaces, never as something
# to load.
LOADS = re.compile(
    r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)\s*=\s*["']?(?!data:|\#)""", re.IGNORECASE
)


def opens(path: Path, kind: str, text: str = "") -> None:
    """The file is what its name says."""
    data = path.read_bytes()
    assert len(data) > 60  # two rows of a table are a file too
    match kind:
        case "png":
            assert data.startswith(b"\x89PNG\r\n\x1a\n") and data.rstrip(b"\0").endswith(
                b"IEND\xaeB`\x82"
            )
            assert int.from_bytes(data[16:20], "big") >= 300, "wide enough to be looked at"
        case "svg":
            assert ElementTree.fromstring(data).tag.endswith("svg")
        case "pdf":
            assert data.startswith(b"%PDF-") and b"%%EOF" in data[-64:]
        case "html":
            page = data.decode()
            assert "<svg" in page and "<text" in page and "<script" not in page
            assert "<b>" not in page.split("</head>")[0], "a text is not markup"
            assert not LOADS.search(page) and "default-src 'none'" in page, (
                "opens without a network, and could not use one"
            )
        case "csv":
            assert not pd.read_csv(path, comment="#").empty
        case "parquet":
            assert not pd.read_parquet(path).empty
        case "npz":
            with np.load(path, allow_pickle=False) as found:
                about = json.loads(str(found["trace"]))
                assert about["text"] == text and about["run"]
                names = set(found.files) - {"trace"}
                assert names and names <= set(about["fields"]) | names
                assert all(
                    found[name].dtype == np.float32 for name in names if name in about["fields"]
                )
        case "py":
            ast.parse(data.decode())


def states(path: Path, kind: str, run: str, text: str) -> None:
    """Every saved file says which model and which text it is of; checked where a file is read
    without a decoder."""
    if kind in ("html", "py"):
        said = path.read_text(encoding="utf-8")
        assert run in said, f"{kind} does not name the run"
        assert any(
            form in said
            for form in (
                text,
                json.dumps(text)[1:-1],
                text.replace("<", "&lt;").replace(">", "&gt;"),
                text.replace("<", "\\u003c").replace(">", "\\u003e"),
            )
        )


def save(live: Live, panel: str, kind: str, folder: Path) -> Path:
    menu = live.page.locator(f'[data-panel="{panel}"] details.un-save')
    if menu.get_attribute("open") is None:
        menu.locator("summary").click()
    with live.page.expect_download(timeout=30_000) as waiting:
        menu.locator(f'button[data-format="{kind}"]').click()
    download = waiting.value
    name = download.suggested_filename
    assert name.endswith(f".{kind}") and re.fullmatch(r"[\w.-]+", name), name
    path = folder / f"{panel}-{name}"
    download.save_as(path)
    return path


def panels(live: Live) -> list[str]:
    found: list[str] = live.page.eval_on_selector_all(
        "[data-panel]:not([hidden]):has(details.un-save)",
        "(all) => all.map((p) => p.dataset.panel)",
    )
    return found


def formats(live: Live, panel: str) -> list[str]:
    buttons = live.page.locator(f'[data-panel="{panel}"] .un-save-list button')
    found: list[str] = buttons.evaluate_all("(all) => all.map((b) => b.dataset.format)")
    return found


def every_format_is_saved(live: Live, folder: Path, run: Callable[[str], str]) -> None:
    """Each format once, the panels taking turns: every panel as a picture is `same_words`, with its numbers
    tests/pages/test_every_page.py.  `run` says whose a panel is."""
    offered, text = panels(live), live.box.input_value()
    assert offered, "no panel of this page can be saved"
    live.page.wait_for_function(  # what is computed in a moment of rest is there
        "() => !document.querySelector('[data-unrolled]').textContent.includes('when you pause')"
    )
    able: dict[str, list[str]] = {}
    for panel in offered:
        kinds = formats(live, panel)
        assert kinds[:4] == [*PICTURES] and kinds[4:] in ([*NUMBERS], ["csv"]), kinds
        for kind in kinds:
            able.setdefault(kind, []).append(panel)
    for n, (kind, those) in enumerate(able.items()):
        panel = those[n % len(those)]
        path = save(live, panel, kind, folder)
        opens(path, kind, text)
        states(path, kind, run(panel), text)
    expect(live.box).to_have_value(text)


# Of a panel: the words of its elements, and per drawing what is written onto its canvases.
LOOK = """(id) => {
  const root = document.querySelector(`[data-panel="${id}"]`);
  const hosts = [...document.querySelectorAll("*")].filter((n) => n.unrolledApp);
  const panel = hosts[0].unrolledApp.panels.find((p) => p.spec.id === id);
  const prototype = CanvasRenderingContext2D.prototype, { fillText, clearRect } = prototype;
  const written = new Map();
  prototype.clearRect = function (...a) { written.set(this.canvas, []); return clearRect.apply(this, a); };
  prototype.fillText = function (...a) {
    if (root.contains(this.canvas)) written.set(this.canvas, [...(written.get(this.canvas) ?? []), String(a[0])]);
    return fillText.apply(this, a);
  };
  try { panel.draw(); } finally { Object.assign(prototype, { fillText, clearRect }); }
  root.classList.add("un-saved");
  const words = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) { if (node.data.trim()) words.push(node.data); return; }
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches("select, input, canvas, title")) return;
    const style = getComputedStyle(node);
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return;
    if (style.textOverflow === "ellipsis" && node.scrollWidth > node.clientWidth) return;
    if (style.textTransform !== "none") return;
    node.childNodes.forEach(walk);
  };
  walk(root);
  root.classList.remove("un-saved");
  const drawn = [...written].filter(([canvas]) => root.contains(canvas)).flatMap(([, all]) => all);
  return { title: panel.title.textContent, words, written: drawn, strip: !!root.querySelector(".un-strip") };
}"""


def bare(text: str) -> str:
    """Without spaces, which a line end takes away, and without what XML cannot hold."""
    return re.sub(r"\s", "", stamp.UNFIT.sub("\ufffd", text))


def letters(svg: str) -> list[str]:
    tree = ElementTree.fromstring(svg)
    return ["".join(node.itertext()) for node in tree.iter() if node.tag.endswith("}text")]


def same_words(live: Live, panel: str, folder: Path) -> str:
    """Save a panel as SVG; it has the words of the screen.  Returns the SVG."""
    # a picture that is pointed at speaks of that place
    live.page.locator(".un-title").first.hover()
    seen = live.page.evaluate(LOOK, panel)
    svg = save(live, panel, "svg", folder).read_text(encoding="utf-8")
    assert ElementTree.fromstring(svg)[0].text == stamp.UNFIT.sub("\ufffd", seen["title"])
    said = letters(svg)
    whole = bare("".join(said))
    for words in seen["words"]:
        assert bare(words) in whole, (panel, words)
    drawn = Counter(bare(words) for words in said)
    for words, times in Counter(bare(w) for w in seen["written"]).items():
        if words:
            assert drawn[words] >= times, (panel, words)
    assert "Model:" in said[-1] or any(words.startswith("Model:") for words in said)
    return svg
