"""Rollout: how a text goes on under edits, token by token from the state that a trace ends with.

What      the next token is the likeliest one, or drawn; then one step of the model, in which the
          edits count on
Source    Graves, Generating Sequences with Recurrent Neural Networks, 2013, sec. 2 (a network that
          reads what it wrote)
Shapes    V = vocabulary
Differs   One random number chooses each token, so two runs with one seed differ only where their
          probabilities do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from engine.analysis.decode import draw
from engine.core.tap import Edit, How, Recorder
from engine.core.trace import FieldSpec, Trace
from engine.text.tokenizers.base import Tokens

if TYPE_CHECKING:
    from engine.models.base import Model

STEPS = 60


def roll_out(
    model: Model[Any], end: Trace, edits: tuple[Edit, ...], steps: int, seed: int | None = None
) -> list[int]:
    """The ids of `steps` tokens that follow the last token of `end`.

    end   a trace of the text's end under the same edits, with `probability`, the edited fields and
          those the model carries
    seed  None: always the likeliest
    """
    rng = np.random.default_rng(seed)
    names = {*model.carries, *(edit.name for edit in edits)}
    specs = {
        spec.name: spec
        for spec in model.spec()
        if isinstance(spec, FieldSpec) and spec.name in {*names, "probability"}
    }
    now = {name: end.field(name).values[:, -1:] for name in names}
    p_V, place, ids = end.field("probability").values[-1], end.offset + len(end.tokens), []
    for step in range(steps):
        id = int(p_V.argmax()) if seed is None else draw(p_V, rng)
        ids.append(id)
        recorder = Recorder(
            edits,
            {*names, "probability"},
            origin=place + step,
            last={e.name: now[e.name][:, 0] for e in edits},
        )
        one = Tokens(np.array([id], np.int64), (model.tokenizer.vocab[id],), ((0, 0),))
        model.go_on(one, {name: now[name] for name in model.carries}, recorder)
        now = {name: recorder.values(specs[name]) for name in names}
        p_V = recorder.values(specs["probability"])[0]
    return ids


def text_of(model: Model[Any], last: int, ids: list[int]) -> str:
    """What the ids add to a text that ends with the token `last`: a piece may be written otherwise
    at the start of a text."""
    before: str = model.tokenizer.decode([last])
    text: str = model.tokenizer.decode([last, *ids])
    return text[len(before) :]


def reread(
    model: Model[Any], tokens: Tokens, edits: tuple[Edit, ...], steps: int, seed: int | None = None
) -> list[int]:
    """The same from the text alone.  The whole of it is read again for every token where edits say
    where tokens look, which no carried state holds, and where it is longer than the model sees."""
    rng = np.random.default_rng(seed)
    names = {"probability", *(model.carries if _go_on(model, edits) else ())}
    specs = {name: spec for name in names if (spec := model.promise(name))}
    ids, state = tokens.ids, None
    for _ in range(steps):
        first = max(0, len(ids) - model.context) if model.context else 0
        begin = len(ids) - 1 if state and not first else first
        count = len(ids) - begin
        window = (0 if len(names) > 1 else count - 1, count)
        recorder = Recorder(edits, names, window, origin=begin)
        new = Tokens(ids[begin:], ("",) * count, ((0, 0),) * count)
        if state and not first:
            model.go_on(new, state, recorder)
        else:
            model.run(new, recorder)
            state = None
        found = {name: recorder.values(spec) for name, spec in specs.items()}
        p_V = found.pop("probability")[-1]
        state = {
            name: np.concatenate((state[name], more), specs[name].axes.index("token"))
            if state
            else more
            for name, more in found.items()
        }
        ids = np.append(ids, int(p_V.argmax()) if seed is None else draw(p_V, rng))
    written: list[int] = ids[len(tokens.ids) :].tolist()
    return written


def _go_on(model: Model[Any], edits: tuple[Edit, ...]) -> bool:
    """Whether what a model carries holds all that these edits did to the tokens before."""
    fields = [model.promise(edit.name) for edit in edits]
    return all(
        spec is not None and "key" not in spec.axes and edit.how is not How.FREEZE
        for spec, edit in zip(fields, edits, strict=True)
    )
