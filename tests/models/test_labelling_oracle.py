"""Oracle: taggers and sentiment recomputed in numpy from their weights; what they may depend on;
how words are cut and numbered."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.core.registry import models
from engine.core.trace import Field
from engine.models.base import train
from engine.nn import wordform
from tests.conftest import together

Trained = Callable[[str], Any]
TEXT = "The old cat saw Nobody's dog"


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def lstm(w: dict[str, np.ndarray], part: str, x_TD: np.ndarray) -> np.ndarray:
    """One layer, step by step, as its equations say."""
    bias = w[f"{part}.bias_ih_l0"] + w[f"{part}.bias_hh_l0"]
    h = c = np.zeros(len(bias) // 4)
    out = []
    for x in x_TD:
        i, f, g, o = np.split(
            w[f"{part}.weight_ih_l0"] @ x + w[f"{part}.weight_hh_l0"] @ h + bias, 4
        )
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    return np.array(out)


def embedded(model: Any, words: tuple[str, ...], w: dict[str, np.ndarray]) -> np.ndarray:
    """The sum of a word's rows, its pieces written out here."""
    vocab, buckets, rows = list(model.tokenizer.vocab), model.config.buckets, []
    for word in words:
        low = word.lower()
        shape = "X" if word.isupper() else "Xx" if word[0].isupper() else "x"
        shape += "'x" if "'" in word else ""
        parts = [
            "<" + low[:2],
            "<" + low[:3],
            low[-1:] + ">",
            low[-2:] + ">",
            low[-3:] + ">",
            low[-4:] + ">",
            "=" + shape,
        ]
        ids = [vocab.index(low) if low in vocab else 0] + [
            len(vocab) + zlib.crc32(p.encode()) % buckets for p in parts
        ]
        if word == "<s>":
            ids = [1, *ids[1:-1], len(vocab) + zlib.crc32(b"=<x>") % buckets]
        rows.append(w["embed.weight"][ids].sum(0))
    return np.array(rows)


@pytest.mark.parametrize("id", ["tagger", "tagger_both", "sentiment"])
def test_answers_recomputed_from_the_weights(id: str, trained: Trained) -> None:
    model = trained(id)
    w = {k: v.astype(np.float64) for k, v in model.weights().items() if v.dtype != np.uint8}
    trace = model.trace(TEXT)
    x_TD = embedded(model, trace.tokens, w)
    for layer in range(model.config.layers):
        h_TH = lstm(w, f"layers.{layer}.fused", x_TD)
        if id == "tagger_both":
            h_TH = np.concatenate([h_TH, lstm(w, f"backwards.{layer}.fused", x_TD[::-1])[::-1]], 1)
        x_TD = h_TH
    field = trace.field("label" if id == "sentiment" else "tag")
    np.testing.assert_allclose(
        field.values, softmax(x_TD @ w["head.weight"].T + w["head.bias"]), atol=1e-5
    )
    assert field.axes[-1].labels == model.names == tuple(sorted(model.names))
    assert len(field.axes[0]) == len(trace.tokens)


def test_only_both_ways_a_later_word_reaches_an_earlier_one(trained: Trained) -> None:
    """Changing the last word moves word 0 by exactly 0 forwards, and by something both ways."""
    for id, reaches in (("tagger", False), ("tagger_both", True)):
        one, other = (
            trained(id).trace(text).field("tag").values[0]
            for text in ("the old cat saw", "the old cat ran")
        )
        assert bool((one != other).any()) == reaches, id


def test_a_window_both_ways_knows_what_follows_it(trained: Trained) -> None:
    whole, part = (
        trained("tagger_both").trace(TEXT, window=window).field("tag").values
        for window in (None, (0, 2))
    )
    np.testing.assert_allclose(part, whole[:2], atol=1e-6)


def test_each_row_of_sentiment_is_the_answer_to_the_text_up_to_there(trained: Trained) -> None:
    model = trained("sentiment")
    trace = model.trace("we laughed and we cried")
    for t, (_, stop) in enumerate(trace.spans[1:], 1):
        alone = model.trace(trace.text[:stop]).field("label").values[-1]
        np.testing.assert_allclose(trace.field("label").values[t], alone, atol=1e-5)


