"""Feed-forward language model: what the page answers at rest, which models stand beside, what its parts measure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from engine.core.registry import models
from engine.course.curriculum import lesson
from engine.frame.blocks import Problem
from engine.lessons.feedforward import beside, beyond_counts, gains, live, parts, windowed
from engine.lessons.feedforward.swaps import swaps
from engine.live import cache
from engine.models.feedforward import Config, FeedForward
from engine.runs.store import SHIPPED, Run
from engine.shipped import scoreboard
from tests.conftest import LINES, TEXT, shipped, small, together
from tests.lessons.blocks import said, tables

MARY = lesson("feedforward").example
DOCTOR = "The girl looked at the doctor, and the doctor looked at the girl."
LINE = "The keys to the old cabinet near the lamp are rusty."


def run_of(id: str) -> Run:
    return next(run for run in cache.runs(None) if run.id == id)


def test_those_beside_learned_the_same_and_runs_are_counted() -> None:
    run = run_of("feedforward")
    found = beside.choose(run)
    assert [(o.id, title) for o, title in found] == [("ngram", "n-gram"), ("lstm_words", "LSTM")]
    digests = {of.note["corpus"]["digest"] for of in (run, *(other for other, _ in found))}
    assert len(digests) == 1
    counts = shipped("ngram")
    long_T = beyond_counts.unseen(counts, DOCTOR, 3)
    field = counts.trace(DOCTOR, fields=("matched",)).field("matched").values[1:]
    assert list(long_T) == [min(int(v), 3) for v in field] and set(long_T) <= {0, 1, 2, 3}


def changed(**asks: Any) -> list[dict[str, Any]]:
    run = run_of("feedforward")
    given = {"model": cache.model(run), "run": run, "open_run": cache.model, "above": MARY, **asks}
    return [dict(row) for row in tables(parts.changes.blocks(**given))[0]]


def test_another_word_changes_what_a_window_sees_and_no_more() -> None:
    rows, n = changed(), shipped("feedforward").config.window
    assert [row["word"] for row in rows] == "Mary said that she would not come , because".split()
    assert [row["words back"] for row in rows] == [*range(8, -1, -1)]
    assert [row["net"] > 0 for row in rows] == [row["words back"] < n for row in rows]
    assert all(row["LSTM"] > 0 for row in rows)
    lstm = shipped("lstm_words")
    both = MARY, MARY.replace("she", "he")
    traces = (lstm.trace(text, fields=("probability",)) for text in both)
    p, q = (trace.field("probability").values[-1] for trace in traces)
    assert rows[3]["LSTM"] == pytest.approx(np.maximum(p - q, 0).sum(), abs=1e-5)
    assert changed(other="not")[5]["net"] is None, "it stands there already"
    run = run_of("feedforward")
    given = {"model": cache.model(run), "run": run, "open_run": cache.model}
    for asks in ({"above": ""}, {"above": MARY, "other": " "}):
        assert isinstance(parts.changes.blocks(**given, **asks)[-1], Problem)


def test_what_the_window_shows() -> None:
    model = shipped("feedforward")
    trace = model.trace(MARY, fields=("window", "hidden"))
    found = {name: np.asarray(of) for name, (_, of) in live.derive(model, trace, {}).items()}
    n = model.config.window
    assert found["word"][-1].tolist() == [*range(len(trace.tokens) - n, len(trace.tokens))]
    assert np.isnan(found["word"][0, :-1]).all() and found["out"][-1] == len(trace.tokens) - n
    np.testing.assert_allclose(found["share"].sum(1), 1, atol=1e-6)


def trained(**more: object) -> FeedForward:
    kind = models.get("feedforward")
    *_, last = kind.fit(TEXT, small(kind, window=3, **more), seed=2)
    assert isinstance(last.model, FeedForward)
    return last.model


def test_what_the_places_add_is_the_sum_of_the_hidden_layer() -> None:
    model = trained()
    trace, weights = model.trace(LINES[3]), model.weights()
    window_TND = trace.field("window").values
    block_NHD = windowed.blocks(model)
    added_TNH = np.array([[b @ x for b, x in zip(block_NHD, xs, strict=True)] for xs in window_TND])
    h_TH = np.tanh(added_TNH.sum(1) + weights["hidden.bias"])
    np.testing.assert_allclose(h_TH, trace.field("hidden").values[0], atol=1e-5)
    lengths = [[sum(v * v for v in vector) ** 0.5 for vector in place] for place in added_TNH]
    np.testing.assert_allclose(windowed.pushes(block_NHD, window_TND), lengths, rtol=1e-5)
    assert (windowed.pushes(block_NHD, window_TND)[0, :2] == 0).all(), "nothing before the text"


def test_a_word_in_two_places() -> None:
    model = trained()
    id = int(model.tokenizer.encode("cat").ids[0])
    found = windowed.compare_places(model, id)
    first, second = (b @ model.weights()["embed.weight"][id] for b in windowed.blocks(model)[:2])
    cosine = first @ second / (first @ first * (second @ second)) ** 0.5
    assert found[0, 1] == pytest.approx(cosine, abs=1e-5) and found[1, 0] == found[0, 1]
    np.testing.assert_allclose(np.diag(found), 1, atol=1e-6)


@together("direct", [False, True])
def test_sizes_are_those_of_the_trained(direct: bool) -> None:
    model = trained(direct=direct)
    learned = sum(x.size for x in model.weights().values() if x.dtype.kind == "f")
    found = windowed.size(model.config, len(model.tokenizer.vocab), model.config.window)
    assert found.total == learned


def test_sizes_by_hand() -> None:
    """256 units over vectors of 100: 6, 21, 51 words; and 10,000 words of 60 numbers, 4 in the window, 50 units."""
    config, wanted = Config(width=100, units=256), [153_856, 537_856, 1_305_856]
    assert [windowed.size(config, 1, n).hidden for n in (6, 21, 51)] == wanted
    found = windowed.size(replace(config, width=60, units=50), 10_000, 4)
    assert (found.vectors, found.hidden) == (600_000, 12_050)
    assert (found.output, found.direct) == (510_000, 0)


def test_the_three_and_their_mixture() -> None:
    net, counts = shipped("feedforward"), shipped("ngram")
    p_TK = beyond_counts.weigh_each(net, counts, DOCTOR)
    labels = net.tokens(DOCTOR).labels[1:]
    assert p_TK.shape == (len(labels), 3) and np.all((p_TK >= 0) & (p_TK <= 1))
    p_TV = net.trace(DOCTOR, fields=("probability",)).field("probability").values
    for t, id in enumerate(net.tokens(DOCTOR).ids[1:]):
        assert p_TK[t, 0] == pytest.approx(float(p_TV[t, id]))
    for t, word in enumerate(labels):  # the cache: its share of the words so far
        assert p_TK[t, 2] == pytest.approx(labels[:t].count(word) / max(t, 1))
    mixed_T = beyond_counts.mix(p_TK, 0.3, 0.1)
    np.testing.assert_allclose(mixed_T[1:], p_TK[1:] @ [0.6, 0.3, 0.1])
    assert mixed_T[0] == pytest.approx((0.6 * p_TK[0, 0] + 0.3 * p_TK[0, 1]) / 0.9)
    np.testing.assert_allclose(beyond_counts.mix(p_TK, 0, 0), p_TK[:, 0])
    with pytest.raises(ValueError, match="leave nothing"):
        beyond_counts.mix(p_TK, 0.8, 0.4)


def test_like_words_move_less_in_the_net() -> None:
    net = shipped("feedforward")
    e_VD, vocab = net.weights()["embed.weight"], list(net.tokenizer.vocab)
    id = vocab.index("girl")
    other, cosine = beyond_counts.nearest(net, id)
    every_VD, one_D = torch.from_numpy(e_VD), torch.from_numpy(e_VD[id])
    all_V = torch.nn.functional.cosine_similarity(every_VD, one_D[None])
    all_V[id] = -1
    assert vocab[other] == vocab[int(all_V[3:].argmax()) + 3]
    assert cosine == pytest.approx(float(all_V[other]), abs=1e-5)
    both, old = (net, shipped("ngram")), "He looked at the girl"
    apart = [beyond_counts.moved(m, old, vocab[other]) for m in both]
    assert 0 < apart[0] < apart[1] / 2 < 1
    assert beyond_counts.moved(net, "He looked at the girl", "girl") == 0
    text = "Nobody said that he had looked at the girl"
    assert beyond_counts.moved(net, text, "Everybody", at=1) == 0, "before the window"


def share(model: Any, text: str) -> float:
    p_V = model.trace(text, fields=("probability",)).field("probability").values[-1]
    one, many = (p_V[model.tokenizer.vocab.index(word)] for word in ("is", "are"))
    return float(many / (one + many))


def test_focus_of_typed_sentences_and_at_every_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    model = shipped("lstm_agreement")
    every = gains.focus(model)
    assert [of.distance for of in every] == sorted({of.distance for of in every})
    assert every[0].distance == 1 and np.isnan(every[0].between) and every[-1].distance >= 12
    assert all(of.right == 1.0 and of.subject > 0.95 for of in every)
    assert all(of.between < 0.02 for of in every[1:])
    monkeypatch.setattr(gains.Agreement, "generate", lambda self, lines, seed: [LINE, LINE])
    (found,) = gains.focus(model)
    before = LINE.partition(" are")[0]
    plain = share(model, before)
    swapped = ("keys", "key"), ("cabinet", "cabinets"), ("lamp", "lamps")
    moved = [abs(share(model, before.replace(*swap)) - plain) for swap in swapped]
    assert (found.distance, found.count, found.right) == (8, 1, 1.0)
    assert found.subject == pytest.approx(moved[0], abs=1e-5)
    assert found.between == pytest.approx((moved[1] + moved[2]) / 2, abs=1e-5)


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
    traces = (lstm.trace(f"{one} {end}", fields=("probability",)) for one in two)
    p, q = (trace.field("probability").values[-1] for trace in traces)
    assert lstm_E[-1] == pytest.approx(np.maximum(p - q, 0).sum(), abs=1e-5)
    assert len(tokens) == len(net.tokens(f"{two[0]} {end}"))
    for odd in ("", " "):
        with pytest.raises(ValueError, match="end alike"):
            gains.apart(net, two, odd)


def test_the_parts_say_what_was_measured() -> None:
    """As many weights, and fewer bits; and the way of both apart."""
    net, lstm, judged = shipped("feedforward"), shipped("lstm_words"), scoreboard.read(SHIPPED)
    words = said(parts.wider.blocks(model=net, lstm=lstm))
    for model, id in ((net, "feedforward"), (lstm, "lstm_words")):
        learned = sum(x.size for x in model.weights().values() if x.dtype.kind == "f")
        assert learned == judged[id]["parameters"]
        assert f"**{judged[id]['results'][0]['alone']['bits_per_token']:.2f}**" in words
    assert "**798,222** numbers" in words and "**a teenager , speaks fluent**" in words
    told = {"model": net, "lstm": lstm, "agreement": shipped("lstm_agreement")}
    words = said(parts.state.blocks(**told))
    assert "the distance is **0.0000** for the window and **0.0661** for the LSTM" in words
    assert isinstance(parts.state.blocks(**told, gain_end=" ")[-1], Problem)
    assert "“not” adds in two places" in said(parts.places.blocks(model=net))


SWAPPED = "the old cat saw the small bird and the dog ran"
OTHER = "sea"


def typed(model: Any, text: str) -> np.ndarray:
    p_TV: np.ndarray = model.trace(text, fields=("probability",)).field("probability").values
    return p_TV[-1].astype(float)


def test_a_swap_is_the_text_with_another_word(trained: Any) -> None:
    for id in ("feedforward", "ngram", "lstm", "rnn"):
        model = trained(id)
        letters = model.config.tokenizer == "chars"
        text, other = (SWAPPED[:14], "s") if letters else (SWAPPED, OTHER)
        parts = list(text) if letters else text.split()
        tokens = model.tokens(text)
        places = [t for t, (_, stop) in enumerate(tokens.spans) if stop]
        plain, number = typed(model, text), int(model.tokenizer.encode(other).ids[0])
        for n, found in zip(range(len(parts)), swaps(model, tokens, places, number), strict=True):
            changed = ("" if letters else " ").join([*parts[:n], other, *parts[n + 1 :]])
            want = np.abs(typed(model, changed) - plain).sum() / 2
            assert found == (None if parts[n] == other else pytest.approx(want, abs=1e-5))
