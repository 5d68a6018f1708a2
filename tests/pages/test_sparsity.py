"""The page on sparsity: what it says is what is counted, whatever text it is given."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.analysis.study import Study
from engine.ngram import sparsity
from engine.saving.export import render
from engine.lessons.counting_texts import PRESETS
from pages.ui.counting import reach
from pages.ui.counting.context import Context
from pages.ui.counting.study import Chosen
from tests.conftest import ROOT, TEXT

SECONDS = 180
HOSTILE = {
    "nothing": "",
    "spaces": "  \n ",
    "one word": "cat",
    "one letter": "a",
    "emoji": "👩‍🚀🏳️‍🌈 ok 🇫🇷\n👩‍🚀 ok",
    "markup": "<script>alert(1)</script> **b** $x^2$ :red[x]\n<script>",
    "controls": "\x00\x01\x02",
    "right to left": "שלום עולם\n\u202eabc",
    "huge": "the old captain saw the sea\n" * 20_000,
    "one long word": "a" * 50_000,
    "same word": "no " * 500 + "\n" + "no " * 500,
}


@pytest.fixture(scope="module", autouse=True)
def fresh() -> Any:
    yield
    st.cache_resource.clear()


def opened(**state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS).switch_page(
        "pages/220_sparsity.py"
    )
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info))


def chosen(text: str = TEXT, order: int = 4) -> Chosen:
    return Chosen(Study.of(text, order), PRESETS[0], order, "words", "test")


def columns(plate: Any) -> dict[str, list[Any]]:
    return {name: values.tolist() for name, values in plate.entries[0].columns.items()}


def test_opens_with_every_picture_and_no_click() -> None:
    at = opened(corpus="Four sentences")
    assert not at.exception and len(at.header) == 1 and len(at.subheader) == 3
    assert len(at.get("vega_lite_chart") or at.get("arrow_vega_lite_chart")) == 7
    assert len(at.dataframe) == 1


def test_the_numbers_are_those_of_the_text() -> None:
    """An independent count: the words of four sentences and </s>, by Counter."""
    at = opened(corpus="Four sentences", order=3)
    lines = [[*line.split(), "</s>"] for line in PRESETS[0].lines]
    types = {w for line in lines for w in line}
    grams = Counter(
        tuple(line[i : i + 3])
        for line in [["<s>", *line] for line in lines]
        for i in range(len(line) - 2)
    )
    once = sum(c == 1 for c in grams.values()) / len(grams)
    assert (
        f"{len(types)} different words make {len(types) ** 3:.3g} possible 3-grams."
        f" **{len(grams)}** of them occur here, **{100 * once:.0f} %**" in said(at)
    )


def test_zero_events_are_counted_and_never_infinite() -> None:
    at = opened(corpus="Four sentences", order=3)
    rows = at.dataframe[0].value
    assert (
        set(rows["method"]) >= {"Maximum likelihood"}
        and rows["probability 0"].str.contains(" of ").all()
    )
    assert not rows["perplexity of the rest"].str.contains("inf|nan|∞").any()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_survives_any_text_of_ones_own(text: str) -> None:
    at = opened(corpus="Your own text", own=text)
    assert not at.exception, at.exception
    assert at.subheader or at.info or at.error


@pytest.mark.parametrize(
    "after",
    [
        "",
        "cat",
        "zyx",
        "<script>alert(1)</script>",
        "👩‍🚀",
        "</s> <s> <unk>",
        "a " * 900,
        "**b** $x$",
    ],
)
def test_survives_any_context(after: str) -> None:
    at = opened(corpus="Four sentences", after=after)
    assert not at.exception, at.exception
    assert len(at.subheader) == 3


@pytest.mark.parametrize("cut", ["words", "characters"])
def test_a_click_goes_deeper(cut: str) -> None:
    at = opened(corpus="Four sentences", order=3, after="the", cut=cut)
    pills = next(p for p in at.get("button_group") if p.key == "deeper")
    word = pills.options[0]
    pills.set_value(word).run()
    assert not at.exception
    assert at.session_state["after"] == ("the " if cut == "words" else "the") + word.replace(
        "·", " "
    )


@pytest.mark.parametrize(
    "bad",
    [{"corpus": "<script>"}, {"order": "99"}, {"cut": "__proto__"}, {"after": "\u202e" * 50}],
    ids=str,
)
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update(bad)
    assert not at.switch_page("pages/220_sparsity.py").run().exception


def test_the_tree_holds_the_counts() -> None:
    it = chosen("a b c\na b d\na c\nzz")  # the last line is held out
    context = Context(it.study.tokenizer.encode("a").ids, ("a",))
    plate, follow = reach.tree(it, context, 2)
    found = columns(plate)
    assert found["word"] == ["a", "b", "c", "c", "d", "</s>"] and found["count"] == [
        3,
        2,
        1,
        1,
        1,
        1,
    ]
    assert (
        found["parent"] == [-1, 0, 0, 1, 1, 2]
        and found["share"] == [1, 2 / 3, 1 / 3, 0.5, 0.5, 1]
        and follow == ["b", "c"]
    )


def test_a_context_that_was_never_followed_is_shortened() -> None:
    it = chosen("a b c\na b d\na c\nzz")
    plate, _ = reach.tree(it, Context(it.study.tokenizer.encode("d b").ids, ("d", "b")), 2)
    assert columns(plate)["word"][0] == "b"
    plate, _ = reach.tree(it, Context(it.study.tokenizer.encode("zyx").ids, ("zyx",)), 1)
    assert columns(plate)["word"][0] == "whole text"


def test_pictures_hold_what_was_counted_and_can_be_saved() -> None:
    it = chosen()
    rows = sparsity.table(it.study.raw)
    plate = reach.distinct(it, rows)
    assert columns(plate)["value"] == [
        n for name in ("tokens", "distinct", "once") for n in (getattr(r, name) for r in rows)
    ]
    assert columns(reach.possible(it, rows))["value"][:4] == [
        float(rows[0].distinct ** n) for n in (1, 2, 3, 4)
    ]
    for made in (plate, reach.zipf(it)[0], reach.growth(it)[0]):
        assert (
            b"<svg" in render(made.figure(False), "svg")[:200]
            and made.make("npz", False)[:2] == b"PK"
            and b"views" in made.make("py", False)
        )


def test_a_method_with_zero_events_is_not_drawn() -> None:
    from engine.analysis import curves
    from engine.core.registry import smoothings

    it = chosen("\n".join(f"w{i} w{i + 1} w{i + 2}" for i in range(40)), 2)
    methods = {smoothings.get(id).title: smoothings.get(id)() for id in ("mle", "kneser_ney")}
    points = [*curves.by_order(it.study, methods), *curves.by_size(it.study, methods)]
    for by in ("order", "tokens"):
        assert set(columns(reach.perplexity(it, points, by))["series"]) == {"Kneser-Ney"}
    assert {row["method"] for row in reach.impossible(it, points)} == {"Maximum likelihood"}


def test_more_are_possible_than_64_bits_count() -> None:
    of = chosen(" ".join(f"w{n}" for n in range(8_000)) + "\nw1 w2", 5)
    rows = sparsity.table(of.study.raw)
    assert rows[-1].possible == 8_001**5 > 2**64
    assert columns(reach.possible(of, rows))["value"][4] == pytest.approx(8_001**5)
