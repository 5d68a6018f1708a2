"""The recurrent encoder-decoder: against torch's own layers and attention written out, filling
changes nothing, decoding agrees, edits act."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from engine.analysis import decode
from engine.analysis.decode.beam import best
from engine.core.registry import scores
from engine.core.tap import Edit, How, passthrough
from engine.models.seq2seq import MODEL, Config, Net
from engine.nn.stack import to_torch
from engine.text.tokenizers.words import Words
from tests.conftest import sampled, small, together

WORDS = Words("Le chat s'est assis the cat sat on a dog".split())
TEXT = "the cat sat on\nLe chat"


def model(**more: Any) -> Any:
    torch.manual_seed(1)
    config = Config(**{"width": 6, "units": 10, "context": 24, "span": 12} | more)
    made = MODEL(config, WORDS, Net(len(WORDS.vocab), config))
    for p in made.net.parameters():
        nn.init.normal_(p, 0.0, 0.4)
    return made


def looked(kind: str, state: dict[str, Tensor], h_H: Tensor, e_SH: Tensor) -> Tensor:
    """One query's scores over the source, from the formulas of the papers."""
    if kind == "additive":  # v . tanh(W h + U e)
        return torch.stack(
            [
                state["score.read.weight"][0]
                @ torch.tanh(state["score.ask.weight"] @ h_H + state["score.offer.weight"] @ e_H)
                for e_H in e_SH
            ]
        )
    if kind == "location":
        return state["score.places.weight"][: len(e_SH)] @ h_H
    if kind == "scaled_dot":
        return e_SH @ h_H / len(h_H) ** 0.5
    return torch.stack(
        [
            h_H @ (state["score.between"] if kind == "bilinear" else torch.eye(len(h_H))) @ e_H
            for e_H in e_SH
        ]
    )


def theirs(ours: Any, text: str) -> Tensor:
    """Probabilities (T, V) by torch's recurrent layers, and a bridge and an attention written out
    for one token after the other."""
    c, net, state = ours.config, ours.net, ours.net.state_dict()
    tokens = ours.tokens(text)
    encoder, decoder = to_torch(net.encoder), to_torch(net.decoder)
    e_BSH, end = encoder(net.embed.weight[torch.from_numpy(tokens.source.ids)][None])
    end_LBH = end[0] if isinstance(end, tuple) else end
    last_H = torch.cat(tuple(end_LBH[-2:, 0])) if c.both_ways else end_LBH[-1, 0]
    begin_X = torch.tanh(state["bridge.weight"] @ last_H + state["bridge.bias"])
    parts = 1 + (c.cell == "lstm")
    begin_LPH = begin_X.view(c.layers, parts, c.units)
    begin = tuple(begin_LPH[:, p, None].contiguous() for p in range(parts))

    def found(h_H: Tensor, t: int) -> Tensor:
        score_S, s = looked(c.attention, state, h_H, e_BSH[0]), e_BSH.shape[1]
        centre, place_S = float(min(t + 1, s)), torch.arange(1, s + 1)
        if c.scope == "local-p":  # S sigmoid(v . tanh(W h))
            turned = torch.tanh(state["local.turn.weight"] @ h_H)
            centre = s * float(torch.sigmoid(state["local.read.weight"][0] @ turned))
        if c.scope.startswith("local"):
            score_S = score_S.masked_fill((place_S - centre).abs() > c.window, -torch.inf)
        a_S = score_S.softmax(0)
        if c.scope == "local-p":
            a_S = a_S * torch.exp(-((place_S - centre) ** 2) / (2 * (c.window / 2) ** 2))
        if c.scope == "hard":
            a_S = torch.eye(s)[a_S.argmax()]
        return sum(a * e_H for a, e_H in zip(a_S, e_BSH[0], strict=True))

    rows, last = [], begin if parts > 1 else begin[0]
    h_H = torch.zeros(c.units)
    for t, x_D in enumerate(net.embed.weight[torch.from_numpy(tokens.ids)]):
        fed_H = h_H
        if c.looks == "before":  # with the last layer's state before the step
            c_H = found((last[0] if parts > 1 else last)[-1, 0], t)
            x_D = torch.cat((x_D, c_H))
        if c.feeds:
            x_D = torch.cat((x_D, fed_H))
        h_BTH, last = decoder(x_D[None, None], last)
        h_H = h_BTH[0, 0]
        if c.attention != "none":
            if c.looks == "after":
                c_H = found(h_H, t)
            h_H = torch.tanh(state["mix.weight"] @ torch.cat((c_H, h_H)))
        rows.append((state["output.weight"] @ h_H + state["output.bias"]).softmax(0))
    return torch.stack(rows)


