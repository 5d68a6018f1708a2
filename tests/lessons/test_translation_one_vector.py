"""One vector: foundations T17 and T18, and what is measured of the nets that the page trains."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from engine.lessons.translation import one_vector
from engine.lessons.translation.one_vector import MARK, SIZES, Decoder, Net


def put(part: torch.Tensor | None, values: list[list[float]] | list[float]) -> None:
    assert part is not None
    with torch.no_grad():
        part.copy_(torch.tensor(values))


def test_a_decoder_that_is_fed_its_own_likeliest_word() -> None:
    """T18: it starts in the last state of T17 and reads one-hot 0."""
    decoder = Decoder(3, 2, every=False)
    put(decoder.letter.weight, [[0.2, 0.1, -0.1], [0, 0.3, 0.2]])
    put(decoder.state.weight, [[0.5, 0], [0.1, 0.5]])
    put(decoder.output.weight, [[1.0, -1], [0.5, 0.5], [-0.5, 1]])
    for bias in (decoder.letter.bias, decoder.output.bias):
        put(bias, [0.0] * len(bias))
    c_BH = state_BH = torch.tensor([[0.323679, 0.715182]])
    word = 0
    for want_H, want_V in (
        ([0.346833, 0.371325], [0.269064, 0.394856, 0.336080]),
        ([0.266801, 0.477967], [0.220478, 0.395182, 0.384340]),
    ):
        with torch.no_grad():
            state_BH, logit_BV = decoder.step(torch.eye(3)[[word]], state_BH, c_BH)
        np.testing.assert_allclose(state_BH[0], want_H, atol=1e-6)
        np.testing.assert_allclose(logit_BV[0].softmax(-1), want_V, atol=1e-6)
        word = int(logit_BV.argmax())
    assert word == 1


@pytest.mark.parametrize("every", [False, True])
def test_the_decoder_is_a_recurrent_net_of_torch(every: bool) -> None:
    """The context at every step is an RNN whose input is the letter and the context."""
    net = Net(6, every)
    c_BH = net.states(torch.tensor([[0, 1, 2, MARK], [3, 3, 1, MARK]]))[:, -1]
    right_BT = torch.tensor([[2, 1, 0], [1, 3, 3]])
    theirs = nn.RNN(MARK + 1 + (6 if every else 0), 6, batch_first=True)
    d = net.decoder
    weights = [d.letter.weight, *([d.context.weight] if d.context is not None else [])]
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(torch.cat(weights, 1))
        theirs.bias_ih_l0.copy_(d.letter.bias)
        theirs.weight_hh_l0.copy_(d.state.weight)
        theirs.bias_hh_l0.zero_()
    y_BTV = one_vector.hot(nn.functional.pad(right_BT[:, :-1], (1, 0), value=MARK))
    given = torch.cat((y_BTV, c_BH[:, None].expand(-1, 3, -1)), -1) if every else y_BTV
    want = d.output(theirs(given, c_BH[None])[0])
    torch.testing.assert_close(net.write(c_BH, 3, right_BT), want)


def test_what_does_not_fit_is_lost() -> None:
    """Fewer letters come back the longer the text, and more from a wider vector."""
    narrow, wide = (one_vector.learned(units, False, True, 1, 150) for units in (4, 16))
    short, long = SIZES.index(2), SIZES.index(10)
    assert wide.right_N[short] > 0.9 > wide.right_N[long]
    assert wide.right_N[short : long + 1].sum() > narrow.right_N[short : long + 1].sum() + 0.5
    net = wide.net
    text = one_vector.read("a-B c?")
    assert text == [0, 1, 2] and one_vector.written(net, [0, 1]) == "ba"
    with pytest.raises(ValueError, match="from a to d"):
        one_vector.read("xyz")
