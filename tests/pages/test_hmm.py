"""The page on hidden Markov models: what it sends adds up, and what stands below the live part is
right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine.hmm import recursions
from engine.hmm.learning import expected
from engine.lessons.curriculum import lesson
from engine.stages.hmm import rounds
from pages.ui.hmm import dice, learning
from tests.conftest import ROOT, shipped
from tests.pages.test_every_page import HOSTILE, answered

SECONDS = 180
LEARNING, DICE, SIZES = "Learning without tags", "Write with dice", "How many numbers"
# a browser can't send half of a character from a form
TYPED = {name: text for name, text in HOSTILE.items() if name != "half of a character"}


def opened(**state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.switch_page("pages/240_hmm.py")
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info, *at.error))


def test_the_page_answers_with_every_panel_and_opens_each_part() -> None:
    header, _ = answered(opened(), "hmm", "Book the flight")
    assert [p["id"] for p in header["layout"]["panels"]][:4] == ["trellis", "step", "next", "joint"]
    at = opened(part=SIZES, s=2, k=3, n=3)
    assert not at.exception
    assert "2² + 2 · 3 − 2 − 1 = **7**" in said(at) and "3³ − 1 = **26**" in said(at)


def test_a_film_is_the_method_round_by_round() -> None:
    """Each round makes new tables of the expected counts, and no text less likely."""
    lines = rounds.words("banana cabana nab a cab")
    film = rounds.film(lines, 2, 3, 12)
    assert len(film.bits_R) == 13 and (np.diff(film.bits_R) <= 1e-9).all()
    assert film.letters == tuple("abcn")
    np.testing.assert_allclose(film.writes_RSV[:, 1:].sum(-1), 1, atol=1e-4)
    import torch

    number = {letter: n for n, letter in enumerate(film.letters)}
    ids = [np.array([*(number[c] for c in line), len(number)]) for line in lines]
    a_SS, b_SV = film.follows_RSS[4], film.writes_RSV[4]
    whole_SV = np.hstack([b_SV, np.eye(3)[:, :1]])
    tensors = [torch.from_numpy(x.astype(float)) for x in (a_SS[0], a_SS, whole_SV)]
    found = expected(*tensors, ids)
    written = recursions.rows(found.emission_SV.numpy()[1:, :-1])
    np.testing.assert_allclose(film.writes_RSV[5, 1:], written, atol=1e-4)


def test_the_starts_end_in_different_places() -> None:
    at = opened(part=LEARNING)
    assert not at.exception
    ends = [film.bits_R[-1] for film in learning.films(learning.TEXT, 4)]
    assert max(ends) - min(ends) > 0.02
    assert "local optimum" in said(at) and "After 40 rounds" in said(at)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(text, id=name, marks=pytest.mark.slow if n % 3 else ())
        for n, (name, text) in enumerate(TYPED.items())
    ],
)
def test_the_words_to_learn_from_may_be_any(text: str) -> None:
    at = opened(part=LEARNING, learn=text[: rounds.MOST])
    assert not at.exception
    assert ("Type some words" in said(at)) != bool(rounds.words(text))


def test_drawn_lines_end_and_are_possible() -> None:
    at = opened(part=DICE, dice=3)
    assert not at.exception and len(at.dataframe) == 1
    model = shipped("hmm_tagger")
    for seed in range(20):
        drawn = dice.line(model, seed)
        assert len(drawn) <= dice.LONGEST
        assert all(s and model.b_SV[s, w] > 0 for s, w in drawn)


def test_a_link_opens_the_three_beside_each_other() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.switch_page(f"pages/{lesson('hmm').page}").run()
    link = next(one for one in at.get("page_link") if "On one text" in one.proto.label)
    assert link.proto.query_string == "runs=hmm%2Cngram%2Crnn"
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params["runs"] = "hmm,ngram,rnn"
    at.switch_page(f"pages/{lesson('compare').page}").run()
    assert not at.exception, at.exception
    runs = next(of for of in at.multiselect if of.value)
    assert [*runs.value] == ["hmm", "ngram", "rnn"]
