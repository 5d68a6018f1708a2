"""The page on what counting costs: old addresses lead to the new places, and what is chosen on it goes
along to the pages on counting that have no room yet."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT, sampled

SPARSITY, SIZE, SMOOTHING = (f"pages/{p}.py" for p in ("220_sparsity", "size", "210_smoothing"))


def opened(page: str, **asked: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params.update({"corpus": "cats", **asked})
    at.switch_page(page).run()
    assert not at.exception, at.exception
    return at


def part(at: AppTest) -> str:
    return str(at.session_state["sparsity.part"])


@sampled(
    ("page", "asked", "where", "held"),
    [
        (SPARSITY, {"after": "the dog"}, "How much memory?", {}),
        (SPARSITY, {"panel": "tree"}, "How much memory?", {}),
        (SPARSITY, {"panel": "zipf"}, "A few words do most of the work", {}),
        (SPARSITY, {"panel": "perplexity-order"}, "Do longer contexts and more text help?", {}),
        (SIZE, {}, "Which n-grams can go?", {}),
        (SIZE, {"threshold": "5%"}, "Which n-grams can go?", {"threshold": "5%"}),
        (SIZE, {"in": "bytes"}, "Which n-grams can go?", {"cuts.by": "bytes"}),
        (SIZE, {"panel": "part-cuts"}, "Which n-grams can go?", {}),
        (
            SIZE,
            {"panel": "ranked", "method": "Kneser-Ney"},
            "Which n-grams can go?",
            {"method": "kneser_ney"},
        ),
        (SIZE, {"gram": "the dog"}, "Which n-grams can go?", {}),
        (SIZE, {"bits": "3"}, "How few bits are enough?", {"bits": 3}),
        (SIZE, {"panel": "codes-perpl"}, "How few bits are enough?", {}),
        (SIZE, {"panel": "bound"}, "How much memory?", {}),
    ],
)
def test_an_address_of_before_leads_to_its_place(
    page: str, asked: dict[str, str], where: str, held: dict[str, Any]
) -> None:
    at = opened(page, order="3", **asked)
    assert part(at) == where
    assert at.session_state["study.corpus"] == "cats" and at.session_state["study.order"] == 3
    for name, value in held.items():
        assert at.session_state[f"sparsity.{name}"] == value, name


@sampled(
    "bad",
    [
        {"corpus": "<script>"},
        {"order": "99"},
        {"cut": "__proto__"},
        {"after": "\u202e" * 50},
        {"bits": "-1"},
        {"threshold": "<b>"},
        {"method": "Maximum likelihood"},
        {"method": "Absolute discounting", "d": "nan"},
    ],
    ids=str,
    each=3,
)
def test_a_broken_link_opens_the_page(bad: dict[str, str]) -> None:
    assert part(opened(SPARSITY, **bad))


def test_what_is_chosen_goes_along_both_ways() -> None:
    at = opened(SPARSITY, corpus="students", order="2")
    for page, text in ((SMOOTHING, "francisco"), (SPARSITY, "cats")):
        held = at.session_state["study.corpus"], at.session_state["study.order"]
        at.query_params.clear()
        at.switch_page(page).run()
        assert not at.exception
        assert (at.session_state["study.corpus"], at.session_state["study.order"]) == held
        at.selectbox(key="study.corpus").set_value(text).run()


def test_settings_stay_from_one_part_to_the_next() -> None:
    at = opened(SPARSITY, order="3", threshold="5%")
    for title in ("A few words do most of the work", "How few bits are enough?"):
        next(b for b in at.get("button_group") if b.key == "sparsity.part").set_value(title).run()
    assert not at.exception and at.session_state["sparsity.threshold"] == "5%"
    assert any("Pruned at 5%" in m.value for m in at.markdown)


def test_an_address_may_name_a_choice_by_its_id_or_by_its_words() -> None:
    for corpus in ("francisco", "San Francisco"):
        at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
        at.query_params["study.corpus"] = corpus
        at.switch_page(SPARSITY).run()
        assert not at.exception and at.session_state["study.corpus"] == "francisco"


@sampled(
    ("page", "asked", "part", "held"),
    [
        ("variants", {}, "Cache", {}),
        (
            "variants",
            {"variant": "Cache", "left": "a", "n": "1"},
            "Cache",
            {"cache.left": "a", "n": 1},
        ),
        ("variants", {"variant": "Mixture", "share": "0.3"}, "All methods", {}),
        (
            "variants",
            {"variant": "Spelling", "slip": "xat"},
            "Gaps and slips",
            {"blank.gap": "xat"},
        ),
        ("variants", {"panel": "part-variable-length"}, "Back-off", {}),
        ("generation", {"seed": "7", "words": "5"}, "Writing with counts", {"counts.draw": 7}),
        (
            "generation",
            {"corpus": "Four sentences"},
            "Writing with counts",
            {"counts.corpus": "cats"},
        ),
    ],
    each=3,
)
def test_a_page_of_before_leads_to_its_place(
    page: str, asked: dict[str, str], part: str, held: dict[str, Any]
) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    at.query_params.update(asked)
    at.switch_page(f"pages/{page}.py").run()
    assert not at.exception, at.exception
    lesson = {"variants": "smoothing", "generation": "decoding"}[page]
    assert at.session_state[f"{lesson}.part"] == part
    for name, value in held.items():
        assert at.session_state[f"{lesson}.{name}"] == value, name
