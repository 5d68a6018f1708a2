"""The page on size: the table of the four sentences (T15, T16) stands on it, and it opens whatever
it is given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.analysis.study import Study
from engine.core.registry import smoothings
from engine.ngram.prune import prune
from engine.saving.export import render
from engine.lessons.counting_texts import PRESETS
from pages.ui.counting.study import Chosen
from pages.ui.size import codes, costs, counted, formula, memory
from tests.conftest import ROOT, TEXT, diagonal
from tests.ngram.test_prune import ROWS
from tests.pages.test_sparsity import HOSTILE

SECONDS = 180
HALF = {
    "corpus": "Four sentences",
    "order": 2,
    "method": "Back-off, fixed discount",
    "d": 0.5,
    "floor": False,
    "sentence": "the cat saw the dog",
}
#  kept: bigrams, perplexity of the sentence, of the counted text
CUTS = {
    "c > 0: everything": (17, 4.299794, 2.857970),
    "c > 1": (6, 5.368183, 3.995158),
    "c > 2": (2, 5.103864, 6.297424),
}
PRUNED = {
    "0.5%": (14, 5.221888, 2.989028),
    "1%": (10, 5.723230, 3.339781),
    "2%": (6, 5.368183, 3.995158),
    "5%": (4, 5.103864, 4.576715),
    "10%": (2, 6.025820, 5.767822),
}


@pytest.fixture(scope="module", autouse=True)
def fresh() -> Any:
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


def opened(**state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS).switch_page(
        "pages/230_size.py"
    )
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def frame(at: AppTest, column: str) -> Any:
    """The table that has this column."""
    return next(f.value for f in at.dataframe if column in f.value.columns)


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info))


def base(
    text: str = TEXT, order: int = 3, id: str = "modified_kneser_ney", **settings: Any
) -> counted.Base:
    study = Study.of(text, order)
    return counted.Base(
        Chosen(study, PRESETS[0], order, "words", f"test.{hash((text, order))}"),
        smoothings.get(id)(**settings),
    )


def columns(plate: Any) -> dict[str, list[Any]]:
    return {name: values.tolist() for name, values in plate.entries[0].columns.items()}


def test_opens_with_every_picture_and_no_click() -> None:
    at = opened(corpus="Four sentences")
    assert not at.exception and len(at.header) == 1 and len(at.subheader) == 3
    assert len(at.get("vega_lite_chart") or at.get("arrow_vega_lite_chart")) == 6
    assert "tokens are held out; a perplexity over so few says little" in said(at)


@pytest.mark.parametrize("threshold", PRUNED)
def test_the_table_of_the_four_sentences(threshold: str) -> None:
    at = opened(**HALF, threshold=threshold)
    assert not at.exception
    rows = frame(at, "kept").set_index("kept")
    for kept, (many, sentence, own) in {
        **CUTS,
        f"threshold {threshold}": PRUNED[threshold],
    }.items():
        assert rows.loc[kept, "n-grams"] == many
        assert rows.loc[kept, "perplexity, the sentence"] == pytest.approx(sentence, abs=2e-6)
        assert rows.loc[kept, "perplexity, the counted text"] == pytest.approx(own, abs=2e-6)
    assert (
        f"Pruned at {threshold} and stored in 4 bits, the model keeps {PRUNED[threshold][0]} of 17"
        " n-grams" in said(at)
    )


def test_what_each_bigram_is_worth() -> None:
    """All 17 rows of Stolcke's table, the cheapest first."""
    rows = frame(opened(**HALF), "D, nats")
    assert rows["D, nats"].is_monotonic_increasing and len(rows) == len(ROWS)
    by_name = rows.set_index("n-gram")
    for context, word, nats, percent, before, after, gamma in ROWS:
        row = by_name.loc[f"{context} {word}"]
        assert row["D, nats"] == pytest.approx(float(nats), abs=5.01e-7) and row[
            "perplexity, + %"
        ] == pytest.approx(float(percent), abs=5.01e-5)
        for name, text in (("P before", before), ("P after", after), ("γ′", gamma)):
            top, _, bottom = text.partition("/")
            assert row[name] == pytest.approx(int(top) / int(bottom or 1), rel=1e-6)


@pytest.mark.parametrize("typed", ["the dog", " the dog "])
def test_the_formula_in_numbers(typed: str) -> None:
    at = opened(**HALF, gram=typed)
    gamma, d = (x.value for x in at.latex)
    assert r"\frac{0.25 + 0.08333}{0.6923 + 0.1154} = 0.4127" in gamma
    assert r"-0.2308\,\big\{\, 0.08333\,[\ln 0.1154" in d and d.count("0.003058") == 1
    assert "from $0.08333$ to $0.04762$" in said(at) and r"e^D - 1 = 0.3063" in said(at)


@pytest.mark.parametrize(
    "typed",
    [
        "dog the",
        "zyx the",
        "the",
        "the dog saw",
        "<script>",
        "$x^2$ **b**",
        "👩‍🚀",
        "</s> <s>",
        "a " * 900,
    ],
)
def test_an_n_gram_that_was_not_counted(typed: str) -> None:
    at = opened(**HALF, gram=typed)
    assert not at.exception and len(at.latex) == 2
    assert "“saw the” is shown" in said(at)


@pytest.mark.parametrize(("typed", "nats"), [("<s> the", "0.06383"), ("mat </s>", "0.01255")])
def test_marks_of_a_sentence_are_part_of_an_n_gram(typed: str, nats: str) -> None:
    at = opened(**HALF, gram=typed)
    assert not at.info and nats in at.latex[1].value


