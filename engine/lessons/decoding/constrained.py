"""Constrained decoding: before each token is chosen, all that cannot lead to a text of the wanted form are cut.

What      a list of words, a regular expression or a JSON schema becomes an automaton over characters, and from that
          over tokens: in each of its states some tokens are allowed; their probabilities are divided by their sum
Source    Willard & Louf, Efficient Guided Generation for Large Language Models, 2023; automata by `outlines-core`
Shapes    V = vocabulary
Differs   A form is met by the whole text that is written, from its first sign to its last; it may begin with a blank.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

import numpy as np
from outlines_core import Guide, Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema

from engine import frame as fr
from engine.analysis.decode.place import read, take_step
from engine.language.message import _, refusal
from engine.models.base import Model

WORDS, REGEX, SCHEMA = "words", "regex", "schema"
FORMS = {WORDS: "one of these words", REGEX: "a regular expression", SCHEMA: "a JSON schema"}
FIRST = {
    WORDS: "the sea, a ship, the old captain",
    REGEX: r"(the|a) \w+ (of|in) (the|a) \w+\.",
    SCHEMA: '{"type": "object", "required": ["name", "age"], "properties": {"name": {"type": "string",'
    ' "maxLength": 12}, "age": {"type": "integer"}}}',
}


class Step(NamedTuple):
    """
    p        of the token that was written, before anything was cut
    allowed  how many tokens were left
    kept     their mass
    free     the likeliest token of all, with its probability
    """

    id: int
    p: float
    allowed: int
    kept: float
    free: int
    p_free: float


def pattern_of(form: str, written: str) -> str:
    """The regular expression that the whole text has to match.  ValueError with a sentence for the reader."""
    if form == WORDS:
        words = [word for part in re.split(r"[,\n]", written) if (word := part.strip())]
        if not words:
            raise refusal("Type words with commas between them.")
        return "|".join(map(re.escape, words))
    if form == REGEX:
        return written
    try:
        return str(build_regex_from_schema(json.dumps(json.loads(written))))
    except (ValueError, RecursionError) as problem:
        raise refusal("This is no JSON schema: {said}.", said=str(problem)[:200]) from problem


@fr.once
def vocabulary(model: Model[Any]) -> Vocabulary:
    """The bytes of each token.  ValueError for a tokenizer that puts blanks between its tokens."""
    tokenizer = model.tokenizer
    found: dict[bytes, list[int]] = {}
    for id in range(len(tokenizer.vocab)):
        if id != tokenizer.boundary and (raw := tokenizer.raw(id)):
            found.setdefault(raw, []).append(id)
    two = [ids[0] for ids in found.values()][-2:]
    if tokenizer.decode(two) != "".join(tokenizer.decode([id]) for id in two):
        raise refusal(
            "This model's tokens are whole words, and blanks come between them; a form needs tokens that are pieces"
            " of the text itself. Choose a model with pieces or characters."
        )
    return Vocabulary(tokenizer.boundary, found)


@fr.once
def automaton(model: Model[Any], pattern: str) -> Index:
    """ValueError where the expression is none, or no text of these tokens matches it."""
    try:
        return Index(f" ?(?:{pattern})", vocabulary(model))
    except ValueError as problem:
        said = str(problem)[:300]
        if "incompatible" in said:
            said = _("no text that this model's tokens can write matches it")
        raise refusal("This form cannot be used: {said}.") from problem


@fr.once
def written(
    model: Model[Any], text: str, pattern: str, temperature: float, seed: int, most: int
) -> tuple[list[Step], bool]:
    """The tokens, at most so many, and whether they end as the form wants.  A temperature of 0 takes the likeliest."""
    guide, place = Guide(automaton(model, pattern)), read(model, model.tokens(text))
    rng, end, steps = np.random.default_rng(seed), model.tokenizer.boundary, list[Step]()
    while len(steps) < most:
        p_V = np.exp(place.logit_V.astype(np.float64) - place.logit_V.max())
        p_V /= p_V.sum()
        allowed = np.array(sorted(guide.get_tokens()))
        left = p_V[allowed]
        if temperature:
            power = np.exp((np.log(left) - np.log(left).max()) / temperature)
            id = int(rng.choice(allowed, p=power / power.sum()))
        else:
            id = int(allowed[left.argmax()])
        if id == end:
            return steps, True
        free = int(p_V.argmax())
        steps.append(
            Step(id, float(p_V[id]), len(allowed), float(left.sum()), free, float(p_V[free]))
        )
        guide.advance(id)
        place = take_step(place, id)
    return steps, guide.is_finished()
