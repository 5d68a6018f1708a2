"""Everything that is drawn can be taken away: every panel in every format, and each file opens."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

from engine.course.curriculum import LIVE
from engine.runs.store import Run
from tests.browser.conftest import PAGES, Live, shown_first

pytestmark = pytest.mark.browser
Page = Callable[..., Live]
PICTURES, NUMBERS = ("png", "svg", "pdf", "html"), ("csv", "parquet", "npz", "py")
TEXT = "The king said yes to <Paris>"
MODEL = {item.id: item.model for item in LIVE}
OF = {"units": "lstm", "arcs": "transformer", "path": "skipgram"}  # whose the pictures of home are
# A page that is whole by itself names other places only as links and namespaces, never as something
# to load.
LOADS = re.compile(
    r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)\s*=\s*["']?(?!data:|\#)""", re.IGNORECASE
)


def opens(path: Path, kind: str) -> None:
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
            assert not LOADS.search(page) and "default-src 'none'" in page, (
                "opens without a network, and could not use one"
            )
            assert "<Paris>" not in page.split("</head>")[0], "a text is not markup"
        case "csv":
            assert not pd.read_csv(path, comment="#").empty
        case "parquet":
            assert not pd.read_parquet(path).empty
        case "npz":
            with np.load(path, allow_pickle=False) as found:
                about = json.loads(str(found["trace"]))
                assert about["text"] == TEXT and about["run"]
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
                "\\u003cParis\\u003e",
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


# here each panel of home in every third format, in turn
@pytest.mark.parametrize(
    ("name", "step"),
    [("home", 3), *(pytest.param(n, 1, marks=pytest.mark.slow) for n in PAGES)],
)
def test_every_panel_can_be_saved_in_every_format(
    page: Page, name: str, step: int, tmp_path: Path, run_of: Callable[[str], Run]
) -> None:
    live = page(name).fill(TEXT)
    offered = panels(live)
    assert offered, "no panel of this page can be saved"
    tried = set()
    for n, panel in enumerate(offered):
        run = shown_first(name) or run_of(MODEL.get(name) or OF.get(panel, "ngram")).id
        live.page.wait_for_function(  # what is computed in a moment of rest is there
            "(id) => !document.querySelector(`[data-panel='${id}']`).textContent.includes('when you pause')",
            arg=panel,
        )
        kinds = formats(live, panel)
        assert kinds[:4] == [*PICTURES] and kinds[4:] in ([*NUMBERS], ["csv"]), kinds
        for kind in kinds[n % step :: step]:
            tried.add(kind)
            path = save(live, panel, kind, tmp_path)
            opens(path, kind)
            states(path, kind, run, TEXT)
    assert tried >= {*PICTURES, "csv"} and (name != "home" or tried == {*PICTURES, *NUMBERS})
    expect(live.box).to_have_value(TEXT)
    live.type("!")  # saving has not disturbed the typing


@pytest.mark.slow
def test_a_saved_picture_is_of_what_is_chosen(page: Page, tmp_path: Path) -> None:
    """The numbers in the file are those on the screen, of the head that is open."""
    live = page("attention", query={"text": "The king said yes", "layer": "1", "head": "2"})
    axes, labels, values = live.numbers()["attention"]
    assert axes == ["query", "key"]
    frame: Any = pd.read_csv(save(live, "chain", "csv", tmp_path), comment="#")
    column = next(c for c in frame.columns if c in ("attention", "value", "weight"))
    wanted = np.sort(values[np.tril_indices(len(labels[0]))])
    np.testing.assert_allclose(np.sort(frame[column].to_numpy())[-len(wanted) :], wanted, atol=1e-4)
