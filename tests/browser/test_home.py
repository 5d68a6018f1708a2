"""The first page: its four pictures show the models' own numbers, key by key, and lead to their
lessons."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis.units import measured
from engine.runs.store import Run, RunStore
from tests.browser.conftest import Live

Page = Callable[..., Live]
RunOf = Callable[[str], Run]
TEXT = 'The captain said "go home'


def model_of(run: Run) -> Any:
    return RunStore().load(run)


def says(live: Live, panel: str, part: str = ".un-says") -> str:
    return str(live.page.locator(f'[data-panel="{panel}"] {part}').inner_text())


def test_the_four_pictures_are_the_models_own(page: Page, run_of: RunOf) -> None:
    live = page("home")
    one_screen_holds_them(live)
    live.fill(TEXT[:12]).type(TEXT[12:])
    drawn = live.numbers()
    counts_are_those_of_the_ngrams(live, run_of("ngram"))
    units_are_those_that_move(drawn, run_of("lstm"))
    arcs_are_those_of_the_head(live, drawn, run_of("transformer"))
    words_lie_beside_their_neighbours(live, run_of("skipgram"))
    surprise_is_that_of_whole_words(live, drawn)


def counts_are_those_of_the_ngrams(live: Live, run: Run) -> None:
    model = model_of(run)
    p_V = model.trace(TEXT, fields=("probability",)).field("probability").values[-1]
    best = np.argsort(-p_V)[:4]
    rows = live.page.locator('[data-panel="counts"] .un-row').all()
    shown = [re.split(r"\s*\n\s*", row.inner_text().strip()) for row in rows]
    for (label, value), id in zip(shown[:4], best, strict=True):
        assert label in (model.tokenizer.vocab[id], "unknown", "end of the text")
        assert float(value.removesuffix(" %")) == pytest.approx(100 * p_V[id], rel=6e-3)
    assert shown[0][0] in says(live, "counts") and shown[0][1] in says(live, "counts")


def units_are_those_that_move(drawn: dict[str, Any], run: Run) -> None:
    trace = model_of(run).trace(TEXT, fields=("cell", "gate.forget"))
    cell_LTH = trace.field("cell").values
    roles = measured.find(str(run.note["recipe"]))
    moved = {(r.layer, r.unit): np.tanh(cell_LTH[r.layer, 1:, r.unit]).std() for r in roles}
    most = sorted(moved, key=lambda place: -moved[place])[:5]
    for name, field in (("state", "cell"), ("keep", "gate.forget")):
        axes, (names, labels), values_UT = drawn[f"lstm.units.{name}"]
        assert axes == ["unit", "token"] and tuple(labels) == trace.tokens
        places = [tuple(map(int, name.split("."))) for name in names]
        assert {(layer - 1, unit) for layer, unit in places} == set(most)
        for (layer, unit), value_T in zip(places, values_UT, strict=True):
            own_T = trace.field(field).values[layer - 1, :, unit]
            np.testing.assert_allclose(value_T, own_T, atol=2e-3)
    assert (1, 69) in most  # a quotation is open here


def arcs_are_those_of_the_head(live: Live, drawn: dict[str, Any], run: Run) -> None:
    model = model_of(run)
    trace = model.trace(TEXT, fields=("attention", "value"))
    weight, value = (trace.field(name).values.astype(float) for name in ("attention", "value"))
    q, heads = len(trace.tokens) - 1, weight.shape[1]
    far = np.zeros(weight.shape[:2])
    for layer, head in np.ndindex(*far.shape):
        out = model.tower.block(layer).attention.out.weight.detach().double().numpy()
        columns = np.split(out, heads, 1)[head]
        read = sum(weight[layer, head, q, k] * value[layer, head, k] for k in range(1, q - 1))
        far[layer, head] = np.linalg.norm(columns @ read)
    layer, head = np.unravel_index(far.argmax(), far.shape)
    assert f"Layer {layer + 1}, head {head + 1} carries the most" in says(live, "arcs")
    axes, (_, keys), arcs_TT = drawn["transformer.arcs"]
    assert axes == ["query", "key"] and tuple(keys) == trace.tokens
    np.testing.assert_allclose(arcs_TT, weight[layer, head], atol=2e-3)


def words_lie_beside_their_neighbours(live: Live, run: Run) -> None:
    model = model_of(run)
    vectors = np.asarray(model.vectors, float)
    at = model.vocab.index("home")
    cosine = vectors @ vectors[at]
    cosine[[0, 1, 2, at]] = -1
    near = [model.vocab[i] for i in np.argsort(-cosine)[:3]]
    said = says(live, "near", ".un-list")
    assert [said.index(word) for word in near] == sorted(said.index(word) for word in near)
    assert f"{cosine.max():.3f}" in said


def surprise_is_that_of_whole_words(live: Live, drawn: dict[str, Any]) -> None:
    """Its bits are those of all its tokens, and so are those of the word that surprised most."""
    words = re.findall(r"\s*(?:\w+|[^\w\s])", TEXT)
    _, (letters,), bits = drawn["lstm.surprisal"]
    spent = []
    at = len(letters) - len(TEXT)  # behind the start mark
    for word in words:
        spent.append(bits[at : at + len(word)].sum())
        at += len(word)
    worst = words[int(np.argmax(spent))].strip()
    said = says(live, "surprise", ".un-readout")
    found = re.search(r"“([^”]+)”:[^“]*LSTM ([\d.]+) bits", said)
    assert found and found[1] == worst and float(found[2]) == pytest.approx(max(spent), rel=5e-3)
    live.page.locator(".un-chip", has_text="captain").click()
    live.page.wait_for_function(
        "document.querySelector('[data-panel=surprise] .un-readout').textContent.startsWith('“captain”')"
    )
    pointed = re.search(r"LSTM ([\d.]+) bits", says(live, "surprise", ".un-readout"))
    assert pointed and float(pointed[1]) == pytest.approx(spent[1], rel=5e-3)
    assert "“captain”" in says(live, "units") and "captain”" in says(live, "arcs")
    assert "“captain”" in says(live, "counts") and "“captain”" in says(live, "near", "h3")


def one_screen_holds_them(live: Live) -> None:
    """Two and two, of one height, whose sum leaves room for the head of the page."""
    boxes = [live.panel(id).bounding_box() for id in ("counts", "units", "arcs", "near")]
    tops = [round(box["y"]) for box in boxes]
    assert tops[0] == tops[1] < tops[2] == tops[3]
    ribbon = live.panel("surprise").bounding_box()
    assert ribbon["height"] + boxes[0]["height"] + boxes[2]["height"] + 20 < 760


@pytest.mark.slow
def test_an_empty_box_says_what_to_do_and_a_picture_opens_its_lesson(page: Page) -> None:
    live = page("home", query={"reader_ngram": "hmm"}).fill("")
    shown = live.page.locator(".un-nothing")
    shown.wait_for()
    expect(live.panel("units")).not_to_be_visible()
    example = shown.locator("button").first
    text = example.inner_text()
    example.click()
    live.painted(text)
    expect(live.panel("units")).to_be_visible()
    expect(shown).not_to_be_visible()
    live.says("counts", "Next letter", "h3")  # hidden states stand in for counts
    live.fill("The king said yes")
    link = live.panel("arcs").locator("a.un-lesson")
    link.hover()
    expect(link).to_have_attribute("href", "heads?text=The+king+said+yes")
    link.click()
    live.name = "heads"
    live.ready()
    expect(live.box).to_have_value("The king said yes")
