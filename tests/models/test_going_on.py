"""A model that goes on from an earlier trace says the same as one that reads the text again."""

import numpy as np
import pytest
import torch

from engine.core.registry import models, tokenizers
from engine.core.trace import Field
from engine.models.transformer import Config, Transformer
from tests.conftest import sampled

TEXTS = ("the cat", "the cat sat", "the cat s", "the cat sat on the mat", "the dog", "a", "")
TEXTS += ("the dog sat on the log and the cat",)
CARRYING = [id for id in models.ids() if models.get(id).carries]


def same(a, b) -> None:
    assert list(a) == list(b) and a.tokens == b.tokens
    for name in a:
        x, y = a[name], b[name]
        if isinstance(x, Field):
            assert x.axes == y.axes, name
            finite = np.isfinite(x.values)
            assert np.array_equal(finite, np.isfinite(y.values)), name
            assert np.allclose(x.values[finite], y.values[finite], atol=2e-5), name


def test_some_models_carry_something():
    assert {"lstm", "transformer"} <= set(CARRYING)


@sampled("id", CARRYING, each=3)
def test_typing_and_deleting_give_the_numbers_of_a_whole_reading(id, trained):
    model, last = trained(id), None
    for text in TEXTS:
        last = model.trace(text, after=last)
        same(last, model.trace(text))


@sampled("id", CARRYING, each=3)
def test_it_really_goes_on(id, trained, monkeypatch):
    """The point of it: only what is new is read."""
    model = trained(id)
    before = model.trace("the cat sat on")
    read = []
    go_on = type(model).go_on
    monkeypatch.setattr(
        type(model),
        "go_on",
        lambda self, tokens, *rest: (read.append(len(tokens)), go_on(self, tokens, *rest)),
    )
    model.trace("the cat sat on the mat", after=before)
    new = len(model.tokens("the cat sat on the mat")) - len(before.tokens)
    assert len(read) == 1 and read[0] <= new + 1


@pytest.mark.parametrize("position", ["learned", "rope", "alibi"])
def test_behind_a_window_it_goes_on_from_what_stands_before(position):
    """As a page with a long text does: what stands before the window is read once."""
    torch.manual_seed(3)
    tokenizer, _ = tokenizers.get("chars").learn(["the cat sat on the mat", "a dog"], 99)
    config = Config(width=32, heads=4, layers=3, context=64, span=64, position=position)
    model = Transformer(config, tokenizer, Transformer.build(config, len(tokenizer.vocab)))
    first, last = 9, None
    for text in ("the cat sat", "the cat sat on", "the cat sat o", "the cat sat the dog"):
        before = model.trace(text, fields=model.carries, window=(0, first))
        state = {name: before.field(name).values for name in model.carries}
        count = len(model.tokens(text))
        last = model.trace(text, window=(first, count), after=last, carried=(first, state))
        assert last.field("attention").shape == (3, 4, count - first, count - first)
        same(last, model.trace(text, window=(first, count)))


@sampled("id", CARRYING, each=3)
def test_a_trace_that_does_not_fit_is_of_no_use(id, trained):
    model = trained(id)
    whole = model.trace("the cat sat")
    same(model.trace("the cat sat", after=model.trace("the cat", fields=("probability",))), whole)
    part = model.trace("the cat sat", window=(2, 5))
    same(model.trace("the cat sat", after=part), whole)
