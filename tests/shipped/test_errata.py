"""Corrections at the foot of pages: each number in them computed, and said as it comes out."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from engine.course.curriculum import lesson
from engine.live import cache


def foot(id: str, *parts: str) -> None:
    for part in parts:
        assert part in lesson(id).differs, part


def test_a_window_of_five_never_holds_france_and_french() -> None:
    said = (
        "John, who had grown up in France but moved to Spain when he was a teenager, speaks fluent"
        " French and Spanish"
    ).split()
    assert said.index("French") - said.index("France") == 12
    foot("rnn", "twelve words after")


def test_few_units_of_the_lstm_keep_nearly_all_and_none_drops_it() -> None:
    model = cache.model(next(run for run in cache.runs(None) if run.id == "lstm"))
    trace = model.trace(lesson("memory").example, fields=("gate.forget",))
    mean_LU = trace.field("gate.forget").values.mean(axis=1)
    assert (mean_LU < 0.1).sum() == 0 and mean_LU.size == 768
    foot("memory", f"{(mean_LU > 0.9).sum()} of 768 units", "none is below")


def test_connections_of_a_token_of_width_64() -> None:
    query, key, value = (torch.zeros(64, 64) for _ in range(3))
    of_one_number = query[0].numel() + key[0].numel() + value[0].numel()
    assert (of_one_number, 64 * of_one_number) == (192, 12_288)
    foot("attention", "192 connections", "12,288")


def test_a_rotation_of_queries_and_keys_leaves_the_scores() -> None:
    rng = np.random.default_rng(0)
    x_TD, q_DK, k_DK = (rng.normal(size=size) for size in ((5, 8), (8, 4), (8, 4)))
    turn_KK = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    np.testing.assert_allclose(
        (x_TD @ q_DK @ turn_KK) @ (x_TD @ k_DK @ turn_KK).T, (x_TD @ q_DK) @ (x_TD @ k_DK).T
    )


def test_two_positions_are_equal_in_half_precision() -> None:
    place_P = np.array([5.0, 715.0])
    wave_PD = np.stack([np.sin(place_P), np.cos(place_P)], axis=1)
    assert (wave_PD[0] != wave_PD[1]).all()
    assert (wave_PD[0].astype(np.float16) == wave_PD[1].astype(np.float16)).all()
    foot("positions", "positions 5 and 715")


def test_memory_for_training_an_lstm() -> None:
    each = 100 * 500 * 1_024 * 4  # texts, tokens, units, bytes
    state, memory, gates, candidate = each, each, 3 * each, each
    listed = state + memory + gates
    said = f"{listed / 1e6:,.0f} MB", f"{(listed + candidate) / 1e6:,.0f} MB"
    foot("training", *said)


def test_a_padded_loss_divided_in_two_ways() -> None:
    real_NT = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0]])
    whole = real_NT.sum().item()
    assert (whole, whole / len(real_NT), whole / whole) == (12, 4, 1)
    foot("training", "12 tokens in three texts, that is 4 or 1")


def test_label_smoothing_of_the_notes_and_of_torch() -> None:
    score_V, share, count = torch.tensor([2, 1, 0.1, 0]), 0.1, 4
    spread_V = torch.full((count,), share / (count - 1))
    spread_V[0] = 1 - share
    theirs = -(spread_V * score_V.log_softmax(-1)).sum().item()
    right = torch.tensor(0)
    assert theirs == pytest.approx(0.665794, abs=1e-5)
    same = cross_entropy(score_V, right, label_smoothing=share * count / (count - 1))
    assert same.item() == pytest.approx(theirs, abs=1e-6)
    assert cross_entropy(score_V, right, label_smoothing=share).item() < theirs - 0.03
    notes = (0.97, 0.01, 0.01, 0.01)
    assert sum(notes) == pytest.approx(1) and 1 - notes[0] == pytest.approx(0.03)
    foot("optimisers", "0.97 and three times 0.01", "ε = 0.03, not of 0.1", "ε K / (K − 1)")


def test_a_softmax_that_saturates_and_an_exponential_that_overflows() -> None:
    weight_2 = torch.tensor([40.0, 0.0]).softmax(-1)
    assert f"{weight_2[1].item():.0e}" == "4e-18" and weight_2.sum() == 1
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp(np.float32(89))) and np.isfinite(np.exp(np.float32(88)))
    foot("attention", "4 × 10⁻¹⁸", "exponential of 89 overflows")


def test_the_word_itself_has_a_weight() -> None:
    model = cache.model(next(run for run in cache.runs(None) if run.id == "transformer"))
    weight_LNTT = model.trace("the dog runs", fields=("attention",)).field("attention").values
    assert (np.diagonal(weight_LNTT, axis1=-2, axis2=-1) > 0).all()
    foot("attention", "the word itself has a weight too")


def test_gradients_that_are_never_set_to_zero_add_up() -> None:
    w, found = torch.tensor([2.0], requires_grad=True), []
    for _ in range(3):
        (3 * w).sum().backward()
        assert w.grad is not None
        found.append(w.grad.item())
    assert found == [3, 6, 9]
    with pytest.warns(FutureWarning, match="deprecated"):
        torch.cuda.amp.autocast(enabled=False)
    foot("training", "never sets the gradients to zero", "torch has retired")


def test_a_gradient_is_scaled_down_to_the_threshold() -> None:
    g, threshold = np.array([3.0, 4.0]), 2.0
    assert np.linalg.norm(g * threshold / np.linalg.norm(g)) == pytest.approx(threshold)
    foot("rnn", "g · threshold / |g|", "what is predicted is x_{t+1}")
