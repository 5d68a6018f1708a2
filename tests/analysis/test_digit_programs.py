"""Two programs that write numbers backwards: their sizes as the specification counts them, their cells
against torch's, what has no gradient, what they learn."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from engine.analysis import digit_programs as programs


def test_parameters_as_counted_by_hand() -> None:
    """language_models.md sec. 2: 32,202 and 15,794,056."""
    small = programs.sizes(programs.States(units=32, layers=2))
    assert small["encoder"] == 5_504 + 8_320 and small["begin"] == 1_056
    assert small["decoder"] + small["output"] + small["feed"] == 17_322
    assert sum(small.values()) == 32_202
    with torch.device("meta"):
        large = programs.sizes(programs.Looking(512, 256, 2, 5000))
    assert large["read_sign"] + large["encoder"] == 4_038_656
    assert large["score"] + large["value"] == 525_312
    assert large["decoder"] == 3_545_088 and large["output"] == 6_405_000
    assert sum(large.values()) == 15_794_056


def test_a_cell_of_given_weights() -> None:
    """Vector T32: f .5 .5 1; i .4 .6 0; c .3 .9 0; o .2 .7 0, in the order h, x, bias."""
    cell = programs.Cell(1, 1)
    with torch.no_grad():
        cell.weight.copy_(torch.tensor([[0.4, 0.6], [0.5, 0.5], [0.2, 0.7], [0.3, 0.9]]))
        cell.bias.copy_(torch.tensor([0.0, 1, 0, 0]))
        state, seen = (torch.zeros(1, 1), torch.zeros(1, 1)), []
        for x in (1.0, -1.0, 0.5):
            state = cell.step(torch.tensor([[x]]), state)
            seen.append([part.item() for part in state])
    wanted = [(0.288727, 0.462482), (0.016300, 0.047318), (0.161495, 0.282187)]
    for got, want in zip(seen, wanted, strict=True):
        assert got == pytest.approx(want, abs=1e-6)


def test_the_cell_is_torch_s() -> None:
    ours, theirs = programs.Cell(3, 4), nn.LSTMCell(3, 4)
    i, f, o, new = ours.weight.detach().split(4)
    rows = torch.cat((i, f, new, o))  # torch has the candidate before the output gate
    theirs.weight_hh.data, theirs.weight_ih.data = rows[:, :4], rows[:, 4:]
    nn.init.zeros_(theirs.bias_ih), nn.init.zeros_(theirs.bias_hh)
    x, state = torch.randn(2, 3), (torch.randn(2, 4), torch.randn(2, 4))
    for got, want in zip(ours.step(x, state), theirs(x, state), strict=True):
        torch.testing.assert_close(got, want, atol=2e-7, rtol=1e-5)


def test_attention_step_by_step() -> None:
    net: Any = programs.made("attention", 2)
    score_1TV, look_1TS = net(torch.tensor([[3, 1, 4]]), 4)
    with torch.no_grad():
        e_BSH, state = net.encoder(net.read_sign(torch.tensor([[3, 1, 4]])))
        last = programs.START
        for t in range(4):
            y = net.write_sign(torch.tensor([last]))[0]
            s = state[-1, 0]
            e_S = [net.value(torch.tanh(net.score(torch.cat((s, e))))) for e in e_BSH[0]]
            a_S = torch.cat(e_S).softmax(0)
            c = (a_S[:, None] * e_BSH[0]).sum(0)
            out, state = net.decoder(torch.cat((y, c))[None, None], state)
            score_V = net.output(torch.cat((out[0, 0], c, y)))
            torch.testing.assert_close(score_1TV[0, t].detach(), score_V, atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(look_1TS[0, t].detach(), a_S, atol=1e-6, rtol=1e-5)
            last = int(score_V.argmax())


def test_the_faults_of_the_first_program() -> None:
    found = programs.learned("states", 3, 1, True, 25)
    assert found.slope["begin.weight"] == 0 < found.slope["begin.bias"]
    assert programs.handed_on(programs.States(32, 2)) == (128, 64)
    assert programs.handed_on(programs.States(32, 2, mended=True)) == (128, 128)
    short, long = (found.net(torch.tensor([[1, 2, 3]]), n)[0] for n in (2, 5))
    torch.testing.assert_close(short, long[:, :2])  # how much it writes changes nothing before
    assert len(programs.written(found.net, [1, 2, 3])[0]) == 3


def test_attention_learns_five_digits_in_a_hundred_steps() -> None:
    """language_models.md sec. 2: every number right by step 100, the weights on the other diagonal."""
    found = programs.learned("attention", 5, 1, True, 100)
    assert found.digits_N[-1] > 0.98 and found.digits_N[0] < 0.3
    wrote, look_TS = programs.written(found.net, programs.read("3 1 4 1 5"))
    assert wrote == "51413" and look_TS is not None and look_TS.shape == (6, 5)
    assert look_TS[:5].argmax(1).tolist() == [4, 3, 2, 1, 0]


def test_what_is_to_be_written() -> None:
    source_BS, target_BT = programs.drawn(4, 3, torch.Generator().manual_seed(1), back=True)
    for source, target in zip(source_BS.tolist(), target_BT.tolist(), strict=True):
        assert target == [*reversed(source), programs.END]
    same, copy = programs.drawn(4, 3, torch.Generator().manual_seed(1), back=False)
    assert torch.equal(same, source_BS) and torch.equal(copy[:, :-1], source_BS)
    for text in ("", "abc", "½"):
        with pytest.raises(ValueError, match="from 0 to 9"):
            programs.read(text)


@pytest.mark.parametrize("mended", [False, True])
def test_lanes_are_what_the_program_computes(mended: bool) -> None:
    """language_models M64, M67: layer l reads layer l-1 of the same step; what starts the decoder."""
    torch.manual_seed(4)
    net, digits = programs.States(6, 3, mended), [3, 1, 4]
    read_LSH, wrote_LTH, wrote = programs.lanes(net, digits)
    assert read_LSH.shape == (3, 3, 6) and wrote_LTH.shape[1] == len(wrote)
    score_1TV, _ = net(torch.tensor([digits]), len(wrote))
    again_TV = net.output(torch.tensor(wrote_LTH[-1]))
    torch.testing.assert_close(again_TV, score_1TV[0])
    assert again_TV.argmax(-1).tolist() == wrote
    with torch.no_grad():
        cells: Any = net.encoder
        for layer in (1, 2):  # each alone, on what the one below gives
            state = (torch.zeros(1, 6), torch.zeros(1, 6))
            for t in range(3):
                state = cells[layer].step(torch.tensor(read_LSH[layer - 1, t])[None], state)
                torch.testing.assert_close(state[0][0], torch.tensor(read_LSH[layer, t]))
        start = net.read(torch.tensor([digits]))
    last = torch.tensor(read_LSH[:, -1])
    for layer, (h_1H, _) in enumerate(start):
        torch.testing.assert_close(h_1H[0], last[layer if mended else -1])
    deep: Any = programs.learned("mended", 2, 1, True, 25, 2).net
    assert len(deep.encoder) == 2 and deep.encoder[1].in_features == 2 * 48
