"""Constrained decoding: what is left at each step is exactly what can still become a text of the wanted form, and
the masses are those of the model."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
import regex

from engine import frame as fr
from engine.lessons.decoding import constrained as c
from engine.lessons.decoding.parts import constrained_text
from tests.conftest import shipped

SCHEMA = """{"type": "object", "properties": {"ok": {"type": "boolean"}, "n": {"enum": [1, 20]}},
 "required": ["ok"], "additionalProperties": false}"""
OBJECT = r'\{ ?"ok" ?: ?(true|false)( ?, ?"n" ?: ?(1|20))? ?\}'


def made(
    model: Any, text: str, form: str, wanted: str, temperature: float, seed: int, most: int
) -> c.Written:
    making = c.written(
        model=model,
        text=text,
        form=form,
        wanted=wanted,
        temperature=temperature,
        seed=seed,
        most=most,
    )
    while True:
        try:
            next(making)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def model() -> Any:
    return shipped("transformer")


@pytest.mark.parametrize(
    ("form", "wanted", "pattern", "prompt", "temperature"),
    [
        (c.WORDS, "the sea, a ship\nnever a/b", "the sea|a ship|never a/b", "He saw", 0.0),
        (c.REGEX, (words := r"(the|a) \w{3,6}(, (the|a) \w{3,6}){1,2}\."), words, "He saw ", 1.5),
        (c.REGEX, "[é-ü]{2}€", "[é-ü]{2}€", "He saw", 1.5),
        (c.REGEX, "[0-9]{1,3}(px|em)?", "[0-9]{1,3}(px|em)?", "", 0.0),
        (c.SCHEMA, SCHEMA, OBJECT, "He saw", 0.0),
    ],
)
def test_what_is_left_can_still_match_and_nothing_else(
    model: Any, form: str, wanted: str, pattern: str, prompt: str, temperature: float
) -> None:
    steps, whole, _stopped = made(model, prompt, form, wanted, temperature, 3, 40)
    raw = [model.tokenizer.raw(id) for id in range(len(model.tokenizer.vocab))]
    tokens = model.tokens(prompt)
    so_far, end = b"", model.tokenizer.boundary
    form_of = regex.compile(f"{' ?' if prompt == 'He saw' else ''}(?:{pattern})")
    for step in steps[:6]:
        trace = model.trace(prompt, fields=("probability",), tokens=tokens)
        probability = trace.field("probability").values[-1]
        left = np.array(
            [
                bool(piece) and id != end and may(form_of, so_far + piece)
                for id, piece in enumerate(raw)
            ]
        )
        left[end] = form_of.fullmatch(so_far.decode(errors="replace")) is not None
        assert step.allowed == left.sum() and left[step.id]
        assert step.kept == pytest.approx(probability[left].sum(), rel=1e-4)
        assert step.p == pytest.approx(probability[step.id], rel=1e-4)
        cut = np.where(left, 0, probability)
        assert [id for id, _p in step.cut] == np.argsort(-cut, kind="stable")[: c.CUT].tolist()
        assert [p for _id, p in step.cut] == pytest.approx(
            np.sort(cut)[: -c.CUT - 1 : -1], rel=1e-4
        )
        tokens = replace(
            tokens,
            ids=np.append(tokens.ids, step.id),
            labels=(*tokens.labels, model.tokenizer.vocab[step.id]),
            spans=(*tokens.spans, (0, 0)),
        )
        so_far += raw[step.id]
    assert whole == (steps[-1].id == end)
    if whole:
        text = b"".join(raw[step.id] for step in steps[:-1]).decode()
        assert form_of.fullmatch(text)
        assert form != c.SCHEMA or isinstance(json.loads(text)["ok"], bool)


@cache
def by_beginning() -> dict[bytes, list[str]]:
    """Signs by the first of their bytes: all of small scripts, some of large ones, and one of the marks far behind."""
    found: dict[bytes, list[str]] = {}
    large = (*range(0x3000, 0xD800, 37), *range(0xE000, 0x20000, 97), 0xE0100)
    for n in (*range(0x80, 0x3000), *large):
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
    greedy, drawn = (made(model, "He saw", c.REGEX, r"\w+ \w+\.", t, 1, 20)[0] for t in (0.0, 1e-3))
    assert [s.id for s in greedy] == [s.id for s in drawn]


@pytest.mark.parametrize(
    ("form", "wanted", "said"),
    [
        (c.WORDS, " , ,\n", "with commas"),
        (c.REGEX, " ", "Type the form"),
        (c.REGEX, "(((", "unclosed group"),
        (c.REGEX, "a)|(b", "unopened group"),
        (c.REGEX, "\N{GRINNING FACE}(?=x)", "look-around"),
        (c.REGEX, r"\w+\b", "look-around"),
        (c.REGEX, r"(a)\1", "refers back"),
        (c.REGEX, r"[^\s\S]", "no text that"),
        (c.REGEX, "(" * 900 + "a" + ")" * 900, "nested parentheses"),
        (c.SCHEMA, "{", "no JSON schema"),
        (c.SCHEMA, "[" * 2000, "nested too deeply"),
        (c.SCHEMA, "[true]", "an object in braces"),
        (c.SCHEMA, '{"type": "wonder"}', "cannot be used: Invalid type: wonder"),
        (c.SCHEMA, '{"$ref": "http://localhost/x"}', "cannot be used"),
        (c.SCHEMA, '{"not": {}}', "Unimplemented keys"),
    ],
)
def test_what_is_no_form_gets_a_sentence(model: Any, form: str, wanted: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        made(model, "He saw", form, wanted, 0.0, 1, 5)


@pytest.mark.parametrize(
    ("form", "wanted"),
    [
        (c.REGEX, r"\w{1,100000}"),
        (c.REGEX, r"(a|b)*a(a|b){3000}"),
        (c.REGEX, r"((\w{1,100}){1,100}){1,100}x"),
        (c.REGEX, r"(.*){0,9999}e(.*){9}f"),
        (c.REGEX, "a\0b"),
        (c.REGEX, "|".join(chr(0x4E00 + n) * 3 for n in range(490))),
        (c.SCHEMA, '{"type": "array", "items": {"$ref": "#"}}'),
        (c.SCHEMA, '{"type": "string", "minLength": 1000000}'),
        (c.SCHEMA, '{"patternProperties": {"^[a-z]{1,1000}$": {"type": "integer"}}}'),
        (c.SCHEMA, '{"type":"object","properties":{"a":' * 40 + "{}" + "}}" * 40),
    ],
)
def test_a_form_of_very_many_states_takes_no_longer(model: Any, form: str, wanted: str) -> None:
    begun = time.process_time()
    try:
        steps, _whole, stopped = made(model, "He saw", form, wanted, 1.0, 1, 8)
        assert steps and (not stopped or "more states" in stopped)
    except ValueError as problem:
        assert "more states" in str(problem)
    assert time.process_time() - begun < 3


def test_a_form_that_only_the_empty_text_has_ends_at_once(model: Any) -> None:
    (step,), whole, _stopped = made(model, "He saw ", c.REGEX, "()", 0.0, 1, 5)
    assert whole and step.id == model.tokenizer.boundary and step.allowed == 1


def test_a_schema_that_only_points_at_itself_is_told_so(model: Any) -> None:
    _steps, whole, stopped = made(model, "He saw", c.SCHEMA, '{"$ref": "#"}', 0.0, 1, 5)
    assert not whole and "no text that" in stopped


def test_tokens_with_spaces_between_them_are_refused() -> None:
    with pytest.raises(ValueError, match="whole words"):
        c.vocabulary(shipped("ngram"))


def test_the_masses_of_all_words_sum_to_one(model: Any) -> None:
    """A form that allows every text cuts nothing."""
    steps, _whole, _stopped = made(model, "He saw", c.REGEX, r"[\s\S]*", 0.0, 1, 3)
    assert np.allclose([step.kept for step in steps], 1, atol=1e-3)


@pytest.mark.parametrize("form", c.FORMS)
def test_a_form_brings_its_own_first_text(model: Any, form: str) -> None:
    values = constrained_text.values({"above": "He saw", "form": form})
    assert values["wanted"] == c.EXAMPLE[form]
    blocks = constrained_text.blocks(model=model, above="He saw", form=form)
    assert not any(isinstance(block, fr.Problem) for block in blocks)
    assert [block.view for block in blocks if isinstance(block, fr.Chart)] == ["kept"]
