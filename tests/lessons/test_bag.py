"""Bag of words: what is said of held-out texts, and the tables that people bring."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from engine.course import rooms
from engine.frame.blocks import Note, Problem, Rows, blocks_in
from engine.lessons.bag import head, live, parts
from engine.lessons.bag.bayes import NaiveBayes
from engine.live.request import Request
from engine.live.stage import Opening
from tests.conftest import together


def chosen(**held: Any) -> tuple[list[Any], Any]:
    return head.HEAD.answer(head.HEAD.values(held))


def tables(part: Any, of: Any, **held: Any) -> list[list[list[Any]]]:
    found = part.blocks(labelled=of, **held)
    return [[[*r.values()] for r in b.rows] for b in blocks_in(found) if isinstance(b, Rows)]


def test_it_judges_held_out_reviews() -> None:
    of = chosen()[1]
    counts = of.counts
    assert counts.classes == ("negative", "positive") and counts.docs_C.sum() == 180
    assert len(of.held.labels) == 76
    assert tables(parts.accuracy, of)[0][0][:2] == ["Multinomial naive Bayes", "84.2 %"]
    said, *_, beside, _note = parts.accuracy.blocks(labelled=of)
    assert str(said).startswith("64 of 76 are") and str(said).endswith("would get 50.0 %.")
    confusion = beside.columns[0][0].entries[0].values
    assert confusion.trace() == 64 and confusion.sum() == 76
    assert tables(parts.accuracy, of, k=0.0)[0][0][1] == "46.1 %", "many have no answer"


def test_the_surest_mistakes_are_listed_first() -> None:
    """Each is a held-out text that naive Bayes takes for another class, with its posterior."""
    of = chosen()[1]
    model, wanted = NaiveBayes(of.counts, 1.0), []
    for true, text in zip(of.held.labels, of.held.texts, strict=True):
        p_C = model.read(text).posterior_C
        assert p_C is not None
        if (name := of.counts.classes[int(p_C.argmax())]) != true:
            wanted.append([float(p_C.max()), f"{true} → {name}", text])
    wanted.sort(key=lambda row: -row[0])
    assert tables(parts.mistakes, of) == [wanted]


def test_the_toy_has_no_texts_left_to_test_on() -> None:
    of = chosen(corpus="four")[1]
    assert of.counts.vocab == tuple("acting bad boring film fun good great plot".split())
    assert isinstance(parts.accuracy.blocks(labelled=of)[-1], Problem)
    (rows,) = tables(parts.amount, of, above="boring good")
    assert rows[1][-1] == "0.620482"
    assert "1.08" in str(parts.amount.blocks(labelled=of, above="", sample="")[0])


def test_the_words_shown_are_those_counted() -> None:
    """Also of a text that is too long to be shown at once, and in letters of any length."""
    read: Any = live.stage(labelled=chosen()[1]).unread
    text = "The food wasn’t bad: GREAT İ naïve zzz"
    part = read(text, (0, len(text)), Request.read({}, 100))[0].part
    assert [text[a:b] for a, b in part["spans"]] == part["labels"] and len(part["labels"]) == 8
    assert [part["labels"][t] for t in part["unknown"]][-2:] == ["naïve", "zzz"]
    assert read("great " * 9_000, (0, 60), Request.read({}, 100))[0].part["total"] == 9_000


TEXT = "The food wasn’t bad, not bad at all: GREAT great soup — naïve zzz"


def derived(of: Any, text: str, **asks: str) -> dict[str, Any]:
    """What the page shows of a text, by name."""
    (reading,), _ = live.stage(labelled=of).answer(Request.read({"text": text, **asks}, 100_000))
    found = dict(reading.part["said"]["numbers"])
    for sent in reading.together:
        found |= dict(zip(sent.names, sent.values.astype(float), strict=True))
    return found


@together(("kind", "k"), product(("multinomial", "bernoulli"), (0.1, 1.0)))
def test_the_words_add_up_to_the_posterior(kind: str, k: float) -> None:
    """Word by word as the classifier reads the text whole; absent words stand in no row."""
    of = chosen()[1]
    found = derived(of, TEXT, rules=kind, by=f"k{k:g}")
    read = NaiveBayes(of.counts, k, kind).read(TEXT)
    assert read.posterior_C is not None
    assert np.nansum(found["worth"]) == pytest.approx(
        read.parts_WC[:, 1].sum() - read.parts_WC[:, 0].sum(), abs=1e-5
    )
    rest = read.rest_C[1] - read.rest_C[0]
    assert found["rest"] == pytest.approx(rest)
    end = 1 / (1 + 2 ** (rest + np.log2(1 / found["so.far"][-1] - 1) - 2 * rest))
    assert end == pytest.approx(read.posterior_C[1], rel=1e-4)
    assert found["end"] == pytest.approx(read.posterior_C[1])
    np.testing.assert_allclose(found["posterior"], read.posterior_C, rtol=1e-5)
    np.testing.assert_allclose(-found["joint"], read.joint_C, rtol=1e-5)
    assert found["evidence"] == pytest.approx(-np.logaddexp2(*read.joint_C))
    assert np.isnan(found["worth"][-2:]).all(), "naïve and zzz were never counted"
    assert np.isnan(found["worth"][9]) == (kind == "bernoulli"), "the second “great”"
    ids, cosine = of.centroids.parts(TEXT)
    assert ids and found["tfidf"] == pytest.approx(cosine.sum(0), abs=1e-6)
    for name in ("multinomial", "bernoulli"):
        own = NaiveBayes(of.counts, k, name).read(TEXT).posterior_C
        assert own is not None
        shown = found["multinomial" if name == "multinomial" else "bernoulli.p"]
        np.testing.assert_allclose(shown, own, rtol=1e-5)


def test_a_factor_of_nothing_and_a_product_that_is_too_small() -> None:
    of = chosen()[1]
    found = derived(of, "great dirty", by="k0")
    assert found["none"] and np.isnan(found["posterior"]).all() and np.isnan(found["end"])
    assert found["never"].all() and np.isnan(found["joint"]).all()
    assert not derived(of, "great " * 100)["lost"] and derived(of, "great " * 300)["lost"]
    # of three words, one of them twice: 3! / 2! orders
    assert 2 ** -derived(of, "good film good")["orders"] == pytest.approx(3)


def test_a_long_text_adds_up_to_what_is_shown() -> None:
    of = chosen()[1]
    text = "good film " * 90
    (part, *_), shown = live.stage(labelled=of).answer(Request.read({"text": text}, 10_000))
    found = derived(of, text)
    assert shown[0] > 0 and len(found["worth"]) == len(part.part["labels"])
    read = NaiveBayes(of.counts, 1.0).read(text)
    assert read.posterior_C is not None
    assert found["so.far"][-1] == pytest.approx(read.posterior_C[1])


TOPICS = "topic,text\n" + "".join(
    f"{c},{w} {w} the word\n"
    for c, w in [("sport", "goal"), ("food", "soup"), ("tech", "screen")] * 20
)


@together(
    ("raw", "says"),
    [
        (None, "2 to 20 classes"),
        (b"one column\nonly\n", "one column only"),
        (b"", "empty"),
        (b"a,b\n" * 9, "one label only"),
        (b"text,label\n!,a\n?,b\n!!,a\n??,b\n", "no word"),
    ],
)
def test_a_table_that_cannot_be_used(raw: bytes | None, says: str) -> None:
    blocks, of = chosen(corpus="table", file=None if raw is None else ("mine.csv", raw))
    assert of is None and says in blocks[-1].words


def test_a_table_of_ones_own() -> None:
    blocks, of = chosen(corpus="table", file=("<b>mine</b>.csv", TOPICS.encode()))
    assert of.counts.classes == ("food", "sport", "tech") and len(of.held.labels) == 18
    assert tables(parts.accuracy, of)[0][0][1] == "100.0 %"
    assert not any(isinstance(block, Note) for block in blocks)
    opened = of.opening(Opening("bag", "x", ()))
    assert opened.example == of.counted.texts[0] and not opened.steps


def test_the_first_minute_is_of_our_reviews() -> None:
    usual = Opening("bag", "x", ())
    assert len(chosen()[1].opening(usual).steps) == 4
    assert not chosen(split=1)[1].opening(usual).steps
    assert rooms.head("bag") is head.HEAD