LOOKS = [("none", "after"), *itertools.product(scores.ids(), ("after", "before"))]
SCOPED = {
    "local-m": {"scope": "local-m", "window": 1},
    "local-m, before": {"scope": "local-m", "window": 1, "looks": "before"},
    "local-p": {"scope": "local-p"},
    "local-p, before": {"scope": "local-p", "looks": "before"},
    "hard": {"scope": "hard"},
    "feeds": {"feeds": True},
    "feeds, before": {"feeds": True, "looks": "before"},
    "local-p, feeds": {"scope": "local-p", "feeds": True},
}


@sampled(("attention", "looks"), LOOKS)
@pytest.mark.parametrize(
    ("cell", "both_ways", "layers"),
    [("gru_after", True, 1), ("gru_after", False, 2), ("lstm", True, 2)],
)
def test_the_numbers_are_those_of_torch(
    attention: str, looks: str, cell: str, both_ways: bool, layers: int
) -> None:
    more = {"cell": cell, "both_ways": both_ways, "layers": layers}
    agrees(model(attention=attention, looks=looks, **more))


@sampled("kind", SCOPED)
@pytest.mark.parametrize(("cell", "layers"), [("gru_after", 1), ("lstm", 2)])
def test_scopes_and_input_feeding_are_as_written_out(kind: str, cell: str, layers: int) -> None:
    agrees(model(attention="bilinear", cell=cell, layers=layers, **SCOPED[kind]))


def agrees(ours: Any) -> None:
    with torch.no_grad():
        want = theirs(ours, TEXT).numpy()
    np.testing.assert_allclose(ours.trace(TEXT).field("probability").values, want, atol=1e-5)
    tokens = ours.tokens(TEXT)
    x_2BL = torch.full((2, 1, 6), -1)  # as in training, filled up and without a trace
    x_2BL[0, 0, : len(tokens.source.ids)] = torch.from_numpy(tokens.source.ids)
    x_2BL[1, 0, : len(tokens)] = torch.from_numpy(tokens.ids)
    with torch.no_grad():
        taught = ours.net.eval()(x_2BL)[0, : len(tokens)].softmax(-1).numpy()
    np.testing.assert_allclose(taught, want, atol=1e-5)


def test_what_it_shows_is_what_it_computes_with() -> None:
    ours = model(layers=2)
    trace = ours.trace(TEXT)
    score, look = (trace.field(f"cross.{name}").values[0, 0] for name in ("score", "attention"))
    want_TS = np.exp(score) / np.exp(score).sum(-1, keepdims=True)
    np.testing.assert_allclose(look, want_TS, atol=1e-6)
    # both ways: the second layer shows as 2 (forwards) and 3 (backwards); side by side they are
    # what is looked at
    e_SH = np.concatenate(tuple(trace.field("encoder.hidden").values[2:]), -1)
    np.testing.assert_allclose(trace.field("context").values, look @ e_SH, atol=1e-6)
    state = {name: p.numpy() for name, p in ours.net.state_dict().items()}
    attended = np.tanh(
        np.concatenate((look @ e_SH, trace.field("hidden").values[-1]), -1) @ state["mix.weight"].T
    )
    np.testing.assert_allclose(trace.field("attended").values, attended, atol=1e-5)
    np.testing.assert_allclose(
        trace.field("logits").values,
        attended @ state["output.weight"].T + state["output.bias"],
        atol=1e-5,
    )
    # the state it starts from: forwards the last token, backwards the first
    h = trace.field("encoder.hidden").values
    begin = np.tanh(
        state["bridge.weight"] @ np.concatenate((h[2, -1], h[3, 0])) + state["bridge.bias"]
    )
    np.testing.assert_allclose(trace.field("bridge.hidden").values.ravel(), begin, atol=1e-6)
    assert (
        trace.field("cross.attention").axis("source").labels
        == trace.field("encoder.hidden").axis("source").labels
        == ("the", "cat", "sat", "on", "</s>")
    )


