"""Boltzmann machines: their exact sums by every configuration, their gradient by finite differences, and what the
page says of them.  That the browser takes the same steps as torch: tests/js/boltzmann.test.js."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.frame.blocks import Board, Chart, Problem, Rows, blocks_in
from engine.lessons.boltzmann import machine as rbm
from engine.lessons.boltzmann import parts, stack, words
from engine.lessons.boltzmann.machine import Machine

SMALL = Machine(
    np.array([[0.5, -0.3], [0.2, 0.4], [-0.6, 0.1]]),
    np.array([0.1, -0.2, 0]),
    np.array([0.05, -0.1]),
)
V0 = np.array([[1.0, 0, 1]])


def test_a_known_example() -> None:
    assert sum(SMALL.energy(V0[0], np.array([1.0, 0]))) == pytest.approx(-0.05)
    assert np.exp(SMALL.log_z()) == pytest.approx(33.491497, abs=1e-6)
    assert SMALL.free_energy(V0)[0] == pytest.approx(-1.322815, abs=1e-6)
    assert SMALL.hidden(V0)[0] == pytest.approx([0.487503, 0.425557], abs=1e-6)
    exact = SMALL.seen(V0) - SMALL.expected()
    wanted = [[0.156857, 0.168639], [-0.297156, -0.286298], [0.289401, 0.204056]]
    np.testing.assert_allclose(exact.W_VH, wanted, atol=1e-6)


def test_sums_over_hidden_states_are_those_over_all_configurations() -> None:
    rng = np.random.default_rng(2)
    of = Machine(rng.normal(0, 1, (5, 4)), rng.normal(0, 1, 5), rng.normal(0, 1, 4))
    every = [
        (np.array(v, float), np.array(h, float))
        for v in itertools.product((0, 1), repeat=5)
        for h in itertools.product((0, 1), repeat=4)
    ]
    weight = np.array([np.exp(-sum(of.energy(v, h))) for v, h in every])
    share = weight / weight.sum()
    assert of.log_z() == pytest.approx(np.log(weight.sum()))
    both = sum(p * np.outer(v, h) for p, (v, h) in zip(share, every, strict=True))
    np.testing.assert_allclose(of.expected().W_VH, both, atol=1e-12)
    first = np.array([v for v, _h in every])[:, 0] > 0
    second = np.array([v for v, _h in every])[:, 1] > 0
    wanted = share[first & second].sum() / share[first].sum()
    assert words.together(of)[0, 1] == pytest.approx(wanted)


def test_the_exact_gradient_is_the_slope_of_the_likelihood() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 2, (6, 5)).astype(float)
    of = Machine(rng.normal(0, 1, (5, 3)), rng.normal(0, 1, 5), rng.normal(0, 1, 3))
    found = (of.seen(rows) - of.expected()).flat
    for k in range(len(found)):
        ends = []
        for far in (1e-5, -1e-5):
            moved = of.flat
            moved[k] += far
            there = Machine(moved[:15].reshape(5, 3), moved[15:20], moved[20:])
            ends.append(there.likelihood(rows))
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(found[k], abs=1e-8)


def test_contrastive_divergence_ends_below_more_turns_and_the_exact_gradient() -> None:
    last = {
        one: [r.likelihood for r in rbm.train(rbm.bars(), 8, one, 0.5, 600, 1)][-10:]
        for one in ("cd1", "cd20", "exact")
    }
    mean = {one: float(np.mean(of)) for one, of in last.items()}
    assert len(rbm.bars()) == 30
    assert mean["cd1"] < mean["cd20"] - 0.3
    assert max(map(max, last.values())) < -np.log(30)


def test_what_the_parts_say() -> None:
    (board,) = (
        b for b in blocks_in(parts.machine.blocks(asked="bm_steps=9")) if isinstance(b, Board)
    )
    assert board.data["asked"] == {"bm_steps": "9"}
    sent = board.data["sent"]
    assert len(sent["digits"]["rows"]) == parts.DIGITS and len(sent["digits"]["rows"][0]) == 64
    names, rows = sent["words"]["names"], sent["words"]["rows"]
    assert "storm" in names and all(len(row) == len(names) for row in rows)
    (ranked,) = (b for b in blocks_in(parts.energy.blocks()) if isinstance(b, Rows))
    assert len(ranked.rows) == 32 and sum(r["probability"] for r in ranked.rows) == pytest.approx(1)
    first = ranked.rows[0]
    assert (first["v"], first["h"], first["energy"]) == ("1, 0, 0", "1, 0", pytest.approx(-0.65))
    tables = [b for b in blocks_in(parts.one_step.blocks()) if isinstance(b, Rows)]
    steps = [row["step of CD-1"] for row in tables[1].rows][:6]
    wanted = [-0.019168, -0.007444, -0.067918, -0.05, 0.04875, 0.042556]
    np.testing.assert_allclose(steps, wanted, atol=1e-6)
    assert [row["sign"] for row in tables[1].rows][:2] == ["opposite"] * 2
    for text in ("", "One. Two.", "\u200b" * 40):
        (told,) = (b for b in parts.go_together.blocks(text=text) if isinstance(b, Problem))
        assert "Type more sentences" in told.words


def test_words_of_one_sentence_are_found_together() -> None:
    found = words.read(
        "A cat saw a dog. The cat and the dog ran. Rain fell on snow. Snow and rain. A cat."
    )
    assert set(found.words) == {"cat", "dog", "rain", "snow"} and len(found.has_NV) == 4
    *_others, last = rbm.train(found.has_NV, 2, "exact", 0.5, 500, 1, 500)
    at = {word: k for k, word in enumerate(found.words)}
    p = words.together(last.machine)
    assert p[at["cat"], at["dog"]] > 0.9 and p[at["cat"], at["snow"]] < 0.1
    assert words.counted(found.has_NV)[at["cat"], at["dog"]] == 1


def test_a_word_that_stands_beside_no_other_is_none_of_the_words() -> None:
    found = words.read(
        "The dog ran. The cat ran. The dog and the cat slept. A cat and a dog ran. Zebra. Zebra!"
    )
    assert "zebra" not in found.words and {"dog", "cat"} < set(found.words)
    assert np.isfinite(words.counted(found.has_NV)).all()


def test_each_column_of_its_weights_can_be_read() -> None:
    for table in (parts.WEIGHTS, parts.VISIBLE, parts.HIDDEN):
        assert table.width >= 60 * (1 + len(table.columns))


def test_a_stack_passes_up_and_down() -> None:
    """The upward pass of a known example; a net begun with machines computes the same."""
    second = Machine(np.array([[0.4, -0.2], [0.3, 0.6]]), np.zeros(2), np.array([0, 0.1]))
    assert stack.up([SMALL, second], V0)[0] == pytest.approx([0.579974, 0.564104], abs=1e-6)
    assert second.hidden(np.array([[1.0, 0]]))[0] == pytest.approx([0.598688, 0.475021], abs=1e-6)
    rows = np.random.default_rng(1).integers(0, 2, (40, 64)).astype(float)
    machines = stack.pile(rows, (5, 3), 0, 2)
    import torch

    net = stack.net_of((5, 3), 0, machines)
    upward = net[:-1](torch.tensor(rows, dtype=torch.float32)).detach().numpy()
    np.testing.assert_allclose(upward, stack.up(machines, rows), atol=1e-6)
    dreams = stack.dream(machines, 4, 3, 1)
    assert dreams.shape == (4, 64) and (dreams > 0).all() and (dreams < 1).all()


@pytest.mark.slow
def test_with_few_labels_a_start_layer_by_layer_is_worth_more() -> None:
    gain = {}
    for labels in (5, 100):
        *_others, (_share, found) = stack.compare((100, 50), labels, 3)
        means = [found.right[name][:, -1].mean() for name in stack.BEGUN]
        gain[labels] = means[0] - means[1]
    assert gain[5] > 0.02 > gain[100] > -0.02


@pytest.mark.slow
def test_the_page_shows_dreams_and_the_comparison() -> None:
    blocks = [*blocks_in(parts.deep.blocks(sizes="64", compares=("64", 5)))]
    assert [b.name for b in blocks if isinstance(b, Chart)] == ["dreams", "tuned"]
