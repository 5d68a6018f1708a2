"""The page on what counting costs: old addresses lead to the new places, and what is chosen on it goes
along to the other pages on counting.  What former pages chose: tests/lessons/test_former_pages.py."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.course.curriculum import lesson
from tests.pages.opening import opened

CUTS, MEMORY = "Which n-grams can go?", "How much memory?"


def part(at: AppTest) -> str:
    return str(at.session_state["sparsity.part"])


@pytest.mark.parametrize(
    ("page", "asked", "where", "held"),
    [
        ("sparsity", {"after": "the dog"}, MEMORY, {}),
        ("sparsity", {"panel": "zipf"}, "A few words do most of the work", {}),
        ("size", {"in": "bytes"}, CUTS, {"cuts.by": "bytes"}),
        ("size", {"panel": "ranked", "method": "Kneser-Ney"}, CUTS, {"method": "kneser_ney"}),
        ("size", {"bits": "3"}, "How few bits are enough?", {"bits": 3}),
    ],
)
def test_an_address_of_before_leads_to_its_place(
    page: str, asked: dict[str, str], where: str, held: dict[str, Any]
) -> None:
    at = opened(page, corpus="Four sentences", order="3", **asked)
    assert part(at) == where
    assert at.session_state["study.corpus"] == "cats" and at.session_state["study.order"] == 3
    for name, value in held.items():
        assert at.session_state[f"sparsity.{name}"] == value, name


def test_a_broken_link_opens_the_page() -> None:
    assert part(opened("sparsity", corpus="<script>", order="99", cut="__proto__", bits="-1"))
    assert part(opened("sparsity", after="\u202e" * 50, method="Absolute discounting", d="nan"))


def test_what_is_chosen_goes_along_both_ways() -> None:
    at = opened("sparsity", corpus="students", order="2")
    for page, text in (("smoothing", "francisco"), ("sparsity", "cats")):
        held = at.session_state["study.corpus"], at.session_state["study.order"]
        at.query_params.clear()
        at.switch_page(f"pages/{lesson(page).page}").run()
        assert not at.exception
        assert (at.session_state["study.corpus"], at.session_state["study.order"]) == held
        at.selectbox(key="study.corpus").set_value(text).run()


def test_settings_stay_from_one_part_to_the_next() -> None:
    at = opened("sparsity", corpus="cats", order="3", threshold="5%")
    for title in ("A few words do most of the work", "How few bits are enough?"):
        next(b for b in at.get("button_group") if b.key == "sparsity.part").set_value(title).run()
    assert not at.exception and at.session_state["sparsity.threshold"] == "5%"
    assert any("Pruned at 5%" in m.value for m in at.markdown)
