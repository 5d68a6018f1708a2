"""Padding, one product, dropout in time, half precision and checkpoints, against torch, numpy, struct,
the vectors of the specification and sums by hand."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from engine.analysis.batching import dropout, halves, memory, padding, places, replacing, step
from engine.analysis.batching.halves import FORMATS
from engine.models.neural import NeuralLanguageModel
from engine.nn import loop, windows
from tests.conftest import shipped


def test_waste_of_the_specification() -> None:
    assert padding.waste([5, 3, 4], [[0, 1, 2]]) == pytest.approx(0.2)  # E11
    assert padding.waste([2, 5, 3], [[0, 1, 2]]) == pytest.approx(5 / 15)  # T32
    draw = random.Random(0)
    lengths = [draw.randint(5, 128) for _ in range(256)]  # T47
    as_they_come = padding.batches(lengths, 32)
    assert padding.waste(lengths, as_they_come) == pytest.approx(0.451, abs=5e-4)
    assert padding.waste(lengths, as_they_come, 128) == pytest.approx(0.460, abs=5e-4)
    alike = padding.batches(lengths, 32, len(lengths))
    assert padding.waste(lengths, alike) == pytest.approx(0.098, abs=5e-4)
    # what the training room draws is between
    assert 0.05 < padding.drawn([n + 1 for n in lengths], 32) < 0.25


def test_a_mask_and_the_two_means_of_the_specification() -> None:
    """rnn E11: [A..E], [F, G, H], [I..L]; a loss of 1 for each token is 1 by tokens and 4 by lines."""
    lines = [np.arange(n + 1) for n in (5, 3, 4)]  # a line of n targets has one token more
    real = windows.filled(lines)[1] != windows.NOTHING
    assert real.int().tolist() == [[1] * 5, [1] * 3 + [0] * 2, [1] * 4 + [0]]
    losses = padding.Losses(float(real.sum()), int(real.sum()), real.numel(), len(lines), 1.0, ())
    assert (losses.real, losses.every) == (12, 15)
    assert (losses.by_tokens, losses.by_lines) == (1, 4)


def test_every_line_is_in_one_batch() -> None:
    lengths = [3, 9, 1, 4, 4, 2, 8]
    for pool in (1, 2, 8):
        found = padding.batches(lengths, 3, pool)
        assert sorted(i for some in found for i in some) == list(range(7))
        assert [len(some) for some in found] == [3, 3, 1]
    assert padding.batches(lengths, 3) == [[0, 1, 2], [3, 4, 5], [6]]
    assert padding.batches(lengths, 3, 2) == [[2, 5, 0], [3, 4, 1], [6]]


def test_what_is_drawn_has_the_lengths_that_were_given() -> None:
    assert padding.drawn([5] * 10, 4) == 0
    assert padding.drawn([2, 9], 1) == 0  # a batch of one line is as wide as it is
    both = padding.drawn([2, 9], 2, draws=400)  # 1 and 8 targets: a mixed batch wastes 7 of 16
    assert 0 < both < 7 / 16


def test_packed_by_hand() -> None:
    made = padding.packed([2, 5, 3])
    assert made.sizes == (3, 3, 2, 1, 1) and made.order == (1, 2, 0)  # B13
    wanted = [(row, t) for t in range(5) for row in (1, 2, 0) if t < [2, 5, 3][row]]
    assert list(made.at) == wanted


def test_lines_of_a_text() -> None:
    text = "One. Two!  Three?\n\nFour five six"
    assert padding.lines_of(text, 9, 64) == ["One.", "Two!", "Three?", "Four five six"]
    assert padding.lines_of(text, 2, 2) == ["On", "Tw"] and padding.lines_of("\n ", 3, 9) == []


def test_losses_and_ends_of_a_run() -> None:
    model = shipped("lstm_small")
    assert isinstance(model, NeuralLanguageModel)
    lines = [
        np.asarray(model.tokens(text).ids) for text in ("The cat sat.", "No.", "She ran home!")
    ]
    losses, ends = padding.read(model, lines)
    nats, count = 0.0, 0
    for line, each in zip(lines, losses.each, strict=True):
        with torch.no_grad():
            logits = model.net(torch.from_numpy(line[None, :-1].astype(np.int64)))[0]
        found = -logits.double().log_softmax(-1)[range(len(line) - 1), line[1:]].sum().item()
        assert each == pytest.approx(found, rel=1e-4)
        nats, count = nats + found, count + len(line) - 1
    assert (losses.real, losses.every, losses.rows) == (count, 3 * (len(lines[2]) - 1), 3)
    assert losses.by_tokens == pytest.approx(nats / count, rel=1e-4)
    assert losses.by_lines * 3 == pytest.approx(losses.by_cells * losses.every)
    assert losses.taught > losses.by_tokens
    away = [end.away for end in ends]
    assert away[2] < 1e-5 and min(away[:2]) > 0.1 and max(end.same for end in ends) < 1e-4


def test_a_packed_batch_ends_where_its_lines_end() -> None:
    """T12: what the page says of the last place, with torch's packing as the oracle."""
    torch.manual_seed(0)
    lstm, texts = nn.LSTM(3, 4, batch_first=True), [torch.randn(n, 3) for n in (2, 5, 3)]
    padded = pad_sequence(texts, batch_first=True)
    _, (h, _) = lstm(
        pack_padded_sequence(padded, [2, 5, 3], batch_first=True, enforce_sorted=False)
    )
    out, (wrong, _) = lstm(padded)
    assert torch.allclose(h[0, 0], out[0, 1], atol=1e-6)
    assert not torch.allclose(h[0, 0], wrong[0, 0], atol=1e-3)


