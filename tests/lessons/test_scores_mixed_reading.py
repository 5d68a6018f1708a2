"""Mixed reading: both ends are teacher forcing and free running, a coin is the text typed otherwise,
and what is measured over many sentences is what is counted one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.lessons.scores import free_running, mixed_reading
from tests.conftest import together
from tests.lessons import test_scores_decoder_step as decoder_step

TEXT = "the cat sat on\nLe chat s'est"


def model(**more: Any) -> Any:
    return decoder_step.model(5, **{"attention": "bilinear"} | more)


@together("more", [{}, {"attention": "none"}, {"looks": "before"}])
def test_its_ends_are_forcing_and_free_running(more: dict[str, Any]) -> None:
    made = model(**more)
    tokens = made.tokens(TEXT)
    right = tokens.ids[1:].tolist()
    forced = mixed_reading.read(made, tokens.source.ids, right, 1.0)
    p_TV = made.trace(TEXT).field("probability").values
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
    made = model()
    tokens = made.tokens(TEXT)
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
    made = model()
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
