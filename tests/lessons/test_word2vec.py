"""word2vec by hand: the specification's numbers, updates that can be done again, gradients by autograd,
and any text."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from engine.course import rooms
from engine.frame.blocks import Block, Problem
from engine.lessons.word2vec.head import HEAD, TRIES, Now
from engine.lessons.word2vec.parts import output, rows, scores, tables
from engine.nn.word2vec import toy
from engine.nn.word2vec.single import update
from engine.nn.word2vec.toy import Setting, Text
from tests.conftest import together
from tests.lessons.blocks import charts, said

TEXT = Text((tuple("the cat sat on the mat".split()), tuple("the dog sat".split())))


def chosen(**values: Any) -> tuple[list[Block], Now]:
    lesson = next(lesson for lesson in rooms.lessons() if lesson.id == "word2vec")
    given = {"lesson": lesson, "mine": "", **values}
    return HEAD.answer({**given, **HEAD.values(given)})


@together(
    ("name", "says"),
    [
        (
            "Skip-gram by hand",
            ("**2.824803** nats", "(0.1204, −0.0145)", "**1 of 4** rows of the in"),
        ),
        (
            "Negative sampling by hand",
            (
                "**2.226559** nats before this update, **2.175338** after it",
                "**3 of 4** rows of the out",
            ),
        ),
        (
            "CBOW by hand",
            ("**1.357132** nats before this update, **1.330252** after it", "(−0.2907, 0.2932)"),
        ),
    ],
)
def test_the_worked_examples_are_those_of_the_specification(
    name: str, says: tuple[str, ...]
) -> None:
    now = chosen(**TRIES[name])[1]
    words = said([*scores.blocks(now=now), *rows.blocks(now=now), *tables.blocks(now=now)])
    for one in says:
        assert one in words
    if name == "Skip-gram by hand":
        assert "**−0.459423** in W₁, **0.759257** in W₂" in words


def test_updates_are_done_and_the_tree_has_a_whole() -> None:
    now = chosen(**TRIES["Skip-gram by hand"] | {"w2v_done": 111})[1]
    text = Text((tuple("dog cat sat mat".split()),))
    setting = Setting(window=1, first=1, seed=1, worked=True)
    made, losses = toy.updates(text, setting, toy.start(text, setting), 111)
    assert all(np.array_equal(*pair) for pair in zip(now.tables, made, strict=True))
    assert now.losses == tuple(losses)
    assert len(charts(rows.blocks(now=now))) == 3
    words = said(output.blocks(now=chosen(w2v_output="hierarchical")[1]))
    assert "add up to **1.000000**" in words


def test_odd_texts_and_numbers_that_run_away() -> None:
    for typed in ("", "one", "🙂 …", "one one | one", "a " * 900):
        blocks, now = chosen(w2v_text=typed)
        assert now is None and isinstance(blocks[-1], Problem), typed
    for typed in ("one | two", "the $x$ **b** </script> [a](b) the", "word " * 50 + "x" * 500):
        now = chosen(w2v_text=typed, w2v_done=10)[1]
        assert now is None or [*scores.blocks(now=now), *rows.blocks(now=now)]
    assert "9 more are ignored" in said(chosen(w2v_text="a b " * 20 + "c " * 9)[0])


@together(("output", "cbow"), product(("softmax", "negative", "hierarchical"), (False, True)))
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
            noise = grown[1][list(asked.noise_TK[i])] @ h_D
            loss = loss - torch.nn.functional.logsigmoid(-noise).sum()
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
        assert chance_V.sum() == pytest.approx(1)
        assert done.loss == pytest.approx(-np.log(chance_V[list(asked.targets)]).sum())


def test_the_codes_of_words_are_those_of_a_tree_and_no_code_begins_another() -> None:
    tree, v = TEXT.tree, len(TEXT.words)
    assert tree is not None
    codes = [tree.code(i) for i in range(v)]
    assert sum(2.0 ** -len(code) for code in codes) == 1, "Kraft: the tree is full"
    assert not any(b.startswith(a) for a in codes for b in codes if a is not b)
    by_count = np.argsort(-TEXT.counts, kind="stable")
    lengths = [len(codes[i]) for i in by_count]
    assert lengths == sorted(lengths), "the commoner a word, the shorter its code"


def test_windows_noise_and_order() -> None:
    assert [len(TEXT.pairs(m)) for m in (1, 2, 5)] == [10 + 4, 18 + 6, 30 + 6]
    assert TEXT.words == ("the", "cat", "sat", "on", "mat", "dog")
    assert TEXT.counts.tolist() == [3, 1, 2, 1, 1, 1]
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