def test_what_is_found_before_the_cell_is_what_it_reads() -> None:
    """An edit of one weight moves the state of its own step and of those behind it; after the cell
    it moves no state."""
    at = {"layer": 0, "head": 0, "query": 1, "source": 2}
    for looks, moved in (("before", [False, True, True]), ("after", [False] * 3)):
        ours = model(looks=looks, layers=2)
        plain, edited = (
            ours.trace(TEXT, edits) for edits in ((), (Edit("cross.attention", at, 5.0, How.SET),))
        )
        for name in ("cross.score", "cross.attention", "context", "hidden", "attended"):
            assert plain.field(name).values.shape == edited.field(name).values.shape
        change = edited.field("cross.attention").values - plain.field("cross.attention").values
        assert edited.field("cross.attention").values[0, 0, 1, 2] == 5
        assert not change[0, 0, 0].any() and change[0, 0, 2].any() == (looks == "before")
        apart = edited.field("hidden").values[-1] - plain.field("hidden").values[-1]
        assert [bool(row.any()) for row in apart] == moved
        answers = edited.field("probability").values - plain.field("probability").values
        assert answers[1].any() and not answers[0].any()
        with pytest.raises(KeyError):
            ours.trace(TEXT, (Edit("cross.attention", {"unit": 1}, 0.0, How.SET),))


@sampled("kind", SCOPED, each=3)
def test_what_weighs_makes_the_context(kind: str) -> None:
    ours = model(attention="bilinear", **SCOPED[kind])
    trace = ours.trace(TEXT)
    name = "cross.weight" if "cross.weight" in trace else "cross.attention"
    weight_TS = trace.field(name).values[0, 0]
    e_SH = np.concatenate(tuple(trace.field("encoder.hidden").values), -1)
    np.testing.assert_allclose(trace.field("context").values, weight_TS @ e_SH, atol=1e-5)
    at = {"layer": 0, "head": 0, "query": 1, "source": 2}
    edited = ours.trace(TEXT, (Edit(name, at, 5.0, How.SET),))
    assert edited.field(name).values[0, 0, 1, 2] == 5
    moved = (edited.field("hidden").values != trace.field("hidden").values).any((0, 2)).tolist()
    later = ours.config.feeds  # what is found at a step is read at the next
    assert moved == [False, ours.config.looks == "before", later or ours.config.looks == "before"]


def hard_slopes(ours: Any, x_2BL: Tensor, y_BL: Tensor) -> dict[str, Tensor]:
    """Of the loss of one step of training."""
    ours.net.train().zero_grad()
    loss_of = MODEL.loss_of(ours.config)
    if loss_of is None:
        loss = nn.functional.cross_entropy(ours.net(x_2BL).flatten(0, 1), y_BL.flatten())
    else:
        loss = loss_of(ours.net(x_2BL), y_BL, y_BL)
    loss.backward()
    return {name: p.grad.clone() for name, p in ours.net.named_parameters()}


