"""One decoder step, free and mixed, and hard attention: against scikit-learn, autograd, sums by hand and every draw."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA

from engine.analysis.qkv.attend import softmax
from engine.core.registry import cells, scores
from engine.lessons.scores import by_hand, decoder_step, free_running, hard_choice, mixed_reading
from engine.models.seq2seq import MODEL, Config, Net
from engine.nn import hard
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
T28 = """
dot | 0.5 1 1.5 | 0.186324 0.307196 0.506480 | 0.692804 0.813676
scaled_dot | 0.353553 0.707107 1.060660 | 0.224606 0.319866 0.455527 | 0.680134 0.775394
bilinear | 1 1.75 2.75 | 0.112719 0.238627 0.648654 | 0.761373 0.887281
additive | 0.231064 -0.448470 -0.030781 | 0.439274 0.222647 0.338079 | 0.777353 0.560726
"""


@together("row", T28.strip().split("\n"))
def test_one_step_as_specified(row: str) -> None:
    """language_models T28: three keys, one query, and the weights of each score given."""
    kind, *cells = (cell.strip() for cell in row.split("|"))
    score, weight, context = ([float(x) for x in cell.split()] for cell in cells)
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
    """language_models T28: additive and fixed contexts, the new state's dot; foundations T41: the old state."""
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
    first = [0.346833, 0.371325], [0.269064, 0.394856, 0.336080]
    second = [0.266801, 0.477967], [0.220478, 0.395182, 0.384340]
    for wanted, shares in (first, second):
        with torch.no_grad():
            state = cell(torch.eye(3)[word][None, None], last=(state,))[0]
        np.testing.assert_allclose(state[0], wanted, atol=1e-6)
        p = softmax(head @ state[0].numpy())
        np.testing.assert_allclose(p, shares, atol=1e-6)
        word = int(p.argmax())
        assert word == 1


def test_parameters_of_the_second_listing() -> None:
    """language_models T32, part by part: an encoder, and a decoder whose cell reads the context."""
    parts: Any = {"attention": "additive", "looks": "before", "both_ways": False}
    config = Config(width=256, units=512, layers=2, **parts)
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


HARD: dict[str, Any] = {"attention": "bilinear", "scope": "hard"}


def test_the_worked_example() -> None:
    look_S, value_S = np.array([0.2, 0.5, 0.3]), np.array([1.0, 3.0, -2.0])
    assert look_S @ value_S == pytest.approx(1.1)
    assert look_S @ value_S**2 - 1.1**2 == pytest.approx(4.69)
    want_S = [-0.02, 0.95, -0.93]
    np.testing.assert_allclose(hard_choice.expected(look_S, value_S), want_S, atol=1e-12)
    for baseline in (0.0, 1.1, -3.0):  # none moves the mean
        each = (hard_choice.reinforced(look_S, value_S, one_S, baseline) for one_S in np.eye(3))
        mean_S = sum(a * g_S for a, g_S in zip(look_S, each, strict=True))
        np.testing.assert_allclose(mean_S, want_S, atol=1e-12)
    picks = np.searchsorted(np.cumsum(look_S), [0.1, 0.25, 0.65, 0.7, 0.95], side="right") + 1
    assert picks.tolist() == [1, 2, 2, 3, 3]


@together("seed", range(4))
def test_slopes_are_those_of_autograd(seed: int) -> None:
    rng = np.random.default_rng(seed)
    score_S = torch.tensor(rng.normal(0, 2, 6), requires_grad=True)
    reward_S = rng.normal(-3, 2, 6)
    look_S = score_S.softmax(0)
    (slope_S,) = torch.autograd.grad(look_S @ torch.tensor(reward_S), score_S, retain_graph=True)
    a_S = look_S.detach().numpy()
    np.testing.assert_allclose(hard_choice.expected(a_S, reward_S), slope_S, atol=1e-12)
    total = (look_S.log() + torch.tensor(reward_S)).logsumexp(0)
    (slope_S,) = torch.autograd.grad(total, score_S)
    np.testing.assert_allclose(hard_choice.marginal(a_S, reward_S), slope_S, atol=1e-12)


