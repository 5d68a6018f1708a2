"""The page on variants: its numbers are those of the four sentences, worked out in fractions, and
nothing that is typed breaks it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.analysis.study import Study
from engine.lessons.counting_texts import PRESETS
from engine.ngram.skipgrams import skipgrams
from engine.ngram.smoothing.witten_bell import WittenBell
from engine.runs import store
from engine.saving.export import render
from pages.ui.counting.study import Chosen
from pages.ui.variants import chosen as variants
from pages.ui.variants import longest, mixture, skip
from tests.conftest import ROOT, diagonal
from tests.lessons.test_sparsity import HOSTILE
from tests.ngram.test_variants import KN, X1, model

SECONDS = 180
SECTIONS = ("Skip-grams", "Variable length", "Cache", "Mixture", "Fill the blank", "Spelling")
NASTY = (
    "",
    " ",
    "zyx",
    "<script>alert(1)</script>",
    "👩‍🚀 🇫🇷",
    "</s> <s> <unk>",
    "the " * 400,
    "**b** $x^2$ _ _ _",
    "\x00\u202e",
    "_",
    "a\nb",
)


@pytest.fixture(scope="module", autouse=True)
def fresh() -> Any:
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


def opened(variant: str, **state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS).switch_page(
        "pages/235_variants.py"
    )
    for name, value in {"variant": variant, **state}.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info, *at.warning, *at.latex))


def table(at: AppTest, column: str) -> dict[str, Any]:
    """One column of the first table that has it, by the words in the first one."""
    frame = next(d.value for d in at.dataframe if column in d.value.columns)
    return dict(zip(frame.iloc[:, 0], frame[column], strict=True))


def chosen(order: int = 3) -> Chosen:
    return Chosen(
        Study.of("\n".join(PRESETS[0].lines), order, hold_out=False),
        PRESETS[0],
        order,
        "words",
        "test",
    )


@pytest.mark.parametrize("variant", SECTIONS)
def test_every_section_opens_with_an_example(variant: str) -> None:
    at = opened(variant)
    assert not at.exception and len(at.header) == 1 and at.session_state["variant"] == variant
    assert at.get("vega_lite_chart") or at.get("arrow_vega_lite_chart")
    assert at.latex and not at.warning


def test_skipgrams_of_the_sentence_and_of_the_text() -> None:
    """T14; the sentence of Guthrie et al. 2006 besides."""
    for k, count in enumerate((5, 9, 12, 14, 15)):
        at = opened("Skip-grams", sentence="the cat sat on the mat", skip=k)
        assert f"has **{count}** {k}-skip-2-grams" in said(at)
    at = opened("Skip-grams", sentence="the cat sat on the mat", skip=2)
    assert "**42** of them, **33** different" in said(at) and "= 12" in said(at)
    times = table(at, "times")
    assert {w: c for w, c in times.items() if c > 1} == {
        "the cat": 4,
        "a dog": 2,
        "dog the": 2,
        "on the": 2,
        "sat on": 2,
        "sat the": 2,
        "the saw": 2,
    }
    assert [skip.number(5, 2, k) for k in range(4)] == [4, 7, 9, 10]
    assert [skip.number(5, 3, k) for k in range(3)] == [3, 7, 10]
    tokens = chosen().study.tokenizer.encode("the cat sat on the mat")
    assert all(
        skip.number(6, n, k)
        == len(skipgrams(tokens.ids, n, k))
        == len(skip.stretches(tokens, n, k))
        for n in (2, 3, 4)
        for k in range(5)
    )


@pytest.mark.parametrize(
    ("d", "fraction", "pairs"),
    [(1, r"\frac{4}{6} = 0.6667", 18), (2, r"\frac{2}{3} = 0.6667", 14), (3, r"\frac{1}{3}", 10)],
)
def test_what_stands_at_a_distance(d: int, fraction: str, pairs: int) -> None:
    text = said(opened("Skip-grams", centre="the", distance=d))
    assert f"has {pairs} pairs at this distance" in text and fraction in text


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("the cat saw the dog", [2, 3, 4, 2, 2, 2]),
        ("a cat sat on the dog", [2, 1, 2, 3, 4, 2, 2]),
        ("the bird sat", [2, 0, 1, 1]),
    ],
)
def test_longest_match(line: str, want: list[int]) -> None:
    at = opened("Variable length", sentence=line, order=4)
    frame = at.dataframe[0].value
    assert frame["longest seen n-gram"].tolist() == want


def test_a_context_has_to_be_seen_often_enough() -> None:
    it = chosen(4)
    found = longest.look(it, it.study.tokenizer.encode("a cat sat on the dog"), 2)
    assert found.length_T.tolist() == [1, 1, 1, 1, 2, 3, 1]
    assert found.pair_T.tolist() == [1, 0, 1, 2, 2, 0, 1] and found.total_T.tolist() == [
        4,
        2,
        4,
        2,
        2,
        2,
        3,
    ]
    assert [found.context(t) for t in (0, 4, 5)] == ["<s>", "sat on", "sat on the"]
    at = opened("Variable length", sentence="a cat sat on the dog", often=20, order=2)
    assert set(at.dataframe[0].value["its length"]) == {0} and "no longer context" in said(
        opened("Variable length", often=20)
    )


def test_the_cache() -> None:
    """T16: .104231 becomes .160475, and the cat's .587203 becomes .528483."""
    at = opened("Cache", left="the", recent="dog saw dog", weight=0.1)
    before, with_it = table(at, "without"), table(at, "with")
    assert (before["dog"], with_it["dog"], before["cat"], with_it["cat"]) == pytest.approx(
        (0.104231, 0.160475, 0.587203, 0.528483), abs=1e-6
    )
    assert r"P = 0.9 \cdot 0.1042 + 0.1 \cdot 0.6667 = 0.1605" in said(at)
    empty = opened("Cache", left="the", recent="", weight=0.9)
    assert table(empty, "without") == table(empty, "with") and "The cache is empty" in said(empty)


