"""Gradients through time: the worked examples of the specification, central differences, and what autograd
finds over the whole walk."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.analysis import backpropagation, jacobians
from engine.core.registry import cells
from engine.core.tap import passthrough
from engine.lessons.bptt import by_hand
from engine.lessons.bptt.by_hand import Net
from engine.models import gradients
from engine.nn.cells.base import InTorch
from engine.text.tokenizers.base import Tokens
from tests.conftest import sampled
from tests.models.test_gradients import TEXT, made


def test_the_worked_example_as_specified_and_by_central_differences() -> None:
    ran = by_hand.forward(Net())
    assert ran.a_TH[0] == pytest.approx([1.1, 1.7])
    assert ran.h_TH[1] == pytest.approx([0.80049902, 0.93540907], abs=5e-9)
    last = [0.69991390, 0.84364650, 0.84509034, 0.95575017]
    assert ran.h_TH[2:].ravel() == pytest.approx(last, abs=5e-9)
    assert ran.y_T == pytest.approx([0.96795401, 0.87178020, 1.00042025], abs=5e-8)
    assert ran.loss_T[0] == pytest.approx(0.00102694, abs=5e-9)
    found = by_hand.backward(Net())
    recurrent = [-0.05226525, -0.06107054, -0.02955518, -0.03453525]
    assert found.dw_HH.ravel() == pytest.approx(recurrent, abs=1e-8)
    of_input = [-0.0177219, -0.06527574, -0.01784202, -0.00606666, -0.03691637, -0.00610303]
    assert (found.da_TH.T @ Net().x_TD).ravel() == pytest.approx(of_input, abs=1e-8)
    assert found.da_TH.sum(0) == pytest.approx([-0.08311776, -0.0430194], abs=1e-8)
    rng = np.random.default_rng(1)
    for _ in range(5):
        net = Net(rng.normal(size=(2, 2)), rng.normal(size=(4, 3)))
        assert by_hand.backward(net).dw_HH == pytest.approx(by_hand.differences(net), abs=1e-7)


def test_the_chain_of_factors() -> None:
    """rnn B2: dh_2/dh_1 as specified; the chain against central differences of the last state."""
    net = Net()
    step_THH = by_hand.jacobians(net)
    want = np.array([[0.05101205, 0.10202411], [0.08647817, 0.02882606]])
    assert step_THH[1] == pytest.approx(want, abs=5e-9)
    first_H = by_hand.forward(net).h_TH[1]

    def last(h_H: np.ndarray) -> np.ndarray:
        for x_D in net.x_TD[1:]:
            h_H = np.tanh(net.w_HD @ x_D + net.w_HH @ h_H + net.bias)
        return h_H

    by = 1e-6 * np.eye(2)
    columns = [(last(first_H + d) - last(first_H - d)) / 2e-6 for d in by]
    assert by_hand.product(step_THH[1:]) == pytest.approx(np.array(columns).T, abs=1e-9)


def test_a_divergence_is_told_with_its_step() -> None:
    model = made("rnn", layers=1)
    model.net.float()
    found = backpropagation.update(model, model.tokens(TEXT), 1e38, steps=9)
    assert 0 < found.broke < 9 and not np.isfinite(found.after_Q).all()
    calm = backpropagation.update(model, model.tokens(TEXT), 1e-3, steps=3)
    once = backpropagation.update(model, model.tokens(TEXT), 1e-3)
    assert calm.broke == 0 and 0 < once.changed["head.weight"] < calm.changed["head.weight"]
    assert calm.after_Q.sum() < once.after_Q.sum() < once.before_Q.sum()


def walk(model: Any, layer: int, tokens: Any) -> tuple[Any, Tensor, list[tuple[Tensor, ...]]]:
    """The cell, what its input adds at each token, and its states from the one before the first on."""
    x = model.net.embed(torch.from_numpy(tokens.ids)[None])
    for cell in model.net.layers[:layer]:
        x = cell(x)
    cell = model.net.layers[layer]
    a, now = cell.drive(x), InTorch(cell.names, passthrough, None)
    states = [tuple(x.new_zeros(1, n) for n in cell.sizes())]
    for t in range(len(tokens)):
        states.append(cell.step(cell.parts(), a[:, t], states[-1], now))
    return cell, a, states


def stepped(cell: Any, a: Tensor, t: int, state_S: Tensor) -> Tensor:
    parts = tuple(state_S[None].split(list(cell.sizes()), -1))
    after = cell.step(cell.parts(), a[:, t], parts, InTorch(cell.names, passthrough, None))
    return torch.cat(after, -1)[0]


@sampled("id", cells.ids(), each=3)
@torch.no_grad()
def test_a_step_by_central_differences(id: str) -> None:
    model, layer, by = made(id), 1, 2e-6
    tokens = model.tokens(TEXT[:9])
    with torch.enable_grad():  # else a cell goes on in float32
        cell, a, states = walk(model, layer, tokens)
    found = jacobians.steps(model, tokens, layer)
    for t in (0, 4, len(tokens) - 1):
        state_S = torch.cat(states[t], -1)[0]
        want = [
            (stepped(cell, a, t, state_S + by * e) - stepped(cell, a, t, state_S - by * e)) / 2 / by
            for e in torch.eye(len(state_S)).to(state_S)
        ]
        assert found[t].numpy() == pytest.approx(torch.stack(want, 1).numpy(), rel=1e-6, abs=1e-9)


@sampled("id", cells.ids(), each=3)
def test_a_product_is_the_jacobian_of_the_whole_span(id: str) -> None:
    model = made(id, layers=1)
    tokens = model.tokens(TEXT[:9])
    with torch.enable_grad():
        cell, a, states = walk(model, 0, tokens)

        def onwards(state_S: Tensor) -> Tensor:
            for t in range(3, len(tokens)):
                state_S = stepped(cell, a, t, state_S)
            return state_S

        start = torch.cat(states[3], -1)[0].detach()
        want: Any = torch.autograd.functional.jacobian(onwards, start)
    chain = jacobians.products(jacobians.steps(model, tokens, 0, span=(3, len(tokens))))
    assert chain[-1].numpy() == pytest.approx(want.numpy(), rel=1e-8, abs=1e-12)
    for n, made_HS in enumerate(jacobians.spans(model, tokens, 0, span=(3, len(tokens)))):
        assert made_HS.numpy() == pytest.approx(chain[n, : cell.width].numpy(), rel=1e-9, abs=1e-13)
    assert n == len(chain) - 1
    found = jacobians.spectrum(model, tokens, 0, 2, len(tokens) - 1)
    values = torch.linalg.svdvals(want).numpy()
    assert found.product_S == pytest.approx(values, rel=1e-6, abs=1e-12)
    units = cell.width
    assert found.hidden == pytest.approx(float(torch.linalg.matrix_norm(want[:units, :units], 2)))
    assert abs(np.prod(found.eigen_S)) == pytest.approx(float(np.prod(found.step_S)), abs=1e-9)
    assert abs(found.eigen_S).max() <= found.step_S[0] * (1 + 1e-9)


def test_a_part_goes_on_from_what_stands_before_and_a_span_has_a_length() -> None:
    model = made("gru")
    tokens = model.tokens(TEXT)
    whole = jacobians.steps(model, tokens, 1)
    from engine.models import gradients

    with torch.enable_grad():
        points = gradients.read(model, tokens[:12]).graph.points
    before = {"hidden": np.stack([points["hidden", i][1][-1].detach().numpy() for i in (0, 1)])}
    rest = jacobians.steps(model, tokens[12:], 1, before)
    assert rest.numpy() == pytest.approx(whole[12:].numpy(), rel=1e-9, abs=1e-13)
    for begin, end in ((3, 3), (-1, 2), (2, 99)):
        with pytest.raises(ValueError, match="a later one"):
            jacobians.spectrum(model, tokens, 0, begin, end)


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
    steps = found.graph.points["hidden", 0][1]
    hidden, before = [part[0] for part in steps], {"hidden": steps[0].detach()[None]}
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
        found, loss, [drive.made, found.logit_RTV, *steps]
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
    cut = gradients.read(model, text[:2]), gradients.read(model, text[1:], 1, before)
    by_step = [
        gradients.differentiate(r, r.nats_RT.sum(), [r.graph.drives[0].made])[0][0, 0] for r in cut
    ]
    assert (by_step[0] + by_step[1]).tolist() == pytest.approx([0.368971, -0.329692], abs=1e-6)
    step = jacobians.steps(model, text, 0)[1].numpy()
    want = np.array([[0.170358, -0.255538], [0.476562, 0.095312]])
    assert step == pytest.approx(want, abs=1e-6)


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