def test_reinforce_is_right_on_average() -> None:
    """Against the slope of the expected loss, by enumerating every token that a step may take."""
    ours = model(attention="bilinear", scope="hard", estimator="reinforce")
    x_2BL, y_BL = ours.batch(ours.numbered([("the cat sat", "Le chat")]))
    torch.manual_seed(0)
    draws = [hard_slopes(ours, x_2BL, y_BL)["score.between"] for _ in range(400)]
    net = ours.net.zero_grad() or ours.net
    read = net.read(x_2BL[0])
    h_TH, e_SH = net._stepped(net.embed(x_2BL[1][:, :3]), read, passthrough)[0], read.states_BSH[0]
    look_TS = net.score(h_TH, e_SH).softmax(-1)
    total = 0.0
    for t, id in enumerate(y_BL[0, :3].tolist()):
        for s in range(len(e_SH)):
            logit_V = net.output(net._mixed(e_SH[s], h_TH[t]))
            total = total - look_TS[t, s] * logit_V.log_softmax(-1)[id] / 3
    total.backward()
    found = torch.stack(draws)
    error = found.std(0) / len(draws) ** 0.5
    away = (found.mean(0) - net.score.between.grad).abs()
    assert (away < 5 * error + 1e-6).all()


def test_marginal_is_the_sum_over_what_a_step_may_take() -> None:
    ours = model(attention="dot", scope="hard")
    x_2BL, _ = ours.batch(ours.numbered([("the cat sat", "Le chat")]))
    net = ours.net.train()
    with torch.no_grad():
        read = net.read(x_2BL[0])
        h_TH = net._stepped(net.embed(x_2BL[1][:, :3]), read, passthrough)[0]
        look_TS = net.score(h_TH, read.states_BSH[0]).softmax(-1)
        found_TV = net(x_2BL)[0, :3].exp()
        for t in range(3):
            each_SV = torch.stack(
                [net.output(net._mixed(e, h_TH[t])).softmax(-1) for e in read.states_BSH[0]]
            )
            np.testing.assert_allclose(found_TV[t], look_TS[t] @ each_SV, atol=1e-6)


@pytest.mark.parametrize("attention", ["none", "dot"])
def test_scheduled_sampling_reads_its_own_words(attention: str) -> None:
    """With no coin, with all of them, and with one, against the text typed in its place."""
    ours = model(attention=attention, own=0.5)
    tokens = ours.tokens(TEXT)
    x_2BL = torch.stack((torch.from_numpy(tokens.source.ids)[:3],) * 2)[:, None]
    x_2BL[1, 0] = torch.from_numpy(tokens.ids)
    net = ours.net.train()

    def read(coins: list[int]) -> Tensor:
        with torch.no_grad():
            return net(torch.cat((x_2BL, torch.tensor(coins)[None, None])))[0]

    with torch.no_grad():
        plain_TV = net(x_2BL)[0]
        np.testing.assert_allclose(read([1, 0, 0]), plain_TV, atol=1e-5)  # the start mark stays
        swapped = x_2BL.clone()
        swapped[1, 0, 2] = plain_TV[1].argmax()
        np.testing.assert_allclose(read([0, 0, 1]), net(swapped)[0], atol=1e-5)
    rng = np.random.default_rng(0)
    batch = torch.zeros(2, 40, 50, dtype=torch.long)
    for step, share in ((0, 0.0), (1500, 0.25), (3000, 0.5)):
        made = MODEL.tossed(batch, ours.config, step, rng)
        assert made.shape == (3, 40, 50)
        assert made[2].float().mean() == pytest.approx(share, abs=0.03)
    assert MODEL.tossed(batch, replace(ours.config, own=0.0), 9, rng) is batch


