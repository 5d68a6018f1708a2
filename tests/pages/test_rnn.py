"""The page on recurrent networks: what is sent to the browser adds up, its counts and its pair of
banks are right."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch import nn

from engine.core.tap import Recorder
from engine.lessons.rnn import unrolled
from engine.lessons.rnn.weights import Weights
from engine.nn.cells.rnn import RNN
from engine.nn.stack import Stack
from pages.ui.rnn import bank, sharing
from tests.conftest import ROOT, only_runs
from tests.pages.tables import tables
from tests.pages.test_every_page import HOSTILE, answered

SECONDS = 180
BANKS, USES = "Two banks, one state", "Where it is used"


@pytest.fixture(scope="module", autouse=True)
def a_small_run(
    run_folder: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The pages see one small run of each model that they need, and no other."""
    yield from only_runs(tmp_path_factory, {"rnn": run_folder("rnn")})


def opened(**state: Any) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS).switch_page(
        "pages/405_rnn.py"
    )
    for name, value in state.items():
        at.session_state[name] = value
    return at.run()


def said(at: AppTest) -> str:
    return "\n".join(m.value for m in (*at.markdown, *at.caption, *at.info, *at.error))


def cell(w_hh: Any, w_xh: Any, b: Any) -> RNN:
    made = RNN(len(w_xh[0]), len(b))
    with torch.no_grad():
        for ours, value in zip(
            made.fused.parameters(), (w_xh, w_hh, b, [0.0] * len(b)), strict=True
        ):
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
    np.testing.assert_allclose(
        h_TH, [[0.462117, 0.197375], [-0.041603, 0.482319], [0.323679, 0.715182]], atol=1e-6
    )
    y_TO = torch.tensor(h_TH @ np.array([[1, -1], [0.5, 0.5], [-0.5, 1]]).T).softmax(-1).numpy()
    np.testing.assert_allclose(
        y_TO,
        [
            [0.355980, 0.379889, 0.264132],
            [0.169557, 0.356905, 0.473538],
            [0.165042, 0.410401, 0.424557],
        ],
        atol=1e-6,
    )
    e4 = read(
        cell([[0.1, 0.2], [0.3, 0.1]], [[0.4, 0.5, 0.6], [0.7, 0.8, 0.9]], [0.1, 0.1]),
        [[1.0, 0.0, 1.0]],
    )
    np.testing.assert_allclose(e4["preactivation"], [[1.1, 1.7]], atol=1e-6)
    np.testing.assert_allclose(e4["hidden"], [[0.80049902, 0.93540907]], atol=1e-7)
    assert 0.5 * e4["hidden"].sum() + 0.1 == pytest.approx(0.96795401, abs=1e-7)


def test_parameters_of_any_length() -> None:
    """T59: 19 whatever the length, 57 and 5,700 with nothing shared; and torch counts as many."""
    shared, over, apart = sharing.COUNTS.values()
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


