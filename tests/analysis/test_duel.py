"""The duel: log-odds and what they add up to, and two models that write one text."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from engine.analysis.compare.alignment import Segments, reading, segments
from engine.analysis.compare.blend import MIXTURE, PRODUCT, blend, shared, write
from engine.analysis.compare.odds import odds, share
from engine.models.base import train
from engine.models.ngram import Config, Ngram

SEA = "the ship sails on the sea\nthe sea is deep and the ship is old\n" * 10
WOOD = "the tree stands in the wood\nthe wood is dark and the tree is old\n" * 10


def counted(text: str, tokenizer: str = "chars", order: int = 3) -> Any:
    return train(Ngram, text, Config(order=order, tokenizer=tokenizer))


@pytest.fixture(scope="module")
def two() -> tuple[Any, Any]:
    return counted(SEA), counted(WOOD)


def test_odds_by_hand() -> None:
    """P_A = 1/4, P_B = 1/32 is 3 bits for A; unknown to one is left out; never for A against 2 bits
    is infinitely for B."""
    unknown = np.array([[False, False], [False, True], [False, False]])
    found = Segments(
        np.arange(3), np.arange(1, 4), np.array([[2.0, 5.0], [1.0, 9.0], [math.inf, 2.0]]), unknown
    )
    assert odds(found)[0] == 3.0 and math.isnan(odds(found)[1]) and odds(found)[2] == -math.inf
    assert (
        share(3.0) == pytest.approx(8 / 9)
        and share(0.0) == 0.5
        and share(-math.inf) == pytest.approx(0)
        and share(1e6) == 1.0
    )


def test_odds_add_up_to_the_two_texts(two: tuple[Any, Any]) -> None:
    text = "the old sand is in the island"  # no letter that one of them never saw
    traces = [model.trace(text, fields=("probability",)) for model in two]
    found = odds(segments([reading(trace) for trace in traces]))
    p = [
        math.prod(
            trace.field("probability").values[np.arange(len(text)), trace.ids[1:]].astype(float)
        )
        for trace in traces
    ]
    assert found.sum() == pytest.approx(math.log2(p[0] / p[1]), rel=1e-5)


def test_blends_by_hand() -> None:
    """p = (0.8, 0.2), q = (0.2, 0.8): half and half is (0.5, 0.5) both ways; at w = 1/4 the mixture
    is 0.65, the product 0.8^.75 0.2^.25 : 0.2^.75 0.8^.25 = 2 : 1."""
    p, q = np.log([0.8, 0.2]), np.log([0.2, 0.8])
    for kind in (MIXTURE, PRODUCT):
        assert blend(p, q, 0.5, kind) == pytest.approx([0.5, 0.5])
        assert blend(p, q, 0, kind) == pytest.approx([0.8, 0.2]) and blend(
            p, q, 1, kind
        ) == pytest.approx([0.2, 0.8])
    assert blend(p, q, 0.25, MIXTURE) == pytest.approx([0.65, 0.35])
    assert blend(p, q, 0.25, PRODUCT) == pytest.approx([2 / 3, 1 / 3])


def test_what_one_forbids_a_product_never_writes() -> None:
    with np.errstate(divide="ignore"):
        p, q = np.log([0.5, 0.5, 0.0]), np.log([0.0, 0.5, 0.5])
    assert blend(p, q, 0.5, PRODUCT).tolist() == [0, 1, 0]
    assert blend(p, q, 0.5, MIXTURE) == pytest.approx([0.25, 0.5, 0.25])
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match="nothing can follow"):
        blend(np.log([1.0, 0.0]), np.log([0.0, 1.0]), 0.5, PRODUCT)
    with pytest.raises(ValueError, match="kind is"):
        blend(p, q, 0.5, "average")


def test_shared_tokens_are_the_same_text_in_both(two: tuple[Any, Any]) -> None:
    a, b = (model.tokenizer for model in two)
    both = shared(a, b)
    assert [a.vocab[i] for i in both.a_N] == [b.vocab[i] for i in both.b_N]
    assert {a.vocab[i] for i in both.a_N} == (set(SEA) & set(WOOD))
    words = shared(counted(SEA, "words").tokenizer, counted(WOOD, "words").tokenizer)
    assert len(words.a_N) == len(set(SEA.split()) & set(WOOD.split())) + 1  # and the line end


@pytest.mark.parametrize("other", ["words", "none"])
def test_where_nothing_is_shared_a_sentence_says_so(two: tuple[Any, Any], other: str) -> None:
    b = counted(WOOD, "words") if other == "words" else counted("щука\nрыба\nщука рыба\n", "words")
    a = two[0] if other == "words" else counted("ship\nsea\n", "words")
    if other == "none":  # they still share the line end: one token is not enough to write with
        with pytest.raises(ValueError, match="no token in common"):
            shared(a.tokenizer, b.tokenizer)
    else:
        with pytest.raises(ValueError, match="Choose two models with the same tokenizer"):
            list(write(a, b, "x", w=0.5, steps=3))


@pytest.mark.parametrize("kind", [MIXTURE, PRODUCT])
def test_the_same_seed_writes_the_same_text_and_the_ends_are_the_two_models(
    two: tuple[Any, Any], kind: str
) -> None:
    a, b = two
    texts = {
        w: "".join(x.piece for x in write(a, b, "the ", w=w, kind=kind, steps=60, seed=4))
        for w in (0.0, 0.5, 1.0)
    }
    assert texts == {
        w: "".join(x.piece for x in write(a, b, "the ", w=w, kind=kind, steps=60, seed=4))
        for w in (0.0, 0.5, 1.0)
    }
    assert all(len(text) == 60 for text in texts.values()) and len(set(texts.values())) > 1
    assert (
        "".join(x.piece for x in write(a, b, "the ", w=0.5, kind=kind, steps=60, seed=5))
        != texts[0.5]
    )
    first = next(iter(write(a, b, "the ", w=0.0, kind=kind, steps=1)))
    assert first.odds == pytest.approx(
        math.log2(_given(a, "the ", first.piece, b) / _given(b, "the ", first.piece, a)), abs=1e-4
    )


def _given(model: Any, prompt: str, piece: str, other: Any) -> float:
    """P(piece | prompt) among the tokens that the other model knows too."""
    p_V = model.trace(prompt).field("probability").values[-1].astype(float)
    kept = [
        id
        for id, label in enumerate(model.tokenizer.vocab)
        if label in other.tokenizer.vocab and id != model.tokenizer.unknown
    ]
    return float(p_V[model.tokenizer.vocab.index(piece)] / p_V[kept].sum())


def test_it_draws_as_often_as_the_blend_says(two: tuple[Any, Any]) -> None:
    a, b = two
    both = shared(a.tokenizer, b.tokenizer)
    with np.errstate(divide="ignore"):
        log_a, log_b = (
            np.log(m.trace("the ").field("probability").values[-1].astype(float)) for m in two
        )
    p_N = blend(log_a[both.a_N], log_b[both.b_N], 0.5, MIXTURE)
    drawn = Counter(
        next(iter(write(a, b, "the ", w=0.5, kind=MIXTURE, steps=1, seed=s))).piece
        for s in range(400)
    )
    for n, p in enumerate(p_N):
        assert drawn[a.tokenizer.vocab[both.a_N[n]]] / 400 == pytest.approx(p, abs=0.09)
