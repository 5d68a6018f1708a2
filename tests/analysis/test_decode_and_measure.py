"""Decoding and measuring: pure sums on probabilities, checked by hand and by brute force."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import decode, measure
from engine.analysis.decode.sample import _piece
from engine.core.registry import models, tokenizers
from tests.conftest import LINES, together

P = np.array([0.1, 0.4, 0.2, 0.3])
Trained = Callable[[str], Any]
weights = st.lists(st.floats(0, 1), min_size=1, max_size=30).filter(lambda w: sum(w) > 0.01)
TALKERS = [id for id in ("ngram", "lstm", "transformer") if id in models.ids()]


def normal(w: list[float]) -> np.ndarray:
    return np.array(w) / sum(w)


def choose(p_V: np.ndarray, **rules: Any) -> decode.Choice:
    with np.errstate(divide="ignore"):
        return decode.choose(np.log(p_V), decode.Rules(**rules))


def test_rules_one_after_the_other_by_hand() -> None:
    """T = .5: 1/30, 16/30, 4/30, 9/30; top-k 3 drops 1/30; min-p .5 then drops 4 (below 8 of 16): left 25/30."""
    found = choose(P, temperature=0.5, top_k=3, min_p=0.5)
    np.testing.assert_allclose(found.p_V, [0, 16 / 25, 0, 9 / 25])
    assert found.cut == pytest.approx(5 / 30)
    assert [(c.rule, c.left) for c in found.cuts] == [("top_k", 3), ("min_p", 2)]
    np.testing.assert_allclose([c.mass for c in found.cuts], [1 / 30, 4 / 30])


RULES = ("repetition_penalty", "temperature", "top_k", "top_p", "min_p", "typical")
Z = np.array([2.0, 1.0, 0.5, -1.0, -2.0])


@together(
    ("rules", "expected"),
    [
        ({}, [0.602732, 0.221733, 0.134488, 0.030008, 0.011039]),
        ({"temperature": 0.7}, [0.727785, 0.174414, 0.085383, 0.010017, 0.002401]),
        ({"temperature": 2.0}, [0.410279, 0.248847, 0.193802, 0.091546, 0.055525]),
        ({"top_p": 0.9}, [0.628532, 0.231224, 0.140244, 0, 0]),
        ({"temperature": 0.7, "top_p": 0.9}, [0.806679, 0.193321, 0, 0, 0]),
        ({"repetition_penalty": 1.1}, [0.560270, 0.247210, 0.149940, 0.030272, 0.012308]),
        (
            {"repetition_penalty": 1.1, "temperature": 0.7, "top_p": 0.9},
            [0.683599, 0.212415, 0.103986, 0, 0],
        ),
    ],
)
def test_the_vectors_of_the_specification(rules: dict[str, Any], expected: list[float]) -> None:
    """T25; the penalty is on tokens 0 and 3: 2 / 1.1 and -1 * 1.1."""
    np.testing.assert_allclose(
        decode.choose(Z, decode.Rules(**rules), [0, 3]).p_V, expected, atol=1e-6
    )
    np.testing.assert_allclose(
        decode.repetition(Z, [0, 3, 3], 1.1), [1.818182, 1, 0.5, -1.1, -2], atol=1e-6
    )


@together(
    "rules",
    [
        {"temperature": 0.7},
        {"top_k": 7},
        {"top_p": 0.8},
        {"min_p": 0.1},
        {"typical": 0.6},
        {"repetition_penalty": 1.7},
        dict(zip(RULES, (1.2, 1.4, 60, 0.95, 0.02, 0.9), strict=True)),
    ],
)
def test_the_rules_agree_with_the_library(rules: dict[str, Any]) -> None:
    """`transformers` in its own order; distributions sharp and flat, a vocabulary of 300, some logits -inf."""
    import torch
    from transformers.generation import logits_process as library

    made = {
        "repetition_penalty": library.RepetitionPenaltyLogitsProcessor,
        "temperature": library.TemperatureLogitsWarper,
        "top_k": library.TopKLogitsWarper,
        "top_p": library.TopPLogitsWarper,
        "min_p": library.MinPLogitsWarper,
        "typical": library.TypicalLogitsWarper,
    }
    rng = np.random.default_rng(0)
    for spread in (0.3, 2.0, 8.0):
        logit_V, seen = rng.normal(0, spread, 300), rng.integers(0, 300, 40)
        logit_V[rng.integers(0, 300, 5)] = -np.inf
        score_BV, seen_BT = torch.from_numpy(logit_V)[None], torch.from_numpy(seen)[None]
        for name in RULES:
            if name in rules:
                score_BV = made[name](rules[name])(seen_BT, score_BV)
        theirs_V = score_BV.softmax(-1)[0].numpy()
        found = decode.choose(logit_V, decode.Rules(**rules), seen.tolist())
        assert np.flatnonzero(found.p_V).tolist() == np.flatnonzero(theirs_V).tolist()
        np.testing.assert_allclose(found.p_V, theirs_V, rtol=1e-9)


def test_ties_go_to_the_smaller_id() -> None:
    even = np.full(4, 0.25)
    assert np.flatnonzero(decode.top_k(even, 2).p_V).tolist() == [0, 1]
    assert decode.temperature(even, 0).tolist() == [1, 0, 0, 0]


@given(weights, st.floats(0.05, 5), st.integers(1, 40), st.floats(0.01, 1), st.floats(0, 1))
def test_every_rule_leaves_a_distribution(
    w: list[float], t: float, k: int, p: float, m: float
) -> None:
    p_V = normal(w)
    every = choose(p_V, temperature=t, top_k=k, top_p=p, min_p=m, typical=p)
    assert sum(c.mass for c in every.cuts) == pytest.approx(every.cut)
    alone = (decode.top_k(p_V, k), decode.top_p(p_V, p), decode.min_p(p_V, m))
    for found in (*alone, decode.typical(p_V, p), every):
        assert found.p_V.sum() == pytest.approx(1) and found.p_V.min() >= 0
        assert 0 <= found.cut <= 1 and found.p_V[p_V == 0].sum() == 0
    assert 1 - decode.top_p(p_V, p).cut >= p - 1e-9


@given(weights.filter(lambda w: len(w) <= 7), st.floats(0.01, 1))
def test_top_p_is_the_smallest_set_by_brute_force(w: list[float], p: float) -> None:
    p_V = normal(w)
    sums = ((n, sum(c)) for n in range(1, len(w) + 1) for c in itertools.combinations(p_V, n))
    kept = decode.top_p(p_V, p).p_V
    assert np.count_nonzero(kept) <= next(n for n, mass in sums if mass >= p - 1e-12)
    assert p_V[kept > 0].sum() >= p - 1e-9


@together(
    ("rule", "value"),
    [
        (decode.temperature, -1),
        (decode.top_k, 0),
        (decode.top_p, 0),
        (decode.min_p, -0.1),
        (decode.typical, 0),
        (lambda p_V, x: decode.repetition(p_V, [0], x), -2),
    ],
)
def test_what_makes_no_sense_is_said(
    rule: Callable[[np.ndarray, float], object], value: float
) -> None:
    with pytest.raises(ValueError, match=str(value)):
        rule(P, value)


def test_draws_follow_the_distribution() -> None:
    """20,000 draws: each share within five standard deviations; what has probability 0 never comes."""
    p_V = np.array([0.0, 0.5, 0.0, 0.3, 0.2, 0.0])
    rng = np.random.default_rng(0)
    count_V = np.bincount([decode.draw(p_V, rng) for _ in range(20_000)], minlength=6)
    assert count_V[p_V == 0].sum() == 0
    assert (np.abs(count_V / 20_000 - p_V) <= 5 * np.sqrt(p_V * (1 - p_V) / 20_000)).all()


def test_the_same_seed_writes_the_same_text(trained: Trained) -> None:
    model = trained("lstm")
    texts = ["".join(decode.sample(model, "the cat", steps=40, seed=seed)) for seed in (1, 1, 2, 3)]
    assert texts[0] == texts[1] and len(set(texts)) > 1
    assert list(decode.sample(model, "the", steps=0)) == []


@pytest.mark.parametrize("id", ["ngram", "transformer"])
def test_without_chance_the_likeliest_is_taken_each_time(id: str, trained: Trained) -> None:
    """Temperature 0, the long way: the argmax of a fresh run over the ids so far, longer than the context."""
    from engine.text.tokenizers.base import Tokens

    model, prompt, steps = trained(id), "the cat", 30
    tokens = model.tokens(prompt)
    ids = tokens.ids.tolist()
    for _ in range(steps):
        seen = np.array(ids)[-(model.context or len(ids)) :]
        part = Tokens(seen, tuple(model.tokenizer.vocab[i] for i in seen), ((0, 0),) * len(seen))
        ids.append(int(np.argmax(decode.expects(model, part))))
    whole = model.tokenizer.decode(ids)
    before = model.tokenizer.decode(tokens.ids.tolist())
    pieces = "".join(decode.sample(model, prompt, steps=steps, temperature=0))
    assert pieces == whole[len(before) :]
    assert "".join(decode.sample(model, prompt, steps=steps, top_k=1, seed=9)) == pieces


@together("name", tokenizers.ids())
def test_pieces_add_up_to_the_text_of_the_ids(name: str) -> None:
    """Words get a space between them; a character of several bytes comes out once it is whole."""
    tokenizer = tokenizers.get(name).fit([*LINES, "naïve 猫 sat 👩 on"], 300)
    tokens = tokenizer.encode("the naïve 猫 sat\n👩 on the mat").after(tokenizer.boundary, "")
    for start in range(1, len(tokens)):
        told, out = start - 1, ""
        for stop in range(start + 1, len(tokens) + 1):
            piece = _piece(tokens.ids[:stop], told, tokenizer)
            if not piece.endswith("\N{REPLACEMENT CHARACTER}") or stop == len(tokens):
                told, out = stop - 1, out + piece
        whole, before = (
            tokenizer.decode(part.tolist()) for part in (tokens.ids, tokens.ids[:start])
        )
        if not before.endswith("\N{REPLACEMENT CHARACTER}"):
            assert out == whole[len(before) :], start


def test_a_model_without_probability_says_so(
    trained: Trained, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = trained("lstm")
    monkeypatch.setattr(type(model), "spec", lambda self: ())
    with pytest.raises(ValueError, match="no probability"):
        decode.expects(model, model.tokens("the cat"))


@pytest.mark.parametrize("id", TALKERS)
def test_score_is_the_sum_of_surprisals(id: str, trained: Trained) -> None:
    """Bits of each line read alone, its end included: the sum of -log2 of what the trace gave to what came."""
    model, lines = trained(id), ["the cat", "a dog ran"]
    bits = tokens = 0.0
    for line in lines:
        trace = model.trace(line + "\n")
        p_TV = trace.field("probability").values.astype(np.float64)
        bits -= sum(math.log2(p_TV[t, trace.ids[t + 1]]) for t in range(len(trace.ids) - 1))
        tokens += len(trace.ids) - 1
    found = measure.score(model, "\n".join(lines) + "\n\n")
    assert found.tokens == tokens and found.characters == len("the cat\na dog ran\n")
    assert found.bits == pytest.approx(bits, rel=1e-5)
    assert found.perplexity == pytest.approx(2 ** (bits / tokens), rel=1e-5)
    assert found.bits_per_char == pytest.approx(bits / found.characters, rel=1e-5)


def test_score_counts_unknown_words_apart(trained: Trained) -> None:
    """The words that are not known cost bits like others; without them only the rest is averaged."""
    model = trained("ngram")
    found = measure.score(model, "the zyxgor sat")
    assert found.oov == 1 and found.tokens == 4  # three words and the line end
    bits_T = measure.surprisals(model, "the zyxgor sat\n")
    assert found.bits_oov == pytest.approx(bits_T[2], rel=1e-6)
    assert found.perplexity_without_oov == pytest.approx(
        2 ** ((bits_T[1] + bits_T[3] + bits_T[4]) / 3), rel=1e-6
    )


def test_no_text_no_score() -> None:
    empty = measure.Score(0, 0, 0, 0.0, 0.0)
    assert math.isnan(empty.bits_per_token)
    assert math.isnan(empty.perplexity)
    assert math.isnan(empty.perplexity_without_oov)
    assert measure.Score(1, 1, 0, math.inf, 0.0).perplexity == math.inf
    assert measure.Score(1, 1, 0, 5000.0, 0.0).perplexity == math.inf


def test_a_text_beyond_the_context_is_scored_to_its_end(trained: Trained) -> None:
    """Every token but the first has its bits, each given at least half a context (all there is, at the start)."""
    model = trained("transformer")
    text = " ".join(LINES)
    bits_T = measure.surprisals(model, text)
    assert len(bits_T) == len(model.tokens(text)) > 2 * model.context
    assert np.isnan(bits_T[0]) and np.isfinite(bits_T[1:]).all()
    begun_T = measure.surprisal(model.trace(text, window=(0, model.context)))
    np.testing.assert_allclose(bits_T[1 : model.context], begun_T[1:], rtol=1e-5)