@sampled(
    "more",
    [
        {"scope": "local-p", "attention": "bilinear"},
        {"scope": "hard", "attention": "bilinear"},
        {"scope": "hard", "attention": "bilinear", "estimator": "reinforce"},
        {"scope": "hard", "attention": "bilinear", "estimator": "straight"},
        {"feeds": True},
        {"own": 0.5},
    ],
    each=3,
)
def test_every_way_of_looking_learns(more: dict[str, Any]) -> None:
    settings = {"steps": 60, "units": 24, "layers": 1, "rate": 2e-2, "tokenizer": "words", **more}
    config = replace(small(MODEL), **settings)
    reports = [dict(p.metrics) for p in MODEL.fit(MODEL.sample * 12, config, seed=0)]
    assert reports[-1]["loss_nats"] < 0.5 * reports[0]["loss_nats"]


def test_an_edit_of_the_source_is_made_while_it_is_read() -> None:
    """The state of the second source word set to 0 in all units: what is read behind it starts
    anew, what stands before it stays."""
    ours = model(both_ways=False)
    plain, edited = (
        ours.trace(TEXT),
        ours.trace(TEXT, (Edit("encoder.hidden", {"source": 1}, 0.0, How.SET),)),
    )
    before, after = (trace.field("encoder.hidden").values[0] for trace in (plain, edited))
    assert not after[1].any()
    assert np.array_equal(before[0], after[0])
    assert np.abs(after[2:] - before[2:]).max() > 1e-3
    anew = ours.trace("sat on\nLe chat").field("encoder.hidden").values[0]
    np.testing.assert_allclose(after[2:], anew, atol=1e-6)
    assert (
        np.abs(plain.field("probability").values - edited.field("probability").values).max() > 1e-4
    )
    gate = (
        ours.trace(TEXT, (Edit("encoder.gate.update", {"source": 2}, 9.0, How.SCALE),))
        .field("encoder.gate.update")
        .values
    )
    assert gate[0, 2].max() == 1


def test_it_learns_and_every_way_of_decoding_agrees() -> None:
    """Four sentences by heart; greedy decoding in a batch, token by token, and the best of a beam
    say the same."""
    config = replace(small(MODEL), steps=60, units=24, layers=1, rate=2e-2, tokenizer="words")
    made = [p.model for p in MODEL.fit(MODEL.sample * 12, config, seed=0) if p.model][-1]
    lines = MODEL.sample.splitlines()
    found = made.judge(lines)
    assert found["exact"] == 1 and found["nats"] < 0.5 and found["pairs"] == 4
    together = made.translated(
        made.batch(made.numbered([tuple(line.split("\t")) for line in lines]))[0][0]
    )  # sources of several lengths
    wrong = made.numbered(
        [
            ("the old dog sat", "le vieux chien a mangé"),
            ("the dog ate", "le chien a mangé"),
            ("the dog ate", "le chien a"),
        ]
    )
    assert made.right(wrong) == [False, True, False]
    for line, ids in zip(lines, together, strict=True):
        source, target = line.split("\t")
        assert made.tokenizer.decode(ids[:-1]) == target
        first = best(
            list(
                decode.beams(
                    decode.read(made, made.tokens(source)), 3, 12, [made.tokenizer.boundary]
                )
            ),
            0,
        )[0]
        assert list(first.ids) == ids


@together(
    ("more", "says"),
    [
        ({"cell": "gru5"}, "no cell 'gru5'; there are .*gru_after"),
        ({"attention": "much"}, "no attention 'much'; there are none, additive"),
        ({"looks": "twice"}, "no order 'twice'; there are after, before"),
        ({"looks": "before", "attention": "none"}, "nothing to look at"),
        ({"units": 7}, "take an even number"),
        ({"scope": "near"}, "no scope 'near'; there are global, local-m, local-p, hard"),
        ({"estimator": "luck"}, "no estimator 'luck'; there are marginal"),
        ({"scope": "hard", "looks": "before"}, "changes that step alone"),
        ({"scope": "hard", "own": 0.5}, "changes that step alone"),
        ({"feeds": True, "attention": "none"}, "no input to feed"),
        ({"context": 8}, "span 12 is longer than context 8"),
    ],
)
def test_settings_that_do_not_fit_are_named(more: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        model(**more)
