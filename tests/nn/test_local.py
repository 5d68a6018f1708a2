"""Local attention: the worked numbers of the notes, and Luong's formulas written out."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from engine.nn import mask
from engine.nn.local import Local

SCORE_S = torch.tensor([0.1, 0.4, 0.2, 1.0, 0.3, 0.5, 0.0])


def weights(local: Local, centre: float) -> np.ndarray:
    centre_11 = torch.tensor([[centre]])
    inside_S = local.inside(centre_11, 7)[0, 0]
    look_S = SCORE_S.masked_fill(~inside_S, -torch.inf).softmax(0)
    found: np.ndarray = local.weighed(look_S[None, None], centre_11)[0, 0].numpy()
    return found


def test_no_window_and_one_before_its_bell() -> None:
    """language_models T29: all seven places, and a window around 3.848838."""
    whole = [0.104902, 0.141603, 0.115935, 0.258018, 0.128128, 0.156496, 0.094919]
    np.testing.assert_allclose(mask.soften(SCORE_S), whole, atol=1e-6)
    inside_S = Local(1, 2, True).inside(torch.tensor([[3.848838]]), 7)[0, 0]
    assert inside_S.nonzero()[:, 0].tolist() == [1, 2, 3, 4]
    found_S = mask.soften(mask.forbid(SCORE_S.clone(), inside_S))
    np.testing.assert_allclose(found_S[1:5], [0.219989, 0.180112, 0.400846, 0.199054], atol=1e-6)


@pytest.mark.parametrize(
    ("half", "centre", "first", "want"),
    [
        (1, 4, 3, [0.230909, 0.513897, 0.255194]),
        (2, 1, 1, [0.289433, 0.390694, 0.319873]),  # clipped at the start
    ],
)
def test_a_window_at_its_own_place(half: int, centre: float, first: int, want: list[float]) -> None:
    found_S = weights(Local(4, half, False), centre)
    np.testing.assert_allclose(found_S[first - 1 :][: len(want)], want, atol=1e-6)
    assert found_S.sum() == pytest.approx(1, abs=1e-6)


def test_a_window_at_a_place_that_is_foretold() -> None:
    local = Local(1, 2, True)
    with torch.no_grad():
        local.turn.weight.fill_(1.0)
        local.read.weight.fill_(0.2 / np.tanh(3.0))
    centre_11 = local.centre(torch.full((1, 1, 1), 3.0), torch.tensor([7.0])).detach()
    assert centre_11.item() == pytest.approx(3.848838, abs=1e-6)  # 7 sigmoid(.2)
    found_S = weights(local, centre_11.item())
    np.testing.assert_allclose(found_S[1:5], [0.039824, 0.125627, 0.396292, 0.102616], atol=1e-6)
    assert not found_S[[0, 5, 6]].any() and found_S.sum() == pytest.approx(0.664358, abs=1e-6)


def test_its_own_place_stays_inside_the_source() -> None:
    local = Local(3, 1, False)
    centre_BT = local.centre(torch.zeros(2, 4, 3), torch.tensor([2.0, 9.0]), first=1)
    assert centre_BT.tolist() == [[2, 2, 2, 2], [2, 3, 4, 5]]
    assert local.inside(centre_BT, 9).any(-1).all()
