"""The word2vec page shows the spec's numbers, its buttons do updates that can be done again by
hand, and any text is borne."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from engine.nn.word2vec import toy
from engine.nn.word2vec.single import update
from engine.nn.word2vec.toy import Setting, Text
from tests.conftest import ROOT

TEXT = Text((tuple("the cat sat on the mat".split()), tuple("the dog sat".split())))


def opened() -> AppTest:
    return (
        AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
        .switch_page("pages/315_word2vec.py")
        .run()
    )


def said(at: AppTest) -> str:
    assert not at.exception and not at.error
    return "\n".join(m.value for m in (*at.markdown, *at.info, *at.caption))


def press(at: AppTest, label: str) -> AppTest:
    next(b for b in at.button if b.label == label).click()
    return at.run()


def test_the_worked_examples_show_the_numbers_of_the_spec() -> None:
    at = opened()
    words = said(press(at, "Skip-gram by hand"))
    assert (
        "**2.824803** nats" in words
        and "(0.1204, −0.0145)" in words
        and "**1 of 4** rows of the input table" in words
    )
    assert "**−0.459423** in W₁, **0.759257** in W₂" in words
    words = said(press(at, "Negative sampling by hand"))
    assert (
        "**2.226559** nats before this update, **2.175338** after it" in words
        and "**3 of 4** rows of the output table" in words
    )
    words = said(press(at, "CBOW by hand"))
    assert (
        "**1.357132** nats before this update, **1.330252** after it" in words
        and "(−0.2907, 0.2932)" in words
    )
    words = said(press(at, "A tree of questions"))
    assert "add up to **1.000000**" in words


def test_the_buttons_do_updates() -> None:
    at = opened()
    press(at, "Skip-gram by hand")
    before = said(at)
    assert "**2.824803**" in before
    press(press(at, "One step"), "Ten steps")
    assert at.session_state["w2v_done"] == 11
    text = Text((tuple("dog cat sat mat".split()),))
    setting = Setting(window=1, first=1, worked=True)
    tables, _ = toy.updates(text, setting, toy.start(text, setting), 11)
    asked = toy.ask(text, setting, setting.centre(11, 4), 11)
    assert asked is not None and f"**{update(*tables, asked).loss:.6f}** nats" in said(at)
    press(at, "Until it converges")
    assert 11 < at.session_state["w2v_done"] < toy.MOST and "Converged" in said(at)
    press(at, "Reset")
    assert at.session_state["w2v_done"] == 0 and said(at) == before
    press(at, "One step")
    at.number_input(key="w2v_rate").set_value(0.5).run()
    assert at.session_state["w2v_done"] == 0 and not at.exception


def test_a_link_chooses_and_nonsense_in_it_does_not() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)
    wished = {
        "w2v_done": "7",
        "w2v_window": "1",
        "w2v_rate": "abc",
        "w2v_seed": "-4",
        "w2v_output": "CBOW",
        "w2v_model": "CBOW",
        "w2v_width": "3",
    }
    for key, value in wished.items():
        at.query_params[key] = value
    at.switch_page("pages/315_word2vec.py").run()
    assert "After 7 updates" in said(at)
    found = {key: at.session_state[key] for key in wished}
    assert found == {
        "w2v_done": 7,
        "w2v_window": 1,
        "w2v_rate": 0.1,
        "w2v_seed": 0,
        "w2v_output": "Softmax",
        "w2v_model": "CBOW",
        "w2v_width": 3,
    }


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "one",
        "one | two",
        "🙂 …",
        "a " * 3000,
        "the $x$ **b** </script> [a](b) the",
        "word " * 50 + "x" * 500,
    ],
)
def test_any_text_is_borne(typed: str) -> None:
    at = opened()
    at.text_input(key="w2v_text").set_value(typed[:2000]).run()
    said(press(at, "Ten steps")) if len(set(typed.split())) > 2 else said(at)


@pytest.mark.parametrize("cbow", [False, True])
@pytest.mark.parametrize("output", ["softmax", "negative", "hierarchical"])
def test_one_update_is_the_gradient(output: str, cbow: bool) -> None:
    """Against autograd of the loss, in float64."""
    setting = Setting(cbow, output, width=3, seed=4)
    tables = toy.start(TEXT, setting)
    asked = toy.ask(TEXT, setting, 2, 7)
    assert asked is not None
    grown = [torch.from_numpy(table_VD.copy()).requires_grad_() for table_VD in tables]
    h_D, loss = grown[0][list(asked.input_I)].mean(0), torch.zeros((), dtype=torch.float64)
    for i, target in enumerate(asked.targets):
        if output == "softmax":
            loss = loss - (grown[1] @ h_D).log_softmax(0)[target]
        elif output == "negative":
            assert target not in asked.noise_TK[i] and len(asked.noise_TK[i]) == 2
            loss = loss - torch.nn.functional.logsigmoid(grown[1][target] @ h_D)
            loss = (
                loss
                - torch.nn.functional.logsigmoid(-(grown[1][list(asked.noise_TK[i])] @ h_D)).sum()
            )
        else:
            assert asked.tree is not None
            for node, turn in zip(
                asked.tree.node_VL[target], asked.tree.code(target), strict=False
            ):
                score = grown[1][node] @ h_D
                loss = loss - torch.nn.functional.logsigmoid(score if turn == "0" else -score)
    loss.backward()  # type: ignore[no-untyped-call]
    done = update(*tables, asked)
    assert done.loss == pytest.approx(loss.item())
    for found, table in zip((done.in_VD, done.out_VD), grown, strict=True):
        assert table.grad is not None and np.allclose(found, table.grad.numpy(), atol=1e-12)
    if output != "negative":  # a chance for every word, the loss is of these
        chance_V = toy.chances(tables[1], done.h_D, setting, TEXT)
        assert chance_V.sum() == pytest.approx(1) and done.loss == pytest.approx(
            -np.log(chance_V[list(asked.targets)]).sum()
        )


def test_the_tree_is_drawn_left_above_right() -> None:
    from pages.ui.word2vec.outputs import downwards, weights

    tree, v = TEXT.tree, len(TEXT.words)
    assert tree is not None
    order, weight = downwards(tree), weights(tree, TEXT.counts)
    assert sorted(order) == list(range(2 * v - 1)) and weight[order[0]] == TEXT.counts.sum()
    for n, (left, right) in enumerate(tree.child_N2.tolist()):
        assert (
            order.index(n + v) < order.index(left) < order.index(right)
            and weight[left] <= weight[right]
        )
    words = [i for i in order if i < v]
    assert [tree.code(i) for i in words] == sorted(tree.code(i) for i in words)


def test_windows_noise_and_order() -> None:
    assert [len(TEXT.pairs(m)) for m in (1, 2, 5)] == [10 + 4, 18 + 6, 30 + 6]
    assert TEXT.words == ("the", "cat", "sat", "on", "mat", "dog") and TEXT.counts.tolist() == [
        3,
        1,
        2,
        1,
        1,
        1,
    ]
    setting = Setting(output="negative", window=1, negatives=5)
    drawn = [
        k
        for n in range(2000)
        for k in (toy.ask(TEXT, setting, 0, n) or pytest.fail("no window")).noise_TK[0]
    ]
    # the target, cat, is drawn again
    share_V = np.array([3, 0, 2, 1, 1, 1]) ** 0.75 * (np.arange(6) != 1)
    assert np.bincount(drawn, minlength=6) / len(drawn) == pytest.approx(
        share_V / share_V.sum(), abs=0.02
    )
    tables = toy.start(TEXT, setting)
    once, _ = toy.updates(TEXT, setting, tables, 20)
    half, _ = toy.updates(TEXT, setting, tables, 9)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(once, toy.updates(TEXT, setting, half, 11, 9)[0], strict=True)
    )
    assert toy.settled([1.0] * 200, 9) == 180 and toy.settled([1.0] * 100, 9) is None
