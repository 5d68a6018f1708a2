"""What a state gains: against sentences that are typed, and against the two runs of the same size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.analysis import recurrence_gains as gains
from engine.analysis.swaps import swaps
from engine.runs.store import SHIPPED
from engine.shipped import scoreboard
from tests.conftest import shipped

LINE = "The keys to the old cabinet near the lamp are rusty."


def share(model: Any, text: str) -> float:
    p_V = model.trace(text, fields=("probability",)).field("probability").values[-1]
    one, many = (p_V[model.tokenizer.vocab.index(word)] for word in ("is", "are"))
    return float(many / (one + many))


def test_focus_is_that_of_typed_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    model = shipped("lstm_agreement")
    monkeypatch.setattr(gains.Agreement, "generate", lambda self, lines, seed: [LINE, LINE])
    (found,) = gains.focus(model)
    before = LINE.partition(" are")[0]
    plain = share(model, before)
    moved = [
        abs(share(model, before.replace(*swap)) - plain)
        for swap in (("keys", "key"), ("cabinet", "cabinets"), ("lamp", "lamps"))
    ]
    assert (found.distance, found.count, found.right) == (8, 1, 1.0)
    assert found.subject == pytest.approx(moved[0], abs=1e-5)
    assert found.between == pytest.approx((moved[1] + moved[2]) / 2, abs=1e-5)


def test_the_subject_counts_at_every_distance_and_nearer_nouns_do_not() -> None:
    found = gains.focus(shipped("lstm_agreement"))
    assert [of.distance for of in found] == sorted({of.distance for of in found})
    assert found[0].distance == 1 and np.isnan(found[0].between) and found[-1].distance >= 12
    for of in found:
        assert of.right == 1.0 and of.subject > 0.95
    assert all(of.between < 0.02 for of in found[1:])


def test_the_same_words_after_two_beginnings() -> None:
    two = ("The old sailor told his crew", "The young queen told her maids")
    end = "that it would be better to wait"
    net, lstm = shipped("feedforward"), shipped("lstm_words")
    words, net_E = gains.apart(net, two, end)
    assert words == end.split() and len(net_E) == len(words) + 1
    n = net.config.window
    assert (net_E[:n] > 0).all() and net_E[n:].tolist() == [0.0] * (len(net_E) - n)
    words, lstm_E = gains.apart(lstm, two, end)
    assert (lstm_E > 0.01).all()
    tokens = lstm.tokens(f"{two[0]} {end}")
    p, q = (
        lstm.trace(f"{one} {end}", fields=("probability",)).field("probability").values[-1]
        for one in two
    )
    assert lstm_E[-1] == pytest.approx(np.maximum(p - q, 0).sum(), abs=1e-5)
    assert len(tokens) == len(net.tokens(f"{two[0]} {end}"))
    for odd in ("", " "):
        with pytest.raises(ValueError, match="end alike"):
            gains.apart(net, two, odd)


def test_one_word_changed_is_a_swap() -> None:
    lstm = shipped("lstm_words")
    _, apart_E = gains.apart(lstm, ("he saw the king", "he saw the queen"), "and said")
    tokens = lstm.tokens("he saw the king and said")
    queen = int(lstm.tokenizer.encode("queen").ids[0])
    (swap,) = swaps(lstm, tokens, [len(tokens) - 3], queen)
    assert swap is not None and apart_E[-1] == pytest.approx(swap.moved, abs=1e-5)


def test_as_many_weights_and_fewer_bits() -> None:
    """799,136 weights at 5.79 bits beside 798,222 at 5.91."""
    judged = scoreboard.read(SHIPPED)
    told = {}
    for id in ("feedforward", "lstm_words"):
        weights = shipped(id).weights()
        learned = sum(x.size for x in weights.values() if x.dtype.kind == "f")
        assert learned == judged[id]["parameters"]
        told[id] = (learned, round(judged[id]["results"][0]["alone"]["bits_per_token"], 2))
    assert told == {"feedforward": (798_222, 5.91), "lstm_words": (799_136, 5.79)}


def test_gates_of_each_occurrence() -> None:
    lstm = shipped("lstm_words")
    text = "the door and the wind in the room"
    found = gains.occurrences(lstm, text, "the")
    gate_TH = lstm.trace(text).field("gate.forget").values[-1]
    vocab = [lstm.tokenizer.vocab[int(id)] for id in lstm.tokens(text).ids]
    assert [vocab[of.token] for of in found] == ["the"] * 3
    assert found[0].other == 0 and found[1].other > 0.01
    far = [
        abs(float(a) - float(b))
        for a, b in zip(gate_TH[found[2].token], gate_TH[found[0].token], strict=True)
    ]
    assert found[2].other == pytest.approx(sum(far) / len(far), abs=1e-6)
    assert gains.occurrences(lstm, text, "table") == []