@pytest.mark.parametrize(("layer", "token"), [(0, 0), (0, 4), (1, 7)])
def test_the_saved_sum_ends_at_the_pre_activation(
    trained: Callable[[str], Any], layer: int, token: int
) -> None:
    model = trained("rnn")
    trace = model.trace("the old cat")
    drawing = unrolled.terms(Weights(model))(
        {"rnn": trace}, {"layer": layer, "token": token, "unit": 5}
    )
    (table,) = drawing.inputs()
    assert table.columns["after"][-1] == pytest.approx(
        trace.field("preactivation").values[layer, token, 5], abs=1e-5
    )
    np.testing.assert_allclose(table.columns["before"][1:], table.columns["after"][:-1])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (*bank.PAIR, 9),
        ("a bird sang", "a bird sang", 11),
        ("cat", "dog", 0),
        ("the cat sat on the mat " * 4 + "and", "the cat sat on the mat " * 4 + "or", 92),
        ("ab", "abc", 2),
    ],
)
def test_forwards_the_same_until_the_first_difference(
    trained: Callable[[str], Any], one: str, other: str, same: int
) -> None:
    """To the last bit; and the states are those of the trace, backwards those of a reader of the
    text from its end."""
    model = trained("rnn")
    pair = bank.compare(model, one, other)
    assert pair.same == same
    assert not pair.differs["forwards"][:same].any(), "bit by bit"
    assert (pair.differs["forwards"][same : same + 1] > 1e-4).all()
    if 0 < same < len(pair.differs["backwards"]):
        assert pair.differs["backwards"][pair.word] > 1e-4, (
            "from its end the reader has seen what differs"
        )
    a_TH, b_TH = (
        model.trace(text).field("hidden").values[-1, 1:].astype(float) for text in (one, other)
    )
    count = min(len(a_TH), len(b_TH))
    np.testing.assert_allclose(
        pair.differs["forwards"], np.abs(a_TH[:count] - b_TH[:count]).max(1), atol=1e-5
    )
    a_TH, b_TH = (
        model.trace(text[::-1]).field("hidden").values[-1, :0:-1].astype(float)
        for text in (one, other)
    )
    np.testing.assert_allclose(
        pair.differs["backwards"], np.abs(a_TH[:count] - b_TH[:count]).max(1), atol=1e-5
    )


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


def test_the_page_opens_with_its_numbers() -> None:
    at = opened(sizes="small example", length=3)
    assert not at.exception and len(at.header) == 1
    assert "= **19**, with no T in it" in said(at) and "3 · 19 = **57**" in said(at)
    header, _ = answered(at, "rnn", "a bird")
    assert [p["id"] for p in header["layout"]["panels"]] == [
        "unroll",
        "steps",
        "activation",
        "next",
    ]


def test_where_it_is_used_can_be_narrowed() -> None:
    rows = tables(opened(part=USES, uses=["Music", "Biology"]))[0]
    assert set(rows["field"]) == {"Music", "Biology"} and len(rows) == 3
    assert len(tables(opened(part=USES))[0]) > 12


def test_the_banks_of_the_notes() -> None:
    at = opened(part=BANKS)
    assert (
        "the first 9 tokens, “The·bank·”," in said(at)
        and "**to the last bit**" in said(at)
        and "Backwards: at token 8" in said(at)
    )


# a browser can't send that from a form
TYPED = {name: text for name, text in HOSTILE.items() if name != "half of a character"}


@pytest.mark.parametrize("text", [*TYPED.values(), "x"], ids=[*TYPED, "one character"])
def test_the_pair_of_texts_takes_anything(text: str) -> None:
    at = opened(part=BANKS, bank_0=text[: bank.MOST])
    assert not at.exception
    assert ("Forwards:" in said(at)) == bool(text) and ("Type two texts" in said(at)) != bool(text)


def test_a_state_of_zeros_has_no_cosine(trained: Callable[[str], Any]) -> None:
    pair = bank.Pair(
        (("a", "b"), ("a", "c")),
        1,
        {d: np.array([np.nan, np.nan]) for d in bank.DIRECTIONS},
        {d: np.zeros(2) for d in bank.DIRECTIONS},
    )
    assert "nan" not in bank.sentences(pair, 4).lower().replace("n/a", "")


def test_what_the_page_can_not_show_is_said(
    trained: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.lessons.rnn.weights.MOST", 10)
    at = opened(**{"live-rnn": {"msg": {"text": "the", "seq": 7}}})  # the model is opened then
    assert not at.exception
    assert "a browser receives at most 10" in said(at)


def test_a_text_of_100_000_characters() -> None:
    text = ("The old captain looked at the grey sea. " * 2500)[:100_000]
    header, numbers = answered(opened(), "rnn", text)
    assert len(header["readings"][0]["labels"]) <= 257 and np.isfinite(numbers).all()
