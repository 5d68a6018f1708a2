"""Lines in a batch: against torch, numpy, struct, the specification and sums by hand; and what the parts say."""

from __future__ import annotations

import math
import random
import struct

import numpy as np
import pytest
import torch

from engine import frame as fr
from engine.frame.blocks import blocks_in
from engine.lessons.batches import dropout, halves, memory, padding, parts
from engine.lessons.batches.halves import FORMATS
from engine.models.neural import NeuralLanguageModel
from engine.nn import loop, windows
from tests.conftest import shipped, together
from tests.lessons.blocks import tables


def test_waste_and_two_means_of_the_specification() -> None:
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
    # rnn E11: [A..E], [F, G, H], [I..L]; a loss of 1 for each token is 1 by tokens and 4 by lines.
    lines = [np.arange(n + 1) for n in (5, 3, 4)]  # a line of n targets has one token more
    real = windows.filled(lines)[1] != windows.NOTHING
    assert real.int().tolist() == [[1] * 5, [1] * 3 + [0] * 2, [1] * 4 + [0]]
    losses = padding.Losses(float(real.sum()), int(real.sum()), real.numel(), len(lines), 1.0)
    assert (losses.real, losses.every) == (12, 15)
    assert (losses.by_tokens, losses.by_lines) == (1, 4)


def test_lines_in_batches_by_hand() -> None:
    lengths = [3, 9, 1, 4, 4, 2, 8]
    for pool in (1, 2, 8):
        found = padding.batches(lengths, 3, pool)
        assert sorted(i for some in found for i in some) == list(range(7))
        assert [len(some) for some in found] == [3, 3, 1]
    assert padding.batches(lengths, 3) == [[0, 1, 2], [3, 4, 5], [6]]
    assert padding.batches(lengths, 3, 2) == [[2, 5, 0], [3, 4, 1], [6]]
    assert padding.drawn([5] * 10, 4) == 0
    assert padding.drawn([2, 9], 1) == 0  # a batch of one line is as wide as it is
    both = padding.drawn([2, 9], 2, draws=400)  # 1 and 8 targets: a mixed batch wastes 7 of 16
    assert 0 < both < 7 / 16
    made = padding.packed([2, 5, 3])
    assert made.sizes == (3, 3, 2, 1, 1) and made.order == (1, 2, 0)  # B13
    wanted = [(row, t) for t in range(5) for row in (1, 2, 0) if t < [2, 5, 3][row]]
    assert list(made.at) == wanted
    text = "One. Two!  Three?\n\nFour five six"
    assert padding.lines_of(text, 9, 64) == ["One.", "Two!", "Three?", "Four five six"]
    assert padding.lines_of(text, 2, 2) == ["On", "Tw"] and padding.lines_of("\n ", 3, 9) == []


def test_losses_and_ends_of_a_run() -> None:
    model = shipped("lstm_small")
    assert isinstance(model, NeuralLanguageModel)
    texts = "The cat sat.", "No.", "She ran home!"
    lines = [np.asarray(model.tokens(text).ids) for text in texts]
    losses, ends = padding.read(model, lines)
    nats, count = 0.0, 0
    for line in lines:
        with torch.no_grad():
            logits = model.net(torch.from_numpy(line[None, :-1].astype(np.int64)))[0]
        found = -logits.double().log_softmax(-1)[range(len(line) - 1), line[1:]].sum().item()
        nats, count = nats + found, count + len(line) - 1
    assert (losses.real, losses.every, losses.rows) == (count, 3 * (len(lines[2]) - 1), 3)
    assert losses.by_tokens == pytest.approx(nats / count, rel=1e-4)
    assert losses.by_lines * 3 == pytest.approx(losses.by_cells * losses.every)
    assert losses.taught > losses.by_tokens
    away = [end.away for end in ends]
    assert away[2] < 1e-5 and min(away[:2]) > 0.1 and max(end.same for end in ends) < 1e-4


@together("form", dropout.FORMS)
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
    assert (dropout.masks(form, 0.0, 3, 5) == 1).all()


def test_the_engine_holds_one_mask_for_all_steps() -> None:
    held = dropout.copied(0.5, 5, 400)
    assert set(np.unique(held)) == {0, 1, 2, 4, 8, 16}
    kept = held[1] > 0
    assert (held[-1][kept] == 16).all() and not held[-1][~kept].any()
    assert dropout.memory("variational", dropout.masks("variational", 0.5, 4, 400))[-1].max() == 16


SMALL = (0.0, 1.0, -2.5, 0.1, 1 / 3, 2e-8, 6e-8, 6e-5, 1e-45)