def test_one_product_is_the_loop() -> None:
    race = step.lines(16, 32, 32)
    assert race.apart < 1e-5 and min(race.ms) > 0
    torch.manual_seed(0)
    lstm = nn.LSTMCell(3, 5)
    weights = (lstm.weight_ih, lstm.weight_hh, lstm.bias_ih + lstm.bias_hh)
    assert step.gates(weights, 4).apart < 1e-5


def test_the_batched_way_back() -> None:
    loss, largest, away = step.against_autograd((2, 5, 3))
    assert away < 1e-12 < 0.01 < largest and loss > 0
    # one slope by finite differences
    rng = np.random.default_rng(1)
    net, x = step.Net.random(2, 3, 4), rng.normal(size=(2, 3, 2))
    target, mask = rng.integers(0, 4, (2, 3)), np.array([[1, 1, 1], [1, 0, 0]], float)
    h, y = step.forward(net, x)
    _, slope = step.loss(y, target, mask)
    found = step.backward(net, x, h, slope).w_h[1, 2]
    ends = []
    for by in (1e-6, -1e-6):
        net.w_h[1, 2] += by
        ends.append(step.loss(step.forward(net, x)[1], target, mask)[0])
        net.w_h[1, 2] -= by
    assert found == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5)


def test_steps_that_wait_and_shapes() -> None:
    assert step.serial(10_000, 500, 1) == (5_000_000, 5_000_000)
    assert step.serial(10_000, 500, 32) == (5_000_000, 313 * 500)
    done_N, read_N = step.epoch(10_000, 32)
    assert done_N[-1] == 313 and (np.diff(done_N) > 0).all()
    left, at = list(range(10_000)), dict(zip(done_N.tolist(), read_N.tolist(), strict=True))
    for batch in range(1, 314):  # by reading them
        del left[:32]
        assert at.get(batch, 10_000 - len(left)) == 10_000 - len(left)
    assert [x.tolist() for x in step.epoch(3, 10)] == [[1], [3]]
    shapes, parameters = step.shapes(32, 100, 300, 512)
    assert shapes == ["(32, 100, 300)", "(32, 100, 512)", "(1, 32, 512)"]
    assert parameters == 1_667_072  # T1


