"""Going on from a place, beams, free running: against brute force, sums by hand, and the
long way round."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest

from engine.analysis import decode, measure
from engine.analysis.decode.beam import best
from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind
from engine.lessons.decoding.forcing import bits, inverse_sigmoid
from engine.models.base import Card, Model
from engine.text.tokenizers.base import Tokens
from tests.conftest import together

Trained = Callable[[str], Any]
TALKERS = ("ngram", "lstm", "transformer")


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


def test_a_beam_of_two_finds_what_greedy_misses() -> None:
    """T26: A (.6) then .5 is .30; B (.4) then .9 is .36."""
    greedy, wide = (list(decode.beams(start(Toy(3, FORK)), width, 2)) for width in (1, 2))
    assert greedy[-1].kept[0].ids == (1, 1)
    assert math.exp(greedy[-1].kept[0].total) == pytest.approx(0.30)
    assert wide[-1].kept[0].ids == (2, 1)
    assert math.exp(wide[-1].kept[0].total) == pytest.approx(0.36)
    assert [h.parent for h in wide[-1].kept] == [1, 0]
    seen = list(decode.beams(start(Toy(3, FORK)), 1, 2, most=3))
    assert [(h.ids, h.fate) for h in seen[0].seen] == [((1,), "kept"), ((2,), "dropped")]


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


def test_rules_say_what_a_beam_may_take_and_no_beam_is_no_search() -> None:
    only = list(decode.beams(start(Toy(4)), 3, 4, rules=decode.Rules(top_k=1)))
    assert [len(step.kept) for step in only] == [1, 1, 1, 1] and only[-1].kept[0].total == 0
    with pytest.raises(ValueError, match="at least 1"):
        next(decode.beams(start(Toy(3)), 0, 4))
    assert best([], 1.0) == []


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
        place = decode.then(place, (7 * step) % len(model.tokenizer.vocab))


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
    place = decode.then(start(Toy(5), "AB"), 3)
    assert place.seen == [0, 1, 2, 3]
    even = Toy(3, {(0,): [0.2, 0.4, 0.4], (0, 1): [0.2, 0.4, 0.4], (0, 1, 2): [0.2, 0.4, 0.4]})
    drawn = "".join(
        decode.sample(_spoken(even), "", steps=2, temperature=0, repetition_penalty=3.0)
    )
    assert drawn == "AB", "p of A becomes .4 ** 3 once it was written"


def _spoken(model: Toy) -> Toy:
    model.tokenizer.decode = lambda ids: "".join(model.tokenizer.vocab[i] for i in ids)
    return model


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


def test_the_schedule_by_hand() -> None:
    """k = 10: at step 0 it is 10 / 11; one half where e^(i/k) = k, at step 10 ln 10; 0 far away."""
    assert inverse_sigmoid(0, 10) == pytest.approx(10 / 11)
    assert inverse_sigmoid(10 * math.log(10), 10) == pytest.approx(0.5)
    assert inverse_sigmoid(1e9, 10) == pytest.approx(0)


def test_repeats_by_hand() -> None:
    """a b a b a b: 4-grams abab, baba, abab; 2 of 3 differ.  The last four tokens stand in one that
    was there before."""
    share, again = decode.repeated([1, 2, 1, 2, 1, 2])
    assert share == pytest.approx(1 / 3) and again.tolist() == [False] * 2 + [True] * 4
    assert decode.repeated([1, 2, 3, 4, 5])[0] == 0 and math.isnan(decode.repeated([1, 2, 3])[0])
