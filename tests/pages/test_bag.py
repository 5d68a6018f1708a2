"""The bag of words page opens, answers what the browser tells it, and survives the tables and texts
that people bring."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT

PAGE = "pages/120_bag.py"


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    return at.switch_page(PAGE).run()


def sent(at: AppTest) -> dict[str, Any]:
    """What the browser gets."""
    (component,) = [c for c in at.get("bidi_component") if c.proto.bytes]
    found: dict[str, Any] = json.loads(component.proto.bytes)
    return found


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info))


def settle(at: AppTest, **state: Any) -> AppTest:
    """As the browser tells it after a moment of rest."""
    texts = sent(at)["texts"]
    at.session_state["bag.settled"] = {
        "text": "",
        "kind": "multinomial",
        "k": 1,
        "share": None,
        "a": 1,
        "b": 0,
        "texts": texts,
        **state,
    }
    at.run()
    assert not at.exception and not at.error, at.exception
    return at


def test_it_sends_the_counts_once_and_judges_held_out_reviews() -> None:
    at = opened()
    assert not at.exception and any("without their order" in m.value for m in at.markdown)
    news = sent(at)
    tables, held = news["tables"], news["held"]
    assert (
        tables["classes"] == ["negative", "positive"]
        and sum(tables["docs_C"]) == 180
        and len(held["true"]) == len(held["bags"]) == 76
    )
    assert len(tables["count"]) == 2 * len(tables["vocab"])
    best = at.dataframe[0].value
    assert best["reading"][0].startswith("Multinomial") and best["accuracy"][0] == "84.2 %"
    settle(at, k=0, text="a great film with a dirty joke")
    assert at.dataframe[0].value["accuracy"][0] == "46.1 %", "without smoothing many have no answer"
    assert "minus infinity and cannot be drawn" in said(at)


@pytest.mark.parametrize(
    "state",
    [
        {"kind": "bernoulli", "text": "great " * 300},
        {"kind": "tfidf", "text": "great"},
        {"kind": "tfidf"},
        {"share": 0.01, "k": 100},
        {"text": "👩‍🚀 </script>|*_ $x$ zzz"},
        {"a": 99, "b": -1, "k": "x", "kind": "other", "share": 7},
        {"a": 1, "b": 1},
    ],
    ids=[
        "bernoulli",
        "tfidf",
        "nothing",
        "prior",
        "odd text",
        "odd browser",
        "the same class twice",
    ],
)
def test_it_survives_what_the_browser_says(state: dict[str, Any]) -> None:
    settle(opened(), **state)


def test_the_toy_has_no_texts_left_to_test_on() -> None:
    at = opened(labelled="Four toy reviews")
    news = sent(at)
    assert (
        news["tables"]["vocab"] == "acting bad boring film fun good great plot".split()
        and news["held"]["true"] == []
    )
    settle(at, text="boring good")
    assert "0.620482" in str(at.dataframe[-1].value.to_dict()) and "1.08" in said(at)


TOPICS = "topic,text\n" + "".join(
    f"{c},{w} {w} the word\n"
    for c, w in [("sport", "goal"), ("food", "soup"), ("tech", "screen")] * 20
)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (TOPICS.encode(), ""),
        (b"one column\nonly\n", "one column only"),
        (b"", "empty"),
        (b"a,b\n" * 9, "one label only"),
        (b"text,label\n!,a\n?,b\n!!,a\n??,b\n", "no word"),
    ],
    ids=["topics", "one column", "empty", "one label", "no words"],
)
def test_a_table_of_ones_own(raw: bytes, says: str) -> None:
    at = opened(labelled="Your own table")
    assert "2 to 20 classes" in said(at)
    at.session_state["bag.file"] = ("<b>mine</b>.csv", raw)
    at.run()
    assert not at.exception
    if says:
        assert says in at.error[0].value and len(at.error) == 1
        return
    news = sent(at)
    assert (
        news["tables"]["classes"] == ["food", "sport", "tech"] and len(news["held"]["true"]) == 18
    )
    assert at.dataframe[0].value["accuracy"][0] == "100.0 %"
    settle(at, a=2, b=1, text="goal soup", kind="bernoulli", k=0)
