"""word2vec: the spec's T24 and T25, every output against autograd, gensim's tree and chances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.models.base import train
from engine.models.cbow import Cbow
from engine.models.skipgram import Skipgram
from engine.models.word2vec import Config
from engine.nn.word2vec import chances, huffman, training
from engine.nn.word2vec.batch import Batch, batch
from engine.nn.word2vec.hierarchical import Hierarchical
from engine.nn.word2vec.negative import Negative
from engine.nn.word2vec.softmax import Softmax
from engine.nn.word2vec.update import update
from tests.conftest import Patch, sampled

W1_VD = [[0.5, 0.4], [-0.2, 0.6], [0.1, -0.5], [0.3, 0.2]]  # cat, dog, sat, mat
W2_VD = [[0.2, 0.1], [-0.3, 0.5], [0.4, -0.1], [0.1, 0.3]]
ONES = torch.ones(4, dtype=torch.int64)


def tables() -> tuple[Tensor, Tensor]:
    return torch.tensor(W1_VD), torch.tensor(W2_VD)


def ask(centre: int, near: list[int], noise: list[int]) -> Batch:
    """One centre and its window."""
    asked = (torch.tensor([part]) for part in ([centre], near, noise))
    return Batch(*asked, torch.ones(1, 1, len(near)))


def test_negative_sampling_by_hand() -> None:
    # h = (.5, .4); scores dog .05, sat .16, mat .17; sigmoid .512497, .539915, .542398
    # loss = -ln .512497 - ln(1 - .539915) - ln(1 - .542398) = 2.226559
    # coefficients -.487503, .539915, .542398; dh = sum coefficient * o = (.416457, -.135023)
    both, asked = tables(), ask(0, [1], [2, 3])
    assert update(both, asked, 0.1, Negative(2), measure=True) == pytest.approx(2.226559, abs=2e-6)
    assert both[0][0].tolist() == pytest.approx([0.458354, 0.413502], abs=1e-6)
    moved = [-0.275625, 0.5195, 0.373004, -0.121597, 0.072880, 0.278304]
    assert both[1][1:].flatten().tolist() == pytest.approx(moved, abs=1e-6)
    assert both[0][1:].tolist() == torch.tensor(W1_VD[1:]).tolist()
    assert both[1][0].tolist() == torch.tensor(W2_VD[0]).tolist()
    assert update(both, asked, 0.1, Negative(2), measure=True) == pytest.approx(2.175338, abs=2e-6)


def test_skipgram_with_the_full_softmax_by_hand() -> None:
    # z = (.14, .05, .16, .17); losses 1.467402 + 1.357402; dh = (.120425, -.014547); dW2 = summed
    # error x h
    both, step = tables(), (ask(0, [1, 2], [3]), 0.1, Softmax(ONES))
    assert update(both, *step, measure=True) == pytest.approx(2.824803 / 2, abs=1e-6)
    assert both[0][0].tolist() == pytest.approx([0.5 - 0.0120425, 0.4 + 0.0014547], abs=1e-6)
    moved_VD = (torch.tensor(W2_VD) - both[1]) / 0.1
    error_V = torch.tensor([0.504466, -0.538953, -0.485343, 0.519829])
    want = (error_V[:, None] * torch.tensor([0.5, 0.4])).flatten()
    assert moved_VD.flatten().tolist() == pytest.approx(want.tolist(), abs=3e-6)


def test_cbow_with_the_full_softmax_by_hand() -> None:
    # h = mean of cat and mat = (.4, .3); loss 1.357132, after one step of .1 it is 1.330252
    both, step = tables(), (ask(2, [0, 3], [1]), 0.1, Softmax(ONES))
    assert update(both, *step, cbow=True, measure=True) == pytest.approx(1.357132, abs=1e-6)
    moved = [0.514536, 0.385342, 0.314536, 0.185342]
    assert both[0][[0, 3]].flatten().tolist() == pytest.approx(moved, abs=1e-6)
    assert both[1][2].tolist() == pytest.approx([0.429704, -0.077722], abs=1e-6)
    assert update(both, *step, cbow=True, measure=True) == pytest.approx(1.330252, abs=1e-6)


COUNTS = np.array([6, 4, 3, 2, 2, 2, 2, 1])  # the cat dog a on sat saw mat


def written_out(both: Any, output: str, cbow: bool, data: dict[str, Any]) -> tuple[Tensor, int]:
    """The loss, question by question."""
    word_M, line_M, reach_M, noise_GS = data.values()
    tree = huffman.tree(COUNTS)
    loss, pairs = torch.zeros(()), 0
    for n in range(len(word_M)):
        around_M = np.abs(np.arange(len(word_M)) - n) <= reach_M[n]
        near = [int(m) for m in np.flatnonzero(around_M & (line_M == line_M[n])) if m != n]
        if not near:
            continue
        h_D = both[0][word_M[near]].mean(0) if cbow else both[0][word_M[n]]
        for target in [word_M[n]] if cbow else word_M[near]:
            if output == "softmax":
                loss = loss - (both[1] @ h_D).log_softmax(0)[target]
            elif output == "negative":
                noise_SD = both[1][noise_GS[n // 8]]  # 23 words in 3 groups: 8, 8, 7
                loss = loss - torch.nn.functional.logsigmoid(h_D @ both[1][target])
                loss = loss - 5 / 4 * torch.nn.functional.logsigmoid(-(noise_SD @ h_D)).sum()
            else:
                for level, turn in enumerate(tree.code(target)):
                    score = h_D @ both[1][tree.node_VL[target, level]]
                    loss = loss - torch.nn.functional.logsigmoid(score if turn == "0" else -score)
            pairs += 1
    return loss, pairs


@pytest.mark.parametrize("cbow", [False, True])
@pytest.mark.parametrize("name", ["softmax", "negative", "hierarchical"])
def test_a_step_follows_the_gradient(name: str, cbow: bool) -> None:
    """Several groups, repeated words, filling at the end: autograd of the loss, pair by pair."""
    rng = np.random.default_rng(0)
    data = {
        "word_M": rng.integers(0, 8, 23),
        "line_M": np.sort(rng.integers(0, 3, 23)),
        "reach_M": rng.integers(1, 4, 23),
        "noise_GS": rng.integers(0, 8, (3, 4)),
    }
    made = batch(**data, window=3)
    before = tuple(torch.from_numpy(rng.normal(size=(8, 5))).float() for _ in range(2))
    grown = (before[0].clone().requires_grad_(), before[1].clone().requires_grad_())
    loss, pairs = written_out(grown, name, cbow, data)
    loss.backward()  # type: ignore[no-untyped-call]
    after = (before[0].clone(), before[1].clone())
    output = training.output_of(training.Plan(output=name), COUNTS)
    measured = update(after, made, 1e-3, output, cbow, most=10, measure=True)
    assert measured == pytest.approx(loss.item() / pairs, rel=1e-5)
    for old, new, table in zip(before, after, grown, strict=True):
        assert table.grad is not None and table.grad.abs().max() > 0.1
        assert ((old - new) / 1e-3 - table.grad).abs().max() < 2e-3


def test_the_softmax_in_pieces_is_the_softmax(monkeypatch: Patch) -> None:
    rng = np.random.default_rng(1)
    drawn = rng.integers(0, 4, 12), np.zeros(12, int), np.full(12, 2), rng.integers(0, 4, (3, 2))
    made = batch(*drawn, 2)
    whole, parts = tables(), tables()
    loss = update(whole, made, 0.1, Softmax(ONES), measure=True)
    monkeypatch.setattr("engine.nn.word2vec.softmax.SCORES", 12)  # three rows at a time
    assert update(parts, made, 0.1, Softmax(ONES), measure=True) == pytest.approx(loss, rel=1e-6)
    assert torch.allclose(whole[0], parts[0], atol=1e-7)
    assert torch.allclose(whole[1], parts[1], atol=1e-7)


def test_one_row_moves_only_so_far_in_a_step() -> None:
    """A hundred stale pulls on one word at rate 1 count as one."""
    one = torch.zeros(1, 100, dtype=torch.int64), torch.tensor([[1]]), torch.tensor([[2]])
    pulls = Batch(*one, torch.ones(1, 100, 1))
    results = []
    for asked in (pulls, ask(0, [1], [2])):
        both = tables()
        update(both, asked, 1.0, Negative(0))
        results.append(torch.cat(both))
    assert torch.allclose(results[0], results[1], atol=1e-5)


def test_noise_by_hand() -> None:
    wanted = [0.229991, 0.169684, 0.136753, *[0.100895] * 4, 0.059992]
    assert chances.noise_probability(COUNTS) == pytest.approx(wanted, abs=1e-6)
    drawn = np.bincount(chances.noise_table(COUNTS), minlength=8) / (1 << 20)
    assert drawn == pytest.approx(wanted, abs=2e-6)


def test_keep_by_hand() -> None:
    # "the" is 6 of 22 words: the paper's sqrt(t / f) = sqrt(.1 * 22 / 6) = .605530; the program
    # adds t / f = .366667
    kept = chances.keep_probability(COUNTS, 0.1)
    assert kept[:2] == pytest.approx([0.605530 + 0.366667, 1], abs=1e-6)
    assert chances.keep_probability(COUNTS, 0.0).tolist() == [1.0] * 8


def test_the_tree_and_the_chances_are_those_of_gensim() -> None:
    from gensim.models import Word2Vec

    drawn = np.random.default_rng(2).choice(np.arange(1, 4000) ** 2, 300, replace=False)
    count_V = np.sort(drawn)[::-1].copy()
    peer = Word2Vec(vector_size=4, sg=1, hs=1, negative=5, sample=1e-3, min_count=1)
    peer.build_vocab_from_freq({f"w{i}": int(c) for i, c in enumerate(count_V)})
    ours = huffman.tree(count_V)
    for i in range(300):
        at = peer.wv.key_to_index[f"w{i}"]
        assert ours.code(i) == "".join(map(str, peer.wv.get_vecattr(f"w{i}", "code")))
        nodes = ours.node_VL[i, : ours.length_V[i]].tolist()
        assert nodes == peer.wv.get_vecattr(f"w{i}", "point").tolist()
        assert at == i
    kept_V = np.array([peer.wv.get_vecattr(f"w{i}", "sample_int") for i in range(300)]) / 2**32
    assert chances.keep_probability(count_V, 1e-3) == pytest.approx(kept_V, abs=1e-6)
    noise_V = np.diff(peer.cum_table.astype(float), prepend=0) / peer.cum_table[-1]
    assert chances.noise_probability(count_V) == pytest.approx(noise_V, abs=1e-8)


def test_the_tree_gives_a_distribution_and_short_paths_to_common_words() -> None:
    tree = huffman.tree(COUNTS)
    # joined: mat 1 + a 2 = 3, on 2 + sat 2 = 4, saw 2 + dog 3 = 5, (mat a) 3 + cat 4 = 7, (on sat)
    # 4 + (saw dog) 5 = 9, the 6 + 7 = 13, 9 + 13 = 22
    assert int((COUNTS * tree.length_V).sum()) == 3 + 4 + 5 + 7 + 9 + 13 + 22
    codes = [tree.code(word) for word in range(8)]
    assert not [(a, b) for a in codes for b in codes if a != b and b.startswith(a)]
    score_N = np.random.default_rng(3).normal(size=7)
    right_N = 1 / (1 + np.exp(score_N))
    chance = 0.0
    for word, code in enumerate(codes):
        turns = zip(tree.node_VL[word], code, strict=False)
        chance += np.prod([right_N[n] if turn == "1" else 1 - right_N[n] for n, turn in turns])
    assert chance == pytest.approx(1)
    with pytest.raises(ValueError, match="at least two words"):
        huffman.tree(np.array([5]))


@pytest.mark.parametrize(("reach", "pairs"), [(1, 10), (2, 18), (5, 30)])
def test_pairs_of_a_sentence(reach: int, pairs: int) -> None:
    """the cat sat on the mat, so many words on each side."""
    words, still = np.array([0, 1, 2, 3, 0, 4]), np.zeros(6, int)
    made = batch(words, still, np.full(6, reach), np.zeros((1, 2), int), 5)
    assert made.pair_GBC.sum() == pairs
    if reach == 1:
        places = made.pair_GBC[0].nonzero().tolist()
        found = [f"{made.centre_GB[0, b]}{made.near_GC[0, c]}" for b, c in places]
        assert found == "01 10 12 21 23 32 30 03 04 40".split()


def planted(lines: int) -> str:
    """Six animals in one kind of sentence, six tools in another: nothing else tells them apart."""
    rng = np.random.default_rng(1)
    animals, tools = "cat dog fox owl hen pig".split(), "saw axe hoe pin jig awl".split()
    kinds = (
        (animals, "eats and sleeps in a warm", ["barn", "nest"]),
        (tools, "cuts or bends of some hard", ["wood", "tin"]),
    )
    picks = [kinds[i] for i in rng.integers(0, 2, lines)]
    return "\n".join(
        f"the {rng.choice(who)} {does} {rng.choice(where)}" for who, does, where in picks
    )


@pytest.mark.parametrize("model", [Skipgram, Cbow])
@sampled("output", ["softmax", "negative", "hierarchical"], each=3)
def test_finds_what_was_planted(model: type[Any], output: str) -> None:
    config = Config(width=16, vocabulary=100, epochs=8, sample=0.0, output=output)
    found = train(model, planted(1500), config)
    for word, kin in (("cat", "dog fox owl hen pig"), ("saw", "axe hoe pin jig awl")):
        near = found.nearest(found.in_VD[found.vocab.index(word)], 5, without=(word,))
        assert {name for name, _ in near} == set(kin.split())


def test_an_output_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="negative, softmax, hierarchical"):
        train(Skipgram, "a b c d", Config(output="noise"))
    with pytest.raises(ValueError, match="at least two words"):
        train(Cbow, "a a a a\na", Config(output="hierarchical"))


def test_a_tree_only_for_words_that_occur() -> None:
    output = Hierarchical(np.array([0, 0, 0, 5, 3, 2]))
    assert output.inside_VL.sum(1).tolist() == [0, 0, 0, 1, 2, 2]
