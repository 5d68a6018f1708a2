"""BERT: how examples are drawn, what is learned from them, what is guessed, and the numbers of its
papers.  The net itself is held against the library in test_pretrained.py and test_families.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from engine.core.trace import FieldSpec
from engine.lessons.bert import masked_prediction, senses
from engine.lessons.bert.encoders import BASE, FAMILY, LARGE
from engine.models.base import train
from engine.models.bert import SENTENCE_END, Bert, Config
from engine.nn.masking import IGNORED, Marks, Sentences, masked
from engine.text.tokenizers.wordpiece import WordPiece
from tests.conftest import together

Trained = Callable[[str], Any]
LINES = ["The cat sat on the mat. It was warm there."] * 8
LINES += ["A dog ran to the sea. It swam. Then it slept."] * 8
TEXT = "\n".join(LINES)


def tiny(**more: Any) -> Bert:
    """An untrained model with larger weights than it begins with: no part is close to nothing."""
    from engine.nn.encoder import Net

    config = Config(width=12, heads=3, layers=2, context=24, span=20, vocabulary=120, **more)
    tokenizer = WordPiece.fit(LINES, 120)
    torch.manual_seed(1)
    net = Net(len(tokenizer.vocab), config, tokenizer.end)
    for p in net.parameters():
        torch.nn.init.normal_(p, std=0.4)
    return Bert(config, tokenizer, net)


def test_without_heads_it_promises_less() -> None:
    model = tiny(masked=False, pairs=False)
    assert not {"fill", "sentence"} & {s.name for s in model.spec() if isinstance(s, FieldSpec)}
    assert len(model.trace("the cat").field("residual").values) == 2
    tokens = model.tokens("the cat")
    assert masked_prediction.found(model, tokens, {1}, 1) == masked_prediction.Found([], None)
    with pytest.raises(ValueError, match="masked"):
        next(Bert.fit(TEXT, model.config, seed=0))


@together(
    ("text", "pieces"),
    [
        ("", "[CLS] [SEP]"),
        ("\n \n", "[CLS] [SEP]"),
        ("The cat", "[CLS] the:0-3 cat:4-7 [SEP]"),
        ("the [mask] sat", "[CLS] the:0-3 [MASK]:4-10 sat:11-14 [SEP]"),
        ("the cat\nit sat", "[CLS] the:0-3 cat:4-7 [SEP] it:8-10 sat:11-14 [SEP]"),
        ("the cat [SEP] it sat", "[CLS] the:0-3 cat:4-7 [SEP] it:14-16 sat:17-20 [SEP]"),
        ("\n\nthe\n\n\ncat\n", "[CLS] the:2-5 [SEP] cat:8-11 [SEP]"),
        ("[MASK][MASK]", "[CLS] [MASK]:0-6 [MASK]:6-12 [SEP]"),
    ],
)
def test_a_text_is_read_with_its_marks(text: str, pieces: str) -> None:
    tokens = tiny().tokens(text)
    spans = zip(tokens.labels, tokens.spans, strict=True)
    said = [label + (f":{a}-{b}" if b else "") for label, (a, b) in spans]
    assert " ".join(said) == pieces


def test_an_unknown_word_keeps_its_spelling_and_its_place() -> None:
    tokens = tiny().tokens("the 猫 [MASK] 犬")
    assert tokens.labels[2] == "猫" and tokens.labels[4] == "犬" and tokens.unknown == (2, 4)
    assert tokens.ids[2] == WordPiece.unknown


def test_sentences_end_where_a_reader_would_say() -> None:
    cut = SENTENCE_END.split('Mr. Smith went. "Yes." He said J. R. Tolkien was here! Ok? Then')
    assert cut == ["Mr. Smith went.", '"Yes."', "He said J. R. Tolkien was here!", "Ok?", "Then"]


def test_words_are_masked_80_10_10() -> None:
    marks, words = Marks(2, 3, 4, (1,)), np.arange(5, 200)
    rng = np.random.default_rng(0)
    ids = rng.integers(5, 200, (400, 50))
    ids[:, 0], ids[:, -1], ids[::2, 7] = 2, 3, 1
    read, wanted = masked(ids, marks, words, 0.15, rng)
    chosen = wanted != IGNORED
    assert (wanted[chosen] == ids[chosen]).all() and (read[~chosen] == ids[~chosen]).all()
    assert not chosen[:, [0, -1]].any() and not chosen[::2, 7].any() and chosen.any(1).all()
    free = 400 * 48 - 200
    assert abs(chosen.sum() / free - 0.15) < 0.01  # four standard deviations
    become = read[chosen]
    assert abs((become == 4).mean() - 0.8) < 0.03
    # another word may be the same by chance
    assert abs((become == ids[chosen]).mean() - 0.1 - 0.1 / 195) < 0.025
    sure, _ = masked(ids, marks, words, 0.15, np.random.default_rng(0), (1.0, 0.0))
    assert set(sure[sure != ids].tolist()) == {4}


def test_half_of_the_pairs_follow_and_the_answers_are_true() -> None:
    """Every id says its passage, its sentence and its place in it."""
    passages = [
        [1000 * p + 100 * s + np.arange(1 + (p + s) % 5) for s in range(1 + p % 4)]
        for p in range(1, 30)
    ]
    examples, rng = Sentences(passages), np.random.default_rng(0)
    answers = []
    for _ in range(40):
        ids, label = examples.draw(16, 24, Marks(-2, -3, -4, ()), rng)
        assert ids.shape[1] <= 24 and (ids[:, 0] == -2).all() and (ids[:, -1] == -3).all()
        for row, answer in zip(ids.tolist(), label.tolist(), strict=True):
            middle = row[1:-1]
            if answer == IGNORED and -3 not in middle:
                continue
            a, b = middle[: middle.index(-3)], middle[middle.index(-3) + 1 :]
            if a and b and answer == 0:
                assert a[0] // 1000 == b[0] // 1000
                assert b[0] % 100 == 0
                assert b[0] // 100 > a[-1] // 100
            if a and b and answer == 1:
                # never the opening of a passage
                assert a[0] // 1000 != b[0] // 1000 and b[0] % 1000 >= 100
            answers.append(answer)
    told = np.array([answer for answer in answers if answer != IGNORED])
    assert len(told) > 300 and abs(told.mean() - 0.5) < 0.1


def test_the_loss_is_that_of_the_words_and_of_the_pairs() -> None:
    model = tiny()
    ids = torch.tensor([[2, 7, 4, 9, 3, 8, 3], [2, 7, 8, 4, 9, 10, 3]])
    wanted = torch.full_like(ids, IGNORED)
    # the first is a pair that does not follow; the second no pair
    wanted[0, 0], wanted[0, 2], wanted[1, 3] = (1, 11, 12)
    with torch.no_grad():
        x_BTD = model.net(ids)
        p_BTV = model.net.fill(x_BTD).softmax(-1)
        pair_B2 = model.net.pair(torch.tanh(model.net.pool(x_BTD[:, 0]))).softmax(-1)
        loss = float(model.net.loss(x_BTD, wanted))
    words = -(math.log(p_BTV[0, 2, 11]) + math.log(p_BTV[1, 3, 12])) / 2
    assert loss == pytest.approx(words - math.log(pair_B2[0, 1]), abs=1e-4)


def test_it_learns_what_can_be_known() -> None:
    """Two lines that differ in one word each: what is masked follows from the rest."""
    text = "\n".join(
        ["red is the sky above. it is the evening.", "blue is a sea below. it was a morning."] * 12
    )
    sizes = {"width": 32, "heads": 2, "layers": 1, "context": 24, "span": 24, "vocabulary": 80}
    model = train(Bert, text, Config(steps=160, batch=16, rate=5e-3, **sizes))
    found = model.judge(text.split("\n"), 256)  # type: ignore[attr-defined]
    assert found["accuracy"] > 0.6 > 3 * found["commonest_word"]
    assert found["nats"] < math.log(20) and 0 <= found["pair_accuracy"] <= 1


def test_what_is_guessed_is_what_a_trace_says(trained: Trained) -> None:
    model = trained("bert")
    tokens = model.tokens("the cat sat on the [MASK]")
    told = masked_prediction.found(model, tokens, {2})
    found, pair = told.guesses, told.pair
    trace = model.trace("the [MASK] sat on the [MASK]")
    assert [guess.at for guess in found] == [2, 6]
    for guess in found:
        assert_allclose(guess.p_V, trace.field("fill").values[guess.at], atol=1e-6)
    assert pair is not None
    assert_allclose(pair, trace.field("sentence").values, atol=1e-6)
    label, p, rank = found[0].true or ("", 0, 0)
    assert label == "cat" and p == pytest.approx(float(found[0].p_V[tokens.ids[2]]))
    assert rank == sorted(found[0].p_V, reverse=True).index(found[0].p_V[tokens.ids[2]]) + 1
    assert found[1].true is None
    best = found[0].top(model.tokenizer.vocab, 3)
    assert [p for _, p in best] == sorted(found[0].p_V, reverse=True)[:3]


def test_from_the_left_is_the_text_that_ends_at_the_gap(trained: Trained) -> None:
    model = trained("bert")
    tokens = model.tokens("the cat sat on the mat")
    sides = masked_prediction.found(model, tokens, (), 2).sides
    assert sides is not None
    both, left = sides.both, sides.left
    for one, text in ((both, "the [MASK] sat on the mat"), (left, "the [MASK]")):
        assert_allclose(one.p_V, model.trace(text).field("fill").values[2], atol=1e-6)
    assert np.abs(both.p_V - left.p_V).max() > 1e-6


def test_a_long_text_is_cut_and_closed(trained: Trained) -> None:
    model = trained("bert")
    tokens = masked_prediction.fit(model, model.tokens("the cat sat " * 30))
    assert len(tokens) == model.context
    assert tokens.labels[-1] == "[SEP]" and tokens.spans[-1] == (0, 0)
    segments = masked_prediction.segments(model, model.tokens("the cat\nthe cat"))
    assert segments.tolist() == [0] * 4 + [1] * 3


def test_a_word_drifts_apart_from_one_vector(trained: Trained) -> None:
    model = trained("bert")
    lines = ["the cat sat", "The CAT, the cat!", "a concatenation", "no"]
    found = senses.senses(model, lines, "cat")
    assert [(o.sentence, o.start) for o in found.where] == [(0, 4), (1, 4), (1, 13)]
    assert found.without == (2, 3)
    cosine = found.cosines()
    assert_allclose(cosine[0], 1, atol=1e-6)
    assert cosine[1:].min() < 0.9999
    trace = model.trace("the cat sat")
    assert_allclose(found.vectors_LND[-1, 0], trace.field("residual").values[-1, 2], atol=1e-6)
    assert_allclose(found.vectors_LND[1, 0], trace.field("residual.before").values[0, 2], atol=1e-6)
    u, v = found.vectors_LND[-1, :2]
    assert cosine[-1, 0, 1] == pytest.approx(u @ v / np.linalg.norm(u) / np.linalg.norm(v))
    xy, share = found.places(len(found.depths) - 1)
    centred = found.vectors_LND[-1] - found.vectors_LND[-1].mean(0)
    far = np.linalg.norm(xy[:, None] - xy[None], axis=-1)
    want = np.linalg.norm(centred[:, None] - centred[None], axis=-1)
    assert_allclose(far, want, atol=1e-5)  # three points lie in a plane
    assert share == pytest.approx(1) and not found.places(0)[0].any()
    with pytest.raises(ValueError, match="None of the sentences"):
        senses.senses(model, ["the cat"], "dog")


def test_parameters_of_the_papers() -> None:
    """T34, T36 of the spec; the others as the libraries that carry these checkpoints count them."""
    sizes = BASE.total, LARGE.total, BASE.layer, LARGE.layer
    assert sizes == (109_482_240, 335_141_888, 7_087_872, 12_596_224)
    parts = BASE.parts()
    read = ("word embeddings", "places", "segments", "norm of the embeddings")
    assert sum(parts[name] for name in read) == 23_837_184
    assert parts["pooler"] == 590_592 and LARGE.parts()["pooler"] == 1_049_600
    totals = {m.name: m.size.total for m in FAMILY}
    wanted = {"DistilBERT": 66_362_880, "RoBERTa-base": 124_645_632, "ALBERT-base": 11_683_584}
    assert totals.items() >= {*wanted.items(), ("ELECTRA-base", 108_891_648)}
    assert round(1 - totals["DistilBERT"] / BASE.total, 3) == 0.394
    assert replace(BASE, once=True).total == BASE.total - 11 * BASE.layer


def test_the_model_here_is_counted_alike(trained: Trained) -> None:
    from engine.lessons.bert.encoders import Size

    model = trained("bert")
    c, net = model.config, model.net
    size = Size(c.layers, c.width, len(model.tokenizer.vocab), c.context)
    heads = sum(p.numel() for part in (net.guess, net.pair) for p in part.parameters())
    assert size.total == sum(p.numel() for p in net.parameters()) - heads


def test_scenes_give_a_word_two_meanings_and_never_mix_them() -> None:
    from engine.text.corpora.scenes import SCENES, Scenes

    lines = Scenes().text(3000).splitlines()
    assert Scenes().text(3000, 1) != Scenes().text(3000)
    assert all(2 <= len(SENTENCE_END.split(line)) <= 4 and "{" not in line for line in lines)
    river, money = (
        {line for line in lines if any(word in line for word in words)}
        for words in (("river", "stream", "lake"), ("deposit", "account", "robbed"))
    )
    assert len(river) > 50 and len(money) > 50 and not river & money
    assert any("bank" in line for line in river) and all("bank" in line for line in money)
    assert not any(" he " in line.lower() and " she " in line.lower() for line in lines)
    sentences = {sentence for texts, _ in SCENES.values() for sentence in texts.split("|")}
    assert len(sentences) > 150
