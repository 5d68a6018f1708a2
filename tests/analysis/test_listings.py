"""Listings that go wrong: each does go wrong, in the way that is said, and each repair agrees with
the engine, with torch, or with a sum by hand."""

from __future__ import annotations

import ast
import math
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.analysis.listings import (
    attention_mask,
    base,
    finetuning_lora,
    lstm_detach,
    ngrams_row,
    positions_pair,
)
from engine.analysis.listings.seeded import drawn, noise
from engine.core.registry import listings
from engine.course.curriculum import LESSONS
from engine.ngram.counts import Counts, count
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.mle import MLE
from engine.nn import mask
from engine.nn.positions.sinusoidal import waves
from tests.conftest import together

FAIL = {
    "bag_product": "ZeroDivisionError",
    "lstm_detach": "RuntimeError: Trying to backward through the graph a second time",
    "optimisers_warmup": "ZeroDivisionError",
}


def both(id: str) -> tuple[dict[str, float], dict[str, float]]:
    """The numbers of the faulty program and of the repaired one."""
    listing = listings.get(id)
    return dict(listing.measured(listing.faulty)), dict(listing.measured(listing.repaired))


@together("id", listings.ids())
def test_the_faulty_one_goes_wrong_and_the_repaired_one_does_not(id: str) -> None:
    listing = listings.get(id)
    faulty, repaired = (base.run(listing, p) for p in (listing.faulty, listing.repaired))
    assert repaired.numbers and not repaired.error
    assert all(math.isfinite(x) for x in repaired.numbers.values())
    assert faulty.error.startswith(FAIL.get(id, "")) and bool(faulty.error) == (id in FAIL)
    if id not in FAIL:
        assert faulty.numbers.keys() == repaired.numbers.keys()
        assert faulty.numbers != pytest.approx(repaired.numbers, rel=0.01)
    assert base.run(listing, listing.repaired) == repaired, "the same numbers each time"
    assert id in base.ids_of(id.partition("_")[0])
    shown = base.code(listing.faulty), base.code(listing.repaired)
    assert shown[0] != shown[1] and all(code.startswith("def ") for code in shown)
    assert id.partition("_")[0] in {item.id for item in LESSONS}


def smoothed(method: Any) -> tuple[dict[str, int], Smoothed]:
    names = ["</s>", *sorted({word for line in ngrams_row.LINES for word in line.split()})]
    ids = {word: i for i, word in enumerate(names)}
    stream = [0, *(i for line in ngrams_row.LINES for i in (*map(ids.get, line.split()), 0))]
    counts = Counts(list(count(np.array(stream), len(names), 2, 0)), 0)
    return ids, Smoothed.estimate(method, counts)


def test_counts_agree_with_the_engine() -> None:
    ids, model = smoothed(MLE())
    given = ngrams_row.repaired(ngrams_row.LINES)
    for v in ("cat", "mat", "the"):
        row = model.distributions(model.counts.places(np.array([0, ids[v]])))[-1]
        assert [given(v, w) for w in ids] == pytest.approx(row[: len(ids)].tolist())
    assert [*both("ngrams_row")[0].values()] == [0.5, 0]  # the rows after “cat” and “mat”


def test_states_and_gates_of_an_lstm() -> None:
    lstm, parts = drawn(nn.LSTM(3, 4)), noise(15, 3).split(5)
    with pytest.raises(AttributeError, match="detach"):  # a state of two cannot be detached at once
        lstm(parts[0])[1].detach()
    lstm_detach.repaired(lstm, parts)
    carried = deepcopy(lstm)
    carried.zero_grad()
    lstm.zero_grad()
    _, state = lstm(parts[0])
    lstm(parts[1], tuple(s.detach() for s in state))[0].square().mean().backward()
    out, _ = carried(torch.cat(parts[:2]))
    out[5:].square().mean().backward()
    short, whole = ([*net.parameters()][1].grad for net in (lstm, carried))
    assert short is not None and whole is not None and not torch.allclose(short, whole, rtol=0.01)

    faulty, repaired = (next(iter(found.values())) for found in both("lstm_order"))
    assert faulty > 0.05 and repaired < 1e-6


