"""Decoding and measuring: rules, beams and free running against sums by hand, brute force, the library and
the long way round."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import decode, measure
from engine.analysis.decode.beam import best
from engine.analysis.decode.sample import _piece
from engine.core.registry import tokenizers
from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind
from engine.lessons.decoding.forcing import bits, inverse_sigmoid
from engine.models.base import Card, Model
from engine.text.tokenizers.base import Tokens
from tests.conftest import LINES, together

P = np.array([0.1, 0.4, 0.2, 0.3])
Trained = Callable[[str], Any]
TALKERS = ("ngram", "lstm", "transformer")
weights = st.lists(st.floats(0, 1), min_size=1, max_size=30).filter(lambda w: sum(w) > 0.01)


def normal(w: list[float]) -> np.ndarray:
    return np.array(w) / sum(w)


def choose(p_V: np.ndarray, **rules: Any) -> decode.Choice:
    with np.errstate(divide="ignore"):
        return decode.choose(np.log(p_V), decode.Rules(**rules))


def test_rules_by_hand() -> None:
    # T = .5: 1/30, 16/30, 4/30, 9/30; top-k 3 drops 1/30; min-p .5 then drops 4 (below 8 of 16): left 25/30.
    found = choose(P, temperature=0.5, top_k=3, min_p=0.5)
    np.testing.assert_allclose(found.p_V, [0, 16 / 25, 0, 9 / 25])
    assert found.cut == pytest.approx(5 / 30)
    assert [(c.rule, c.left) for c in found.cuts] == [("top_k", 3), ("min_p", 2)]
    np.testing.assert_allclose([c.mass for c in found.cuts], [1 / 30, 4 / 30])
    even = np.full(4, 0.25)
    assert np.flatnonzero(decode.top_k(even, 2).p_V).tolist() == [0, 1]
    assert decode.temperature(even, 0).tolist() == [1, 0, 0, 0]


RULES = ("repetition_penalty", "temperature", "top_k", "top_p", "min_p", "typical")
Z = np.array([2.0, 1.0, 0.5, -1.0, -2.0])
ALONE: tuple[Any, ...] = (decode.top_k, decode.top_p, decode.min_p, decode.typical)


# T25; the penalty is on tokens 0 and 3: 2 / 1.1 and -1 * 1.1
T25: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, "0.602732 0.221733 0.134488 0.030008 0.011039"),
    ({"temperature": 0.7}, "0.727785 0.174414 0.085383 0.010017 0.002401"),
    ({"temperature": 2.0}, "0.410279 0.248847 0.193802 0.091546 0.055525"),
    ({"top_p": 0.9}, "0.628532 0.231224 0.140244 0 0"),
    ({"temperature": 0.7, "top_p": 0.9}, "0.806679 0.193321 0 0 0"),
    ({"repetition_penalty": 1.1}, "0.560270 0.247210 0.149940 0.030272 0.012308"),
    (dict(zip(RULES[:2], (1.1, 0.7))) | {"top_p": 0.9}, "0.683599 0.212415 0.103986 0 0"),
)


def test_the_vectors_of_the_specification() -> None:
    for rules, expected in T25:
        found = decode.choose(Z, decode.Rules(**rules), [0, 3]).p_V
        np.testing.assert_allclose(found, np.array(expected.split(), float), atol=1e-6)
    penalised = decode.repetition(Z, [0, 3, 3], 1.1)
    np.testing.assert_allclose(penalised, [1.818182, 1, 0.5, -1.1, -2], atol=1e-6)


@together(
    "rules",
    [
        *({rule: value} for rule, value in zip(RULES, (1.7, 0.7, 7, 0.8, 0.1, 0.6), strict=True)),
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


@given(weights, st.floats(0.05, 5), st.integers(1, 40), st.floats(0.01, 1), st.floats(0, 1))
def test_every_rule_leaves_a_distribution(
    w: list[float], t: float, k: int, p: float, m: float
) -> None:
    p_V = normal(w)
    every = choose(p_V, temperature=t, top_k=k, top_p=p, min_p=m, typical=p)
    assert sum(c.mass for c in every.cuts) == pytest.approx(every.cut)
    alone = (rule(p_V, value) for rule, value in zip(ALONE, (k, p, m, p), strict=True))
    for found in (*alone, every):
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


def test_what_makes_no_sense_is_said() -> None:
    for rule, value in zip((*ALONE, decode.temperature), (0, 0, -0.1, 0, -1), strict=True):
        with pytest.raises(ValueError, match=str(value).replace("-", "[-−]")):
            rule(P, value)
    with pytest.raises(ValueError, match=r"[-−]2"):
        decode.repetition(P, [0], -2)


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


def test_unknown_words_are_scored_apart_and_nothing_has_no_score(trained: Trained) -> None:
    # The words that are not known cost bits like others; without them only the rest is averaged.
    model = trained("ngram")
    found = measure.score(model, "the zyxgor sat")
    assert found.oov == 1 and found.tokens == 4  # three words and the line end
    bits_T = measure.surprisals(model, "the zyxgor sat\n")
    assert found.bits_oov == pytest.approx(bits_T[2], rel=1e-6)
    assert found.perplexity_without_oov == pytest.approx(
        2 ** ((bits_T[1] + bits_T[3] + bits_T[4]) / 3), rel=1e-6
    )
    empty = measure.Score(0, 0, 0, 0.0, 0.0)
    for found in (empty.bits_per_token, empty.perplexity, empty.perplexity_without_oov):
        assert math.isnan(found)
    assert {measure.Score(1, 1, 0, bits, 0.0).perplexity for bits in (math.inf, 5000.0)} == {
        math.inf
    }


def test_a_text_beyond_the_context_is_scored_to_its_end(trained: Trained) -> None:
    """Every token but the first has its bits, each given at least half a context (all there is, at the start)."""
    model = trained("transformer")
    text = " ".join(LINES)
    bits_T = measure.surprisals(model, text)
    assert len(bits_T) == len(model.tokens(text)) > 2 * model.context
    assert np.isnan(bits_T[0]) and np.isfinite(bits_T[1:]).all()
    begun_T = measure.surprisal(model.trace(text, window=(0, model.context)))
    np.testing.assert_allclose(bits_T[1 : model.context], begun_T[1:], rtol=1e-5)


class Toy(Model[None]):
    """P(next | all tokens so far) from a table, or drawn once for each context."""

    card = Card("toy", "Toy", 2026, "these tests")
    config_type = type(None)

    def __init__(
        self, size: int, table: Mapping[tuple[int, ...], list[float]] | None = None
    ) -> None:
        self.tokenizer = SimpleNamespace(vocab=tuple("SABCDEFG"[:size]), boundary=0)
        self.size, self.table, self.asked = size, table, 0

    def after(self, ids: tuple[int, ...]) -> np.ndarray:
        if self.table is not None:
            return np.array(self.table[ids])
        return np.random.default_rng((7, *ids)).dirichlet(np.ones(self.size))

    def run(self, tokens: Tokens, tap: Tap) -> None:
        self.asked += 1
        ids = tuple(tokens.ids.tolist())
        rows = [self.after(ids[: t + 1]) for t in range(len(ids))]
        tap("probability", np.stack(rows), ("token", "next"))

    def tokens(self, text: str) -> Tokens:
        ids = [0, *("SABCDEFG".index(c) for c in text)]
        return Tokens(np.array(ids), tuple("S" + text), ((0, 0),) * len(ids))

    def spec(self) -> tuple[FieldSpec, ...]:
        return (FieldSpec("probability", Kind.PROBABILITY, ("token", "next"), "", "P"),)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return {}

    @classmethod
    def fit(
        cls, text: str, config: None, *, seed: int, device: str = "cpu", resume: Any = None
    ) -> Any:
        raise NotImplementedError

    def weights(self) -> dict[str, np.ndarray]:
        return {}

    @classmethod
    def from_weights(cls, config: None, weights: Mapping[str, np.ndarray]) -> Self:
        raise NotImplementedError


def start(model: Any, text: str = "") -> decode.Place:
    return decode.read(model, model.tokens(text))


FORK = {(0,): [0, 0.6, 0.4], (0, 1): [0, 0.5, 0.5], (0, 2): [0, 0.9, 0.1]}


def test_beams_by_hand() -> None:
    # T26: A (.6) then .5 is .30; B (.4) then .9 is .36.
    greedy, wide = (list(decode.beams(start(Toy(3, FORK)), width, 2)) for width in (1, 2))
    assert greedy[-1].kept[0].ids == (1, 1)
    assert math.exp(greedy[-1].kept[0].total) == pytest.approx(0.30)
    assert wide[-1].kept[0].ids == (2, 1)
    assert math.exp(wide[-1].kept[0].total) == pytest.approx(0.36)
    assert [h.parent for h in wide[-1].kept] == [1, 0]
    seen = list(decode.beams(start(Toy(3, FORK)), 1, 2, most=3))
    assert [(h.ids, h.fate) for h in seen[0].seen] == [((1,), "kept"), ((2,), "dropped")]
    only = list(decode.beams(start(Toy(4)), 3, 4, rules=decode.Rules(top_k=1)))
    assert [len(step.kept) for step in only] == [1, 1, 1, 1] and only[-1].kept[0].total == 0
    with pytest.raises(ValueError, match="at least 1"):
        next(decode.beams(start(Toy(3)), 0, 4))
    assert best([], 1.0) == []


@together("alpha", [0.0, 0.7, 2.0])
def test_a_wide_beam_is_the_best_of_all_sequences(alpha: float) -> None:
    """All texts of at most 4 tokens over {end, A, B}: 31 of them, each with its score, by brute force."""
    model, scores = Toy(3), {}
    for length in range(1, 5):
        for ids in itertools.product(range(3), repeat=length):
            if 0 not in ids[:-1] and (ids[-1] == 0 or length == 4):
                p = math.prod(model.after((0, *ids[:n]))[i] for n, i in enumerate(ids))
                scores[ids] = math.log(p) / length**alpha
    found = best(decode.beams(start(model), 81, 4, ends=(0,)), alpha)
    assert [h.ids for h in found] == sorted(scores, key=lambda ids: -scores[ids])
    mine = [decode.score(h.total, len(h.ids), alpha) for h in found]
    np.testing.assert_allclose(mine, sorted(scores.values(), reverse=True), rtol=1e-6)


@together("width", [1, 2, 3])
def test_a_narrow_beam_keeps_the_likeliest_at_each_step(width: int) -> None:
    model, kept = Toy(4), [((), 0.0)]
    for step in decode.beams(start(model), width, 5):
        offers = [
            ((*ids, i), total + math.log(p))
            for ids, total in kept
            for i, p in enumerate(model.after((0, *ids)))
        ]
        kept = sorted(offers, key=lambda o: -o[1])[:width]
        assert [h.ids for h in step.kept] == [ids for ids, _ in kept]
        np.testing.assert_allclose(
            [h.total for h in step.kept], [total for _, total in kept], rtol=1e-6
        )


@pytest.mark.parametrize("id", TALKERS)
def test_going_on_is_reading_again(id: str, trained: Trained) -> None:
    """Token by token beyond the context of the small Transformer (24), each place equals a fresh
    run over the same ids."""
    model = trained(id)
    place = start(model, "the cat")
    for step in range(30):
        fresh = decode.read(model, place.tokens, keeps=False)
        one, other = (decode.choose(p.logit_V, decode.Rules()).p_V for p in (place, fresh))
        np.testing.assert_allclose(one, other, atol=3e-6)
        place = decode.take_step(place, (7 * step) % len(model.tokenizer.vocab))


@pytest.mark.parametrize("id", ["lstm", "transformer"])
def test_n_tokens_cost_n_steps(id: str, trained: Trained, monkeypatch: pytest.MonkeyPatch) -> None:
    model, read = trained(id), []
    run, go_on = type(model).run, type(model).go_on

    def counting(plain: Any) -> Any:
        def read_so_many(self: Any, tokens: Tokens, *more: Any) -> Any:
            read.append(len(tokens))
            return plain(self, tokens, *more)

        return read_so_many

    monkeypatch.setattr(type(model), "run", counting(run))
    monkeypatch.setattr(type(model), "go_on", counting(go_on))
    tokens = len(model.tokens("a b"))
    list(decode.sample(model, "a b", steps=12, seed=1))
    assert read == [tokens - 1, 1] + [1] * 11, (
        "the prompt, then one token at a time; nothing after the last"
    )


def test_what_counts_as_repeated_is_all_that_was_read_and_written() -> None:
    place = decode.take_step(start(Toy(5), "AB"), 3)
    assert place.seen == [0, 1, 2, 3]
    even = Toy(3, {(0,): [0.2, 0.4, 0.4], (0, 1): [0.2, 0.4, 0.4], (0, 1, 2): [0.2, 0.4, 0.4]})
    even.tokenizer.decode = lambda ids: "".join(even.tokenizer.vocab[i] for i in ids)
    drawn = decode.sample(even, "", steps=2, temperature=0, repetition_penalty=3.0)
    assert "".join(drawn) == "AB", "p of A becomes .4 ** 3 once it was written"


@pytest.mark.parametrize("id", TALKERS)
def test_reading_the_truth_costs_its_surprisal(id: str, trained: Trained) -> None:
    """Teacher forcing step by step is the bits of one run over the whole text."""
    model, text = trained(id), "the cat sat on the mat"
    given = len(model.tokens("the cat"))
    truth = tuple(model.tokens(text).ids[given:].tolist())
    place = decode.read(model, model.tokens(text)[:given])
    np.testing.assert_allclose(
        bits(place, truth, 1.0), measure.surprisal(model.trace(text))[given:], rtol=2e-4
    )
    own = [bits(place, truth, 0.0, seed) for seed in range(20)]
    assert {row[0] for row in own} == {own[0][0]}
    assert own[0][0] == pytest.approx(bits(place, truth, 1.0)[0], rel=1e-6)
    assert any(not np.allclose(row, own[0]) for row in own)


def test_free_running_reads_what_it_drew() -> None:
    """Behind A both go on alike, behind B not: the second bit is that of the token drawn."""
    seen = {round(float(bits(start(Toy(3, FORK)), (1, 1), 0.0, seed)[1]), 3) for seed in range(12)}
    assert seen == {1.0, round(-math.log2(0.9), 3)}
    assert bits(start(Toy(3, FORK)), (0,), 1.0)[0] == pytest.approx(-math.log2(1e-12)), (
        "what is impossible has a floor"
    )


def test_the_schedule_and_repeats_by_hand() -> None:
    # k = 10: at step 0 it is 10 / 11; one half where e^(i/k) = k, at step 10 ln 10; 0 far away.
    assert inverse_sigmoid(0, 10) == pytest.approx(10 / 11)
    assert inverse_sigmoid(10 * math.log(10), 10) == pytest.approx(0.5)
    assert inverse_sigmoid(1e9, 10) == pytest.approx(0)
    # a b a b a b: 4-grams abab, baba, abab; 2 of 3 differ. The last four tokens stand in one that was there before.
    share, again = decode.repeated([1, 2, 1, 2, 1, 2])
    assert share == pytest.approx(1 / 3) and again.tolist() == [False] * 2 + [True] * 4
    assert decode.repeated([1, 2, 3, 4, 5])[0] == 0 and math.isnan(decode.repeated([1, 2, 3])[0])