@together("seed", range(4))
def test_the_scatter_is_that_of_every_draw_and_least_at_the_best_baseline(seed: int) -> None:
    rng = np.random.default_rng(seed)
    look_S, reward_S = rng.dirichlet(np.ones(5)), rng.normal(-3, 2, 5)
    best = hard_choice.best_baseline(look_S, reward_S)

    def slow(b: float) -> float:
        each = (hard_choice.reinforced(look_S, reward_S, one_S, b) for one_S in np.eye(5))
        g_ZS = np.stack([*each])
        mean_S = look_S @ g_ZS
        return float(look_S @ ((g_ZS - mean_S) ** 2).sum(1))

    for b in (0.0, best, float(look_S @ reward_S)):
        assert hard_choice.scatter(look_S, reward_S, b) == pytest.approx(slow(b), rel=1e-9)
    assert slow(best) <= min(slow(best + d) for d in (-0.5, -1e-3, 1e-3, 0.5))


def test_the_choices_of_a_model_one_by_one() -> None:
    """Rewards: all weight on one token.  The straight-through slope: autograd through each drawn token."""
    made = model(std=0.6, **HARD)
    tokens = made.tokens(TEXT)
    right = tokens.ids[1:].tolist()
    trace = made.trace(TEXT)
    found = hard_choice.choices(made, trace, right)
    look_TS = trace.field("cross.attention").values[0, 0]
    net = made.net.eval()
    read = net.read(torch.from_numpy(tokens.source.ids)[None])
    h_TH = torch.tensor(trace.field("hidden").values[-1])
    e_SH = read.states_BSH[0].detach()
    assert found.word_T[: len(right)].tolist() == right
    for t in range(len(tokens)):
        word = int(found.word_T[t])
        slopes, whole_V = [], np.zeros(len(WORDS.vocab))
        for z in range(len(e_SH)):
            score_S = net.score(h_TH[t : t + 1], e_SH)[0].detach().requires_grad_()
            weight_S = hard.pass_gradient(score_S.softmax(0)[None], torch.tensor([z]))[0]
            logit_V = net.output(net._mixed(weight_S @ e_SH, h_TH[t]))
            whole_V += look_TS[t, z] * logit_V.softmax(-1).detach().numpy()
            reward = logit_V.log_softmax(-1)[word]
            assert found.reward_TS[t, z] == pytest.approx(reward.item(), abs=1e-4)
            slopes.append(torch.autograd.grad(reward, score_S)[0].numpy())
        mean_S, scatter = hard_choice.straight(look_TS[t], found.pull_TZS[t])
        want_S = look_TS[t] @ np.stack(slopes)
        np.testing.assert_allclose(mean_S, want_S, atol=1e-5)
        want = look_TS[t] @ ((np.stack(slopes) - want_S) ** 2).sum(1)
        assert scatter == pytest.approx(want, abs=1e-5)
        if t == len(right):
            assert word == whole_V.argmax()


def test_only_where_a_step_is_alone() -> None:
    made = model(**HARD | {"scope": "global", "looks": "before"})
    with pytest.raises(ValueError, match="that step alone"):
        hard_choice.choices(made, made.trace(TEXT), [])


LONGER = "the cat sat on\nLe chat s'est"


def mixed_model(**more: Any) -> Any:
    return model(5, **{"attention": "bilinear"} | more)


