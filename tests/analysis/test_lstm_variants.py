"""Small recurrent nets on tasks whose answers are known: their gradients against autograd, their parts
against loops, and what each can and cannot do."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from engine.analysis.lstm_variants import hybrid, levels, reversible


@pytest.fixture(scope="module")
def both() -> hybrid.Trained:
    return hybrid.learned("both", 1)


def test_attention_behind_an_lstm_recalls_and_neither_alone_does(both: hybrid.Trained) -> None:
    right = {kind: hybrid.learned(kind, 1).right_S[-1] for kind in ("lstm", "attention")}
    right["both"] = both.right_S[-1]
    assert right["both"] > 0.99
    assert right["lstm"] < 0.4
    # which digits are there says no more than 1 of 5
    assert right["attention"] == pytest.approx(1 / hybrid.PAIRS, abs=0.06)


def test_attention_alone_does_not_see_order() -> None:
    net = hybrid.Net("attention").eval()
    text = hybrid.read("a3 c1 f7 c")
    other = hybrid.read("a1 c7 f3 c")
    first, second = (hybrid.answer(net, tokens)[0] for tokens in (text, other))
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_what_the_last_token_reads_by_loops(both: hybrid.Trained) -> None:
    found = both.net
    tokens = hybrid.read("a3 c1 f7 b2 h5 f")
    p, weight = hybrid.answer(found, tokens)
    assert weight is not None and found.lstm is not None and found.qkv is not None
    with torch.no_grad():
        h_TH = found.lstm(found.embed(torch.tensor([tokens])))[0][0]
        q, k, v = found.qkv(h_TH).split(hybrid.WIDTH, -1)
        exps = [math.exp(float(q[-1] @ row) / math.sqrt(hybrid.WIDTH)) for row in k]
        mixed = sum(e / sum(exps) * row for e, row in zip(exps, v, strict=True))
        logits = found.out(mixed).double().numpy()
    np.testing.assert_allclose(weight, np.array(exps) / sum(exps), atol=1e-5)
    np.testing.assert_allclose(p, np.exp(logits) / np.exp(logits).sum(), atol=1e-5)
    assert p.argmax() == 7 and weight.argmax() == 5  # the state at 7, which stands behind f


def test_what_is_typed_to_recall_from() -> None:
    assert hybrid.read("A3, c1 ?C") == [0, 11, 2, 9, 2]
    for text in ("", "a", "a3c1", "👩‍🚀"):
        with pytest.raises(ValueError, match="a letter at the end"):
            hybrid.read(text)


def test_gradients_without_kept_states_are_those_of_autograd() -> None:
    net = reversible.made(3)
    sizes = []
    for length in (5, 50):
        token_BT = reversible.drawn(8, length, torch.Generator().manual_seed(1))
        (plain, kept), (undoing, little) = (
            way(net, token_BT) for way in (reversible.plain, reversible.undoing)
        )
        for a, b in zip(plain, undoing, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)
        assert little == 8 * 2 * reversible.WIDTH * 8
        sizes.append(kept)
    assert sizes[1] > 8 * sizes[0] and sizes[0] > little


def test_steps_are_undone() -> None:
    token_BT = reversible.drawn(4, 50, torch.Generator().manual_seed(2))
    assert reversible.undone(reversible.made(1), token_BT[:, :30]).max() < 1e-12
    assert reversible.undone(reversible.made(1).to(torch.float32, 1.0), token_BT).max() > 1e-8
    # what is forgotten is lost: rounding grows by at least 1 / f a step
    half = reversible.undone(reversible.made(1, 0.5), token_BT)
    assert half[-1] > 1e-17 * 2.0**50
    # a step by hand: nothing but the biases is added to a state of 0 by weights of 0
    zero = torch.zeros(reversible.WIDTH + reversible.COUNT + 1, reversible.WIDTH).double()
    zero[-1] = 0.5
    net = reversible.Net(zero, zero, torch.zeros(2 * reversible.WIDTH, reversible.COUNT), 0.9)
    y1, y2 = net.step((torch.ones(1, reversible.WIDTH).double(),) * 2, torch.tensor([0]))
    assert y1[0, 0].item() == pytest.approx(0.9 + math.tanh(0.5)) == y2[0, 0].item()


def test_a_net_learns_from_gradients_without_kept_states() -> None:
    right = reversible.learned(1).right_S
    # which of the last looks is the best one is decided by how a processor rounds
    assert right[0] < 0.4 and right[-2:].max() > 0.95


def test_two_levels_learn_sooner_than_one() -> None:
    two, one = (levels.learned(kind, 1).right_S for kind in ("two", "one"))
    assert two[0] < 0.4 and two[-1] > 0.98
    assert (two[3:6] > one[3:6]).all()


def test_a_level_reads_states_of_the_one_below() -> None:
    torch.manual_seed(4)
    net = levels.Net("two").eval()
    segments = levels.read("aB cDa d bC aaA")
    said, length = levels.answer(net, segments)
    assert net.segments is not None
    with torch.no_grad():
        state = None
        for part in segments:
            inner = None
            for token in part:  # step by step, each level with its own state
                out, inner = net.letters(net.embed(torch.tensor([[token]])), inner)
            top, state = net.segments(out, state)
        logits = net.out(top[0, 0]).view(levels.SEGMENTS, levels.COUNT)
    assert said == "".join("ABCD"[i] for i in logits.argmax(-1).tolist())
    # a gradient by differences: the last letter
    vectors = [net.embed(torch.tensor([part])).detach().double() for part in segments]
    wide, best = net.double(), logits.argmax(-1)
    slope = []
    with torch.no_grad():
        for d in range(levels.WIDTH):
            ends = []
            for sign in (1, -1):
                moved = [v.clone() for v in vectors]
                moved[-1][0, -1, d] += sign * 1e-6
                ends.append(float(wide(moved)[0].gather(1, best[:, None]).sum()))
            slope.append((ends[0] - ends[1]) / 2e-6)
    assert length[-1] == pytest.approx(np.linalg.norm(slope), rel=1e-4)


def test_what_is_typed_in_groups() -> None:
    assert levels.read("aB c d x1a b") == [[0, 5], [2], [3], [0], [1]]
    for text in ("", "a b c", "👩‍🚀 " * 5, "a b c d a b"):
        with pytest.raises(ValueError, match="Type 5 groups"):
            levels.read(text)
    token_BSW, answer_BS = levels.drawn(50, torch.Generator().manual_seed(1))
    capital = token_BSW >= levels.COUNT
    assert (capital.sum(-1) == 1).all()
    assert (token_BSW[capital].view(50, -1) - levels.COUNT == answer_BS).all()
