"""The page on recurrent networks: what is sent to the browser adds up; its counts, its pair of banks and the tasks of
its shapes are right."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine.core.tap import Recorder
from engine.lessons.rnn import parts, shapes
from engine.lessons.rnn.weights import Weights
from engine.nn.cells.rnn import RNN
from engine.nn.stack import Stack
from engine.runs.store import RunStore
from engine.views import theme
from tests.conftest import shipped
from tests.models.test_labelling_oracle import softmax


def cell(w_hh: Any, w_xh: Any, b: Any) -> RNN:
    made = RNN(len(w_xh[0]), len(b))
    held = zip(made.fused.parameters(), (w_xh, w_hh, b, [0.0] * len(b)), strict=True)
    with torch.no_grad():
        for ours, value in held:
            ours.copy_(torch.tensor(value))
    return made


def read(made: RNN, x: Any) -> dict[str, np.ndarray]:
    """Preactivation and state (T, H) of one layer."""
    recorder = Recorder()
    with torch.no_grad():
        made(torch.tensor(x)[None], recorder.at(layer=0))
    return {spec.name: recorder.values(spec)[0] for spec in made.fields}


def test_two_worked_examples() -> None:
    """T17 of three tokens with a softmax; E4, worked by hand in the notes: a_1 = [1.1, 1.7], y_1 =
    .5 h_1 + .5 h_2 + .1."""
    t17 = cell([[0.3, 0.1], [-0.2, 0.6]], [[0.5, -0.2], [0.1, 0.4]], [0.0, 0.1])
    h_TH = read(t17, [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])["hidden"]
    want_TH = [[0.462117, 0.197375], [-0.041603, 0.482319], [0.323679, 0.715182]]
    np.testing.assert_allclose(h_TH, want_TH, atol=1e-6)
    y_TO = softmax(h_TH @ np.array([[1, -1], [0.5, 0.5], [-0.5, 1]]).T)
    want_TO = [[0.355980, 0.379889, 0.264132], [0.169557, 0.356905, 0.473538]]
    np.testing.assert_allclose(y_TO, [*want_TO, [0.165042, 0.410401, 0.424557]], atol=1e-6)
    made = cell([[0.1, 0.2], [0.3, 0.1]], [[0.4, 0.5, 0.6], [0.7, 0.8, 0.9]], [0.1, 0.1])
    e4 = read(made, [[1.0, 0.0, 1.0]])
    np.testing.assert_allclose(e4["preactivation"], [[1.1, 1.7]], atol=1e-6)
    np.testing.assert_allclose(e4["hidden"], [[0.80049902, 0.93540907]], atol=1e-7)
    assert 0.5 * e4["hidden"].sum() + 0.1 == pytest.approx(0.96795401, abs=1e-7)


def test_parameters_of_any_length() -> None:
    """T59: 19 whatever the length, 57 and 5,700 with nothing shared; and torch counts as many."""
    shared, over, apart = (count for count, _terms in parts.NETS.values())
    assert [shared(2, 2, 3, t) for t in (1, 3, 300)] == [19, 19, 19]
    assert [apart(2, 2, 3, t) for t in (3, 300)] == [57, 5700]
    size = lambda *modules: sum(p.numel() for m in modules for p in m.parameters())  # noqa: E731
    h, d, o, t = 7, 5, 11, 13
    assert shared(h, d, o, t) == size(nn.RNN(d, h), nn.Linear(h, o)) - h, "torch has a second bias"
    assert over(h, d, o, t) == size(nn.Linear(t * d, h), nn.Linear(h, o))


def test_what_the_browser_gets_makes_the_same_numbers(trained: Callable[[str], Any]) -> None:
    """Unpacked as the browser does it, step by step: the pre-activations, the states and the
    probabilities of the model."""
    model = trained("rnn")
    weights = Weights(model)
    sent = weights.packed()
    all_N = np.frombuffer(base64.b64decode(sent["numbers"]), "<f4").astype(float)
    trace = model.trace("the old cat")
    x_TD = weights.inputs(trace)[0].values.astype(float)
    h, at = sent["units"], 0

    def take(*shape: int) -> np.ndarray:
        nonlocal at
        part = all_N[at : at + int(np.prod(shape))].reshape(shape)
        at += part.size
        return part

    for layer in range(sent["layers"]):
        w_HD, u_HH, b_H = take(h, x_TD.shape[1]), take(h, h), take(h)
        state_H, out = np.zeros(h), []
        for t, x_D in enumerate(x_TD):
            a_H = u_HH @ state_H + w_HD @ x_D + b_H
            np.testing.assert_allclose(
                trace.field("preactivation").values[layer, t], a_H, atol=1e-5
            )
            state_H = np.tanh(a_H)
            out.append(state_H)
        x_TD = np.array(out)
    logit_TV = x_TD @ take(sent["vocabulary"], h).T + take(sent["vocabulary"])
    assert at == all_N.size
    p_TV = np.exp(logit_TV) / np.exp(logit_TV).sum(-1, keepdims=True)
    np.testing.assert_allclose(trace.field("probability").values, p_TV, atol=1e-5)


def test_forwards_the_same_until_the_first_difference(trained: Callable[[str], Any]) -> None:
    """To the last bit; and the states are those of the trace."""
    model, long = trained("rnn"), "the cat sat on the mat " * 4
    for one, other, same in (
        ("The bank by the river is steep", "The bank approved my loan application", 9),
        ("a bird sang", "a bird sang", 11),
        ("cat", "dog", 0),
        (f"{long}and", f"{long}or", 92),
        ("ab", "abc", 2),
    ):
        pair = parts.compare(model, one, other)
        assert pair.same == same and not pair.differs_T[:same].any(), "bit by bit"
        assert (pair.differs_T[same : same + 1] > 1e-4).all()
        a_TH, b_TH = (
            model.trace(text).field("hidden").values[-1, 1:].astype(float) for text in (one, other)
        )
        count = min(len(a_TH), len(b_TH))
        want_T = np.abs(a_TH[:count] - b_TH[:count]).max(1)
        np.testing.assert_allclose(pair.differs_T, want_T, atol=1e-5)
    for one, other in (("a", "a"), ("a", ""), ("x", "y"), ("\u202e<b>", "👩‍🚀")):
        found = parts.banks.blocks(model=model, bank_0=one, bank_1=other)[:3]
        assert "nan" not in "".join(map(str, found)), "a state of zeros has no cosine"


def test_a_bidirectional_network_tells_the_banks_apart() -> None:
    """A layer in both directions: the forward half is the same at the fourth of four common inputs,
    the backward half is not."""
    torch.manual_seed(1)
    stack = Stack(RNN, 3, 6, 1, both_ways=True)
    x_2TD = torch.randn(1, 7, 3).repeat(2, 1, 1)
    x_2TD[1, 4:] = torch.randn(3, 3)
    with torch.no_grad():
        one_TH, other_TH = (stack.read(x_TD[None])[0] for x_TD in x_2TD)
    assert torch.equal(one_TH[:4, :6], other_TH[:4, :6])
    assert (one_TH[:4, 6:] - other_TH[:4, 6:]).abs().max(1).values.min() > 1e-4


def answers(model: Any, x_TD: np.ndarray) -> np.ndarray:
    """Probabilities after each row of inputs, from a state of zeros."""
    w = {k: v.astype(np.float64) for k, v in model.weights().items() if v.dtype != np.uint8}
    for layer in range(model.config.layers):
        w_x, w_h, b, b2 = (
            w[f"layers.{layer}.fused.{name}_l0"]
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        h_TH = np.zeros((len(x_TD) + 1, len(b)))  # the last row is the state before the first
        for t, x in enumerate(x_TD):
            h_TH[t] = np.tanh(w_x @ x + w_h @ h_TH[t - 1] + b + b2)
        x_TD = h_TH[:-1]
    return softmax(x_TD @ w["head.weight"].T + w["head.bias"])


def test_one_token_and_what_is_written_from_it() -> None:
    """Alone, each comes out of zeros; written on, the rows are those of the written text read at once."""
    model = shipped("rnn")
    vocab, embed_VD = model.tokenizer.vocab, model.weights()["embed.weight"].astype(float)
    alone = [*shapes.read_alone(model, "lal")]
    p_V = answers(model, embed_VD[[vocab.index("l")]])[0]
    assert alone[0] == alone[2] != alone[1]
    assert alone[0]["out"] == shapes.likeliest(p_V, vocab)
    written = [*shapes.write_on(model, "the c", 3)]
    assert written == [*shapes.write_on(model, "zzz c", 3)] != [*shapes.write_on(model, "the c", 4)]
    assert [row["in"] for row in written[1:]] == [row["out"][0] for row in written[:-1]]
    named = {theme.visible(label): n for n, label in enumerate(vocab) if label != "·"}
    ids = [named[row["in"]] for row in written]
    p_TV = answers(model, embed_VD[ids])
    for row, p_V in zip(written, p_TV, strict=True):
        letter, share, _ = row["out"].split(" ")
        assert abs(100 * p_V[named[letter]] - float(share)) < 0.51
    assert not [*shapes.write_on(model, "", 1)]


def test_a_tag_turns_when_a_later_word_says_so() -> None:
    """ "As the last word" is the tag of the text cut behind it."""
    forwards, both = shipped("tagger"), shipped("tagger_both")
    rows = [*shapes.tag_words(forwards, both, text := "Fish swim in the sea")]
    for t, row in enumerate(rows):
        cut = " ".join(text.split()[: t + 1])
        for model, column in ((forwards, "out, forwards"), (both, "both ways, as the last word")):
            last_L = model.trace(cut).field("tag").values[-1]
            assert row[column] == model.names[last_L.argmax()]
        now = both.names[both.trace(text).field("tag").values[t].argmax()]
        assert str(row["both ways, now"]).removesuffix(" (turned)") == now


def test_a_translation_begins_behind_the_text() -> None:
    model = shipped("seq2seq")
    rows = [*shapes.translate(model, "The small black cat ate the mouse")]
    begins = next(n for n, row in enumerate(rows) if row["from"] == "the start mark")
    assert not any(row["out"] for row in rows[:begins]) and rows[begins - 1]["in"] == "</s>"
    written = [row["out"] for row in rows[begins:]]
    assert [row["in"] for row in rows[begins + 1 :]] == written[:-1] and written[-1] == "</s>"
    pair = model.trace(f"The small black cat ate the mouse\n{' '.join(written[:-1])}")
    best = pair.field("probability").values.argmax(-1)
    assert [model.tokenizer.vocab[id] for id in best] == written
    assert not [*shapes.translate(model, "  ")]


def test_a_review_is_judged_at_its_end() -> None:
    judge = shipped("sentiment")
    said = [*shapes.read_review(judge, "The film is not good")]
    assert [bool(row["out"]) for row in said] == [False] * 4 + [True]
    (measured,) = (run.note["test"] for run in RunStore().all(None) if run.id == "sentiment")
    assert measured["accuracy"] < measured["bag_of_words"]


def test_what_can_not_be_sent_is_said(
    trained: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.lessons.rnn.weights.MOST", 10)
    with pytest.raises(ValueError, match="a browser receives at most 10"):
        Weights(trained("rnn")).packed()


def test_the_boxes_of_a_shape() -> None:
    """As many states as steps, an answer where one comes, and no line that ends in blanks."""
    for shape in shapes.SHAPES.values():
        out, _above, state, _below, into = drawn = shapes.diagram(shape.steps).split("\n")
        assert state.count("[ h ]") == into.count("[") == len(shape.steps)
        assert out.count("[y") == sum(bool(y) for _x, y in shape.steps)
        assert drawn == [line.rstrip() for line in drawn]
        assert out.rindex("[") == pytest.approx(state.rindex("["), abs=1)
