"""The boards of single pages in a real browser: what is dragged, learned and drawn is computed again here,
a link brings it back, and each board can be taken away as a picture and as a table.  Their sums by
themselves: tests/js."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import torch
from playwright.sync_api import expect

from engine.analysis.activations import ACTIVATIONS
from engine.lessons.convolution import images, networks
from engine.lessons.neuron.one_neuron import TASKS, Neuron
from engine.lessons.optimisers import race
from engine.lessons.optimisers.race import Course
from engine.lessons.optimisers.surfaces import SURFACES
from engine.lessons.pictures import store
from engine.lessons.softmax.softmax_loss import Logits
from engine.training import settings_in_address
from engine.views.base import number
from tests.bench.server import Server
from tests.browser.conftest import FRAMES, WIDE, reads

Tab = Callable[..., Any]


def is_saved(page: Any, board: str, column: str, folder: Path) -> None:
    """As PNG, as SVG, and as a table with this column."""
    root = page.locator(f'[data-board="{board}"]')
    found: dict[str, Path] = {}
    for kind in ("png", "svg", "csv"):
        root.locator(".un-save summary").click()
        with page.expect_download() as waiting:
            root.locator(f'[data-format="{kind}"]').click()
        found[kind] = folder / waiting.value.suggested_filename
        assert found[kind].suffix == f".{kind}"
        waiting.value.save_as(found[kind])
    data = found["png"].read_bytes()
    wide = int.from_bytes(data[16:20], "big")
    assert data.startswith(b"\x89PNG") and wide >= 1_000
    tree = ElementTree.fromstring(found["svg"].read_bytes())
    names = [node.tag.split("}")[1] for node in tree.iter()]
    assert names.count("text") > 5 and names[1:3] == ["title", "desc"]
    assert wide == pytest.approx(2 * float(tree.get("width", 0)), abs=2)
    table = pd.read_csv(found["csv"])
    assert column in table and len(table) > 3
    for rows in (min(len(table), 200) + 1, 0):
        root.get_by_role("button", name="Table").click()
        expect(root.locator(".un-table tr")).to_have_count(rows)


def drag(page: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()


def comes_first(canvas: Any) -> dict[str, float]:
    """The place of a picture, high and large enough on the first screen."""
    box: dict[str, float] = canvas.bounding_box()
    assert box["y"] <= 260 and box["height"] >= 420
    return box


@pytest.mark.slow
def test_a_neuron(tab: Tab, server: Server, tmp_path: Path) -> None:
    page, state = tab(), "document.querySelector('.ds').neuron"

    def come(query: str = "") -> None:
        page.goto(f"{server.url}/neuron?part=AND%2C+OR%2C+XOR{query}")
        page.wait_for_function(
            f"document.querySelectorAll('.ds canvas').length === 2 && {state}.idle"
        )

    def now() -> dict[str, Any]:
        """The numbers on the board, which are those of the neuron that stands there."""
        page.wait_for_function(f"{state}.idle")
        found: dict[str, Any] = page.evaluate(state)
        z = found["w1"] * found["x1"] + found["w2"] * found["x2"] + found["b"]
        of = ACTIVATIONS[found["f"]]
        wanted = (z, float(of.of(z)), float(of.slope(z)))
        assert [found[name] for name in ("z", "a", "slope")] == pytest.approx(wanted), found["f"]
        return found

    come()
    plane, curve = (page.locator(".ds canvas").nth(n) for n in range(2))
    box = comes_first(plane)
    side = box["width"] - 38

    def at(x1: float, x2: float) -> tuple[float, float]:
        return (box["x"] + 30 + (x1 + 2) / 4 * side, box["y"] + 22 + (2 - x2) / 4 * side)

    drag(page, at(1, 0.5), at(-1, 1))  # the input
    found = now()
    assert (found["x1"], found["x2"]) == pytest.approx((-1, 1), abs=0.02)
    assert "n_x1=-" in page.url
    drag(page, at(0.5, 1.25), at(0.5, 0.25))  # the line, which went through here
    found = now()
    assert found["b"] == pytest.approx(-(1.5 * 0.5 - 0.25), abs=0.05) and found["w1"] == 1.5
    length = (1.5**2 + 1) ** 0.5
    x1, x2 = (w * 1.6 / (length + 4) for w in (1.5, -1.0))
    drag(page, at(x1, x2), at(0.0, 0.8))  # the arrow: half its longest is a length of 4
    found = now()
    assert (found["w1"], found["w2"]) == pytest.approx((0, 4), abs=0.15)
    where = curve.bounding_box()
    page.mouse.click(where["x"] + 44 + (where["width"] - 54) / 2, where["y"] + 100)
    page.wait_for_function(f"{state}.idle && Math.abs({state}.z) < 0.1")
    plane.focus()
    before = now()["x1"]
    page.keyboard.press("ArrowRight")
    assert now()["x1"] == pytest.approx(before + 0.05)
    for name in ("tanh", "ReLU", "GELU"):
        page.get_by_role("button", name=name, exact=True).click()
        now()
    assert "n_f=gelu" in page.url
    is_saved(page, "neuron", "sum z", tmp_path)

    come("&n_task=or&n_w1=1&n_w2=-2&n_b=1")
    page.get_by_role("button", name="Learn", exact=True).click()
    page.wait_for_function(f"{state}.steps > 300")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.wait_for_function(f"{state}.idle")
    page.evaluate(FRAMES)
    found = page.evaluate(state)
    peer = Neuron((1.0, -2.0), 1.0).learned(TASKS["or"], 0.5, found["steps"])
    assert (found["w1"], found["w2"], found["b"]) == pytest.approx((*peer.w, peer.b), abs=0.006)
    page.get_by_text("4 of 4 corners right").wait_for()


@pytest.mark.slow
def test_softmax(tab: Tab, server: Server, tmp_path: Path) -> None:
    page, state = tab(), "document.querySelector('.ds')?.softmax"

    def now(until: str = "true") -> Logits:
        """What stands on the board, as computed here."""
        page.wait_for_function(f"{state}?.idle && ({until})")
        found = page.evaluate(state)
        one = Logits(tuple(found["z"]), found["target"], found["t"])
        np.testing.assert_allclose(found["p"], one.p, atol=1e-9)
        for kind in ("entropy", "squared"):
            assert found[kind] == pytest.approx(one.loss(kind)), kind
        return one

    page.goto(f"{server.url}/softmax")
    now(f"{state}.columns")
    bars = page.locator(".ds canvas").first
    box = comes_first(bars)
    columns = page.evaluate(state)["columns"]
    middle = [box["x"] + one["x"] + one["w"] / 2 for one in columns]
    zero = box["y"] + 22 + 111
    drag(page, (middle[1], zero - 11), (middle[1], zero - 55.5))  # a logit of 5
    assert now().z[1] == pytest.approx(5, abs=0.1)
    assert "s_z=2%2C5" in page.url.replace(",", "%2C")
    page.mouse.click(middle[2], box["y"] + box["height"] - 40)
    one = now(f"{state}.target === 2")
    page.get_by_text("The target, class 3, has").wait_for()
    # the part below follows: the loss of what stands on the board now
    pulled = number(-float(one.gradient("entropy")[2]))
    page.get_by_text(f"Cross-entropy pulls at its logit with {pulled}").wait_for()
    bars.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert now(f"{state}.target === 0").z[0] == pytest.approx(2.1)
    page.get_by_role("button", name="+ class").click()
    now(f"{state}.z.length === 5")
    is_saved(page, "softmax", "probability p", tmp_path)

    page.get_by_role("button", name="Confidently wrong").click()
    start = now(f"{state}.z[0] === -6")
    page.get_by_role("button", name="Cross-entropy", exact=True).click()
    page.wait_for_function(f"{state}.idle && {state}.p[0] >= 0.895")
    page.evaluate(FRAMES)
    found = page.evaluate(state)
    np.testing.assert_allclose(found["z"], start.learned("entropy", found["steps"]).z, atol=0.006)


@pytest.mark.slow
def test_a_race_of_optimisers(tab: Tab, server: Server, tmp_path: Path) -> None:
    page = tab(height=2000)
    page.goto(f"{server.url}/optimisers")
    page.wait_for_function("document.querySelector('.ds')?.dataset.step === '150'")
    canvas, surface = page.locator(".ds canvas").first, SURFACES["valley"]
    box = comes_first(canvas)
    assert box["width"] > 900
    drag(page, (box["x"] + 100, box["y"] + 60), (box["x"] + 300, box["y"] + 120))
    page.wait_for_function(
        "() => { const r = document.querySelector('.ds').race;"
        " return r.idle && r.paths[0].w[0].join() === r.start.join(); }"
    )
    found = page.evaluate("document.querySelector('.ds').race")
    start = tuple(found["start"])
    assert start != surface.start
    for path, racer in zip(found["paths"], ("plain", "sgd", "rmsprop", "adam"), strict=True):
        peer = race.run(surface, race.racers()[racer], surface.rates[racer], Course(start))
        np.testing.assert_allclose(path["w"], peer.w, rtol=1e-3, atol=1e-6)
    page.get_by_role("button", name="‹ Back").first.click()
    page.wait_for_function("document.querySelector('.ds').dataset.step === '149'")
    is_saved(page, "race", "loss", tmp_path)

    part = page.locator(".st-key-part-learning-rate")
    for label, value, says in (
        ("Warm-up, steps", "110", "at step 110"),
        ("Highest rate", "0.0044", "0.0044"),
    ):
        part.get_by_label(label, exact=True).fill(value)
        page.keyboard.press("Enter")
        expect(part).to_contain_text(says)
    asked = settings_in_address.join_settings({"schedule": "cosine", "rate": 0.0044, "warmup": 110})
    page.locator(f'a[href*="{asked.replace(":", "%3A").replace(",", "%2C")}"]').first.click()
    page.wait_for_url("**/training**")
    page.get_by_text("Changed:").wait_for()
    expect(page.get_by_text("warmup 110 (default 100)")).to_have_count(1)


@pytest.mark.slow
def test_a_digit_is_drawn_and_read(tab: Tab, server: Server, tmp_path: Path) -> None:
    page, board = tab(), "document.querySelector('.cv')?.digit"

    def state(until: str = "true") -> dict[str, Any]:
        page.wait_for_function(f"{board}?.idle && {board}.read && ({until})")
        found: dict[str, Any] = page.evaluate(
            f"() => {{ const d = {board}; return {{ ...d, read: null, sum: [...d.read.sum], p: d.read.p }}; }}"
        )
        return found

    page.goto(f"{server.url}/convolution")
    assert images.written(networks.shipped().held_out.cells[29]) == state()["text"]
    pad, opened, filters = (page.locator(".cv canvas").nth(n) for n in range(3))
    box, below = pad.bounding_box(), filters.bounding_box()
    unit, head = box["width"] / 10, 20
    assert box["y"] <= 260 and below["y"] + below["height"] - box["y"] >= 0.6 * 900 - 1
    assert page.evaluate(WIDE) == [0, 0]
    page.get_by_role("button", name="Clear", exact=True).click()
    assert set(state()["text"]) == {"0"}
    x, y = box["x"] + 5 * unit, box["y"] + head
    drag(page, (x, y + 1.6 * unit), (x, y + 8.4 * unit))
    drawn = state()
    before = images.read(drawn["text"])
    assert before is not None and drawn["digit"] == 1 and drawn["p"][1] > 0.9
    peer = networks.shipped().network(1, 1, "max").read(before[None] / images.FULL)
    np.testing.assert_allclose(drawn["sum"], peer.sum_NFPP.ravel(), atol=1e-9)
    np.testing.assert_allclose(drawn["p"], peer.probability_NK[0], atol=1e-9)
    page.get_by_text("Read as 1").first.wait_for()
    page.get_by_role("button", name="Move the drawing right").click()
    moved = images.read(state()["text"])
    assert moved is not None and (moved == images.moved(before, 0, 1)).all()
    says = page.locator(".cv .un-readout").first
    reads(says, "56 of 56 numbers of map 1 have moved along")

    pad.focus()
    page.keyboard.press("ArrowLeft")
    assert state()["text"] == drawn["text"]
    filters.focus()
    page.keyboard.press("ArrowRight")
    assert state()["filter"] == 1
    opened.focus()
    row, column = state()["place"]
    page.keyboard.press("ArrowDown")
    assert state()["place"] == [row + 1, column]
    pad.focus()
    page.keyboard.press("Enter")  # a cell more, in the middle of the kernel
    inked = state()["text"]
    assert sum(a != b for a, b in zip(inked, drawn["text"], strict=True)) == 1
    is_saved(page, "digit", "value", tmp_path)
    page.wait_for_function("location.search.includes('filter=2')")

    # its link, on a phone, in the dark, with other settings
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark")
    page.goto(f"{page.url}&stride=2&padding=0&pooling=average")
    again = state(f"{board}.read.side === 3")
    assert (again["text"], again["filter"]) == (inked, 1)
    assert page.evaluate(WIDE) == [0, 0]
    assert page.evaluate("document.querySelector('.cv').classList.contains('un-dark')")
    labels = page.locator(".cv canvas").evaluate_all("(all) => all.map((c) => c.ariaLabel)")
    assert all(len(label) > 40 for label in labels)
    page.emulate_media(
        reduced_motion="reduce"
    )  # each place at once; the clock: tests/js/playback.test.js
    walked = set()
    for _ in range(9):
        page.locator(".cv .un-play").first.click()
        page.evaluate(FRAMES)
        walked.add(page.evaluate(f"{board}.place.join()"))
    assert len(walked) == 9


@pytest.mark.slow
def test_patches_a_film_and_captions(tab: Tab, server: Server, tmp_path: Path) -> None:
    page = tab()
    page.goto(f"{server.url}/pictures")
    board = "document.querySelector('[data-board=patches]')?.patches"
    page.wait_for_function(f"{board}?.idle && {board}.read")
    page.get_by_role("button", name="Clear", exact=True).first.click()
    box = page.locator("[data-board=patches] canvas").first.bounding_box()
    unit = (box["width"] - 2) / 8
    x, y = box["x"] + 4 * unit, box["y"] + 20
    drag(page, (x, y + 0.6 * unit), (x, y + 7.4 * unit))
    page.wait_for_function(f"{board}.idle")
    text, p, asks = page.evaluate(f"[{board}.text, {board}.read.p, {board}.asks]")
    cells = images.read(text)
    assert cells is not None and cells.any() and asks > 0  # the patch under the pointer
    net = store.shipped()["placed"]
    with torch.no_grad():
        want = net(torch.tensor(cells[None] / images.FULL).float()).softmax(-1)[0].numpy()
    np.testing.assert_allclose(p, want, atol=0.01)  # weights of four digits
    page.keyboard.press("Escape")
    page.wait_for_function("location.search.includes('drawing=')")
    is_saved(page, "patches", "value", tmp_path)

    page.goto(f"{server.url}/pictures?panel=part-pictures-and-captions")
    held = "document.querySelector('[data-board=matrix]')?.matrix"
    page.wait_for_function(f"{held}?.shares.length === 6 && {held}.loss < 0.01")
    page.get_by_label("Captions, with ; between them").fill("yellow; two green crosses; 🦓")
    page.wait_for_function(f"{held}.shares.length === 3 && {held}.loss === null")
    shares = page.evaluate(f"{held}.shares")
    assert max(shares[1]) == shares[1][4] and not any(shares[2])
    is_saved(page, "matrix", "cosine", tmp_path)

    page.goto(f"{server.url}/pictures?panel=part-a-digit-that-moves&pictures.moves.motion=down")
    page.wait_for_function("document.querySelector('[data-board=film]')?.film?.at(-1)[0] === 2")
    is_saved(page, "film", "probability", tmp_path)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(WIDE) == [0, 0]