@pytest.mark.parametrize("form", dropout.FORMS)
def test_masks_are_what_the_formula_says(form: str) -> None:
    p, steps, units = 0.25, 6, 20_000
    mask = dropout.masks(form, p, steps, units)
    assert set(np.unique(mask).round(6)) == {0, round(1 / 0.75, 6)}
    assert (mask == dropout.masks(form, p, steps, units)).all()
    assert mask.mean() == pytest.approx(1, abs=0.02)
    assert ((mask == mask[0]).all()) == (form == "variational")
    alive = (dropout.memory(form, mask) > 0).mean(1)
    assert alive == pytest.approx(dropout.left(form, p, steps), abs=0.01)
    by_hand = {"layer": 1, "fresh": 0.75**6, "variational": 0.75}
    assert dropout.left(form, p, steps)[-1] == pytest.approx(by_hand[form])


def test_the_engine_holds_one_mask_for_all_steps() -> None:
    held = dropout.copied(0.5, 5, 400)
    assert set(np.unique(held)) == {0, 1, 2, 4, 8, 16}
    kept = held[1] > 0
    assert (held[-1][kept] == 16).all() and not held[-1][~kept].any()
    assert dropout.memory("variational", dropout.masks("variational", 0.5, 4, 400))[-1].max() == 16


def test_no_dropout_and_dropout_of_one_layer() -> None:
    for form in dropout.FORMS:
        assert (dropout.masks(form, 0.0, 3, 5) == 1).all()
    assert dropout.of_torch(1, 0.5) == 0 < 0.01 < dropout.of_torch(2, 0.5)


NUMBERS = (
    0.0,
    1.0,
    -2.5,
    0.1,
    1 / 3,
    65504.0,
    65519.9,
    70000.0,
    2e-8,
    6e-8,
    6e-5,
    1e-45,
    3.4e38,
    1e39,
)


@pytest.mark.parametrize("x", NUMBERS)
def test_bits_against_struct(x: float) -> None:
    of32, of16, brain = FORMATS.values()
    if x < 3.41e38:
        (whole,) = struct.unpack(">I", struct.pack(">f", x))
        assert halves.pattern(x, of32) == whole
        assert halves.value(whole, of32) == struct.unpack(">f", struct.pack(">f", x))[0]
    if abs(x) < 65520:
        (half,) = struct.unpack(">H", struct.pack(">e", x))
        assert halves.pattern(x, of16) == half
        assert halves.value(half, of16) == struct.unpack(">e", struct.pack(">e", x))[0]
    else:
        assert halves.value(halves.pattern(x, of16), of16) == math.inf
    made = halves.pattern(x, brain)  # the upper half of a float32
    back = struct.unpack(">f", struct.pack(">I", made << 16))[0]
    assert halves.value(made, brain) == back or math.isnan(back)


def test_a_bit_turned_over() -> None:
    half = FORMATS["float16"]
    assert halves.flipped(1.0, half, 0) == -1 and halves.flipped(1.0, half, 15) == 1 + 2**-10
    assert halves.flipped(1.0, half, 1) == math.inf and halves.flipped(1.0, half, 5) == 0.5
    for of in FORMATS.values():
        for place in range(of.bits):
            once = halves.flipped(0.1, of, place)
            assert math.isnan(once) or halves.pattern(once, of) ^ halves.pattern(0.1, of) == 1 << (
                of.bits - 1 - place
            )


def test_ends_of_the_formats() -> None:
    half, brain = FORMATS["float16"], FORMATS["bfloat16"]
    assert half.largest == 65504 and half.smallest == 2**-24 and half.normal == 2**-14
    for of in FORMATS.values():
        info = torch.finfo(of.torch)
        assert (of.largest, of.normal) == (info.max, info.tiny)
    assert brain.smallest == 2.0**-133


