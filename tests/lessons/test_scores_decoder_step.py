"""One decoder step taken apart, and free running: against scikit-learn, sums by hand, and the step
written out word by word."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA

from engine.analysis.qkv.attend import softmax
from engine.core.registry import cells, scores
from engine.lessons.scores import by_hand, decoder_step, free_running
from engine.models.seq2seq import MODEL, Config, Net
from engine.nn.cells.rnn import RNN
from engine.nn.stack import Stack
from engine.text.tokenizers.words import Words
from tests.conftest import together

WORDS = Words("Le chat s'est assis the cat sat on a dog".split())
TEXT = "the cat sat on\nLe chat"


def model(seed: int = 2, std: float = 0.5, **more: Any) -> Any:
    """A small translator with random weights."""
    torch.manual_seed(seed)
    config = Config(**{"width": 6, "units": 10, "context": 64, "span": 12} | more)
    made = MODEL(config, WORDS, Net(len(WORDS.vocab), config))
    for p in made.net.parameters():
        torch.nn.init.normal_(p, 0.0, std)
    return made


@together(("kind", "looks"), product(scores.ids(), ("after", "before")))
def test_the_parts_make_the_score_and_the_context(kind: str, looks: str) -> None:
    made = model(attention=kind, looks=looks, both_ways=kind != "dot", layers=2)
    trace = made.trace(TEXT)
    found = decoder_step.parts(made, trace)
    score_TS = trace.field("cross.score").values[0, 0]
    score = made.net.score.requires_grad_(False)
    whole_TS = score.numbers(found.query_TH.copy(), found.key_SH.copy())
    np.testing.assert_allclose(whole_TS, score_TS, atol=1e-4)
    for t, s in ((0, 1), (2, 4)):
        asked, offered = found.asked_TX[t], found.offered_SX[s]
        by_hand = {
            "additive": lambda a, o: score.read.weight[0].numpy() @ np.tanh(a + o),
            "location": lambda a, o, s=s: a[s],
        }.get(kind, lambda a, o: a @ o)(asked, offered)
        assert score_TS[t, s] == pytest.approx(float(by_hand), abs=1e-4)
    weight_TS = trace.field("cross.attention").values[0, 0]
    np.testing.assert_allclose(weight_TS @ found.key_SH, trace.field("context").values, atol=1e-5)
    np.testing.assert_allclose(weight_TS @ found.place_S2, found.centre_T2, atol=1e-4)


def test_a_query_is_the_new_state_or_the_old_one() -> None:
    for looks in ("after", "before"):
        made = model(looks=looks)
        trace = made.trace(TEXT)
        hidden_TH = trace.field("hidden").values[-1]
        query_TH = decoder_step.parts(made, trace).query_TH
        if looks == "after":
            np.testing.assert_array_equal(query_TH, hidden_TH)
        else:
            np.testing.assert_array_equal(query_TH[1:], hidden_TH[:-1])
            np.testing.assert_array_equal(query_TH[0], trace.field("bridge.hidden").values[-1])


def test_the_plane_is_that_of_the_largest_components() -> None:
    key_SH = np.random.default_rng(5).standard_normal((7, 12)) * np.arange(12)
    place_S2, share_2, put = decoder_step.plane(key_SH)
    theirs = PCA(2).fit(key_SH)
    np.testing.assert_allclose(np.abs(place_S2), np.abs(theirs.transform(key_SH)), atol=1e-3)
    np.testing.assert_allclose(share_2, theirs.explained_variance_ratio_, rtol=1e-5)
    assert (place_S2[0] <= 0).all()
    np.testing.assert_allclose(put(key_SH[3:5]), place_S2[3:5], atol=1e-6)
    for few in (np.ones((1, 4)), np.ones((3, 4)), np.eye(2, 4)):  # nothing, or a line, to draw
        place_S2, share_2, _ = decoder_step.plane(few)
        assert np.isfinite(place_S2).all() and np.isfinite(share_2).all()
    made = model(attention="none")
    with pytest.raises(ValueError, match="no attention"):
        decoder_step.parts(made, made.trace(TEXT))


@together("looks", ["after", "before"])
def test_free_running_reads_its_own_words(looks: str) -> None:
    made = model(looks=looks)
    tokens = made.tokens(TEXT)
    right = tokens.ids[1:].tolist()
    found = free_running.run(made, tokens.source.ids, right)
    ids: list[int] = []
    for n in range(len(found.ids)):  # one more word at a time, from the likeliest so far
        text = f"the cat sat on\n{' '.join(WORDS.vocab[i] for i in ids)}"
        p_V = made.trace(text).field("probability").values[-1]
        assert found.ids[n] == p_V.argmax() and found.p_N[n] == pytest.approx(p_V.max(), rel=1e-4)
        if n < len(right):
            assert found.right_N[n] == pytest.approx(float(p_V[right[n]]), rel=1e-4)
        if WORDS.vocab[found.ids[n]].startswith("<"):
            break  # a mark can't be typed
        ids.append(found.ids[n])
    assert len(found.ids) <= free_running.MOST and np.isnan(found.right_N[len(right) :]).all()


# of language_models: kind, scores, weights, context
T28: list[tuple[str, tuple[float, ...], tuple[float, ...], tuple[float, ...]]] = [
    ("dot", (0.5, 1, 1.5), (0.186324, 0.307196, 0.506480), (0.692804, 0.813676)),
    (
        "scaled_dot",
        (0.353553, 0.707107, 1.060660),
        (0.224606, 0.319866, 0.455527),
        (0.680134, 0.775394),
    ),
    ("bilinear", (1, 1.75, 2.75), (0.112719, 0.238627, 0.648654), (0.761373, 0.887281)),
    (
        "additive",
        (0.231064, -0.448470, -0.030781),
        (0.439274, 0.222647, 0.338079),
        (0.777353, 0.560726),
    ),
]


@together(("kind", "score", "weight", "context"), T28)
def test_one_step_as_specified(kind: str, score: Any, weight: Any, context: Any) -> None:
    """language_models T28: three keys, one query, and the weights of each score given."""
    key_SH = np.array([[1.0, 0], [0, 1], [1, 1]])
    made = scores.get(kind)(2)
    w = torch.tensor([[1, -0.5], [0.5, 2]])
    a = torch.tensor([[0.2, -0.1, 0.4, 0.3], [0.5, 0.1, -0.2, 0.6]])
    with torch.no_grad():
        for name, p in made.named_parameters():
            if kind == "bilinear":
                p.copy_(w)
            elif "read" in name:
                p.copy_(torch.tensor([[1.0, -1]]))
            else:
                p.copy_(a[:, :2] if name.startswith("ask") else a[:, 2:])
    given = {name: np.array(values, float) for name, values in by_hand.GIVEN.items()}
    for score_S in (made.numbers(np.array([[0.5, 1]]), key_SH)[0], by_hand.scores(kind, given)):
        np.testing.assert_allclose(score_S, score, atol=1e-6)
        weight_S = softmax(score_S)
        np.testing.assert_allclose(weight_S, weight, atol=1e-6)
        np.testing.assert_allclose(weight_S @ key_SH, context, atol=1e-6)


def test_a_whole_step_before_and_after_the_cell_as_specified() -> None:
    """language_models T28: the cell reads the context that the additive score found, and the output
    both; a fixed context; and the dot score with the new state.  foundations T41: the old state and
    its context straight to the output."""
    key_SH = np.array([[1.0, 0], [0, 1], [1, 1]])
    w_o = [[0.4, -0.2, 0.3, 0.1], [-0.5, 0.6, 0.2, -0.1], [0.1, 0.1, -0.4, 0.5]]
    cell = RNN(4, 2)  # reads [y; c]
    w_y, w_c, w_s = [[0.5, -0.3], [0.1, 0.2]], [[0.6, 0], [-0.1, 0.7]], [[0.3, 0.1], [-0.2, 0.4]]
    with torch.no_grad():
        w, u, biases = cell.matrices()
        w.copy_(torch.tensor(np.hstack([w_y, w_c])))
        u.copy_(torch.tensor(w_s))
        for bias in biases:
            bias.zero_()

    def state(context: np.ndarray) -> np.ndarray:
        x, last = torch.tensor([[[0.0, 1, *context]]]).float(), (torch.tensor([[0.5, 1.0]]),)
        with torch.no_grad():
            return np.asarray(cell(x, last=last)[0, 0])

    def output(w: Any, *parts: np.ndarray) -> np.ndarray:
        return softmax(np.array(w) @ np.concatenate(parts))

    context = np.array([0.777353, 0.560726])
    new = state(context)
    np.testing.assert_allclose(new, [0.393903, 0.672215], atol=1e-6)
    p = output(w_o, new, context)
    np.testing.assert_allclose(p, [0.359338, 0.356967, 0.283695], atol=1e-6)
    fixed = key_SH[2]
    p = output(w_o, state(fixed), fixed)
    np.testing.assert_allclose(p, [0.369501, 0.330989, 0.299510], atol=1e-6)
    score_S = scores.get("dot")(2).numbers(new[None], key_SH)[0]
    np.testing.assert_allclose(score_S, [0.393903, 0.672215, 1.066118], atol=1e-6)
    np.testing.assert_allclose(softmax(score_S), [0.233674, 0.308659, 0.457667], atol=1e-6)
    old = np.array([0.5, 1])
    weight_S = softmax(scores.get("dot")(2).numbers(old[None], key_SH)[0])
    p = output([[0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [1, -1, 1, -1]], old, weight_S @ key_SH)
    np.testing.assert_allclose(p, [0.375932, 0.512779, 0.111289], atol=1e-6)


def test_two_steps_of_a_plain_decoder_as_specified() -> None:
    """foundations T18: it starts in the last state of T17, and is fed its own likeliest word."""
    head = np.array([[1, -1], [0.5, 0.5], [-0.5, 1]])
    cell = RNN(3, 2)
    with torch.no_grad():
        w, u, biases = cell.matrices()
        w.copy_(torch.tensor([[0.2, 0.1, -0.1], [0, 0.3, 0.2]]))
        u.copy_(torch.tensor([[0.5, 0], [0.1, 0.5]]))
        for bias in biases:
            bias.zero_()
    state, word = torch.tensor([[0.323679, 0.715182]]), 0
    for wanted, shares in (
        ([0.346833, 0.371325], [0.269064, 0.394856, 0.336080]),
        ([0.266801, 0.477967], [0.220478, 0.395182, 0.384340]),
    ):
        with torch.no_grad():
            state = cell(torch.eye(3)[word][None, None], last=(state,))[0]
        np.testing.assert_allclose(state[0], wanted, atol=1e-6)
        p = softmax(head @ state[0].numpy())
        np.testing.assert_allclose(p, shares, atol=1e-6)
        word = int(p.argmax())
        assert word == 1


def test_parameters_of_the_second_listing() -> None:
    """language_models T32, part by part: an encoder, and a decoder whose cell reads the context."""
    config = Config(
        width=256, units=512, layers=2, attention="additive", looks="before", both_ways=False
    )
    with torch.device("meta"):
        net = Net(5000, config)
    counts: dict[str, int] = {}
    for name, p in net.named_parameters():
        part = name.split(".")[0]
        counts[part] = counts.get(part, 0) + p.numel()
    assert counts["embed"] + counts["encoder"] == 4_038_656
    assert counts["score"] == 525_312 - 512, "the listing's has a bias; the formula has none"
    assert counts["decoder"] == 3_545_088


def test_parameters_of_the_first_listing_and_of_the_whole_decoder() -> None:
    """language_models T32: our parts have the sizes of the listings', but for the biases named."""

    def counted(*parts: torch.nn.Module) -> int:
        return sum(p.numel() for part in parts for p in part.parameters())

    linear, gru, lstm = torch.nn.Linear, cells.get("gru_after"), cells.get("lstm")
    score = counted(scores.get("additive")(512)) + 512  # the listing's has a bias
    decoder = counted(torch.nn.Embedding(5000, 256), Stack(gru, 768, 512, 2), linear(1280, 5000))
    assert decoder + score == 11_755_400
    twice = 4 * 4 * 32  # four layers; torch, and ours, have two biases where the listing has one
    layers = counted(Stack(lstm, 10, 32, 2), Stack(lstm, 32, 32, 2)) - twice
    assert layers + counted(linear(32, 10), linear(10, 32), linear(32, 32)) == 32_202