def test_few_bits() -> None:
    """T16: Kneser-Ney's 17 bigrams in bins of equal width."""
    rows = frame(opened(corpus="Four sentences", order=2, method="Kneser-Ney", floor=False), "bits")
    errors = rows[rows["bins"] == "equal width"].set_index("bits")["largest error of log10"]
    for bits, error in ((2, 0.117650), (3, 0.058825), (4, 0.029412), (8, 0.001838)):
        assert errors[bits] == pytest.approx(error, abs=1e-6)
    assert sorted(set(rows["bits"])) == [2, 3, 4, 5, 6, 7, 8, 32]


def test_a_single_line_holds_nothing_out() -> None:
    at = opened(corpus="Your own text", own="the cat saw the dog")
    assert not at.exception and "Nothing is held out" in said(at)
    assert "perplexity, held out" not in frame(at, "kept").columns and "instead of" not in said(at)
    assert len(at.get("vega_lite_chart") or at.get("arrow_vega_lite_chart")) == 4


def test_order_one_has_nothing_to_leave_out() -> None:
    at = opened(corpus="Four sentences", order=1)
    assert not at.exception and "At order 1" in said(at) and not at.dataframe


def test_what_is_impossible_is_said_and_not_drawn() -> None:
    lines = "\n".join(f"w{i} w{i + 1} w{i + 2}" for i in range(40))
    at = opened(corpus="Your own text", own=lines, method="Back-off, fixed discount", floor=False)
    assert not at.exception
    assert "Some tokens have probability 0" in said(
        at
    ) and "has probability 0, so the perplexity is not finite" in said(at)


@diagonal("name,order", HOSTILE, [2, 5])
def test_survives_any_text_of_ones_own(name: str, order: int) -> None:
    at = opened(corpus="Your own text", own=HOSTILE[name], order=order, m=order)
    assert not at.exception, at.exception
    assert at.subheader or at.info or at.error


@diagonal(
    "id,cut", [i for i in smoothings.ids() if i not in counted.UNFIT], ["words", "characters"]
)
def test_every_method(id: str, cut: str) -> None:
    at = opened(
        corpus="Students and teachers", method=smoothings.get(id).title, cut=cut, d=1.0, m=3
    )
    assert not at.exception and len(at.subheader) == 3


@pytest.mark.parametrize(
    "bad",
    [
        {"corpus": "<script>"},
        {"order": "99"},
        {"m": "0"},
        {"m": "7"},
        {"m": "x"},
        {"bits": "99"},
        {"bits": "-1"},
        {"threshold": "9%"},
        {"threshold": "<b>"},
        {"method": "Maximum likelihood"},
        {"d": "nan"},
        {"in": "__proto__"},
        {"gram": "\u202e" * 50},
        {"floor": "7"},
    ],
    ids=str,
)
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update({"corpus": "Four sentences"} | bad)
    at.switch_page("pages/230_size.py").run()
    assert not at.exception and len(at.subheader) == 3


def test_another_length_forgets_the_n_gram() -> None:
    at = opened(**{**HALF, "order": 3}, gram="the dog")
    assert at.session_state["gram"] == "the dog" and not at.info
    next(b for b in at.get("button_group") if b.key == "m").set_value(3).run()
    assert not at.exception and not at.info and len(at.session_state["gram"].split()) == 3


def test_pictures_hold_what_was_measured_and_can_be_saved() -> None:
    it = base()
    model, held = it.model, it.chosen.study.held_stream
    assert held is not None
    sizes = columns(counted.sizes(it, "n-grams", 0.001))
    smaller = prune(model, 0.001, it.chosen.study.raw)
    here = sizes["series"].index("chosen")
    assert sizes["x"][here] == counted.ngrams(smaller)
    assert sizes["value"][here] == pytest.approx(
        float(np.exp(-np.log(smaller.probabilities(held)).mean()))
    )
    assert sizes["x"][0] == counted.ngrams(model) and set(sizes["series"]) == {
        "cut-offs",
        "pruning",
        "chosen",
    }
    bound = columns(memory.bound(it))
    assert bound["value"][3:6] == [float(counted.size_bytes(m)) for m in memory.by_order(it)]
    times = memory.times(it, [1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    for made in (
        counted.sizes(it, "bytes", 0.001),
        costs.ranked(it, 3, 0.001),
        codes.codes(it, "perplexity"),
        times,
    ):
        assert (
            b"<svg" in render(made.figure(False), "svg")[:200]
            and made.make("npz", False)[:2] == b"PK"
            and b"views" in made.make("py", False)
        )


def test_the_cost_of_every_n_gram_decides() -> None:
    """What the page lists below the threshold is what pruning drops, but for what a longer n-gram
    needs."""
    it = base()
    found = costs.costs(it, 3)
    kept = len(counted.pruned(it, 1e-3).counts.orders[2])
    assert kept == int((np.expm1(found.nats_G) >= 1e-3).sum())
    place = int(found.rank_G[0])
    assert formula.spelled(it, found, place) in costs.listing(it, 3)


def test_a_row_costs_more_than_a_look_up() -> None:
    at = opened(corpus="The Python language reference")
    assert not at.exception
    one, row = at.session_state["timed"][1:]
    assert len(one) == len(row) == 3 and 0 < one[-1] < row[-1]
    next(b for b in at.button if b.key == "again").click().run()
    assert not at.exception and at.session_state["timed"][1:] != (one, row)
    assert "Measured just now" in said(at)
