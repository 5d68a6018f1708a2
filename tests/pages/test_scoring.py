"""The page on scoring: its numbers are those worked out by hand, whatever text it is given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.analysis.study import Study
from engine.core.registry import smoothings, views
from engine.core.trace import Table, TableSpec
from engine.lessons.counting_texts import PRESETS
from engine.ngram.closed import Closed
from engine.ngram.smoothing.laplace import Laplace
from engine.saving.export import render
from engine.text.tokenizers.words import never_of
from pages.ui.scoring import methods_compared
from tests.conftest import ROOT, diagonal
from tests.pages.tables import tables

SECONDS = 180
X1, X2 = "the cat saw the dog", "a cat sat on the dog"
PLAIN = {
    "corpus": "Four sentences",
    "floor": False,
    "katz": 2,
    "byhand": True,
    "l3": 0.5,
    "l2": 0.3,
    "l1": 0.2,
}
BIGRAM = PLAIN | {"order": 2, "l2": 0.7, "l1": 0.3}
# log2 P, H, perplexity; H and perplexity without </s>; of X1 and X2
TABLE: dict[str, tuple[tuple[float, ...], tuple[float, ...] | None]] = {
    "Maximum likelihood": ((-8.169925, 1.361654, 2.569797, 1.316993, 2.491462), None),
    "Laplace (add-1)": (
        (-13.937127, 2.322854, 5.003212, 2.270433, 4.824679),
        (-18.101102, 2.585872, 6.003783, 2.586023, 6.004413),
    ),
    "Add-k": (
        (-9.440377, 1.573396, 2.976045, 1.522881, 2.873644),
        (-14.574928, 2.082133, 4.234327, 2.124826, 4.361506),
    ),
    "Jelinek-Mercer": (
        (-9.868263, 1.644710, 3.126851, 1.605823, 3.043694),
        (-14.519264, 2.074181, 4.211052, 2.113353, 4.326958),
    ),
    "Katz (Good-Turing)": (
        (-10.882213, 1.813702, 3.515432, 1.723836, 3.303134),
        (-19.284565, 2.754938, 6.750236, 2.836922, 7.144939),
    ),
    "Stupid back-off (scores)": (
        (-8.169925, 1.361654, 2.569797, 1.316993, 2.491462),
        (-12.192293, 1.741756, 3.344420, 1.767888, 3.405551),
    ),
    "Absolute discounting": (
        (-11.059835, 1.843306, 3.588313, 1.787179, 3.451394),
        (-16.517458, 2.359637, 5.132411, 2.398920, 5.274081),
    ),
    "Witten-Bell": (
        (-10.649299, 1.774883, 3.422103, 1.715782, 3.284746),
        (-15.013106, 2.144729, 4.422093, 2.157119, 4.460234),
    ),
    "Kneser-Ney": (
        (-11.035873, 1.839312, 3.578394, 1.798407, 3.478360),
        (-17.554401, 2.507772, 5.687409, 2.585094, 6.000548),
    ),
    "Modified Kneser-Ney": (
        (-11.714008, 1.952335, 3.870003, 1.856299, 3.620776),
        (-18.057613, 2.579659, 5.977984, 2.604183, 6.080472),
    ),
}
TRIGRAM: dict[str, tuple[tuple[float, ...] | None, tuple[float, ...] | None]] = {
    "Maximum likelihood": (None, None),
    "Jelinek-Mercer": (
        (-12.730322, 2.121720, 4.352126, 1.959083, 3.888149),
        (-16.949960, 2.421423, 5.356991, 2.335843, 5.048457),
    ),
    "Stupid back-off (scores)": (
        (-12.135709, 2.022618, 4.063205, 1.845764, 3.594432),
        (-17.480005, 2.497144, 5.645665, 2.428852, 5.384649),
    ),
    "Witten-Bell": (
        (-12.797430, 2.132905, 4.385997, 1.945408, 3.851467),
        (-17.166729, 2.452390, 5.473220, 2.349390, 5.096087),
    ),
    "Kneser-Ney": (
        (-12.830008, 2.138335, 4.402536, 2.028414, 4.079561),
        (-19.039373, 2.719910, 6.588319, 2.725239, 6.612699),
    ),
    "Modified Kneser-Ney": (
        (-14.136476, 2.356079, 5.119771, 2.170648, 4.502257),
        (-17.513170, 2.501881, 5.664236, 2.371656, 5.175348),
    ),
}
HALF = {
    2: (
        (-12.625604, 2.104267, 4.299794, 2.008128, 4.022600),
        (-17.523562, 2.503366, 5.670068, 2.489767, 5.616871),
    ),
    3: (
        (-13.906891, 2.317815, 4.985766, 2.116993, 4.337887),
        (-17.260528, 2.465790, 5.524292, 2.323100, 5.004063),
    ),
}
HOSTILE = {
    "nothing": "",
    "spaces": "  \n ",
    "one letter": "a",
    "emoji": "👩‍🚀🏳️‍🌈 ok 🇫🇷\n👩‍🚀 ok",
    "marks": "<s> the </s> <unk>",
    "markup": "<script>alert(1)</script> **b** $x^2$ :red[x] \\frac{1}{0} }\n<script>",
    "controls": "\x00\x01\x02",
    "right to left": "שלום עולם\n\u202eabc",
    "long line": "the cat " * 5_000,
    "many lines": "the cat\n" * 5_000,
    "too long": "the dog saw " * 20_000,
    "one long word": "a" * 50_000,
    "punctuation": "... !!! ???",
}


@pytest.fixture(scope="module", autouse=True)
def fresh() -> Any:
    yield
    st.cache_resource.clear()


def opened(**state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS).switch_page(
        "pages/215_scoring.py"
    )
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info, *at.latex))


def frame(at: AppTest, column: str) -> Any:
    return next(found for found in tables(at) if column in found.columns)


def numbers(at: AppTest, title: str) -> list[str]:
    rows = frame(at, "log2 P")
    return [str(v) for v in rows[rows["method"] == title].iloc[0].tolist()[1:]]


def check(at: AppTest, title: str, want: tuple[float, ...] | None) -> None:
    found = numbers(at, title)
    if want is None:
        assert "impossible" in found[0] and all("of the rest" in cell for cell in found[1:])
    else:
        assert [float(cell) for cell in found] == pytest.approx(want, abs=1e-5), title


def test_opens_with_everything_and_no_click() -> None:
    at = opened()
    assert not at.exception and len(at.header) == 1 and len(at.subheader) == 6
    assert at.session_state["order"] == 2 and len(frame(at, "log2 P")) == len(smoothings.ids())
    assert "inf" not in " ".join(
        frame(at, "log2 P").to_string().lower().split()
    ) and "∞" not in said(at)


@pytest.mark.parametrize("k", [0, 1], ids=["X1", "X2"])
def test_every_method_at_order_two(k: int) -> None:
    at = opened(lines=(X1, X2)[k], **BIGRAM)
    for title, both in TABLE.items():
        check(at, title, both[k])


@pytest.mark.parametrize("k", [0, 1], ids=["X1", "X2"])
def test_every_method_at_order_three(k: int) -> None:
    at = opened(lines=(X1, X2)[k], order=3, **PLAIN)
    for title, both in TRIGRAM.items():
        check(at, title, both[k])


@pytest.mark.parametrize("order", [2, 3])
def test_back_off_with_half_a_count_taken(order: int) -> None:
    for k, line in enumerate((X1, X2)):
        at = opened(lines=line, corpus="Four sentences", floor=False, order=order, d=0.5)
        check(at, "Back-off, fixed discount", HALF[order][k])


def test_one_sentence_in_every_base() -> None:
    at = opened(lines=X1, method="Maximum likelihood", **BIGRAM)
    words = said(at)
    assert (
        r"\frac{3}{4} \cdot \frac{4}{6} \cdot \frac{1}{4} \cdot \frac{1}{2} \cdot \frac{1}{6} \cdot"
        r" \frac{1}{3} = \frac{1}{288}" in words
    )
    assert "2^{1.36165} = e^{0.94383} = 10^{0.40990} = 2.56980" in words
    assert "2^{0.94383} = 1.924" in words and "e^{1.36165} = 3.903" in words  # the wrong base
    assert r"\frac{4 / 26}{6 / 26} = \frac{4}{6}" in words


@pytest.mark.parametrize(
    ("unit", "number"), [("bits", "1.36165"), ("nats", "0.94383"), ("dits", "0.40990")]
)
def test_units(unit: str, number: str) -> None:
    at = opened(lines=X1, method="Maximum likelihood", unit=unit, **BIGRAM)
    assert (
        frame(at, "counted")[f"{unit} per token"].iloc[0] == number
        and frame(at, "counted")["perplexity"].iloc[0] == "2.56980"
    )


def test_the_divisor_leaks_where_the_end_is_forgotten() -> None:
    at = opened(lines=X1, factor="3. saw", **BIGRAM)
    assert r"P(\text{saw} \mid \text{cat})" in said(at)
    assert r"\frac{2}{4} = 0.5$" in said(at) and "0.5 of the probability would be lost" in said(at)
    assert r"\frac{2}{3} = 0.6667$" in said(opened(lines="the dog sat", factor="3. sat", **BIGRAM))


def test_zero_events_are_listed_and_the_rest_is_measured() -> None:
    at = opened(lines=X2, method="Maximum likelihood", **BIGRAM)
    rows = frame(at, "why")
    assert "Zero events: 1 of 7 tokens" in said(at)
    assert rows[["token", "after", "why"]].to_numpy().tolist() == [
        ["cat", "a", "This token never follows this context."]
    ]
    rest = (1 / 4 * 1 / 4 * 1 * 1 * 1 / 6 * 1 / 3) ** (-1 / 6)
    assert (
        f"perplexity **{rest:.4f}**" in said(at)
        and "have no finite loss" not in said(at)
        and "none has a finite loss" in said(at)
    )


def test_unknown_words_one_by_one() -> None:
    at = opened(lines="the bird sat", corpus="Four sentences", order=2)
    rows = frame(at, "treatment")
    assert (
        rows["token"].tolist() == ["bird"] and "Read as the unknown token" in rows["treatment"][0]
    )
    assert frame(at, "counted")["N"].tolist() == [4, 3, 3, 2]
    at = opened(
        lines="the bird sat", corpus="Four sentences", order=2, floor=False, method="Kneser-Ney"
    )
    assert (
        "Zero events: 1 of 4" in said(at)
        and "keeps nothing" in frame(at, "treatment")["treatment"][0]
    )
    assert (
        opened(lines="the bird sat", unknown=False, ends=False, method="Kneser-Ney").exception == []
    )


def test_per_sentence_is_not_per_token() -> None:
    at = opened(lines="\n".join(PRESETS[0].lines), method="Kneser-Ney", unit="nats", **BIGRAM)
    words = said(at)
    assert (
        "= 6.21659" in words
        and "= 500.99" in words
        and "= 0.95640" in words
        and "= 2.6023$ is" in words
    )
    assert [float(v) for v in frame(at, "tokens")["nats of the sentence"]] == pytest.approx(
        [5.798583, 5.796278, 6.784711, 6.486783], abs=1e-5
    )


def test_cross_entropy_is_entropy_and_divergence() -> None:
    at = opened(lines=X1, method="Kneser-Ney", after="the", **BIGRAM)
    assert "1.64231 = 1.25163 + 0.39069" in said(at)


def test_a_row_that_was_never_seen_or_a_model_that_forbids() -> None:
    for state in (
        {"after": "zyx"},
        {"after": "mat mat", "method": "Maximum likelihood"},
        {"after": ""},
        {"after": "<s> </s>"},
    ):
        assert not opened(**state).exception


@diagonal("name,cut", HOSTILE, ["words", "characters"])
def test_survives_any_text(name: str, cut: str) -> None:
    for floor in (True, False) if name != "too long" else (True,):
        at = opened(lines=HOSTILE[name], cut=cut, floor=floor)
        assert not at.exception, at.exception
        assert at.subheader or at.info or at.warning


@pytest.mark.parametrize("order", [1, 5])
@pytest.mark.parametrize(
    "method", ["Maximum likelihood", "Laplace (add-1)", "Stupid back-off", "Modified Kneser-Ney"]
)
def test_every_order(order: int, method: str) -> None:
    assert not opened(order=order, method=method, floor=False, lines=f"{X1}\nzyx").exception


@pytest.mark.parametrize("tab", ["Table", "Save"])
def test_both_pictures_have_a_table_and_files(tab: str) -> None:
    at = opened(**{"surprisal.tabs": tab, "pair.tabs": tab})
    assert not at.exception
    assert len(at.get("download_button")) == (16 if tab == "Save" else 0)


def test_every_file_of_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr("pages.ui.plate.show", lambda shown, *where: made.append(shown))
    assert not opened(lines=X2, method="Maximum likelihood").exception
    assert [plate.id for plate in made] == ["surprisal", "pair"]
    assert made[0].make("npz", False)[:2] == b"PK" and b"views" in made[0].make("py", True)
    assert b"P = 0" in render(made[0].figure(True), "svg")


def test_fewer_sentences_than_before() -> None:
    at = opened(lines="\n".join([X1] * 5), which=5)
    at.text_area(key="lines").set_value(f"{X1}\n{X2}").run()
    assert not at.exception and at.session_state["which"] == 2
    at.text_area(key="lines").set_value("dog").run()
    assert not at.exception


@pytest.mark.parametrize(
    "bad",
    [
        {"lines": "<script>" * 500},
        {"method": "x"},
        {"unit": "bans"},
        {"which": "-1"},
        {"which": "9" * 40},
        {"factor": "99. zyx"},
        {"floor": "maybe"},
        {"ends": "2"},
        {"k": "nan"},
        {"lines": ""},
        {"order": "0"},
    ],
    ids=str,
)
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.query_params.update(bad)
    at = at.switch_page("pages/215_scoring.py").run()
    assert not at.exception, at.exception


def test_the_text_stands_in_the_address_unless_it_is_long() -> None:
    at = opened(lines="the mat")
    assert at.query_params["lines"] == "the mat"
    at.text_area(key="lines").set_value("the mat " * 1000).run()
    assert "lines" not in at.query_params and "too long for the address" in said(at)


def test_a_closed_vocabulary_predicts_only_what_was_counted() -> None:
    for tokenizer in ("words", "chars"):
        study = Study.of("\n".join(PRESETS[0].lines), 2, tokenizer, hold_out=False)
        for id in smoothings.ids():
            method = methods_compared.without_floor(smoothings.get(id)())
            model = Closed.estimate(method, study.raw, never_of(study.tokenizer))
            p_TV = model.distributions(study.raw.places(study.stream[:-1])).astype(np.float64)
            if model.method.is_probability and id != "modified_kneser_ney":
                assert p_TV.sum(1) == pytest.approx(1, abs=1e-5), id
            assert not p_TV[:, study.tokenizer.unknown].any()
    assert Closed.estimate(Laplace(), study.raw).predicted == int(
        (study.raw.orders[0].count_G > 0).sum()
    )


def test_the_picture_marks_what_is_impossible() -> None:
    columns = {
        "token": np.array(["a", "b", "</s>"], object),
        "bits": np.array([1.5, np.nan, 2.0]),
        "probability": np.array([0.35, 0.0, 0.25]),
        "group": np.array([0, 2, 1]),
    }
    figure = views.get("surprisal").draw(
        Table(TableSpec("surprisal", tuple(columns), "S."), columns), mean=1.75
    )
    drawn = render(figure, "svg").decode()
    assert (
        "probability 0" in drawn
        and "∞" not in drawn
        and "NaN" not in drawn
        and "1 token has probability 0" in figure.alt_text
    )
