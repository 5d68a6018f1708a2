"""Gradients of the specification, worked out there by hand, through the functions that the pages use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from engine.analysis import backpropagation, jacobians
from engine.lessons.cures import one_unit
from engine.models import gradients
from engine.text.tokenizers.base import Tokens
from tests.models.test_gradients import made


def net(
    u_HH: Any, w_HD: Any, b_H: Any, head_VH: Any, head_V: Any, x_VD: Any, activation: str = "tanh"
) -> Any:
    """An Elman net with these weights; only the first tokens of its vocabulary can follow."""
    units, width = np.shape(w_HD)
    model = made("rnn", layers=1, units=units, width=width, activation=activation)
    cell, count = model.net.layers[0], len(head_V)
    w, u, b, other = cell.fused.parameters()
    with torch.no_grad():
        for place, values in ((w, w_HD), (u, u_HH), (b, b_H)):
            place.copy_(torch.tensor(values))
        other.zero_()
        model.net.embed.weight[: len(x_VD)] = torch.tensor(x_VD).double()
        model.net.head.weight.zero_()
        model.net.head.weight[:count] = torch.tensor(head_VH).double()
        model.net.head.bias.fill_(-1e9)
        model.net.head.bias[:count] = torch.tensor(head_V).double()
    return model


def tokens(model: Any, *ids: int) -> Tokens:
    like = model.tokens("a" * len(ids))[: len(ids)]
    parts = {n: getattr(like, n) for n in like.__dataclass_fields__}
    return type(like)(**parts | {"ids": np.array(ids)})


def test_powers() -> None:
    """foundations T4: a factor of w / 4 for each layer where the sum stays 0, and less where it does not."""

    def centred(w: float, n: int) -> float:
        return float(one_unit.network(w, -w / 2, 0.5, n)[1][n])

    for n, want in ((1, 0.25), (2, 0.0625), (3, 0.015625), (5, 9.765625e-4), (8, 1.525879e-5)):
        assert centred(1, n) == pytest.approx(want, rel=1e-6)
    for n, want in ((10, 9.536743e-7), (20, 9.094947e-13), (50, 7.888609e-31)):
        assert centred(1, n) == pytest.approx(want, rel=1e-6)
    assert centred(1, 9) > 1e-6 > centred(1, 10)
    assert centred(2, 20) == pytest.approx(9.536743e-7, rel=1e-6) and centred(4, 50) == 1
    for w, n, want in ((5, 50, 70064.92), (8, 10, 1024), (8, 20, 1048576), (8, 50, 1.1259e15)):
        assert centred(w, n) == pytest.approx(want, rel=1e-5)
    for w, want in ((1, 1.1431e-13), (4, 3.5893e-22), (8, 2.3670e-50)):
        assert one_unit.network(w, 0, 0.5, 20)[1][20] == pytest.approx(want, rel=1e-4)


def test_one_unit_over_three_tokens() -> None:
    """foundations T35: one loss, at the last token."""
    model = net([[0.5]], [[0.8]], [0.0], [[1.2]], [0.0], [[1.0], [-0.5], [0.25]])
    text = tokens(model, 0, 1, 2)
    found = gradients.read(model, text)
    drive, uses = found.graph.drives[0], found.graph.uses[0]
    h_T = [part[0, 0] for part in found.graph.points["hidden", 0][1]]
    assert [h.item() for h in h_T] == pytest.approx([0.664037, -0.067877, 0.164552], abs=1e-6)
    for bent, loss, by_x in ((False, 0.644067, -0.262860), (True, 0.648130, -0.253668)):
        with torch.enable_grad():
            y = found.logit_RTV[0, 2, 0]
            j = (1 - (torch.tanh(y) if bent else y)) ** 2
        assert found.logit_RTV[0, 2, 0].item() == pytest.approx(0.197462, abs=1e-6)
        assert j.item() == pytest.approx(loss, abs=1e-6)
        (a_T,) = gradients.differentiate(found, j, [drive.made])
        assert (a_T[0, :, 0] * drive.read[0, :, 0]).sum().item() == pytest.approx(by_x, abs=1e-6)
        if bent:
            continue
        through = gradients.differentiate(found, j, [use.made for use in uses])
        terms = [(g * use.read).sum().item() for g, use in zip(through, uses, strict=True)]
        assert sum(terms) == pytest.approx(-0.492118, abs=1e-6) and terms[0] == 0
        (by_y,) = gradients.differentiate(found, j, [found.logit_RTV])
        assert (by_y[0, 2, 0] * h_T[2]).item() == pytest.approx(-0.264118, abs=1e-6)
        # dJ/dh_3, and of h_3 by each state before it; what w_x adds at each token, dJ/dh_3 taken out
        by_state = gradients.differentiate(found, j, found.graph.points["hidden", 0][1])
        state = [g.sum().item() for g in by_state]
        reach = np.array(state) / state[2]
        assert reach == pytest.approx([0.242110, 0.486461, 1], abs=1e-6)
        added = (a_T[0, :, 0] * drive.read[0, :, 0]).detach().numpy() / state[2]
        assert added == pytest.approx([0.135353, -0.242110, 0.243231], abs=1e-6)
        at_once = added / reach
        assert at_once == pytest.approx([0.559055, -0.497696, 0.243231], abs=1e-6)
        # total derivatives dh_k/dw_x in the sum instead of those at once count paths twice
        total = [sum(at_once[i] * reach[i] / reach[k] for i in range(k + 1)) for k in range(3)]
        assert state[2] * (reach @ total) == pytest.approx(-0.317938, abs=1e-6)
    factors = jacobians.steps(model, text, 0)[1:, 0, 0].numpy()
    assert factors == pytest.approx([0.497696, 0.486461], abs=1e-6)


def test_a_language_model_of_three_words() -> None:
    """language models T27: inputs 1 and 3, targets 3 and 2; loss, all gradients, and the link between the steps cut."""
    w = [[0.3, -0.1, 0.2], [0.1, 0.4, -0.2]]
    head = [[0.4, -0.2], [0.1, 0.3], [-0.3, 0.2]]
    u, bias = [[0.2, -0.3], [0.5, 0.1]], [0.1, -0.2]
    model = net(u, w, bias, head, [0.0, 0.1, -0.1], np.eye(3).tolist())
    text = tokens(model, 0, 2, 1)
    found = gradients.read(model, text)
    hidden = [part[0] for part in found.graph.points["hidden", 0][1]]
    assert hidden[0].tolist() == pytest.approx([0.379949, -0.099668], abs=1e-6)
    assert hidden[1].tolist() == pytest.approx([0.384978, -0.216511], abs=1e-6)
    y_TV = found.logit_RTV[0].softmax(-1)
    assert y_TV[0, :3].tolist() == pytest.approx([0.383936, 0.360200, 0.255864], abs=1e-6)
    assert y_TV[1, :3].tolist() == pytest.approx([0.397242, 0.351003, 0.251755], abs=1e-6)
    assert found.nats_RT[0].tolist() == pytest.approx([1.363110, 1.046959, 0], abs=1e-6)
    assert found.nats_RT.sum().item() == pytest.approx(2.410069, abs=1e-6)

    recurrent = np.array([[0.005978, -0.001568], [-0.081045, 0.021260]])

    drive = found.graph.drives[0]
    loss = found.nats_RT.sum()
    a_RTH, head_RTV, *dh = gradients.differentiate(
        found, loss, [drive.made, found.logit_RTV, *_steps(found)]
    )
    assert a_RTH[0, 0].tolist() == pytest.approx([0.264674, -0.142179], abs=1e-6)
    assert a_RTH[0, 1].tolist() == pytest.approx([0.015733, -0.213305], abs=1e-6)
    assert a_RTH[0].sum(0).tolist() == pytest.approx([0.280407, -0.355484], abs=1e-6)
    assert head_RTV[0, 1, :3].tolist() == pytest.approx([0.397242, -0.648997, 0.251755], abs=1e-6)
    by_bias = head_RTV[0].sum(0)[:3].tolist()
    assert by_bias == pytest.approx([0.781178, -0.288797, -0.492381], abs=1e-6)
    assert dh[0][0].tolist() == pytest.approx([0.309329, -0.143605], abs=1e-6)
    assert dh[1][0].tolist() == pytest.approx([0.018471, -0.223796], abs=1e-6)

    # via step: U gets nothing from the first, which reads a state of 0; each part alone has no link
    assert not backpropagation.truncated(model, text[:2])[0].any()
    assert backpropagation.truncated(model, text, 2)[0] == pytest.approx(recurrent, abs=1e-6)
    cut = gradients.read(model, text[:2]), gradients.read(model, text[1:], 1, _after(found, 0))
    by_step = [
        gradients.differentiate(r, r.nats_RT.sum(), [r.graph.drives[0].made])[0][0, 0] for r in cut
    ]
    assert (by_step[0] + by_step[1]).tolist() == pytest.approx([0.368971, -0.329692], abs=1e-6)
    step = jacobians.steps(model, text, 0)[1].numpy()
    want = np.array([[0.170358, -0.255538], [0.476562, 0.095312]])
    assert step == pytest.approx(want, abs=1e-6)


def _steps(found: gradients.Read) -> list[torch.Tensor]:
    return found.graph.points["hidden", 0][1]


def _after(found: gradients.Read, t: int) -> dict[str, torch.Tensor]:
    return {"hidden": _steps(found)[t].detach()[None]}


def test_a_weight_above_one_need_not_explode() -> None:
    """rnn B5: ten steps of one tanh unit of weight 1.5; and B3, a weight of 0.5."""
    for w, b, start, want in (
        (1.5, 3.0, 0.0, 1.0e-30),
        (1.5, 0.0, 0.0, 57.665),
        (1.5, 0.0, 0.1, 0.1233),
        (0.5, 0.0, 0.0, 9.765625e-4),
    ):
        model = net([[w]], [[0.0]], [b], [[0.0]], [0.0], [[0.0]])
        before = {"hidden": np.full((1, 1, 1), start)}
        found = jacobians.products(jacobians.steps(model, tokens(model, *[0] * 10), 0, before))
        assert found[-1].item() == pytest.approx(want, rel=0.05 if want < 1e-9 else 1e-3)