@together("more", [{}, {"attention": "none"}, {"looks": "before"}])
def test_its_ends_are_forcing_and_free_running(more: dict[str, Any]) -> None:
    made = mixed_model(**more)
    tokens = made.tokens(LONGER)
    right = tokens.ids[1:].tolist()
    forced = mixed_reading.read(made, tokens.source.ids, right, 1.0)
    p_TV = made.trace(LONGER).field("probability").values
    known = len(right)
    assert forced.read_N[: known + 1].tolist() == tokens.ids.tolist()
    assert not forced.own_N[: known + 1].any() and forced.own_N[known + 1 :].all()
    np.testing.assert_allclose(forced.p_N[: known + 1], p_TV.max(-1), rtol=1e-4)
    np.testing.assert_allclose(forced.right_N[:known], p_TV[np.arange(known), right], rtol=1e-4)
    free = mixed_reading.read(made, tokens.source.ids, right, 0.0)
    want = free_running.run(made, tokens.source.ids, right)
    count = min(len(want.ids), mixed_reading.MOST)
    assert free.wrote_N.tolist()[:count] == [*want.ids][:count]
    np.testing.assert_allclose(free.p_N[:count], want.p_N[:count], rtol=1e-4)
    assert np.isnan(free.right_N[known:]).all()
    given = mixed_reading.read(made, tokens.source.ids, right, 0.0, free=want)
    for found, known_N in zip(vars_of(given), vars_of(free), strict=True):
        np.testing.assert_allclose(found, known_N, rtol=1e-4)


def vars_of(mixed: mixed_reading.Mixed) -> tuple[np.ndarray, ...]:
    return mixed.read_N, mixed.own_N, mixed.wrote_N, mixed.p_N, mixed.right_N


def test_a_coin_is_a_text_typed_otherwise() -> None:
    made = mixed_model()
    tokens = made.tokens(LONGER)
    right = tokens.ids[1:].tolist()
    u_N = mixed_reading.coins(3)
    share = float(np.sort(u_N[1:4])[1])  # of three coins one falls below
    mixed = mixed_reading.read(made, tokens.source.ids, right, share, 3)
    assert mixed.own_N[1:4].tolist() == (u_N[1:4] >= share).tolist()
    ids = tokens.ids.copy()
    for t in (1, 2, 3):
        if mixed.own_N[t]:
            ids[t] = mixed.wrote_N[t - 1]
    np.testing.assert_array_equal(mixed.read_N[:4], ids)
    with torch.no_grad():
        read = made.net.read(torch.from_numpy(tokens.source.ids)[None])
        p_TV = made.net.write(torch.from_numpy(ids)[None], read)[0].softmax(-1).numpy()
    np.testing.assert_allclose(mixed.p_N[:4], p_TV.max(-1), rtol=1e-4)


@together("share", [1.0, 0.5, 0.0])
def test_what_is_measured_is_what_is_counted(share: float) -> None:
    made = mixed_model()
    lines = [("the cat", "Le chat"), ("the cat sat on a dog", "Le chat s'est assis")]
    pairs = made.numbered(lines)
    found = mixed_reading.measured(made, pairs, share, seed=4)
    longest = max(len(ids) for pair in pairs for ids in pair)
    u_BL = np.random.default_rng(4).random((2, longest))
    nats, hits, later, count = 0.0, [], [], 0
    for (source, target), u_L in zip(pairs, u_BL, strict=True):
        ids, wrong = [made.start], False
        for t, right in enumerate(target.tolist()):
            with torch.no_grad():
                read = made.net.read(torch.from_numpy(source)[None])
                p_V = made.net.write(torch.tensor([ids]), read)[0, -1].softmax(-1)
            nats, count = nats - float(p_V[right].log()), count + 1
            hit = int(p_V.argmax()) == right
            hits.append(hit)
            if wrong:
                later.append(hit)
            wrong = wrong or not hit
            own = t + 1 < len(u_L) and u_L[t + 1] >= share
            ids.append(int(p_V.argmax()) if own else right)
    assert found.nats == pytest.approx(nats / count, rel=1e-4)
    assert found.right == pytest.approx(np.mean(hits), rel=1e-5)
    assert found.after == pytest.approx(np.mean(later), rel=1e-5)