def test_float16_as_specified() -> None:
    """language_models T34."""
    half = FORMATS["float16"]
    assert half.normal == pytest.approx(6.103516e-5, rel=1e-6)
    assert half.smallest == pytest.approx(5.960464e-8, rel=1e-6)

    def stored(x: float) -> float:
        return halves.value(halves.pattern(x, half), half)

    assert stored(70_000) == math.inf and stored(2048 + 1) == 2048
    assert stored(1 + 9.765625e-4) == 1 + 9.765625e-4 and stored(1 + 4e-4) == 1
    assert stored(2e-8) == 0
    assert stored(2e-8 * 1024) / 1024 == pytest.approx(2.0023e-8, rel=1e-4)


def test_underflow_and_loss_scale() -> None:
    half = FORMATS["float16"]
    one = np.array([2e-8], np.float32)  # T34
    assert halves.shares(one, 1, half).zero == 1 and halves.shares(one, 1024, half).zero == 0
    some = np.array([0, 1e-9, 1e-7, 1e-5, 1.0, -3e4], np.float32)
    with np.errstate(over="ignore"):
        as_numpy = np.abs((some[1:] * np.float32(4)).astype(np.float16))
    found = halves.shares(some, 4, half)
    assert found.zero == (as_numpy == 0).mean() and found.over == np.isinf(as_numpy).mean() == 0.2
    assert found.short == ((as_numpy > 0) & (as_numpy < 2**-14)).mean()
    assert halves.shares(np.zeros(3, np.float32), 1, half) == halves.Shares(0, 0, 0)
    powers, counts = halves.exponents(np.array([1, 1.5, 2, -0.25, 0], np.float32))
    assert dict(zip(powers.tolist(), counts.tolist(), strict=True)) == {-2: 1, -1: 0, 0: 2, 1: 1}
    assert (
        halves.best(np.array([1.0, 2e-8], np.float32), half) == 12
    )  # 2e-8 has all digits from 2^12
    assert halves.shares(one, 2.0**12, half).short == 0 < halves.shares(one, 2.0**11, half).short


def test_memory_of_the_notes() -> None:
    assert sum(memory.bptt(100, 500, 1024, 3).values()) == 1_024_000_000  # T7
    whole = memory.bptt(100, 500, 1024)
    assert sum(whole.values()) == 1_228_800_000 and whole["cell states"] == 204_800_000


