"""Constrained decoding: what is left at each step is exactly what can still become a text of the wanted form, and
the masses are those of the model."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import regex

from engine.lessons.decoding import constrained as c
from tests.conftest import shipped

SCHEMA = '{"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}'


@pytest.fixture(scope="module")
def model() -> Any:
    return shipped("transformer")


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        (c.WORDS, "the sea, a ship\nnever"),
        (c.REGEX, r"(the|a) \w{3,6}(, (the|a) \w{3,6}){1,2}\."),
        (c.REGEX, "[é-ü]{2}€"),
        (c.SCHEMA, SCHEMA),
    ],
)
@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_what_is_left_can_still_match_and_nothing_else(
    model: Any, form: str, wanted: str, temperature: float
) -> None:
    pattern = c.pattern_of(form, wanted)
    steps, whole = c.written(model, "He saw", pattern, temperature, 3, 40)
    raw = [model.tokenizer.raw(id) for id in range(len(model.tokenizer.vocab))]
    tokens = model.tokens("He saw")
    so_far, end = b"", model.tokenizer.boundary
    form_of = regex.compile(f" ?(?:{pattern})")
    for step in steps[:6]:
        trace = model.trace("He saw", fields=("probability",), tokens=tokens)
        probability = trace.field("probability").values[-1]
        allowed = [
            id
            for id, piece in enumerate(raw)
            if piece and id != end and may(form_of, so_far + piece)
        ]
        finished = form_of.fullmatch(so_far.decode(errors="replace")) is not None
        assert step.allowed == len(allowed) + finished and step.id in allowed
        kept = probability[allowed].sum() + finished * probability[end]
        assert step.kept == pytest.approx(kept, rel=1e-4)
        assert step.p == pytest.approx(probability[step.id], rel=1e-4)
        assert step.free == probability.argmax()
        tokens = replace(
            tokens,
            ids=np.append(tokens.ids, step.id),
            labels=(*tokens.labels, model.tokenizer.vocab[step.id]),
            spans=(*tokens.spans, (0, 0)),
        )
        so_far += raw[step.id]
    if whole:
        made = b"".join(raw[step.id] for step in steps).decode()
        assert form_of.fullmatch(made)
        assert form != c.SCHEMA or isinstance(json.loads(made)["ok"], bool)


@cache
def by_beginning() -> dict[bytes, list[str]]:
    """Signs by the first of their bytes: those that are written, and one of the marks far behind them."""
    found: dict[bytes, list[str]] = {}
    for n in (*range(0x80, 0xD800), *range(0xE000, 0x20000), 0xE0100):
        whole = chr(n).encode()
        for length in range(1, len(whole)):
            found.setdefault(whole[:length], []).append(chr(n))
    return found


def may(form: Any, so_far: bytes) -> bool:
    """Whether some text that begins so has the form; of a character that is cut, whether some whole one does."""
    try:
        return form.fullmatch(so_far.decode(), partial=True) is not None
    except UnicodeDecodeError as problem:
        head, tail = so_far[: problem.start].decode(errors="replace"), so_far[problem.start :]
        if problem.reason != "unexpected end of data":
            return False
        return any(
            form.fullmatch(head + sign, partial=True) is not None
            for sign in by_beginning().get(tail, [])
        )


def test_a_temperature_of_nearly_nothing_is_greedy(model: Any) -> None:
    pattern = c.pattern_of(c.REGEX, r"\w+ \w+\.")
    greedy, drawn = (c.written(model, "He saw", pattern, t, 1, 20)[0] for t in (0.0, 1e-3))
    assert [s.id for s in greedy] == [s.id for s in drawn]


@pytest.mark.parametrize(
    ("form", "wanted", "said"),
    [
        (c.WORDS, " , ,\n", "with commas"),
        (c.REGEX, "(((", "cannot be used"),
        (c.REGEX, "\N{GRINNING FACE}(?=x)", "cannot be used"),
        (c.SCHEMA, "{", "no JSON schema"),
        (c.SCHEMA, "[" * 5000, "no JSON schema"),
    ],
)
def test_what_is_no_form_gets_a_sentence(model: Any, form: str, wanted: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        c.written(model, "He saw", c.pattern_of(form, wanted), 0.0, 1, 5)


def test_tokens_with_blanks_between_them_are_refused() -> None:
    with pytest.raises(ValueError, match="whole words"):
        c.vocabulary(shipped("ngram"))


def test_the_masses_of_all_words_sum_to_one(model: Any) -> None:
    """A form that allows every text cuts nothing but the end."""
    steps, _whole = c.written(model, "He saw", r"[\s\S]*", 0.0, 1, 3)
    assert np.allclose([step.kept for step in steps], 1, atol=1e-3)
