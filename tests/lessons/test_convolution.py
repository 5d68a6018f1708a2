"""The digits and the networks that read them: sums by hand and by torch, sizes, counts, how many are read right."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from engine.core.registry import models
from engine.frame.blocks import Beside, Board, Presets, Section, blocks_in
from engine.lessons.convolution import build, gallery, images, networks, parts, sums
from engine.lessons.convolution.images import Images
from engine.lessons.convolution.networks import CHOICES
from engine.lessons.convolution.receptive_field import measure, reach
from engine.models.base import train
from tests.conftest import small, text_of, together
from tests.lessons.blocks import said as told

ROWS = np.array([[0, 0, 0, 1, 1.0]] * 5)
SOBEL = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1.0]])
FOUR = np.arange(1, 17.0).reshape(4, 4)
POOLED = np.array([[1, 3, 2, 4], [5, 6, 1, 2], [7, 2, 9, 0], [1, 8, 3, 4.0]])


def one(x: np.ndarray, kernel: np.ndarray, **more: int) -> list[list[float]]:
    return sums.convolve(x[None], kernel[None, None], 0.0, **more)[0].tolist()


def test_convolution_and_pooling_by_hand() -> None:
    """Specification, T14. An edge from 0 to 1: only windows that hold it answer; a flipped kernel turns the signs."""
    assert one(ROWS, SOBEL) == [[0, 4, 4]] * 3
    assert one(ROWS, SOBEL[::-1, ::-1]) == [[0, -4, -4]] * 3
    rim, inner = [0, 0, 3, 3, -3], [0, 0, 4, 4, -4]
    assert one(ROWS, SOBEL, padding=1) == [rim, inner, inner, inner, rim]
    assert one(ROWS, SOBEL, stride=2) == [[0, 4]] * 2
    falling = np.array([[1, 0], [0, -1.0]])  # a number minus the one below it on the right: -5
    assert one(FOUR, falling) == [[-5.0] * 3] * 3
    assert one(FOUR, falling, stride=2) == [[-5.0] * 2] * 2
    # Specification, T15.
    assert sums.pool(POOLED, 2).tolist() == [[6, 4], [8, 9]]
    assert sums.pool(POOLED, 2, "average").tolist() == [[3.75, 2.25], [4.5, 4]]
    assert sums.pool(POOLED, 2, stride=1).tolist() == [[6, 6, 4], [7, 9, 9], [8, 9, 9]]
    means = [[3.75, 3, 2.25], [5, 4.5, 3], [4.5, 5.5, 4]]
    assert sums.pool(POOLED, 2, "average", 1).tolist() == means
    dot = np.zeros((4, 4))
    dot[0, 0] = 1
    same, other = (sums.pool(np.roll(dot, by, 1), 2) for by in (1, 2))
    assert (same == sums.pool(dot, 2)).all() and (other != sums.pool(dot, 2)).any()


def test_sizes_and_counts() -> None:
    """Specification, T14."""
    known = {(28, 3, 1, 0): 26, (28, 3, 1, 1): 28, (28, 5, 1, 0): 24}
    known |= {(224, 7, 2, 3): 112, (32, 3, 2, 1): 16}
    assert {asked: sums.size(*asked) for asked in known} == known
    for n, k, stride, padding in np.random.default_rng(0).integers(1, 9, (60, 4)).tolist():
        starts = [i for i in range(0, n + 2 * padding, stride) if i + k <= n + 2 * padding]
        if starts:
            assert sums.size(n, k, stride, padding) == len(starts)
        else:
            with pytest.raises(ValueError, match="does not fit"):
                sums.size(n, k, stride, padding)
    assert (sums.learned(3, 3, 16), sums.learned(3, 1, 32), sums.learned(3, 1, 1)) == (448, 320, 10)
    assert sums.learned_dense(784, 26 * 26 * 32) == 16_981_120
    assert sums.learned_dense(784, 676) == 530_660
    assert sums.learned_dense(5_408, 10) == 54_090
    assert sums.learned_local(3, 1, 1, 676) == 6_760


def test_a_hollow_square_from_end_to_end() -> None:
    """Specification, T16."""
    square = np.zeros((6, 6))
    square[1:5, 1:5] = 1
    square[2:4, 2:4] = 0
    found = sums.convolve(square[None], SOBEL[None, None])
    outer, inner = [2, -1, 1, -2], [1, -3, 3, -1]
    assert found[0].tolist() == [outer, inner, inner, outer]
    flat = sums.pool(np.maximum(found, 0), 2).ravel()
    assert flat.tolist() == [2, 3, 2, 3]
    logit = np.array([[0.2, 0.1, -0.1, 0.3], [-0.2, 0.2, 0.1, -0.3]]) @ flat + [0.1, -0.1]
    np.testing.assert_allclose(logit, [1.5, -0.6])
    np.testing.assert_allclose(sums.softmax(logit), [0.890903, 0.109097], atol=1e-6)
    assert sums.softmax(np.array([1e4, 0.0])).tolist() == [1, 0]
    assert np.log(0.85 / 0.15) == pytest.approx(1.734601, abs=1e-6)


def test_a_moved_image_moves_the_map_and_not_its_largest_number() -> None:
    """Specification, T50."""
    rng = np.random.default_rng(3)
    pattern, kernel = np.zeros((12, 12)), rng.normal(size=(3, 3))
    pattern[3:6, 3:6] = rng.normal(size=(3, 3))
    both = pattern, np.roll(pattern, (2, 3), (0, 1))
    plain, shifted = (sums.convolve(x[None], kernel[None, None])[0] for x in both)
    np.testing.assert_allclose(shifted, np.roll(plain, (2, 3), (0, 1)))
    assert shifted.max() == plain.max() and (shifted != plain).any()


@together("choice", CHOICES)
def test_a_network_reads_as_torch_does(choice: tuple[int, int, str]) -> None:
    stride, padding, pooling = choice
    net, held = networks.shipped().network(*choice), networks.shipped().held_out
    assert (net.stride, net.padding, net.pooling) == choice
    found = net.read(held.ink)
    x = torch.from_numpy(held.ink)[:, None]
    kernel, bias = torch.from_numpy(net.kernel_FKK)[:, None], torch.from_numpy(net.bias_F)
    total = F.conv2d(x, kernel, bias, stride, padding)
    pooled = (F.max_pool2d if pooling == "max" else F.avg_pool2d)(total.relu(), 2)
    dense, dense_bias = torch.from_numpy(net.dense_KZ), torch.from_numpy(net.dense_bias_K)
    logit = F.linear(pooled.flatten(1), dense, dense_bias)
    for mine, theirs in zip(
        (found.sum_NFPP, found.relu_NFPP, found.pooled_NFQQ, found.logit_NK, found.probability_NK),
        (total, total.relu(), pooled, logit, logit.softmax(1)),
        strict=True,
    ):
        np.testing.assert_allclose(mine, theirs.numpy(), atol=1e-10)
    assert net.right == int((logit.argmax(1).numpy() == held.digit).sum())


def test_what_is_shown_first_reads_98_of_100_held_out_digits() -> None:
    of = networks.shipped()
    first = of.network(1, 1, "max")
    assert first.right == int(first.correct(of.held_out).sum())
    assert first.right / len(of.held_out) >= 0.98
    learn, held = images.split()
    assert len(learn) + len(held) == 1797 and len(held) == len(of.held_out) == 445
    assert (held.cells == of.held_out.cells).all() and (held.digit == of.held_out.digit).all()
    seen = {one.tobytes() for one in learn.cells}
    assert not [one for one in held.cells if one.tobytes() in seen]


def test_training_begins_alike_and_learns() -> None:
    learn, held = images.split()
    a, b = (build.train(learn, 1, 1, "max", steps=150) for _ in range(2))
    assert (a.kernel_FKK == b.kernel_FKK).all() and (a.dense_KZ == b.dense_KZ).all()
    assert a.correct(held).mean() > 0.8
    ink, digit = build.drawn(learn, 7)
    assert ink.shape == (32, 1, 8, 8) and ink.min() >= 0 and ink.max() <= 1 and len(digit) == 32


@pytest.mark.slow
def test_the_shipped_network_can_be_trained_again() -> None:
    learn, held = images.split()
    again = build.train(learn, 1, 1, "max")
    assert abs(int(again.correct(held).sum()) - networks.shipped().network(1, 1, "max").right) <= 4


def test_images_are_written_read_and_moved() -> None:
    cells = networks.shipped().held_out.cells[0]
    text = images.written(cells)
    again = images.read(text)
    assert again is not None and (again == cells).all()
    for wrong in ("", text[:-1], text + "0", "z" * 64, "💡" * 64):
        assert images.read(wrong) is None
    small = np.arange(64).reshape(8, 8)
    assert images.moved(small, 1, 0)[1:].tolist() == small[:-1].tolist()
    assert images.moved(small, 0, -2)[:, :6].tolist() == small[:, 2:].tolist()
    assert not images.moved(small, 8, 0).any() and not images.moved(small, 1, 0)[0].any()


def test_a_file_that_was_written_opens_alike() -> None:
    import json

    of = networks.shipped()
    again = networks.unpack(json.loads(networks.lines(of.held_out, of.networks, "by a test")))
    assert isinstance(again.held_out, Images)
    for one, two in zip(of.networks, again.networks, strict=True):
        assert (one.dense_KZ == two.dense_KZ).all() and one.right == two.right
    with pytest.raises(ValueError, match="64 cells"):
        networks.unpack({"images": ["0"], "digits": [1], "networks": []})


def test_channels_are_summed_by_hand() -> None:
    """Specification, T14. Three planes of 3 x 3, each with a kernel of 2 x 2 of its own."""
    planes = np.stack([np.eye(3), np.ones((3, 3)), np.arange(9.0).reshape(3, 3)])
    kernels = np.array([[[1, 1], [1, 1]], [[1, 0], [0, 0]], [[0, 1], [-1, 0]]])
    of, total = gallery.summed(planes, kernels)
    np.testing.assert_allclose(total, [[1, 0], [0, 1]])
    np.testing.assert_allclose(of, [[[2, 1], [1, 2]], [[1, 1], [1, 1]], [[-2, -2], [-2, -2]]])
    whole = sums.convolve(planes, kernels[None])
    np.testing.assert_allclose(total, whole[0])
    for picture in gallery.pictures().values():
        assert picture.shape == (3, 8, 8) and 0 <= picture.min() < picture.max() <= 1
    edge = np.tile([0.0, 0, 0, 1, 1], (5, 1))
    sobel = gallery.kernel("vertical edge")[None, None]
    np.testing.assert_allclose(sums.convolve(edge[None], sobel)[0], [[0, 4, 4]] * 3)


def test_a_film_of_learning() -> None:
    """Each step is one of AdamW: the first moves every weight by the rate, but for the decay."""
    steps = (0, 1, 20, 100)
    found = build.film(3, steps)
    assert len(found.networks) == len(steps) == len(found.loss_R)
    assert found.right_R[-1] > 0.9 > 0.3 > found.right_R[0] and found.loss_R[-1] < found.loss_R[0]
    before, after = found.networks[0].kernel_FKK, found.networks[1].kernel_FKK
    step = np.abs(after - before * (1 - build.RATE * build.DECAY))
    np.testing.assert_allclose(step[step > 1e-6], build.RATE, rtol=0.02)
    assert not np.allclose(before, build.film(4, (0, 1)).networks[0].kernel_FKK)


def board_of(**held: object) -> tuple[Board, str, int]:
    """The board, the sentences below it, and the image that is misread next."""
    found = parts.digit.blocks(**held)
    preset = next(one for one in blocks_in(found) if isinstance(one, Presets))
    section = next(one for one in found if isinstance(one, Section))
    board, *said = section.blocks
    assert isinstance(board, Board)
    return board, "\n".join(map(str, said)), preset.choices["Next one misread"]["image"]


@together("choice", CHOICES)
def test_each_choice_has_its_own_network(choice: tuple[int, int, str]) -> None:
    net = networks.shipped().network(*choice)
    said = board_of(**dict(zip(("stride", "padding", "pooling"), choice, strict=True)))[1]
    assert f"reads **{net.right}** right" in said and f"{net.side} × {net.side}" in said


def test_the_next_one_misread_and_what_is_no_drawing() -> None:
    of = networks.shipped()
    wrong = (np.flatnonzero(~of.networks[0].correct(of.held_out)) + 1).tolist()
    found = [parts.FIRST]
    for _again in range(len(wrong) + 1):
        image = board_of(image=found[-1])[2]
        assert image == next((n for n in wrong if n > found[-1]), wrong[0])
        true, (_board, said, _next) = of.held_out.digit[image - 1], board_of(image=image)
        assert f"(it is a {true})" in said and f"Read as **{true}**" not in said
        found.append(image)
    board, said, _next = board_of(drawing="0" * 64, filter=3)
    assert board.data["digit"] is None and board.data["filter"] == 2 and "(it is a" not in said
    for odd in ("", "0" * 63, "💡" * 64, "<script>"):
        assert board_of(drawing=odd)[0].data == board_of()[0].data
    six = images.moved(networks.shipped().held_out.cells[parts.SIX], 0, 2)
    assert "Read as **4**, 93.9 %." in board_of(drawing=images.written(six))[1]


def test_what_the_parts_say() -> None:
    sizes = told(parts.sizes.blocks())
    assert "**320**" in sizes and "**16,981,120**" in sizes and "+ 1 = 26" in sizes
    assert "the last **1** of 28 rows and columns" in told(parts.sizes.blocks(s=4))
    assert "does not fit into 2 cells" in told(parts.sizes.blocks(n=2))
    same, stays = parts.steady(1)
    assert (round(100 * same, 2), round(100 * stays)) == (99.97, 95)
    channels = [one for one in parts.channels.blocks() if isinstance(one, Beside)]
    assert len(channels) == 3


def test_how_far_it_sees() -> None:
    for layers, kernel in ((1, 2), (3, 2), (5, 2), (2, 3), (3, 4)):
        seen = {500}
        for back in (2**layer for layer in reversed(range(layers))):
            seen = {place - k * back for place in seen for k in range(kernel)}
        assert len(seen) == reach(layers, kernel) == 501 - min(seen)
    assert reach(5, 2) == 32 and reach(5, 2, dilated=False) == 6


@together("kernel", [2, 3])
def test_only_tokens_within_it_have_an_effect(kernel: int) -> None:
    kind = models.get("convolution")
    model = train(kind, text_of(kind), small(kind, layers=2, kernel=kernel, steps=10))
    text = "the old cat sat on a mat"
    found = measure(model, text)
    count = len(text) + 1
    assert len(found.labels) == count and found.written_LT.shape == (2, count)
    for t in range(count):
        within = range(max(0, t + 1 - reach(2, kernel)), t + 1)
        outside = [s for s in range(count) if s not in within]
        assert not found.effect_TT[t, outside].any()
        assert (found.effect_TT[t, [s for s in within if s]] > 0).all()  # the first is a line end
    # by hand: the fifth token becomes a line end
    p = np.asarray(model.trace(text).field("probability").values)
    other = model.trace(text[:4] + "\n" + text[5:]).field("probability").values
    by_hand = 0.5 * np.abs(p - np.asarray(other)).sum(-1)
    np.testing.assert_allclose(found.effect_TT[:, 5], by_hand, atol=1e-6)
    label, share = found.next_T[-1][0]
    assert share == pytest.approx(float(p[-1].max()), abs=1e-6)
    assert label == model.tokenizer.vocab[int(p[-1].argmax())]
    assert measure(model, "").effect_TT.shape == (1, 1)