@together(
    "word, shape",
    [
        ("cat", "x"),
        ("Cat", "Xx"),
        ("NATO", "X"),
        ("1914", "d"),
        ("B-2", "X-d"),
        ("don't", "x'x"),
        ("\N{GRINNING FACE}", "\N{GRINNING FACE}"),
    ],
)
def test_shapes_of_words_by_hand(word: str, shape: str) -> None:
    assert wordform.shape(word) == shape


def test_an_ending_is_cut_off_where_only_it_is_known() -> None:
    text = "do/AUX n't/PART know/VERB John/PROPN 's/PART cat/NOUN\nit's/X fine/ADJ\n" * 30
    kind = models.get("tagger")
    model = train(kind, text, kind.config_type(steps=2, units=4, width=4, vocabulary=50, batch=4))
    for typed, cut in {
        "I don't know": ("I", "do", "n't", "know"),
        "Mary's cat": ("Mary", "'s", "cat"),
        "it's fine": ("it's", "fine"),
        "Don\u2019t": ("Do", "n\u2019t"),
        "O'Brien": ("O'Brien",),
        "'": ("'",),
        "n't": ("n't",),
    }.items():
        found = model.tokens(typed)
        assert found.labels == cut and tuple(typed[a:b] for a, b in found.spans) == cut


@together(
    ("id", "text", "said"),
    [
        (
            "tagger",
            "the/DET cat/NOUN\nthe cat\n",
            r"line 2, 'the cat': 'the' is not a word, a slash and a tag; write it like 'the/DET",
        ),
        ("tagger", "/DET\n", "line 1, '/DET'"),
        ("tagger", "\n\ncat/\n", "line 3, 'cat/'"),
        ("tagger_both", "a/X b/X\n", "only one label to learn, 'X'"),
        (
            "sentiment",
            "good\tfine\nbad film\n",
            r"line 2, 'bad film': it is not a label, a tab and a text; write it like 'good\\t",
        ),
        ("sentiment", "\tfine\n", "line 1"),
        ("sentiment", "good\t \n", "line 1"),
        ("tagger", "a/X b/Y\n", ""),
    ],
)
def test_a_wrong_format_is_told_with_its_line(id: str, text: str, said: str) -> None:
    kind = models.get(id)
    run = kind.fit(text, kind.config_type(steps=2, units=4, width=4), seed=0)
    if not said:
        assert list(run)[-1].model is not None
        return
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        list(run)


def test_the_last_slash_parts_word_and_tag() -> None:
    found = models.get("tagger").parse("1/2/NUM and/or/CCONJ")
    assert found.words == ("1/2", "and/or") and found.labels == ("NUM", "CCONJ")


def test_an_unknown_cell_is_told() -> None:
    kind = models.get("tagger")
    with pytest.raises(ValueError, match=r"no cell 'elman'; there are .*lstm"):
        list(kind.fit(kind.sample, kind.config_type(cell="elman"), seed=0))


def test_accuracy_is_counted_by_hand(trained: Trained) -> None:
    """Of the four words one has a tag that is wrong whatever the model says: it is counted as no
    answer, the others are compared."""
    model = trained("tagger")
    trace = model.trace("the old cat saw")
    names = [model.names[i] for i in trace.field("tag").values.argmax(-1)]
    wrong = next(n for n in model.names if n != names[3])
    line = f"the/{names[0]} old/NEVER cat/{names[2]} saw/{wrong}"
    found = model.judge([line])
    assert found["answers"] == 3 and found["accuracy"] == pytest.approx(2 / 3)
    p = trace.field("tag").values
    nats = -np.log(
        [
            p[0, model.names.index(names[0])],
            p[2, model.names.index(names[2])],
            p[3, model.names.index(wrong)],
        ]
    ).mean()
    assert found["nats"] == pytest.approx(nats, rel=1e-4)


def test_any_cell_can_be_chosen() -> None:
    kind = models.get("tagger")
    model = train(
        kind, kind.sample * 4, kind.config_type(cell="gru", steps=2, units=4, width=4, layers=2)
    )
    field = model.trace("the cat").field("gate.update")
    assert isinstance(field, Field) and field.values.shape == (2, 2, 4) and model.memories