def test_the_mixture() -> None:
    """T16: half Kneser-Ney, half Witten-Bell.  The page's Witten-Bell also shares with <unk>, a
    tenth word."""
    p_NK = np.stack([model(method, 2).probabilities(X1) for method in (KN, WittenBell())], 1)
    pair = mixture.Pair(
        ("a", "b"), ("the", "cat", "saw", "the", "dog", "</s>"), p_NK, "test", "A test"
    )
    assert [pair.perplexity(w) for w in (1, 0, 0.5)] == pytest.approx(
        [3.578394, 3.422103, 3.483882], abs=1e-6
    )
    at = opened("Mixture", measured="the cat saw the dog", n1=2, n2=2, share=0.5)
    rows = table(at, "perplexity")
    assert float(rows["Kneser-Ney, order 2"]) == pytest.approx(3.578394, abs=1e-6)
    assert float(rows["Witten-Bell, order 2"]) < float(rows["mixture as set"]) < 3.578394
    rows = table(opened("Mixture"), "perplexity")
    best = float(rows["best weight"])
    assert all(best < float(v) for name, v in rows.items() if "best" not in name)


def test_a_token_that_is_impossible_for_both() -> None:
    at = opened("Mixture", measured="the zebra", share=0.3, smooth2="Kneser-Ney")
    assert not at.exception and "no weight gives a finite perplexity" in said(at)
    assert set(table(at, "perplexity").values()) == {"infinite"}
    kept = opened("Mixture", measured="the zebra", share=0.3, smooth2="Kneser-Ney", spare=True)
    assert not any("infinite" in v for v in table(kept, "perplexity").values())


def test_both_sides_of_a_gap() -> None:
    """T16, Kneser-Ney and maximum likelihood."""
    both = table(opened("Fill the blank", gap="the _ sat"), "in context")
    want = {
        "cat": 0.726129,
        "dog": 0.171855,
        "mat": 0.046977,
        "saw": 0.018346,
        "the": 0.013760,
        "a": 0.009173,
        "sat": 0.009173,
        "on": 0.004587,
    }
    assert {w: p for w, p in both.items() if p} == pytest.approx(want, abs=1e-6)
    at = opened("Fill the blank", gap="the _ sat", smooth="Maximum likelihood")
    assert {w: p for w, p in table(at, "in context").items() if p} == pytest.approx(
        {"cat": 3 / 4, "dog": 1 / 4}
    )
    assert {w: p for w, p in table(at, "P(w | left)").items() if p} == pytest.approx(
        {"cat": 2 / 3, "dog": 1 / 6, "mat": 1 / 6}
    )
    assert (
        "no word fits"
        in said(opened("Fill the blank", gap="on _ on", smooth="Maximum likelihood")).lower()
    )


@pytest.mark.parametrize(
    ("before", "cat", "sat"), [("the", 0.945183, 0.054817), ("cat", 0.140426, 0.859574)]
)
def test_a_slip_in_context(before: str, cat: float, sat: float) -> None:
    """T16, of two candidates; without a choice there are three."""
    state = {"slip": f"{before} xat", "meant": ["cat", "sat"]}
    assert table(opened("Spelling", **state), "in context") == pytest.approx(
        {"cat": cat, "sat": sat}, abs=1e-6
    )
    assert set(table(opened("Spelling", slip=f"{before} xat"), "in context")) == {
        "cat",
        "mat",
        "sat",
    }
    certain = table(opened("Spelling", **state, smooth="Maximum likelihood"), "in context")
    assert certain == ({"cat": 1, "sat": 0} if before == "the" else {"cat": 0, "sat": 1})