@together("x", (*SMALL, 65504.0, 65519.9, 70000.0, 3.4e38, 1e39))
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


def test_the_formats_and_their_ends() -> None:
    """By torch, and float16 as language_models T34 has it."""
    half, brain = FORMATS["float16"], FORMATS["bfloat16"]
    assert half.largest == 65504 and half.smallest == 2**-24 and half.normal == 2**-14
    for of in FORMATS.values():
        info = torch.finfo(of.torch)
        assert (of.largest, of.normal) == (info.max, info.tiny)
    assert brain.smallest == 2.0**-133

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
    assert (
        halves.best(np.array([1.0, 2e-8], np.float32), half) == 12
    )  # 2e-8 has all digits from 2^12
    assert halves.shares(one, 2.0**12, half).short == 0 < halves.shares(one, 2.0**11, half).short


@together(("parts", "segments"), [(16, 4), (9, 3), (7, 3), (5, 5), (4, 1)])
def test_a_timeline_computes_all_of_it(parts: int, segments: int) -> None:
    found = memory.timeline(parts, segments)
    for what in ("forward", "again", "backward"):
        assert sorted(m.part for m in found if m.what == what) == list(range(parts))
    assert [m.part for m in found if m.what == "backward"] == [*reversed(range(parts))]
    assert all(m.part in m.held for m in found)
    assert memory.peak(parts, segments) == segments + -(-parts // segments)
    assert memory.peak(16, 0) == 16 and len(memory.timeline(16, 0)) == 32  # all kept
    assert min(range(1, 17), key=lambda s: memory.peak(16, s)) == 4  # the root


def test_a_real_step_holds_less_and_learns_the_same() -> None:
    plain, again = (memory.measured(r, 4, 4, 16, 32) for r in (False, True))
    assert plain.gradient == pytest.approx(again.gradient, rel=1e-6)
    assert again.peak < 0.75 * plain.peak
    # what the way forward keeps is in the peak: h, c and four gates of each layer
    assert plain.peak > 6 * 4 * 4 * 16 * 32 * 4 / 2
    assert list(plain.at) == sorted(plain.at) and len(plain.at) == len(plain.held)


def test_a_training_replaces_inputs_and_no_target() -> None:
    ids_N = torch.from_numpy(np.random.default_rng(0).integers(0, 9, 4_000))
    plan = loop.Plan(steps=4, batch=16, span=100, rate=0.1)
    pair = windows.drawn(ids_N, np.array([]), plan, 5, 2)
    x_BT, y_BT = windows.replaced(pair, torch.arange(1, 9), 0.3, 5, 2)
    changed_BT = x_BT != pair[0]
    assert (y_BT == pair[1]).all()
    assert not changed_BT[pair[0] == 0].any()
    assert (x_BT[changed_BT] > 0).all()
    assert changed_BT[pair[0] > 0].float().mean().item() == pytest.approx(0.3, abs=0.03)
    assert (windows.replaced(pair, torch.arange(1, 9), 0.3, 5, 2)[0] == x_BT).all()
    assert (windows.replaced(pair, torch.arange(1, 9), 0.3, 5, 3)[0] != x_BT).any()


def test_what_the_parts_show() -> None:
    small = shipped("lstm_small")
    lines = parts.lines.blocks(small=small, lines="ABCDE\nFGH\nIJKL")
    (board,) = (b for b in blocks_in(lines) if isinstance(b, fr.Board))
    assert board.data["says"].startswith("20% of all cells")
    assert board.data["batches"][0]["width"] == 5
    losses = tables(lines)[0]
    assert [row["divided by"] for row in losses][:3] == ["12 tokens", "15 cells", "3 lines"]
    assert [row["if each token costs 1"] for row in losses] == [1, 0.8, 4, 1]

    assert tables(parts.dropped.blocks())[0][1]["by formula"] == pytest.approx(0.7**20)

    (*_, problem) = parts.bits.blocks(small=small, number="many")
    assert problem == fr.Problem("A number only, such as 0.1 or 2e-8.")

    half = {x: parts.cut(x, FORMATS["float16"]) for x in (0.1, 70_000.0, 2e-8, 1.5)}
    assert half[0.1][-1].startswith("2⁻⁴ · (1 + 614 / 1,024)")
    assert "too large" in half[70_000.0][-1] and "too small" in half[2e-8][-1]
    assert half[1.5][:5] == ("float16", "0", "01111", "1000000000", "1.5")
    assert half[1.5][-1] == "2⁰ · (1 + 512 / 1,024); exact"
