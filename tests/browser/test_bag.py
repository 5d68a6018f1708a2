"""The bag of words page in a real browser: its numbers are those of engine/analysis/bag_of_words, for every key,
slider and reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from engine.analysis.bag_of_words import tfidf
from engine.analysis.bag_of_words.bayes import NaiveBayes
from engine.analysis.bag_of_words.counts import count
from engine.analysis.bag_of_words.evaluate import evaluate, split
from engine.core.registry import corpora
from tests.browser.conftest import WAIT_MS, Live
from tests.browser.test_save import opens, save

ALL = corpora.get("reviews").labelled()
USED, OUT = (
    ([ALL[d][0] for d in part], [ALL[d][1] for d in part])
    for part in split([a for a, _ in ALL], 0.3, 0)
)
TEXT = "The food wasn’t bad, not bad at all: GREAT great soup — naïve zzz"


def drawn(live: Live) -> dict[str, np.ndarray]:
    return {name: values for name, (_, _, values) in live.numbers().items()}


def test_the_browser_counts_like_the_engine(page: Any) -> None:
    live = page("bag").fill(TEXT)
    counts = count(*USED)
    panel = live.page.locator('[data-panel="ladder"]')
    slider = live.page.get_by_role("slider", name="Smoothing k")
    expect(live.page.locator(".un-below > .un-status")).to_contain_text(
        "“naïve”, “zzz”", use_inner_text=True
    )
    for kind in ("Multinomial", "Bernoulli"):
        live.page.get_by_role("button", name=kind, exact=True).click()
        for step, k in ((7, 1), (3, 0.05)):
            slider.fill(str(step))
            model = NaiveBayes(counts, k, kind.lower())
            read, found = model.read(TEXT), drawn(live)
            np.testing.assert_allclose(found["joint"], read.joint_C, rtol=1e-5)
            np.testing.assert_allclose(found["posterior"], read.posterior_C, rtol=1e-4)
            assert found["accuracy"][0] == pytest.approx(
                evaluate(model.predict, counts.classes, *OUT).accuracy
            )
            steps = [
                float(read.prior_C[1] - read.prior_C[0]),
                *(read.parts_WC[:, 1] - read.parts_WC[:, 0]),
                *([read.rest_C[1] - read.rest_C[0]] if kind == "Bernoulli" else []),
            ]
            np.testing.assert_allclose(found["steps"], steps, rtol=1e-4, atol=1e-4)
            expect(panel.locator(".bag-total .bag-number").last).to_have_text(
                f"{100 * read.posterior_C[1]:.3g} %", use_inner_text=True
            )  # type: ignore[index]
    slider.fill("0")
    live.fill("great dirty")
    assert "posterior" not in drawn(live)
    expect(live.page.locator('[data-panel="rule"]')).to_contain_text("0 / 0", use_inner_text=True)
    live.fill(TEXT)
    live.page.get_by_role("button", name="TF-IDF", exact=True).click()
    np.testing.assert_allclose(
        drawn(live)["joint"], tfidf.fit(counts, *USED).parts(TEXT)[1].sum(0), atol=1e-5
    )

    live.page.get_by_role("button", name="Multinomial", exact=True).click()
    slider.fill("7")
    before = drawn(live)["posterior"]
    live.page.get_by_role("button", name="Shuffle the words").click()
    live.painted()
    assert np.allclose(drawn(live)["posterior"], before) and sorted(
        live.box.input_value().split()
    ) == sorted(TEXT.split())
    live.page.get_by_text("Examples", exact=True).click()
    live.page.get_by_role("button", name="a word 200 times").click()
    live.painted()
    expect(panel).to_contain_text("×200", use_inner_text=True)
    live.fill("great " * 3000)
    expect(live.page.locator('[data-panel="rule"]')).to_contain_text(
        "Underflow", use_inner_text=True
    )

    live.page.locator(".bag-cell").nth(1).click()
    some = live.page.locator(".bag-text")
    assert all(("negative", text) in ALL for text in some.all_inner_texts()) and some.count()
    chosen = some.first.inner_text()
    some.first.click()
    live.painted(chosen)
    live.page.wait_for_function(
        "(text) => new URLSearchParams(location.search).get('text') === text",
        arg=chosen,
        timeout=WAIT_MS,
    )
    state = drawn(live)["posterior"]
    live.page.reload()
    live.ready().painted(chosen)
    np.testing.assert_allclose(drawn(live)["posterior"], state)
    for text in ("", "👩‍🚀", "word " * 20_000):
        live.fill(text)


def test_every_picture_of_it_can_be_saved(page: Any, tmp_path: Path) -> None:
    live = page("bag", query={"text": TEXT, "rules": "bernoulli_k0.5"})
    for panel in ("ladder", "beside", "rule", "judge"):
        opens(save(live, panel, "svg", tmp_path), "svg")
        assert save(live, panel, "csv", tmp_path).read_text(encoding="utf-8").count("\n") > 2
    expect(live.page.get_by_role("button", name="Bernoulli")).to_have_attribute(
        "aria-pressed", "true"
    )
