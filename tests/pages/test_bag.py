"""The bag of words page opens, answers what the browser tells it, and survives the tables and texts
that people bring."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from engine.analysis.bag_of_words.bayes import NaiveBayes
from engine.analysis.bag_of_words.counts import count
from engine.analysis.bag_of_words.evaluate import split
from engine.core.registry import corpora
from tests.conftest import ROOT

PAGE = "pages/120_bag.py"


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    for name, value in query.items():
        at.query_params[name] = value
    return at.switch_page(PAGE).run()


def sent(at: AppTest) -> dict[str, Any]:
    """What the browser gets."""
    (component,) = [c for c in at.get("bidi_component") if c.proto.bytes]
    data = component.proto.bytes
    header: dict[str, Any] = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    return header


def counted(at: AppTest) -> dict[str, Any]:
    """The tables and the held-out texts that the browser gets."""
    found: dict[str, Any] = sent(at)["layout"]["readers"][0]["bag"]
    return found


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info))


def settle(at: AppTest, text: str = "", rules: str = "") -> AppTest:
    """As the browser tells it after a moment of rest."""
    at.session_state["live-bag.settle"] = {"text": text, "selection": {"rules": rules}, "n": 1}
    at.run()
    assert not at.exception and not at.error, at.exception
    return at


def test_it_sends_the_counts_once_and_judges_held_out_reviews() -> None:
    at = opened()
    assert not at.exception and any("without their order" in m.value for m in at.markdown)
    tables, held = counted(at)["tables"], counted(at)["held"]
    assert (
        tables["classes"] == ["negative", "positive"]
        and sum(tables["docs_C"]) == 180
        and len(held["true"]) == len(held["bags"]) == 76
    )
    assert len(tables["count"]) == 2 * len(tables["vocab"])
    best = settle(at, "great").dataframe[0].value
    assert best["reading"][0].startswith("Multinomial") and best["accuracy"][0] == "84.2 %"
    settle(at, "a great film with a dirty joke", "multinomial_k0")
    assert at.dataframe[0].value["accuracy"][0] == "46.1 %", "without smoothing many have no answer"
    assert "minus infinity and cannot be drawn" in said(at)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("great " * 300, "bernoulli"),
        ("great", "tfidf"),
        ("", "tfidf"),
        ("", "p0.01_k100"),
        ("👩‍🚀 </script>|*_ $x$ zzz", ""),
        ("", "other_kx_p7_a99_b-1__k_knan_pinf"),
        ("", "a1_b1"),
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
def test_it_survives_what_the_browser_says(text: str, rules: str) -> None:
    settle(opened(), text, rules)


def test_the_words_shown_are_those_counted() -> None:
    """Also of a text that is too long to be shown at once, and in letters of any length."""
    text = "The food wasn’t bad: GREAT İ naïve zzz"
    (part,) = sent(opened(text=text))["readings"]
    assert [text[a:b] for a, b in part["spans"]] == part["labels"] and part["total"] == 8
    assert [part["labels"][t] for t in part["unknown"]][-2:] == ["naïve", "zzz"]
    (long,) = sent(opened(text="great " * 9_000))["readings"]
    assert len(long["labels"]) < long["total"] == 9_000


def test_an_old_link_is_still_a_link() -> None:
    old = {"review": "great", "bayes": "bernoulli", "smoothing": "0.05", "class": "1"}
    at = opened(**old)
    assert not at.exception and not set(old) & set(at.query_params)
    header = sent(at)
    assert header["text"] == "great"
    assert header["initial"]["selection"]["rules"] == "bernoulli_k0.05_a1"


def test_the_toy_has_no_texts_left_to_test_on() -> None:
    at = opened(labelled="Four toy reviews")
    news = counted(at)
    assert (
        news["tables"]["vocab"] == "acting bad boring film fun good great plot".split()
        and news["held"]["true"] == []
    )
    settle(at, "boring good")
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
    news = counted(at)
    assert (
        news["tables"]["classes"] == ["food", "sport", "tech"] and len(news["held"]["true"]) == 18
    )
    assert settle(at, "goal").dataframe[0].value["accuracy"][0] == "100.0 %"
    settle(at, "goal soup", "bernoulli_k0_a2_b1")


def test_the_surest_mistakes_are_listed_first() -> None:
    """Each is a held-out text that naive Bayes takes for another class, with its posterior."""
    at = settle(opened(), "great")
    pairs = corpora.get("reviews").labelled()
    used, out = split([name for name, _ in pairs])
    model = NaiveBayes(count(*zip(*(pairs[d] for d in used), strict=True)), 1.0)
    wanted = []
    for true, text in (pairs[d] for d in out):
        p_C = model.read(text).posterior_C
        assert p_C is not None
        if (name := model.counts.classes[int(p_C.argmax())]) != true:
            wanted.append((-float(p_C.max()), f"{true} → {name}", text))
    wanted.sort()

    def listed() -> list[list[str]]:
        table = next(m.value for m in at.markdown if "true → predicted" in m.value)
        return [
            re.sub(r"\\(.)", r"\1", line).strip("| ").split(" | ")
            for line in table.splitlines()[2:]
        ]

    assert listed() == [[f"{-100 * p:.1f}\u00a0%", pair, text] for p, pair, text in wanted]
    assert f"**{len(wanted)} of {len(out)}** answers are wrong" in said(at)
    pair = at.selectbox(key="mistakes.pair")
    pair.set_value(wanted[0][1]).run()
    assert listed() == [
        [f"{-100 * p:.1f}\u00a0%", one, text] for p, one, text in wanted if one == wanted[0][1]
    ]
    settle(at, "boring good", "tfidf_k0")
    assert "a cosine is no probability" in said(at)
