"""The page on hidden Markov models: what a link holds stands on it."""

from __future__ import annotations

from tests.pages.opening import opened, said

SIZES = "How many numbers"


def test_a_link_opens_a_part_with_what_its_controls_held() -> None:
    """In an address of before, they stood under bare names."""
    for name in ("s", "hmm.sizes.s"):
        at = opened("hmm", part=SIZES, k="3", **{name: "2"})
        assert "2² + 2 · 3 − 2 − 1 = **7**" in said(at)
    at.slider(key="hmm.sizes.n").set_value(3).run()
    assert "3³ − 1 = **26**" in said(at) and "2² + 2 · 3 − 2 − 1 = **7**" in said(at)
    assert "17² + 17" in said(opened("hmm", **{"hmm.part": "Wie viele Zahlen"}))  # made in German
    assert "17² + 17" not in said(opened("hmm", part="no such part"))
    at = opened("hmm", part=SIZES, k="99999999", **{"hmm.sizes.s": "no number"})
    assert "17² + 17 · 10,000" in said(at)


def test_a_link_opens_the_three_beside_each_other() -> None:
    links = opened("hmm").get("page_link")
    link = next(one for one in links if "On one text" in one.proto.label)
    assert link.proto.query_string == "runs=hmm%2Cngram%2Crnn"
    at = opened("compare", runs="hmm,ngram,rnn")
    runs = next(of for of in at.multiselect if of.value)
    assert [*runs.value] == ["hmm", "ngram", "rnn"]


def test_a_line_that_is_too_long_is_cut_and_said() -> None:
    at = opened("hmm", part="Two states by hand")
    at.text_input(key="hmm.textbook.signs").set_value("1 2 3 " * 9).run()
    assert not at.exception
    assert "That was 54 characters long; the first 40 are kept." in said(at)
    assert at.text_input(key="hmm.textbook.signs").value == ("1 2 3 " * 9)[:40]
