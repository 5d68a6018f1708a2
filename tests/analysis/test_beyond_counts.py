"""Beyond counts: mixtures, a cache by hand, runs that were counted, a phrase that moves by plain products."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.analysis import beyond_counts, recurrence_gains, windowed
from engine.models.feedforward import FeedForward
from engine.models.recurrent import RecurrentModel
from tests.conftest import shipped

TEXT = "The girl looked at the doctor, and the doctor looked at the girl."


@pytest.fixture(scope="module")
def net() -> FeedForward:
    found = shipped("feedforward")
    assert isinstance(found, FeedForward)
    return found


def test_the_three_and_their_mixture(net: FeedForward) -> None:
    counts = shipped("ngram")
    p_TK = beyond_counts.apiece(net, counts, TEXT)
    labels = net.tokens(TEXT).labels[1:]
    assert p_TK.shape == (len(labels), 3) and np.all((p_TK >= 0) & (p_TK <= 1))
    p_TV = net.trace(TEXT, fields=("probability",)).field("probability").values
    for t, id in enumerate(net.tokens(TEXT).ids[1:]):
        assert p_TK[t, 0] == pytest.approx(float(p_TV[t, id]))
    for t, word in enumerate(labels):  # the cache: its share of the words so far
        assert p_TK[t, 2] == pytest.approx(labels[:t].count(word) / max(t, 1))
    mixed_T = beyond_counts.mixed(p_TK, 0.3, 0.1)
    np.testing.assert_allclose(mixed_T[1:], p_TK[1:] @ [0.6, 0.3, 0.1])
    assert mixed_T[0] == pytest.approx((0.6 * p_TK[0, 0] + 0.3 * p_TK[0, 1]) / 0.9)
    np.testing.assert_allclose(beyond_counts.mixed(p_TK, 0, 0), p_TK[:, 0])
    with pytest.raises(ValueError, match="leave nothing"):
        beyond_counts.mixed(p_TK, 0.8, 0.4)


def test_runs_that_were_counted() -> None:
    counts = shipped("ngram")
    long_T = beyond_counts.unseen(counts, TEXT, 3)
    field = counts.trace(TEXT, fields=("matched",)).field("matched").values[1:]
    assert list(long_T) == [min(int(v), 3) for v in field] and set(long_T) <= {0, 1, 2, 3}


def test_like_words_move_less_in_the_net(net: FeedForward) -> None:
    e_VD, vocab = net.weights()["embed.weight"], list(net.tokenizer.vocab)
    id = vocab.index("girl")
    other, cosine = beyond_counts.nearest(net, id)
    all_V = torch.nn.functional.cosine_similarity(
        torch.from_numpy(e_VD), torch.from_numpy(e_VD[id])[None]
    )
    all_V[id] = -1
    assert vocab[other] == vocab[int(all_V[3:].argmax()) + 3]
    assert cosine == pytest.approx(float(all_V[other]), abs=1e-5)
    apart = [
        beyond_counts.moved(m, "He looked at the girl", vocab[other])
        for m in (net, shipped("ngram"))
    ]
    assert 0 < apart[0] < apart[1] / 2 < 1
    assert beyond_counts.moved(net, "He looked at the girl", "girl") == 0
    text = "Nobody said that he had looked at the girl"
    assert beyond_counts.moved(net, text, "Everybody", at=1) == 0, "before the window"


def test_a_phrase_that_moves(net: FeedForward) -> None:
    ids = net.tokenizer.encode("old man").ids
    w_HE, e_VD = net.weights()["hidden.weight"], net.weights()["embed.weight"]
    n, d = net.config.window, net.config.width
    added = []
    for back in range(n - 1):  # a window of zeros but for the phrase, read by the whole matrix
        x_ND = np.zeros((n, d))
        x_ND[n - back - 2 : n - back] = e_VD[ids]
        added.append(w_HE @ x_ND.ravel())
    want = [a @ added[0] / np.linalg.norm(a) / np.linalg.norm(added[0]) for a in added]
    np.testing.assert_allclose(windowed.phrase(net, ids), want, atol=1e-5)
    assert len(windowed.phrase(net, np.arange(n + 1))) == 0
    lstm = shipped("lstm_words")
    assert isinstance(lstm, RecurrentModel)
    cosine_K = recurrence_gains.behind(lstm, "it was the", "old man", 5)
    assert len(cosine_K) == 4 and cosine_K[0] == pytest.approx(1) and np.all(cosine_K[1:] < 1)
