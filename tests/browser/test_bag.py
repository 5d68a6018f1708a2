"""The bag of words page in a real browser: its numbers are those of engine/lessons/bag, for every key and
reading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from engine.core.registry import corpora
from engine.lessons.bag import tfidf
from engine.lessons.bag.bayes import NaiveBayes
from engine.lessons.bag.counts import count
from engine.lessons.bag.evaluate import split
from tests.browser.conftest import Live
from tests.browser.test_save import opens, save

ALL = corpora.get("reviews").labelled()
USED, OUT = (
    ([ALL[d][0] for d in part], [ALL[d][1] for d in part])
    for part in split([a for a, _ in ALL], 0.3, 0)
)
TEXT = "The food wasn’t bad, not bad at all: GREAT great soup — naïve zzz"


def percent(p: float) -> str:
    return f"{100 * p:.3g} %"


def rows(live: Live, panel: str) -> list[list[str]]:
    """The table of a picture."""
    app = "document.querySelector('[data-unrolled]').parentElement.unrolledApp"
    find = f"{app}.panels.find((one) => one.spec.id === '{panel}').listed().rows"
    return [[str(cell) for cell in row] for row in live.page.evaluate(find)]


def test_the_browser_shows_what_the_engine_counts(page: Any) -> None:
    live = page("bag").fill(TEXT)
    counts = count(*USED)
    ladder, rule = (live.page.locator(f'[data-panel="{id}"]') for id in ("ladder", "rule"))
    expect(live.page.locator(".un-below > .un-status")).to_contain_text(
        "“naïve”, “zzz”", use_inner_text=True
    )
    for kind in ("Multinomial", "Bernoulli"):
        live.page.get_by_role("button", name=kind, exact=True).click()
        for k in ("1", "0.1"):
            live.page.get_by_role("button", name=f"k = {k}", exact=True).click()
            read = NaiveBayes(counts, float(k), kind.lower()).read(TEXT)
            assert read.posterior_C is not None
            end = percent(read.posterior_C[1])
            expect(ladder.locator(".un-readout")).to_contain_text(
                f"P(positive) = {end}", use_inner_text=True
            )
            live.painted()
            assert [row[-1] for row in rows(live, "rule")] == [*map(percent, read.posterior_C)]
            shown = [row[1] for row in rows(live, "ladder")]
            assert shown[-2:] == ["", ""] and len(shown) == 13
    cosine_C = tfidf.fit(counts, *USED).parts(TEXT)[1].sum(0)
    assert [row[-1] for row in rows(live, "beside")] == [f"{x:.3g}" for x in cosine_C]

    # a factor of 0; a product that is too small; the choice is kept in the address
    live.page.get_by_role("button", name="k = 0", exact=True).click()
    live.fill("great dirty")
    expect(rule).to_contain_text("0 / 0", use_inner_text=True)
    live.page.get_by_role("button", name="Multinomial", exact=True).click()
    live.page.get_by_role("button", name="k = 1", exact=True).click()
    live.fill("great " * 300)
    expect(rule).to_contain_text("Underflow", use_inner_text=True)
    live.page.get_by_role("button", name="k = 10", exact=True).click()
    live.settled("by=k10")
    live.page.reload()
    expect(live.ready().page.get_by_role("button", name="k = 10", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    for text in ("", "👩‍🚀", "word " * 20_000):
        live.fill(text)


def test_every_picture_of_it_can_be_saved(page: Any, tmp_path: Path) -> None:
    live = page("bag", query={"text": TEXT, "rules": "bernoulli", "by": "k0.1"})
    for panel in ("ladder", "beside", "rule"):
        opens(save(live, panel, "svg", tmp_path), "svg")
        assert save(live, panel, "csv", tmp_path).read_text(encoding="utf-8").count("\n") > 2
    expect(live.page.get_by_role("button", name="Bernoulli")).to_have_attribute(
        "aria-pressed", "true"
    )
