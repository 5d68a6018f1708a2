"""The page on convolution: what is chosen is what is read, and nothing that a browser sends can break
it."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis.digits import images, networks
from pages.ui.convolution import digit
from tests.conftest import ROOT


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    for name, value in query.items():
        at.query_params[name] = value
    at = at.switch_page("pages/437_convolution.py").run()
    assert not at.exception, at.exception
    return at


def said(at: AppTest) -> str:
    kinds = ("markdown", "latex", "info")
    return "\n".join(str(e.value) for kind in kinds for e in getattr(at, kind))


@pytest.mark.parametrize("choice", networks.CHOICES, ids=str)
def test_each_switch_has_its_own_network(choice: tuple[int, int, str]) -> None:
    stride, padding, pooling = choice
    at = opened(stride=str(stride), padding=str(padding), pooling=pooling)
    net = networks.shipped().network(*choice)
    assert f"reads **{net.right}** right" in said(at) and f"{net.side} × {net.side}" in said(at)


def test_the_next_one_misread() -> None:
    at = opened()
    of = networks.shipped()
    wrong = [
        n + 1 for n, right in enumerate(of.network(1, 1, "max").correct(of.held_out)) if not right
    ]
    button = next(b for b in at.button if b.label == "Next one misread")
    for _ in range(len(wrong) + 1):
        now = at.number_input(key="image").value
        button.click().run()
        found = at.number_input(key="image").value
        assert found == next((n for n in wrong if n > now), wrong[0])
        true = int(of.held_out.digit[found - 1])
        assert f"(it is a {true})" in said(at) and f"Read as **{true}**" not in said(at)


@pytest.mark.parametrize(
    "query",
    [
        {"drawing": "0" * 63},
        {"drawing": "💡" * 64},
        {"drawing": "<script>"},
        {"filter": "9"},
        {"filter": "x"},
        {"image": "0"},
        {"image": "99999"},
        {"stride": "7", "pooling": "none"},
    ],
    ids=str,
)
def test_a_link_that_makes_no_sense_shows_the_page(query: dict[str, str]) -> None:
    at = opened(**query)
    assert "Of 445 held-out digits" in said(at)
    assert at.session_state["drawing"] == "" and at.session_state["filter"] in range(1, 9)


def test_a_drawing_comes_with_its_link_and_goes_with_another_digit() -> None:
    blank = "0" * 64
    at = opened(drawing=blank, filter="3")
    assert at.session_state["drawing"] == blank and at.session_state["filter"] == 3
    assert "(it is a" not in said(at)
    at.number_input(key="image").set_value(31).run()
    assert at.session_state["drawing"] == "" and "(it is a" in said(at)


def test_what_a_browser_sends_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, Any] = {"image": 1}
    link: dict[str, str] = {}
    monkeypatch.setattr(digit.st, "session_state", held)
    monkeypatch.setattr(digit.st, "query_params", link)
    of = networks.shipped()
    for odd in ({}, {"drawing": 5, "filter": "x"}, {"drawing": "0", "filter": 8}, {"filter": -1}):
        digit.heard(odd, of)
        assert held == {"image": 1} and not link
    mine = images.written(of.held_out.cells[4])
    digit.heard({"drawing": mine, "filter": 2}, of)
    assert (held["drawing"], held["filter"]) == (mine, 3)
    assert link == {"drawing": mine, "filter": "3"}
    digit.heard({"drawing": images.written(of.held_out.cells[0]), "filter": 0}, of)
    assert (held["drawing"], held["filter"]) == ("", 1)
    assert not any(link.values())  # Streamlit drops a name without values


def test_sizes() -> None:
    at = opened()
    assert r"\right\rfloor + 1 = 26" in said(at)
    assert "**320**" in said(at) and "**16,981,120**" in said(at)
    at.number_input(key="s").set_value(4).run()
    assert "the last **1** of 28 rows and columns" in said(at)
    at.number_input(key="n").set_value(2).run()
    assert "does not fit into 2 cells" in said(at) and not at.exception


def test_moved_digits() -> None:
    at = opened(part="Moved digits")
    assert "**99.97 %** of all maps keep their largest sum" in said(at)
    assert "**95 %** of the answers stay" in said(at)


def test_convolutions_over_words() -> None:
    at = opened(part="Convolutions over words")
    assert r"(2 - 1)(2^5 - 1) = 32" in said(at) and "= 6" in said(at)
    for text in ("", "x", "👩‍🚀 שלום e\u0301 \x00", "<script>", "a" * 64):
        at.text_input(key="conv_text").set_value(text).run()
        assert not at.exception, text