@pytest.mark.parametrize(("parts", "segments"), [(16, 4), (9, 3), (7, 3), (5, 5), (4, 1)])
def test_a_timeline_computes_all_of_it(parts: int, segments: int) -> None:
    found = memory.timeline(parts, segments)
    for what in ("forward", "again", "backward"):
        assert sorted(m.part for m in found if m.what == what) == list(range(parts))
    assert [m.part for m in found if m.what == "backward"] == [*reversed(range(parts))]
    assert all(m.part in m.held for m in found)
    assert memory.peak(parts, segments) == segments + -(-parts // segments)


def test_all_kept() -> None:
    assert memory.peak(16, 0) == 16 and len(memory.timeline(16, 0)) == 32
    assert min(range(1, 17), key=lambda s: memory.peak(16, s)) == 4  # the root


def test_a_real_step_holds_less_and_learns_the_same() -> None:
    plain, again = (memory.measured(r, 4, 4, 16, 32) for r in (False, True))
    assert plain.gradient == pytest.approx(again.gradient, rel=1e-6)
    assert again.peak < 0.75 * plain.peak
    # what the way forward keeps is in the peak: h, c and four gates of each layer
    assert plain.peak > sum(memory.bptt(4, 16, 32).values()) * 4 / 2
    assert list(plain.at) == sorted(plain.at) and len(plain.at) == len(plain.held)


def test_replaced_tokens_as_specified() -> None:
    """L T18: of 50 ids and p = 0.1 a listing changes 0.098."""
    of = replacing.counted("listing", 0.1, 50, 3, 200_000, 0)
    assert of.formula == pytest.approx(0.098) and of.changed == pytest.approx(0.098, abs=0.002)
    assert of.to_marks == pytest.approx(0.1 * 47 / 50 * 3 / 50, abs=0.001)
    assert of.marks_struck == pytest.approx(0.1 * 3 / 50 * 49 / 50, abs=0.001)
    ours = replacing.counted("training", 0.1, 50, 3, 200_000, 0)
    assert ours.formula == 0.094 and ours.changed == pytest.approx(0.094, abs=0.002)
    assert ours.to_marks == ours.marks_struck == 0


def test_a_training_replaces_inputs_and_no_target() -> None:
    ids_N = torch.from_numpy(np.random.default_rng(0).integers(0, 9, 4_000))
    plan = loop.Plan(steps=4, batch=16, span=100, rate=0.1)
    pair = windows.drawn(ids_N, np.array([]), plan, 5, 2)
    x_BT, y_BT = windows.replaced(pair, torch.arange(1, 9), 0.3, 5, 2)
    changed_BT = x_BT != pair[0]
    assert (
        (y_BT == pair[1]).all()
        and not changed_BT[pair[0] == 0].any()
        and (x_BT[changed_BT] > 0).all()
    )
    assert changed_BT[pair[0] > 0].float().mean().item() == pytest.approx(0.3, abs=0.03)
    assert (windows.replaced(pair, torch.arange(1, 9), 0.3, 5, 2)[0] == x_BT).all()
    assert (windows.replaced(pair, torch.arange(1, 9), 0.3, 5, 3)[0] != x_BT).any()


def test_masks_of_a_transformer_are_where_the_training_has_them(trained: Any) -> None:
    """Torch's own dropout layers, given the same masks, make the same answer."""
    model, p = trained("transformer"), 0.3
    tokens = model.tokens("the cat sat on the mat")
    three = [name for name in places.PLACES if name != "attention"]
    found = places.read(model, tokens, three, p, seed=5)
    draw = torch.Generator().manual_seed(5)

    def masked(module: nn.Module, given: Any, x: torch.Tensor) -> torch.Tensor:
        return x * (torch.rand(x.shape, generator=draw) >= p) / (1 - p)

    parts = [part for part in model.net.modules() if isinstance(part, nn.Dropout)]
    hooks = [part.register_forward_hook(masked) for part in parts]
    try:
        with torch.inference_mode():
            logits = model.net(torch.from_numpy(tokens.ids)[None])
    finally:
        for hook in hooks:
            hook.remove()
    assert found.after == pytest.approx(logits[0, -1].softmax(-1).numpy(), rel=1e-4)


def test_rows_of_dropped_weights_add_up_to_one_in_the_mean_only(trained: Any) -> None:
    """T19: 1.1111 where nothing of a row was dropped; the first token has nobody but itself."""
    model, p = trained("transformer"), 0.1
    tokens = model.tokens("the cat sat on the mat")
    plain = places.read(model, tokens, (), 0.0)
    trace = model.trace("the cat sat on the mat", fields=("attention", "probability"))
    assert plain.weights == pytest.approx(trace.field("attention").values, abs=1e-6)
    assert plain.after == pytest.approx(trace.field("probability").values[-1], rel=1e-4)
    assert plain.weights.sum(-1) == pytest.approx(1, abs=1e-5)
    every = [places.read(model, tokens, ("attention",), p, seed).weights[0] for seed in range(300)]
    first = np.stack(every)[:, 0, 0].sum(-1)
    assert sorted(set(first.round(4).tolist())) == pytest.approx([0, 1.1111], abs=1e-4)
    kept = every[0] > 0
    assert every[0][kept] == pytest.approx((plain.weights[0] / 0.9)[kept], rel=1e-5)
    assert np.mean(every, 0).sum(-1) == pytest.approx(1, abs=0.08)
    assert (
        plain.sizes["attention"][1]
        == 0
        < places.read(model, tokens, ("attention",), p).sizes["attention"][1]
    )
