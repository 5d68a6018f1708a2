"""Decoders that differ in what they read while they learn: their step against the sum written out, what
they copy as in use, what is typed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.lessons.scores import decoder_inputs as inputs


@pytest.mark.parametrize("kind", [*inputs.KINDS])
def test_it_writes_what_a_loop_over_its_own_letters_writes(kind: str) -> None:
    """Step by step by the decoder's own layers: the cell reads the last letter and, with input feeding,
    tanh(W_c [c, h]) of the step before."""
    net: Any = inputs.made(kind, "after", 3).eval()
    letters = inputs.read("abbac")
    wrote, look_TS = inputs.copied(net, letters)
    with torch.no_grad():
        made = net.read(torch.tensor([[*letters, inputs.END]]))
        e_SH, state = made.states_BSH[0], [*made.start]
        last, fed_H, said, looks = inputs.START, torch.zeros(32), [], []
        while len(said) < 2 * len(letters) and inputs.END not in said:
            x = net.embed(torch.tensor([last]))
            if kind == "feeds":
                x = torch.cat((x, fed_H[None]), -1)
            _, state[0] = net.decoder.layers[0].carried(x[:, None], state[0])
            h_H = state[0][0][0]
            score_S = torch.stack(
                [net.score(h_H[None, None], e[None, None])[0, 0, 0] for e in e_SH]
            )
            a_S = score_S.softmax(0)
            fed_H = torch.tanh(net.mix.weight @ torch.cat(((a_S[:, None] * e_SH).sum(0), h_H)))
            last = int(net.output(fed_H).argmax())
            said.append(last)
            looks.append(a_S.numpy())
    assert wrote == "".join(inputs.LETTERS[i] for i in said if i != inputs.END)
    np.testing.assert_allclose(look_TS, looks, atol=1e-5)


def test_only_input_feeding_widens_what_the_cell_reads() -> None:
    sizes = {
        kind: sum(p.numel() for p in inputs.made(kind, "after", 1).parameters())
        for kind in inputs.KINDS
    }
    assert sizes["own"] == sizes["plain"]
    assert sizes["feeds"] - sizes["plain"] == 3 * 32 * 32  # three parts of a GRU read 32 more


def test_it_learns_to_copy_texts_as_long_as_in_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "STEPS", 60)
    monkeypatch.setattr(inputs, "HELD_OUT", 50)
    monkeypatch.setattr(inputs, "FEW", 3)
    found = inputs.learned("plain", "before", 1)
    assert found.letters_N[0] > 0.6 > 0.3 > found.whole_N[-1]
    assert found.letters_N.shape == found.whole_N.shape == (len(inputs.SIZES),)
    assert 0 < found.off < 1


def test_what_is_to_be_written() -> None:
    source_BS, target_BT = inputs.drawn(7, 5, torch.Generator().manual_seed(1), back=True)
    for source, target in zip(source_BS.tolist(), target_BT.tolist(), strict=True):
        assert target == [*reversed(source[:-1]), inputs.END] and source[-1] == inputs.END
    assert inputs.shifted(target_BT)[:, 0].tolist() == [inputs.START] * 7
    same, copy = inputs.drawn(7, 5, torch.Generator().manual_seed(1))
    assert torch.equal(same, copy) and torch.equal(same, source_BS)


def test_what_is_typed_to_copy() -> None:
    assert inputs.read("A b-xD") == [0, 1, 3]
    for text in ("", "xyz", "👩‍🚀"):
        with pytest.raises(ValueError, match="from a to d"):
            inputs.read(text)
