"""The page on hidden Markov models: what it sends adds up, and what stands below the live part is
right."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from engine.course.curriculum import lesson
from tests.conftest import ROOT
from tests.pages.test_every_page import answered

SECONDS = 180
SIZES = "How many numbers"


def opened(**address: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    at.switch_page("pages/240_hmm.py")
    for name, value in address.items():
        at.query_params[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info, *at.error))


def test_the_page_answers_with_every_panel_and_opens_each_part() -> None:
    header, _ = answered(opened(), "hmm", "Book the flight")
    assert [p["id"] for p in header["layout"]["panels"]][:4] == ["trellis", "step", "next", "joint"]


@pytest.mark.parametrize("name", ["s", "hmm.sizes.s"])
def test_a_link_opens_a_part_with_what_its_controls_held(name: str) -> None:
    """In an address of before, they stood under bare names."""
    at = opened(**{"part": SIZES, "k": "3", name: "2"})
    assert not at.exception
    assert "2² + 2 · 3 − 2 − 1 = **7**" in said(at)
    at.slider(key="hmm.sizes.n").set_value(3).run()
    assert "3³ − 1 = **26**" in said(at) and "2² + 2 · 3 − 2 − 1 = **7**" in said(at)
    at = opened(**{"hmm.part": "Wie viele Zahlen"})
    assert not at.exception and "17² + 17" in said(at)  # a link made in German
    at = opened(part="no such part")
    assert not at.exception and "17² + 17" not in said(at)
    at = opened(**{"part": SIZES, "hmm.sizes.s": "no number", "k": "99999999"})
    assert not at.exception and "17² + 17 · 10,000" in said(at)


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


def test_a_line_that_is_too_long_is_cut_and_said() -> None:
    at = opened(part="Two states by hand")
    at.text_input(key="hmm.textbook.signs").set_value("1 2 3 " * 9).run()
    assert not at.exception
    assert "That was 54 characters long; the first 40 are kept." in said(at)
    assert at.text_input(key="hmm.textbook.signs").value == ("1 2 3 " * 9)[:40]


def test_the_model_of_letters_can_be_chosen() -> None:
    at = opened()
    assert len(at.selectbox(key="hmm.run").options) > 1
    at.selectbox(key="hmm.run").set_value("hmm").run()
    assert not at.exception
