"""What makes the n-gram model quick gives the numbers of the plain way: one pass over the text, scoring without
traces, counting in chunks, opening without computing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.__main__ import main
from engine.analysis.measure import Score, score, sentences, surprisals
from engine.core.registry import tokenizers
from engine.models.base import train
from engine.models.ngram import Config, Ngram
from engine.ngram import chunks
from engine.ngram.counts import Counts, Grams, count
from engine.storage.arrays import read_arrays, write_arrays
from tests.conftest import diagonal

LINES = [
    "the cat saw a dog",
    "",
    "A dog  sat on <unk> cat",
    "the dog saw the cat",
    "",
    "it's the </s> mat , mat",
]
TEXT = "\n".join(LINES) + "\n"
STANDING = Config(order=3, tokenizer="whitespace")
LETTERS = st.text(alphabet="aAb .\t\u00df\u0130\u03a3<unk>", max_size=30)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["words", "whitespace"]),
    st.lists(LETTERS, max_size=6),
    st.integers(4, 9),
    st.booleans(),
)
def test_learning_is_fitting_and_streaming(
    id: str, lines: list[str], size: int, lowercase: bool
) -> None:
    kind: Any = tokenizers.get(id)
    made, stream_N = kind.learn(iter(lines), size, lowercase)
    assert made.vocab == kind.fit(lines, size, lowercase).vocab
    plain = [id for line in lines for id in (made.boundary, *made.encode(line).ids.tolist())] + [
        made.boundary
    ]
    assert stream_N.tolist() == made.stream(lines).tolist() == plain
    assert made.stream(lines).dtype == np.int64


@diagonal("tokenizer,smoothing", tokenizers.ids(), ["modified-kneser-ney", "katz", "mle"])
def test_scoring_without_traces(smoothing: str, tokenizer: str) -> None:
    model = train(
        Ngram, TEXT * 5, Config(order=3, tokenizer=tokenizer, smoothing=smoothing, vocabulary=300)
    )
    told = ["the cat saw the mat", "", "a purple \u00e9 dog"]
    bits, unknown = model.surprisals(told)
    for line, bits_T, unknown_T in zip(told, bits, unknown, strict=True):
        np.testing.assert_allclose(bits_T, surprisals(model, line + "\n")[1:], rtol=1e-5, atol=1e-6)
        assert tuple(np.flatnonzero(unknown_T) + 1) == model.tokens(line + "\n").unknown


def test_white_space_models_take_a_text_as_it_stands_and_scores_add_up() -> None:
    model = train(Ngram, TEXT, STANDING)
    assert sentences(model, TEXT) == LINES
    found = score(model, TEXT)
    assert found.tokens == sum(len(line.split()) + 1 for line in LINES)
    assert found.characters == len(TEXT)
    assert score(model, "\n \n").tokens == 0
    others = train(Ngram, TEXT, Config(order=3))
    assert sentences(others, TEXT) == [line for line in LINES if line]
    parts = [Score(3, 9, 1, 6.0, 2.0, 1, 1), Score(2, 4, 0, 2.0, 0.0)]
    total = Score.total(parts)
    assert total == Score(5, 13, 1, 8.0, 2.0, 1, 1)
    assert total.perplexity == np.inf and total.perplexity_of_possible == 2.0 ** (8 / 4)
    assert Score(3, 9, 1, 6.0, 2.0, 1, 1).perplexity_without_oov == 2.0 ** (4 / 2)


def test_impossible_tokens_are_counted_and_the_rest_is_measured(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "train.txt").write_text("a b\na c\n")
    (tmp_path / "test.txt").write_text("a b\na zebra\n")
    text, run = str(tmp_path / "train.txt"), str(tmp_path / "run")
    how = "--set order=2 --set tokenizer=whitespace --set smoothing=mle".split()
    assert main(["train", "ngram", "--text", text, *how, "--out", run]) == 0
    capsys.readouterr()
    assert main(["score", run, "--text", str(tmp_path / "test.txt"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["tokens"] == 6 and found["oov"] == 1
    assert found["perplexity"] is None and found["bits_per_token"] is None
    # the zebra, and the line end after a context that was never seen, have probability 0; the rest
    # is 1, 1/2, 1 and 1
    assert "2 of 6 tokens have probability 0" in found["notes"][0]
    assert f"the perplexity of the rest is {2**0.25:.4f}" in found["notes"][0]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(1, 4), max_size=6), min_size=1, max_size=6), st.data())
def test_places_are_those_of_the_keys(sentences: list[list[int]], data: st.DataObject) -> None:
    stream_N = np.array([0] + [token for line in sentences for token in (*line, 0)])
    counts = Counts(list(count(stream_N, 5, 3, 0)), 0)
    for order in (2, 3):
        at = {key: i for i, key in enumerate(counts.orders[order - 1].key_G.tolist())}
        contexts = st.integers(-1, len(counts.orders[order - 2]) - 1)
        asked = data.draw(st.lists(st.tuples(contexts, st.integers(0, 4)), max_size=9))
        context_Q, word_Q = np.array(asked, np.int64).reshape(-1, 2).T
        expected = [
            at.get(context * 5 + word, -1) if context >= 0 else -1 for context, word in asked
        ]
        assert counts.find(order, context_Q, word_Q).tolist() == expected


def test_opening_computes_nothing(tmp_path: Path) -> None:
    model = train(Ngram, TEXT * 3, STANDING)
    write_arrays(tmp_path / "w", model.weights())
    arrays = read_arrays(tmp_path / "w")
    again = Ngram.from_weights(STANDING, arrays)
    for m, grams in enumerate(again.smoothed.counts.orders, 1):
        for name, values in (
            ("word", grams.word_G),
            ("count", grams.count_G),
            ("first", grams.first_P),
            ("total", grams.total_P),
        ):
            assert np.shares_memory(values, arrays[f"level{m}.{name}"]) or not len(values), name
        assert np.shares_memory(again.smoothed.alpha[m - 1], arrays[f"level{m}.alpha"])
        assert np.shares_memory(again.smoothed.gamma[m - 1], arrays[f"level{m}.gamma"])
    arrays["level1.alpha"][:] = 0  # stays in memory
    assert read_arrays(tmp_path / "w")["level1.alpha"].any()


SENTENCES = st.lists(st.lists(st.integers(1, 5), max_size=8), max_size=8)
PARTS = ("word_G", "count_G", "first_P", "suffix_G", "total_P")


def stream(sentences: list[list[int]]) -> np.ndarray:
    return np.array([0] + [token for line in sentences for token in (*line, 0)])


def same(left: Grams, right: Grams) -> None:
    for name in PARTS:
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name), name)


@settings(max_examples=12, deadline=None)
@given(SENTENCES, st.integers(1, 5), st.integers(1, 20))
def test_chunks_and_memory_agree(sentences: list[list[int]], order: int, chunk: int) -> None:
    stream_N = stream(sentences)
    found = list(chunks.count(stream_N, 6, order, 0, chunk))
    assert len(found) == chunks.steps(len(stream_N), order, chunk)
    merged = [grams for grams in found if grams is not None]
    for grams, expected in zip(merged, count(stream_N, 6, order, 0), strict=True):
        same(grams, expected)


def test_many_ranges_and_an_adjusted_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "SAMPLE", 3)
    rng = np.random.default_rng(4)
    stream_N = np.append(0, np.append(rng.zipf(1.3, 30_000) % 400, 0))
    merged = [grams for grams in chunks.count(stream_N, 400, 4, 0, 1_000) if grams is not None]
    whole = list(count(stream_N, 400, 4, 0))
    for grams, expected in zip(merged, whole, strict=True):
        same(grams, expected)
    for grams, expected in zip(
        Counts(merged, 0).adjusted().orders, Counts(whole, 0).adjusted().orders, strict=True
    ):
        np.testing.assert_array_equal(grams.count_G, expected.count_G)
