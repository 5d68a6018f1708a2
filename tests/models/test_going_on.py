"""A model that goes on from an earlier trace says the same as one that reads the text again."""

import numpy as np

from engine.core.registry import models
from engine.core.trace import Field
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


@sampled("id", CARRYING, each=3)
def test_a_trace_that_does_not_fit_is_of_no_use(id, trained):
    model = trained(id)
    whole = model.trace("the cat sat")
    same(model.trace("the cat sat", after=model.trace("the cat", fields=("probability",))), whole)
    part = model.trace("the cat sat", window=(2, 5))
    same(model.trace("the cat sat", after=part), whole)