@diagonal("variant,typed", SECTIONS, NASTY)
def test_survives_whatever_is_typed(variant: str, typed: str) -> None:
    names = ("sentence", "centre", "left", "recent", "watch", "filler", "measured", "gap", "slip")
    at = opened(variant, **dict.fromkeys(names, typed))
    assert not at.exception, at.exception
    assert at.session_state["variant"] == variant


@diagonal("variant,name", SECTIONS, HOSTILE)
def test_survives_any_text_of_ones_own(variant: str, name: str) -> None:
    at = opened(variant, corpus="Your own text", own=HOSTILE[name])
    assert not at.exception, at.exception
    assert at.caption or at.info or at.error


@pytest.mark.parametrize("variant", SECTIONS)
@pytest.mark.parametrize("order", [1, 5])
def test_every_order_and_characters(variant: str, order: int) -> None:
    at = opened(variant, cut="characters", order=order)
    assert not at.exception, at.exception


def test_another_text_brings_its_own_examples() -> None:
    at = opened("Cache")
    at.selectbox(key="corpus").set_value("San Francisco").run()
    assert (
        not at.exception and at.session_state["left"] == "lost" and at.session_state["order"] == 2
    )


LINK = {
    "corpus": "Four sentences",
    "variant": "Cache",
    "left": "the",
    "recent": "saw",
    "weight": "0.0",
    "fade": "0.7",
    "n": "1",
    "order": "2",
}


def test_a_link_opens_what_it_says() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update(LINK)
    at.switch_page("pages/235_variants.py").run()
    assert not at.exception and {name: str(at.session_state[name]) for name in LINK} == LINK
    assert {name: "".join(at.query_params[name]) for name in ("weight", "fade", "n", "order")} == {
        k: LINK[k] for k in ("weight", "fade", "n", "order")
    }


@pytest.mark.parametrize(
    "bad",
    [
        {"variant": "<b>"},
        {"variant": "Cache", "weight": "-4"},
        {"variant": "Mixture", "n1": "99", "share": "nan"},
        {"skip": "x", "tuple": "7"},
        {"variant": "Variable length", "at": "999", "often": "0"},
        {"variant": "Spelling", "meant": "<i>"},
        {"variant": "Mixture", "mix": "?"},
    ],
    ids=str,
)
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update(bad)
    at.switch_page("pages/235_variants.py").run()
    assert not at.exception, at.exception
    assert at.latex


def test_sections_keep_what_was_set_in_them() -> None:
    at = opened("Cache", left="a", weight=0.4)
    for variant in ("Mixture", "Cache"):
        next(g for g in at.get("button_group") if g.key == "variant").set_value(variant).run()
    assert not at.exception and (at.session_state["left"], at.session_state["weight"]) == ("a", 0.4)


def test_without_trained_models_the_page_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path))
    at = opened("Mixture", mix=mixture.NEURAL)
    assert not at.exception and "needs a trained" in said(at)


def test_counts_and_vectors_read_the_same_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, run_folder: Any
) -> None:
    for id in ("ngram", "skipgram"):
        (tmp_path / id).symlink_to(run_folder(id), target_is_directory=True)
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    st.cache_resource.clear()
    at = opened("Mixture", mix=mixture.NEURAL, read="the old captain saw the sea", share=1.0)
    assert not at.exception, at.exception
    rows = table(at, "perplexity")
    assert rows["mixture as set"] == rows["counts"] and len(rows) == 4
    for typed in NASTY:
        assert not opened("Mixture", mix=mixture.NEURAL, read=typed).exception


def test_pictures_can_be_saved() -> None:
    it = chosen()
    tokens = it.study.tokenizer.encode("a cat sat on the dog")
    made = [
        skip.growth(it, 6, tokens.labels),
        skip.picture(it, tokens, 3, 2),
        longest.picture(it, longest.look(it, tokens, 1), 1),
    ]
    reader = variants.Reader(variants._model(it, "Kneser-Ney", 2, False), "Kneser-Ney")
    made.append(
        variants.bars(
            it,
            "before",
            "A row",
            variants.after(reader, [it.study.vocab.index("the")]),
            np.arange(len(it.study.vocab)),
            "x",
            "the",
        )
    )
    for plate in made:
        assert (
            b"<svg" in render(plate.figure(True), "svg")[:200]
            and plate.make("npz", False)[:2] == b"PK"
            and b"views" in plate.make("py", False)
        )