def test_masks() -> None:
    faulty, repaired = both("attention_mask")
    assert faulty["filling of text 2, seen by head 1"] > 0.1
    assert repaired["filling of text 2, seen by head 1"] == 0
    assert faulty["last two tokens of text 1, seen by head 2"] == 0
    assert repaired["last two tokens of text 1, seen by head 2"] > 0.1
    score, real = noise(2, 2, 4, 4), torch.tensor(attention_mask.REAL)
    place = torch.arange(4)
    may = mask.allowed(place, place, causal=False, real_BS=real)
    assert may is not None
    hidden = score.masked_fill(~may, -math.inf)
    torch.testing.assert_close(attention_mask.repaired(score, real), mask.soften(hidden, may=may))
    with pytest.raises(RuntimeError):  # three texts, two heads
        attention_mask.faulty(noise(3, 2, 4, 4), torch.ones(3, 4, dtype=torch.bool))


def test_positions_are_those_of_the_engine() -> None:
    wanted = waves(torch.tensor([positions_pair.PLACE]), positions_pair.WIDTH)[0]
    assert [*both("positions_pair")[1].values()] == pytest.approx(wanted.tolist(), abs=1e-6)
    pair = (positions_pair.faulty, positions_pair.repaired)
    for p in (2, 5):  # a pair is one hand of a clock only in the repaired one
        far = [program(p, 6)[0] ** 2 + program(p, 6)[1] ** 2 for program in pair]
        assert far[0] != pytest.approx(1, abs=0.01) and far[1] == pytest.approx(1)


def test_the_rate_of_the_first_step() -> None:
    listing = listings.get("optimisers_warmup")
    rates = [*listing.measured(listing.repaired).values()]
    assert rates == pytest.approx([1.7469e-7, 6.9877e-4, 3.4939e-4], rel=1e-4)


def test_the_code_is_shown_without_types_and_says_what_changed() -> None:
    for side, added in zip(base.diff(listings.get("ngrams_row")), ("-", "+"), strict=True):
        marked = [line for line in side.splitlines() if line[0] != " "]
        assert side.startswith("  def program(lines):\n") and len(marked) == 2
        assert all(line.startswith(added) for line in marked)
    for id in listings.ids():
        for side in base.diff(listings.get(id)):
            ast.parse("\n".join(line[2:] for line in side.splitlines()))


def test_a_low_rank_update_is_added() -> None:
    x, weight, a, b = noise(3, 6), noise(6, 5, seed=2), noise(6, 2, seed=3), noise(2, 5, seed=4)
    layer = nn.Linear(6, 5, bias=False)
    layer.weight.data = (weight + 8 / 2 * a @ b).T  # merged, as it is when training has ended
    torch.testing.assert_close(finetuning_lora.repaired(x, weight, a, b, 8.0), layer(x))
    faulty, repaired = (list(found.values()) for found in both("finetuning_lora"))
    assert faulty[0] == 0 and repaired[0] == repaired[1] > 1
    assert [faulty[2], repaired[2]] == pytest.approx([2, 1])
    rank, width = finetuning_lora.RANK, finetuning_lora.WIDTH
    said = listings.get("finetuning_lora").happens
    assert f"{2 * rank * width:,}" in said and f"{width**2:,}" in said
    low = torch.zeros(rank, width, requires_grad=True)  # B = 0: it learns at once, A only after it
    high = noise(width, rank).requires_grad_()
    answer = finetuning_lora.repaired(noise(1, width), noise(width, width), high, low, 1.0)
    by_b, by_a = torch.autograd.grad(answer.square().sum(), (low, high))
    assert by_b.norm() > 0 and by_a.norm() == 0


def test_adapters_made_in_a_loop_are_the_last_one() -> None:
    faulty, repaired = (list(found.values()) for found in both("finetuning_closure"))
    assert faulty == [1, 1] and repaired == [12, 12]


def test_no_layer_is_all_layers_to_a_slice() -> None:
    """T51, without the 1,538 numbers of the head."""
    faulty, repaired = (list(found.values()) for found in both("finetuning_unfreeze"))
    assert faulty == [14_175_744, 7_087_872, 85_054_464]
    assert repaired == [14_175_744, 7_087_872, 0]
    assert f"{85_054_464:,}" in listings.get("finetuning_unfreeze").happens
